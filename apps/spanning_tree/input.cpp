// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include "generators.hpp"
#include "graph_reader.hpp"
#include "memory.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace spanning {
namespace {

// Where the lists of a graph and of a search have their peak: 24 bytes per vertex (start, parent, union-find, a search's
// stack) and 16 per edge (list and neighbours).
// In double, because what is asked for may not fit into 64 bits.
void require_memory(double vertices, double edges) {
  if (vertices > static_cast<double>(k_max_vertices)) {
    throw std::invalid_argument(fmt::format("a graph can have at most {} vertices", k_max_vertices));
  }
  const double needed = 24 * vertices + 16 * edges;
  const auto available = static_cast<double>(available_memory());
  if (needed > available) {
    throw std::invalid_argument(
        fmt::format("{:.0f} vertices and {:.0f} edges need {:.1f} GiB of memory; {:.1f} GiB are available", vertices,
                    edges, needed / k_gibibyte, available / k_gibibyte));
  }
}

struct list_maker {
  const options& o;
  std::string& description;

  edge_list operator()(const file_input& in) const {
    description = in.path == "-" ? "standard input" : in.path;
    reading_limits limits = limits_of_memory();
    if (o.max_edges != 0) {
      limits.edges = o.max_edges;
    }
    line_source source(in.path);
    return read_graph(source, in.format, limits, o.settings.progress);
  }
  edge_list operator()(const random_input& in) const {
    require_memory(static_cast<double>(in.vertices), static_cast<double>(in.edges));
    description = fmt::format("random graph, seed {}", o.seed);
    return make_random(in.vertices, in.edges, o.seed, o.settings.progress);
  }
  edge_list operator()(const torus_input& in) const {
    const double vertices = static_cast<double>(in.rows) * static_cast<double>(in.columns);
    require_memory(vertices, 2 * vertices);
    description = fmt::format("torus of {} x {}", grouped(in.rows), grouped(in.columns));
    return make_torus(in.rows, in.columns, o.settings.progress);
  }
  edge_list operator()(const rmat_input& in) const {
    const auto vertices = static_cast<double>(in.scale < 64 ? std::uint64_t{1} << in.scale : UINT64_MAX);
    require_memory(vertices, vertices * static_cast<double>(in.edge_factor));
    description =
        fmt::format("R-MAT graph of scale {}, {} edges per vertex, seed {}", in.scale, in.edge_factor, o.seed);
    return make_rmat(in.scale, in.edge_factor, o.seed, o.settings.progress);
  }
};

}  // namespace

loaded_graph load(const options& o) {
  loaded_graph loaded;
  edge_list list = std::visit(list_maker{o, loaded.description}, o.input);
  loaded.g = graph(list, o.settings.progress);
  loaded.ids = std::move(list.ids);
  return loaded;
}

}  // namespace spanning
