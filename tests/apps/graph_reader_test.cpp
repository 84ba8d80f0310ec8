// SPDX-License-Identifier: Apache-2.0
#include "graph_reader.hpp"

#include <gtest/gtest.h>

#include <string>

#include "readers.hpp"

namespace {

using spanning::graph_format;
using spanning::line_source;

graph_format format_of(const std::string& name, const std::string& content) {
  line_source source(name, content);
  return spanning::format_of(source);
}

TEST(graph_reader, knows_a_format_by_content_before_name) {
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  const struct {
    std::string name;
    std::string content;
    graph_format format;
  } cases[] = {
      {"a.txt", banner, graph_format::matrix_market},     {"-", banner, graph_format::matrix_market},
      {"a.graph", banner, graph_format::matrix_market},   {"a.mtx", "0 1\n", graph_format::matrix_market},
      {"a.graph", "1 0\n", graph_format::metis},          {"a.metis", "", graph_format::metis},
      {"a.txt", "1 0\n", graph_format::edge_list},        {"graph", "", graph_format::edge_list},
      {"a.mtx.txt", "%%Matrix", graph_format::edge_list},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(format_of(one.name, one.content), one.format) << one.name << ": " << one.content;
  }
}

// The same bytes are an edge list and a METIS graph.
TEST(graph_reader, reads_in_the_format_asked_for) {
  const auto read = [](const std::string& name, graph_format format) {
    line_source source(name, "1 0\n");
    try {
      return spanning::read_graph(source, format, readers::k_limits).num_vertices;
    } catch (const spanning::input_error&) {
      return std::uint64_t{0};
    }
  };
  EXPECT_EQ(read("a.graph", graph_format::edge_list), 2U);
  EXPECT_EQ(read("a.txt", graph_format::automatic), 2U);
  EXPECT_EQ(read("a.txt", graph_format::metis), 0U) << "the line of its vertex is missing";
  EXPECT_EQ(read("a.txt", graph_format::matrix_market), 0U);
}

}  // namespace
