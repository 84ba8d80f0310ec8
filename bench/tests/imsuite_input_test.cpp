// SPDX-License-Identifier: Apache-2.0
// Inputs of the IMSuite kernels: what is written is read back, what is wrong is told with its line, and generated
// graphs are what their names say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "x10/imsuite/generate.hpp"
#include "x10/imsuite/text.hpp"

namespace bench::imsuite {
namespace {

constexpr family k_graphs[] = {family::spmax, family::random, family::complete,
                               family::spmin, family::chain,  family::star};

template <class Input>
std::string text_of(const Input& input) {
  std::ostringstream out;
  write(out, input);
  return out.str();
}

template <class Input>
Input read_text(const std::string& text) {
  std::istringstream in(text);
  return read<Input>(in, "file");
}

/// What read() says of the text; empty if it takes it.
template <class Input>
std::string complaint(const std::string& text) {
  try {
    read_text<Input>(text);
    return "";
  } catch (const input_error& e) {
    return e.what();
  }
}

/// The text with line k (from 1) replaced.
std::string with_line(const std::string& text, std::size_t k, const std::string& line) {
  std::istringstream in(text);
  std::string result;
  std::string each;
  for (std::size_t i = 1; std::getline(in, each); ++i) result += (i == k ? line : each) + "\n";
  return result;
}

/// The first lines of the text.
std::string head(const std::string& text, std::size_t lines) {
  std::istringstream in(text);
  std::string result;
  std::string each;
  for (std::size_t i = 0; i < lines && std::getline(in, each); ++i) result += each + "\n";
  return result;
}

// A small input of each kind. Lines: 1 n, 2 root or k, then rows, a blank and so on.
const std::string k_ring = "3\n7\n2147483647\n0\n";
const std::string k_bf = "3\n1\n010\n101\n010\n";
const std::string k_mis = "3\n010\n101\n010\n";
const std::string k_kc = "3\n2\n010\n101\n010\n \n5\n6\n4\n";
const std::string k_mst = "3\n010\n101\n010\n \n2147483647\n4\n9\n4\n2147483647\n5\n8\n5\n2147483647\n";
const std::string k_vc = "3\n0\n010\n101\n010\n \n0\n0\n1\n";
const std::string k_by = "16\n" + [] {
  std::string rows;
  for (std::size_t i = 0; i < 16; ++i) {
    std::string row(16, '1');
    row[i] = '0';
    rows += row + "\n";
  }
  return rows;
}() + " \n0101010101010101\n \n15\n";

TEST(imsuite_read, takes_each_layout) {
  EXPECT_EQ(read_text<hs_input>(k_ring).id, (std::vector<std::int64_t>{7, 2147483647, 0}));
  EXPECT_EQ(read_text<lcr_input>(k_ring).id, (std::vector<std::int64_t>{7, 2147483647, 0}));
  EXPECT_EQ(read_text<bf_input>(k_bf).root, 1u);
  EXPECT_EQ(read_text<dst_input>(k_bf).g.neighbours[1], (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(read_text<mis_input>(k_mis).g.n, 3u);
  EXPECT_EQ(read_text<ds_input>(k_mis).g.edges(), 2u);
  const auto kc = read_text<kc_input>(k_kc);
  EXPECT_EQ(kc.k, 2u);
  EXPECT_EQ(kc.id, (std::vector<std::int64_t>{5, 6, 4}));
  EXPECT_EQ(read_text<mst_input>(k_mst).weight[7], 5);
  EXPECT_EQ(read_text<dr_input>(k_mst).weight[2], 9);
  EXPECT_EQ(read_text<vc_input>(k_vc).parent, (std::vector<std::uint32_t>{0, 0, 1}));
  const auto by = read_text<by_input>(k_by);
  EXPECT_EQ(by.vote[1], 1);
  EXPECT_EQ(by.traitor, (std::vector<std::uint32_t>{15}));
}

TEST(imsuite_read, needs_no_newline_at_the_end) {
  EXPECT_EQ(read_text<hs_input>("2\n1\n2").id, (std::vector<std::int64_t>{1, 2}));
}

TEST(imsuite_read, tells_a_bad_number_of_nodes) {
  const std::string expected = ", expected the number of nodes, 2 to 1048576";
  EXPECT_EQ(complaint<hs_input>(""), "file:1: found the end of the file" + expected);
  EXPECT_EQ(complaint<hs_input>("\n"), "file:1: found ''" + expected);
  for (const std::string n :
       {"0", "1", "-3", "+3", " 3", "3 ", "3x", "3\r", "x", "1048577", "99999999999999999999999"}) {
    const std::string said = complaint<mis_input>(with_line(k_mis, 1, n));
    EXPECT_TRUE(said.starts_with("file:1: found '")) << said;
    EXPECT_TRUE(said.ends_with(expected)) << said;
  }
}

TEST(imsuite_read, tells_a_huge_number_of_nodes_before_it_takes_memory) {
  EXPECT_EQ(complaint<mst_input>("1048576\n01\n"),
            "file:2: found 2 characters, expected a row of 1048576 characters 0 or 1");
}

TEST(imsuite_read, tells_an_unprintable_long_line_briefly) {
  EXPECT_EQ(complaint<hs_input>(std::string(1000, '\x01')),
            "file:1: found '" + std::string(40, '?') +
                "' and 960 characters more, expected the number of nodes, 2 to 1048576");
}

TEST(imsuite_read, tells_a_bad_root_or_committee) {
  EXPECT_EQ(complaint<bf_input>(with_line(k_bf, 2, "3")), "file:2: found '3', expected the root, 0 to 2");
  EXPECT_EQ(complaint<dst_input>(with_line(k_bf, 2, "-1")), "file:2: found '-1', expected the root, 0 to 2");
  EXPECT_EQ(complaint<vc_input>(with_line(k_vc, 2, "")), "file:2: found '', expected the root, 0 to 2");
  EXPECT_EQ(complaint<kc_input>(with_line(k_kc, 2, "0")),
            "file:2: found '0', expected the size of a committee, 1 to 3");
  EXPECT_EQ(complaint<kc_input>(with_line(k_kc, 2, "4")),
            "file:2: found '4', expected the size of a committee, 1 to 3");
}

TEST(imsuite_read, tells_a_bad_row) {
  EXPECT_EQ(complaint<mis_input>(with_line(k_mis, 3, "10")),
            "file:3: found 2 characters, expected a row of 3 characters 0 or 1");
  EXPECT_EQ(complaint<mis_input>(with_line(k_mis, 3, "1010")),
            "file:3: found 4 characters, expected a row of 3 characters 0 or 1");
  EXPECT_EQ(complaint<mis_input>(with_line(k_mis, 3, "1 1")),
            "file:3: found ' ' in column 2, expected a row of 3 characters 0 or 1");
  EXPECT_EQ(complaint<mis_input>(head(k_mis, 3)),
            "file:4: found the end of the file, expected a row of 3 characters 0 or 1");
  EXPECT_EQ(complaint<mis_input>(with_line(k_mis, 3, "111")),
            "file:3: found an edge from node 1 to itself, expected 0 there");
}

TEST(imsuite_read, tells_an_edge_in_one_direction) {
  EXPECT_EQ(complaint<bf_input>(with_line(k_bf, 5, "110")),
            "file:5: found 1 in column 1, expected what line 3 has in column 3");
  EXPECT_EQ(complaint<bf_input>(with_line(k_bf, 5, "000")),
            "file:5: found 0 in column 2, expected what line 4 has in column 3");
}

TEST(imsuite_read, tells_a_graph_in_two_parts) {
  EXPECT_EQ(complaint<ds_input>("4\n0100\n1000\n0001\n0010\n"),
            "file:4: found node 2 without a path from node 0, expected a connected graph");
}

TEST(imsuite_read, tells_bad_ids) {
  EXPECT_EQ(complaint<hs_input>(with_line(k_ring, 4, "7")),
            "file:4: found the id 7 of line 2 again, expected ids that differ");
  EXPECT_EQ(complaint<lcr_input>(with_line(k_ring, 2, "2147483648")),
            "file:2: found '2147483648', expected an id, 0 to 2147483647");
  EXPECT_EQ(complaint<lcr_input>(head(k_ring, 3)),
            "file:4: found the end of the file, expected an id, 0 to 2147483647");
  EXPECT_EQ(complaint<kc_input>(with_line(k_kc, 9, "5")),
            "file:9: found the id 5 of line 7 again, expected ids that differ");
  EXPECT_EQ(complaint<dp_input>("2\n01\n10\n \n1\n1\n"),
            "file:6: found the id 1 of line 5 again, expected ids that differ");
}

TEST(imsuite_read, tells_a_section_that_does_not_begin_with_a_blank) {
  const std::string expected = ", expected a line of one blank before the next section";
  EXPECT_EQ(complaint<kc_input>(with_line(k_kc, 6, "")), "file:6: found ''" + expected);
  EXPECT_EQ(complaint<mst_input>(with_line(k_mst, 5, "  ")), "file:5: found '  '" + expected);
  EXPECT_EQ(complaint<vc_input>(head(k_vc, 5)), "file:6: found the end of the file" + expected);
  EXPECT_EQ(complaint<by_input>(with_line(k_by, 20, "0")), "file:20: found '0'" + expected);
}

TEST(imsuite_read, tells_bad_weights) {
  EXPECT_EQ(complaint<mst_input>(with_line(k_mst, 9, "6")),
            "file:9: found 6, expected 4, the weight of the same edge in line 7");
  EXPECT_EQ(complaint<mst_input>(with_line(k_mst, 10, "0")), "file:10: found 0, expected 2147483647 on the diagonal");
  EXPECT_EQ(complaint<dr_input>(with_line(k_mst, 11, "1e3")),
            "file:11: found '1e3', expected a weight, 0 to 2147483647");
  EXPECT_EQ(complaint<mst_input>(with_line(with_line(k_mst, 11, "4"), 13, "4")),
            "file:13: found the weight 4 of line 9 again, expected weights that differ from edge to edge");
  EXPECT_EQ(complaint<dr_input>(with_line(with_line(k_mst, 11, "4"), 13, "4")), "");
  EXPECT_EQ(complaint<mst_input>(with_line(k_mst, 8, "4")), "");  // no edge: the number has no meaning
}

TEST(imsuite_read, tells_bad_votes_and_traitors) {
  EXPECT_EQ(complaint<by_input>(with_line(k_by, 19, "010101010101010")),
            "file:19: found 15 characters, expected a line of votes of 16 characters 0 or 1");
  EXPECT_EQ(complaint<by_input>(with_line(k_by, 21, "16")), "file:21: found '16', expected a traitor, 0 to 15");
  by_input three = generate<by_input>({family::complete, 32, 1});
  ASSERT_EQ(three.traitor.size(), 3u);
  three.traitor[2] = three.traitor[0];
  EXPECT_EQ(complaint<by_input>(text_of(three)),
            "file:39: found node " + std::to_string(three.traitor[0]) + " again, expected a traitor not named before");
}

TEST(imsuite_read, tells_parents_that_make_no_tree) {
  EXPECT_EQ(complaint<vc_input>(with_line(k_vc, 7, "1")), "file:7: found 1, expected 0, for this node is the root");
  EXPECT_EQ(complaint<vc_input>(with_line(k_vc, 9, "0")), "file:9: found 0, expected a neighbour of the node");
  EXPECT_EQ(complaint<vc_input>(with_line(k_vc, 8, "2")),
            "file:8: found a node whose parents lead into a circle, expected a way to the root");
  EXPECT_EQ(complaint<vc_input>("3\n0\n011\n101\n110\n \n0\n0\n1\n"),
            "file:9: found a graph of 3 edges, expected a tree: an edge to the parent of each node but the root");
}

TEST(imsuite_read, tells_what_follows_the_end) {
  EXPECT_EQ(complaint<hs_input>(k_ring + "9\n"), "file:5: found '9', expected the end of the file");
  EXPECT_EQ(complaint<bf_input>(k_bf + "\n"), "file:6: found '', expected the end of the file");
  EXPECT_EQ(complaint<mst_input>(k_mst + " "), "file:15: found ' ', expected the end of the file");
  EXPECT_EQ(complaint<by_input>(k_by + "3\n"), "file:22: found '3', expected the end of the file");
}

TEST(imsuite_read, tells_every_cut_of_a_text) {
  for (std::size_t lines = 0; lines < 14; ++lines) {
    EXPECT_TRUE(
        complaint<mst_input>(head(k_mst, lines)).starts_with("file:" + std::to_string(lines + 1) + ": found the end"))
        << lines;
  }
}

TEST(imsuite_read, survives_any_changed_character) {
  for (std::size_t at = 0; at < k_vc.size(); ++at) {
    for (const char c : {'0', '1', '2', '9', '-', ' ', '\n', '\0', '\xff'}) {
      std::string text = k_vc;
      text[at] = c;
      const std::string said = complaint<vc_input>(text);
      EXPECT_EQ(said.empty(), text == k_vc) << at << " " << c << " " << said;
    }
  }
}

TEST(imsuite_read, takes_a_file_and_names_it) {
  const auto file = std::filesystem::path(testing::TempDir()) / "imsuite_input_test_ring.txt";
  std::ofstream(file) << k_ring;
  EXPECT_EQ(read_file<hs_input>(file.string()).id.size(), 3u);
  std::filesystem::remove(file);
  EXPECT_THROW(read_file<hs_input>(file.string()), input_error);
}

template <class Input>
void comes_back(const recipe& r) {
  const Input made = generate<Input>(r);
  EXPECT_EQ(made, read_text<Input>(text_of(made)));
  EXPECT_EQ(made, generate<Input>(r)) << "the same recipe twice";
}

TEST(imsuite_generate, is_repeatable_and_comes_back_from_its_text) {
  for (const std::size_t n : {2u, 3u, 4u, 7u, 8u, 16u, 33u}) {
    for (const std::uint64_t seed : {1u, 2u, 99u}) {
      comes_back<hs_input>({family::ring, n, seed});
      comes_back<lcr_input>({family::ring, n, seed});
      for (const family shape : k_graphs) {
        const recipe r{shape, n, seed};
        comes_back<bf_input>(r);
        comes_back<dst_input>(r);
        comes_back<kc_input>(r);
        comes_back<dp_input>(r);
        comes_back<mis_input>(r);
        comes_back<mst_input>(r);
        comes_back<by_input>(r);
        comes_back<ds_input>(r);
        comes_back<vc_input>(r);
        comes_back<dr_input>(r);
      }
    }
  }
}

TEST(imsuite_generate, makes_connected_simple_graphs) {
  for (const family shape : k_graphs) {
    for (std::size_t n = 2; n < 70; ++n) {
      const graph g = generate_graph({shape, n, n});
      ASSERT_EQ(g.neighbours.size(), n);
      EXPECT_TRUE(connected(g)) << name_of(shape) << " " << n;
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_FALSE(g.adjacent(i, i));
        EXPECT_TRUE(std::ranges::is_sorted(g.neighbours[i]));
        EXPECT_EQ(std::ranges::adjacent_find(g.neighbours[i]), g.neighbours[i].end());
        for (const std::uint32_t j : g.neighbours[i]) EXPECT_TRUE(g.adjacent(j, i));
      }
    }
  }
}

TEST(imsuite_generate, seeds_differ) {
  for (const family shape : {family::spmax, family::random, family::spmin})
    EXPECT_NE(generate_graph({shape, 64, 1}), generate_graph({shape, 64, 2})) << name_of(shape);
  EXPECT_NE(generate<hs_input>({family::ring, 64, 1}), generate<hs_input>({family::ring, 64, 2}));
}

TEST(imsuite_generate, spmax_has_the_published_profile) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const auto input = generate<bf_input>({family::spmax, 512, seed});
    EXPECT_EQ(input.g.edges(), 4607u);
    EXPECT_EQ(eccentricity(input.g, input.root), 3u);
    const auto [least, most] = std::ranges::minmax(input.g.neighbours, {}, &std::vector<std::uint32_t>::size);
    EXPECT_GE(least.size(), 3u);
    EXPECT_LE(least.size(), 10u);
    EXPECT_NEAR(static_cast<double>(most.size()), 301, 20);
    for (std::size_t i = 0; i < 512; ++i) EXPECT_LE(eccentricity(input.g, i), 3u);
  }
  EXPECT_EQ(generate_graph({family::spmax, 128, 1}).edges(), 895u);
}

TEST(imsuite_generate, families_have_the_edges_of_their_names) {
  EXPECT_EQ(generate_graph({family::complete, 50, 1}).edges(), 50u * 49 / 2);
  EXPECT_EQ(generate_graph({family::spmin, 512, 1}).edges(), 511u + 32);
  EXPECT_EQ(generate_graph({family::chain, 50, 1}).edges(), 49u);
  EXPECT_EQ(eccentricity(generate_graph({family::chain, 50, 1}), 0), 49u);
  EXPECT_EQ(generate_graph({family::star, 50, 1}).neighbours[0].size(), 49u);
  EXPECT_EQ(generate_graph({family::star, 50, 1}).edges(), 49u);
  const double half = 256.0 * 255 / 4;
  EXPECT_NEAR(static_cast<double>(generate_graph({family::random, 256, 1}).edges()), half, half / 20);
}

TEST(imsuite_generate, ids_are_one_to_n) {
  auto ids = generate<lcr_input>({family::ring, 100, 5}).id;
  std::ranges::sort(ids);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(ids[i], static_cast<std::int64_t>(i + 1));
}

TEST(imsuite_generate, weights_of_all_pairs_differ) {
  const auto input = generate<mst_input>({family::complete, 200, 3});
  const std::set<std::int64_t> different(input.weight.begin(), input.weight.end());
  EXPECT_EQ(different.size(), 200u * 199 / 2 + 1);
  EXPECT_EQ(*different.rbegin(), k_largest_number);
  EXPECT_GE(*different.begin(), 0);
}

TEST(imsuite_generate, has_the_published_number_of_traitors) {
  EXPECT_EQ(generate<by_input>({family::spmax, 128, 1}).traitor.size(), 15u);
  EXPECT_EQ(generate<by_input>({family::spmax, 8, 1}).traitor.size(), 0u);
  EXPECT_EQ(generate<by_input>({family::spmax, 4, 1}).traitor.size(), 0u);
}

TEST(imsuite_generate, refuses_what_cannot_be) {
  EXPECT_THROW(generate_graph({family::spmax, 1, 1}), std::invalid_argument);
  EXPECT_THROW(generate_graph({family::spmax, std::size_t{1} << 40, 1}), std::invalid_argument);
  EXPECT_THROW(generate<hs_input>({family::star, 8, 1}), std::invalid_argument);
  EXPECT_THROW(generate<hs_input>({family::ring, 1, 1}), std::invalid_argument);
  EXPECT_THROW(generate<bf_input>({family::ring, 8, 1}), std::invalid_argument);
  EXPECT_THROW(family_named("mesh"), std::invalid_argument);
}

TEST(imsuite_generate, families_have_names) {
  for (const family shape : k_graphs) EXPECT_EQ(family_named(name_of(shape)), shape);
  EXPECT_EQ(family_named("ring"), family::ring);
}

}  // namespace
}  // namespace bench::imsuite
