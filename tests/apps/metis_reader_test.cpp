// SPDX-License-Identifier: Apache-2.0
#include "metis_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "readers.hpp"
#include "support/temporary.hpp"

namespace {

using spanning::edge;
using spanning::edge_list;
using spanning::vertex;

edge_list read(const std::string& content) { return readers::read(spanning::read_metis, content); }
std::string complaint(const std::string& content) { return readers::complaint(spanning::read_metis, content); }

const std::vector<edge> k_path = {{0, 1}, {1, 2}};

TEST(metis_reader, reads_each_edge_once) {
  const edge_list list = read("3 2\n2\n1 3\n2\n");
  EXPECT_EQ(list.edges, k_path);
  EXPECT_EQ(list.num_vertices, 3U);
  EXPECT_EQ(list.ids, (std::vector<vertex>{1, 2, 3}));
}

TEST(metis_reader, takes_neighbours_in_any_order_and_repeated_edges) {
  EXPECT_EQ(read("3 3\n3 2\n3 1\n1 2\n").edges.size(), 3U);
  EXPECT_EQ(read("2 2\n2 2\n1 1\n").edges, (std::vector<edge>{{0, 1}, {0, 1}}));
}

TEST(metis_reader, takes_an_empty_line_for_a_vertex_without_neighbours) {
  EXPECT_EQ(read("4 1\n\n3\n2\n\n").edges, (std::vector<edge>{{1, 2}}));
  EXPECT_EQ(read("1 0\n\n").num_vertices, 1U);
}

TEST(metis_reader, passes_over_sizes_and_weights) {
  const struct {
    std::string format;
    std::string lines;
  } cases[] = {
      {"0", "2\n1 3\n2\n"},
      {"000", "2\n1 3\n2\n"},
      {"1", "2 9\n1 9 3 8\n2 8\n"},
      {"001", "2 9\n1 9 3 8\n2 8\n"},
      {"10", "5 2\n6 1 3\n7 2\n"},
      {"11", "5 2 9\n6 1 9 3 8\n7 2 8\n"},
      {"100", "4 2\n4 1 3\n4 2\n"},
      {"111", "4 5 2 9\n4 6 1 9 3 8\n4 7 2 8\n"},
      {"10 2", "5 0 2\n6 0 1 3\n7 0 2\n"},
      {"011 3", "5 0 1 2 9\n6 0 1 1 9 3 8\n7 0 1 2 8\n"},
      {"111 1", "4 5 2 9\n4 6 1 9 3 8\n4 7 2 8\n"},
  };
  for (const auto& one : cases) EXPECT_EQ(read("3 2 " + one.format + "\n" + one.lines).edges, k_path) << one.format;
}

TEST(metis_reader, passes_over_comments_and_what_is_empty_around_the_graph) {
  EXPECT_EQ(read("% a graph\n\n3 2\n%\n2\n % between\n1 3\n2\n\n  \n% end\n").edges, k_path);
}

TEST(metis_reader, takes_tabs_line_ends_of_dos_and_a_last_line_without_one) {
  EXPECT_EQ(read("3\t2\r\n 2 \r\n1\t3\r\n2").edges, k_path);
}

// The middle of a star has one line of some 2 MB, and so has the comment: read from a file, both come in parts.
TEST(metis_reader, reads_lines_longer_than_its_buffer) {
  constexpr std::uint64_t k_leaves = 300'000;
  std::string content = std::to_string(k_leaves + 1) + " " + std::to_string(k_leaves) + " 1\n";
  for (std::uint64_t leaf = 2; leaf <= k_leaves + 1; ++leaf) content += std::to_string(leaf) + " 7 ";
  content += "\n% " + std::string(1, ' ');
  for (int i = 0; i < 200'000; ++i) content += "comment ";
  for (std::uint64_t leaf = 0; leaf < k_leaves; ++leaf) content += "\n1 7";
  const support::temporary_folder folder;
  std::ofstream(folder / "star.graph") << content;
  spanning::line_source source(folder / "star.graph");
  const edge_list list = spanning::read_metis(source, {.edges = k_leaves, .vertices = k_leaves + 1});
  ASSERT_EQ(list.edges.size(), k_leaves);
  for (vertex leaf = 1; leaf <= k_leaves; ++leaf) ASSERT_EQ(list.edges[leaf - 1], (edge{0, leaf}));
}

TEST(metis_reader, refuses_wrong_first_lines) {
  EXPECT_EQ(complaint(""), "file:1: the file ends before the line with the numbers of vertices and edges");
  EXPECT_EQ(complaint("% 3 2\n\n"), "file:2: the file ends before the line with the numbers of vertices and edges");
  EXPECT_EQ(complaint("3\n"), "file:1: expected a number of edges, found the end of the line");
  EXPECT_EQ(complaint("x 2\n"), "file:1: expected a number of vertices, found 'x'");
  EXPECT_EQ(complaint("0 0\n"), "file:1: number of vertices 0 is below 1, the smallest allowed");
  EXPECT_EQ(complaint("4294967296 0\n"),
            "file:1: number of vertices 4294967296 is above 4294967295, the most vertices of a graph");
  EXPECT_EQ(complaint("3 2 2\n"), "file:1: expected a format of up to three digits 0 or 1, found '2'");
  EXPECT_EQ(complaint("3 2 0011\n"), "file:1: expected a format of up to three digits 0 or 1, found '0011'");
  EXPECT_EQ(complaint("3 2 1 2\n"),
            "file:1: a number of weights per vertex, but the format before it says that vertices have none");
  EXPECT_EQ(complaint("3 2 10 0\n"), "file:1: number of weights per vertex 0 is below 1, the smallest allowed");
  EXPECT_EQ(complaint("3 2 10 1 1\n"), "file:1: '1' after the number of weights per vertex");
}

TEST(metis_reader, refuses_what_does_not_fit_into_memory) {
  EXPECT_EQ(complaint("1001 0\n"), "file:1: 1001 vertices are more than the 1000 that fit into the available memory");
  EXPECT_EQ(complaint("3 1001\n"),
            "file:1: more than 1000 edges, the limit (--max-edges; by default what fits into the available memory)");
}

TEST(metis_reader, refuses_wrong_neighbours) {
  EXPECT_EQ(complaint("2 1\nx\n1\n"), "file:2: expected a neighbour, found 'x'");
  EXPECT_EQ(complaint("2 1\n0\n1\n"), "file:2: neighbour 0 is below 1, the smallest allowed");
  EXPECT_EQ(complaint("2 1\n3\n1\n"), "file:2: neighbour 3 is above 2, the number of vertices");
  EXPECT_EQ(complaint("2 1\n2,1\n1\n"), "file:2: ',' after a neighbour");
  EXPECT_EQ(complaint("2 1\n2\n1 2\n"), "file:3: vertex 2 is its own neighbour, and this format has no self-loops");
}

TEST(metis_reader, refuses_lines_without_their_weights) {
  EXPECT_EQ(complaint("2 1 10\n5 2\n\n"), "file:3: the line of vertex 2 ends after 0 of its 1 sizes and weights");
  EXPECT_EQ(complaint("2 1 110 2\n5 5\n"), "file:2: the line of vertex 1 ends after 2 of its 3 sizes and weights");
  EXPECT_EQ(complaint("2 1 1\n2\n1 1\n"), "file:2: the line of vertex 1 ends before the weight of its last edge");
  EXPECT_EQ(complaint("2 1 1\n2 -1\n1 -1\n"), "file:2: expected an edge weight, found '-'");
  EXPECT_EQ(complaint("2 1 10\n0.5 2\n1 1\n"), "file:2: '.' after a vertex weight or size");
}

TEST(metis_reader, refuses_edges_that_stand_in_one_line_only) {
  const auto one_sided = [](int line, int names, int named) {
    return "file:" + std::to_string(line) + ": vertex " + std::to_string(names) + " names vertex " +
           std::to_string(named) +
           " more often than the other way round: every edge must stand in the lines of both ends";
  };
  EXPECT_EQ(complaint("2 1\n2\n\n"), one_sided(3, 1, 2));
  EXPECT_EQ(complaint("2 1\n\n1\n"), one_sided(3, 2, 1));
  EXPECT_EQ(complaint("5 2\n\n5\n5\n\n1 4\n"), one_sided(6, 5, 1)) << "the sum of 1 and 4 is that of 2 and 3";
  EXPECT_EQ(complaint("3 2\n3\n3\n1 1\n"), one_sided(4, 3, 1)) << "two where one should be";
  EXPECT_EQ(complaint("3 2\n2 3\n1\n\n"), one_sided(4, 1, 3));
}

TEST(metis_reader, checks_the_numbers_of_vertices_and_edges) {
  EXPECT_EQ(complaint("3 2\n2\n1\n"),
            "file:3: the file ends after the lines of 2 of the 3 vertices that line 1 announces");
  EXPECT_EQ(complaint("2 1\n2\n1\n1\n"), "file:4: '1' after the lines of the 2 vertices that line 1 announces");
  EXPECT_EQ(complaint("%\n3 3\n2\n1 3\n2\n"), "file:5: the file has 2 of the 3 edges that line 2 announces");
  EXPECT_EQ(complaint("3 1\n2\n1 3\n2\n"), "file:3: more edges than the 1 that line 1 announces");
  EXPECT_EQ(complaint("2 1\n2\n1 1\n"), "file:3: more edges than the 1 that line 1 announces");
}

}  // namespace
