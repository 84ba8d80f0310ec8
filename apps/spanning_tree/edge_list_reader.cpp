// SPDX-License-Identifier: Apache-2.0
#include "edge_list_reader.hpp"

#include "edge_collector.hpp"
#include "line_cursor.hpp"
#include "vertex_ids.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace spanning {
namespace {

constexpr number_kind k_id{.article = "a", .name = "vertex id", .most = k_max_vertices - 1};

// Takes line after line of one file.
class edge_parser {
public:
  edge_parser(const line_source& source, std::uint64_t max_edges) : source_(source), edges_(source, max_edges) {}

  void parse_line(std::string_view line) {
    line_cursor cursor(source_, line);
    if (cursor.at_end()) {
      return;
    }
    if (cursor.is_next('#')) {
      parse_comment(cursor.rest());
      return;
    }
    const auto a = static_cast<vertex>(cursor.take_number(k_id));
    if (cursor.at_end()) {
      source_.fail(fmt::format("one number ({}) where an edge needs two", a));
    }
    const auto b = static_cast<vertex>(cursor.take_number(k_id));
    cursor.expect_end("after the two vertex ids of an edge");
    edges_.add({a, b});
  }

  // After the last line.
  std::vector<edge> take_edges() {
    if (announced_ && edges_.size() < *announced_) {
      source_.fail(fmt::format("the file ends after {} of the {} edges that line {} announces", edges_.size(),
                               *announced_, announced_in_line_));
    }
    if (edges_.size() == 0) {
      source_.fail("the file ends without an edge");
    }
    return edges_.take();
  }

private:
  // Comments are free text, except that a zero byte betrays a binary file; "Edges: <number>" in one before the first
  // edge tells how many lines follow.
  void parse_comment(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) {
      source_.fail(fmt::format("{} in a comment", byte_name('\0')));
    }
    constexpr std::string_view k_key = "Edges:";
    const std::size_t at = text.find(k_key);
    if (at == std::string_view::npos || edges_.size() > 0) {
      return;
    }
    const std::string_view word = line_cursor(source_, text.substr(at + k_key.size())).take_word();
    std::uint64_t count = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), count).ec != std::errc{}) {
      return;
    }
    announced_ = count;
    announced_in_line_ = source_.line_number();
    edges_.expect(count);
  }

  const line_source& source_;
  edge_collector edges_;
  std::optional<std::uint64_t> announced_;
  std::uint64_t announced_in_line_ = 0;
};

}  // namespace

edge_list read_edge_list(line_source& source, const reading_limits& limits, apps::progress_style style) {
  edge_list list;
  {
    apps::progress_stage stage(style, "reading " + source.name(), source.size());
    edge_parser parser(source, limits.edges);
    std::string_view line;
    while (source.next(line)) {
      parser.parse_line(line);
      stage.done(source.bytes_read());
    }
    list.edges = parser.take_edges();
  }
  list.ids = make_ids_dense(list.edges, style);
  list.num_vertices = list.ids.size();
  return list;
}

}  // namespace spanning
