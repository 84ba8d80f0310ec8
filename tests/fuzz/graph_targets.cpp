// SPDX-License-Identifier: Apache-2.0
// The readers of spanning_tree. What one accepts is a graph within its limits, and written anew it is read as the same.
#include "edge_list_reader.hpp"
#include "matrix_market_reader.hpp"
#include "metis_reader.hpp"
#include "targets.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace fuzz {
namespace {

using spanning::edge;

constexpr spanning::reading_limits k_limits{.edges = 10'000, .vertices = 10'000};

using reader = spanning::edge_list(spanning::line_source&, const spanning::reading_limits&, apps::progress_style);

std::optional<spanning::edge_list> read(reader* how, std::string_view text) {
  spanning::line_source source("input", text);
  try {
    return how(source, k_limits, apps::progress_style::silent);
  } catch (const spanning::input_error& refused) {
    require(std::string_view(refused.what()).starts_with("input:"), "an error names the file and the line");
    require(std::string_view(refused.what()).size() < 500, "an error is short");
    return std::nullopt;
  }
}

void check_graph(const spanning::edge_list& list) {
  require(list.edges.size() <= k_limits.edges, "no more edges than allowed");
  require(list.ids.size() == list.num_vertices, "every vertex has a name");
  require(std::ranges::adjacent_find(list.ids, std::ranges::greater_equal()) == list.ids.end(), "names ascend");
  for (const edge& e : list.edges) {
    require(e.a < list.num_vertices && e.b < list.num_vertices, "an edge ends at vertices");
  }
}

void check_again(reader* how, const spanning::edge_list& list, const std::string& written) {
  const auto again = read(how, written);
  require(again.has_value(), "what is written is accepted");
  require(again->edges == list.edges && again->num_vertices == list.num_vertices && again->ids == list.ids,
          "what is written is read as the same graph");
}

std::string line(std::uint64_t a, std::uint64_t b) { return std::to_string(a) + ' ' + std::to_string(b) + '\n'; }

std::string metis_text(const spanning::edge_list& list) {
  std::vector<std::string> lines(list.num_vertices);
  for (const edge& e : list.edges) {
    lines[e.a] += ' ' + std::to_string(e.b + 1);
    lines[e.b] += ' ' + std::to_string(e.a + 1);
  }
  std::string text = line(list.num_vertices, list.edges.size());
  for (const std::string& one : lines) {
    text += one + '\n';
  }
  return text;
}

}  // namespace

void edge_list(std::string_view text) {
  const auto list = read(spanning::read_edge_list, text);
  if (!list) {
    return;
  }
  check_graph(*list);
  std::string written;
  for (const edge& e : list->edges) {
    written += line(list->ids[e.a], list->ids[e.b]);
  }
  check_again(spanning::read_edge_list, *list, written);
}

void matrix_market(std::string_view text) {
  const auto list = read(spanning::read_matrix_market, text);
  if (!list) {
    return;
  }
  check_graph(*list);
  const std::string n = std::to_string(list->num_vertices);
  std::string written = "%%MatrixMarket matrix coordinate pattern general\n" + n + ' ' + n + ' ' +
                        std::to_string(list->edges.size()) + '\n';
  for (const edge& e : list->edges) {
    written += line(e.a + std::uint64_t{1}, e.b + std::uint64_t{1});
  }
  check_again(spanning::read_matrix_market, *list, written);
}

void metis(std::string_view text) {
  const auto list = read(spanning::read_metis, text);
  if (!list) {
    return;
  }
  check_graph(*list);
  require(std::ranges::all_of(list->edges, [](edge e) { return e.a < e.b; }), "each edge once, from the smaller end");
  check_again(spanning::read_metis, *list, metis_text(*list));
}

}  // namespace fuzz
