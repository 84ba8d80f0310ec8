// SPDX-License-Identifier: Apache-2.0
#include "matrix_market_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "readers.hpp"

namespace {

using spanning::edge;
using spanning::edge_list;
using spanning::vertex;

const std::string k_pattern = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string k_real = "%%MatrixMarket matrix coordinate real general\n";

edge_list read(const std::string& content) { return readers::read(spanning::read_matrix_market, content); }

std::string complaint(const std::string& content) { return readers::complaint(spanning::read_matrix_market, content); }

TEST(matrix_market_reader, reads_entries_as_edges_counted_from_one) {
  const edge_list list = read(k_pattern + "3 3 2\n1 2\n3 2\n");
  EXPECT_EQ(list.edges, (std::vector<edge>{{0, 1}, {2, 1}}));
  EXPECT_EQ(list.num_vertices, 3U);
  EXPECT_EQ(list.ids, (std::vector<vertex>{1, 2, 3}));
}

TEST(matrix_market_reader, keeps_vertices_without_entries) {
  EXPECT_EQ(read(k_pattern + "5 5 1\n2 3\n").num_vertices, 5U);
  EXPECT_TRUE(read(k_pattern + "5 5 0\n").edges.empty());
}

TEST(matrix_market_reader, keeps_self_loops_and_repeated_entries) {
  EXPECT_EQ(read(k_pattern + "2 2 4\n1 1\n1 2\n2 1\n1 2\n").edges, (std::vector<edge>{{0, 0}, {0, 1}, {1, 0}, {0, 1}}));
}

TEST(matrix_market_reader, takes_every_field_and_symmetry_alike) {
  const struct {
    std::string field;
    std::string values;
  } cases[] = {{"pattern", ""}, {"integer", " -7"}, {"real", " 1.5e-3"}, {"complex", " 0 -1"}};
  for (const auto& one : cases) {
    for (const std::string symmetry : {"general", "symmetric", "skew-symmetric", "hermitian"}) {
      const std::string banner = "%%MatrixMarket matrix coordinate " + one.field + " " + symmetry + "\n";
      EXPECT_EQ(read(banner + "2 2 1\n2 1" + one.values + "\n").edges, (std::vector<edge>{{1, 0}})) << banner;
    }
  }
}

TEST(matrix_market_reader, takes_numbers_as_c_and_fortran_write_them) {
  for (const std::string value : {"0", "1", "-1", "+1", "1.", ".5", "1e300", "1E+999", "-2.5e-3", "1.0D+00", "1d0",
                                  "-3.D-5", "nan", "inf", "-inf"}) {
    EXPECT_EQ(read(k_real + "2 2 1\n2 1 " + value + "\n").edges.size(), 1U) << value;
  }
}

TEST(matrix_market_reader, passes_over_comments_and_empty_lines) {
  EXPECT_EQ(read(k_pattern + "% one\n%%two\n\n  \n2 2 1\n % three\n\n1 2\n\n%\n").edges.size(), 1U);
}

TEST(matrix_market_reader, takes_capitals_tabs_and_line_ends_of_dos) {
  EXPECT_EQ(read("%%MatrixMarket\tMATRIX Coordinate  Pattern GENERAL \r\n2\t2 1\r\n 1 2\t\r\n").edges.size(), 1U);
  EXPECT_EQ(read(k_pattern + "2 2 1\n1 2").edges.size(), 1U);
}

TEST(matrix_market_reader, refuses_other_banners) {
  const std::string start = "%%MatrixMarket matrix coordinate ";
  EXPECT_EQ(complaint(""), "file:1: expected %%MatrixMarket at the start of the file, found the end of the line");
  EXPECT_EQ(complaint("\n" + k_pattern),
            "file:1: expected %%MatrixMarket at the start of the file, found the end of the line");
  EXPECT_EQ(complaint("0 1\n"), "file:1: expected %%MatrixMarket at the start of the file, found '0'");
  EXPECT_EQ(complaint("%%MatrixMarkets matrix\n"),
            "file:1: expected %%MatrixMarket at the start of the file, found '%%MatrixMarkets'");
  EXPECT_EQ(complaint("%%MatrixMarket vector coordinate real general\n"),
            "file:1: expected matrix for the object, found 'vector'");
  EXPECT_EQ(complaint("%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n1\n"),
            "file:1: array format: a dense matrix is no graph, expected 'coordinate'");
  EXPECT_EQ(complaint("%%MatrixMarket matrix sparse real general\n"),
            "file:1: expected coordinate for the format, found 'sparse'");
  EXPECT_EQ(complaint(start + "float general\n"),
            "file:1: expected pattern, integer, real, complex for the field, found 'float'");
  EXPECT_EQ(
      complaint(start + "real\n"),
      "file:1: expected general, symmetric, skew-symmetric, hermitian for the symmetry, found the end of the line");
  EXPECT_EQ(complaint(start + "real general 3\n"), "file:1: '3' after the five words of the first line");
  EXPECT_EQ(complaint(start + std::string(100, '\x1b') + " general\n"),
            "file:1: expected pattern, integer, real, complex for the field, found '" + std::string(30, '?') + "...'");
}

TEST(matrix_market_reader, refuses_sizes_that_are_no_graph) {
  EXPECT_EQ(complaint(k_pattern),
            "file:1: the file ends before the line with the numbers of rows, columns and entries");
  EXPECT_EQ(complaint(k_pattern + "% 2 2 1\n"),
            "file:2: the file ends before the line with the numbers of rows, columns and entries");
  EXPECT_EQ(complaint(k_pattern + "2 2\n"), "file:2: expected a number of entries, found the end of the line");
  EXPECT_EQ(complaint(k_pattern + "2 2 1 1\n"), "file:2: '1' after the numbers of rows, columns and entries");
  EXPECT_EQ(complaint(k_pattern + "3 4 1\n"),
            "file:2: a matrix of 3 x 4 is no graph: expected as many rows as columns, at least one");
  EXPECT_EQ(complaint(k_pattern + "0 0 0\n"),
            "file:2: a matrix of 0 x 0 is no graph: expected as many rows as columns, at least one");
  EXPECT_EQ(complaint(k_pattern + "-2 2 1\n"), "file:2: expected a number of rows, found '-'");
  EXPECT_EQ(complaint(k_pattern + "4294967296 4294967296 1\n"),
            "file:2: number of rows 4294967296 is above 4294967295, the most vertices of a graph");
}

TEST(matrix_market_reader, refuses_what_does_not_fit_into_memory) {
  EXPECT_EQ(complaint(k_pattern + "1001 1001 1\n"),
            "file:2: 1001 rows are more vertices than the 1000 that fit into the available memory");
  EXPECT_EQ(complaint(k_pattern + "2 2 1001\n"),
            "file:2: more than 1000 edges, the limit (--max-edges; by default what fits into the available memory)");
  const spanning::reading_limits all{.edges = UINT64_MAX, .vertices = 1000};
  EXPECT_EQ(readers::complaint(spanning::read_matrix_market, k_pattern + "2 2 18446744073709551615\n1 2\n", all),
            "file:3: the file ends after 1 of the 18446744073709551615 entries that line 2 announces");
}

TEST(matrix_market_reader, refuses_indices_outside_the_matrix) {
  EXPECT_EQ(complaint(k_pattern + "2 2 1\n0 1\n"), "file:3: row 0 is below 1, the smallest allowed");
  EXPECT_EQ(complaint(k_pattern + "2 2 1\n1 3\n"), "file:3: column 3 is above 2, the number of columns");
  EXPECT_EQ(complaint(k_pattern + "2 2 1\n99999999999999999999 1\n"),
            "file:3: row 99999999999999999999 is above 2, the number of rows");
}

TEST(matrix_market_reader, refuses_wrong_entries) {
  EXPECT_EQ(complaint(k_pattern + "2 2 1\n1\n"), "file:3: expected a column, found the end of the line");
  EXPECT_EQ(complaint(k_pattern + "2 2 1\n1 x\n"), "file:3: expected a column, found 'x'");
  EXPECT_EQ(complaint(k_pattern + "2 2 1\n1.0 2\n"), "file:3: '.' after a row");
  EXPECT_EQ(complaint(k_pattern + "2 2 1\n1 2 1\n"), "file:3: '1' after the row and column of a pattern's entry");
  EXPECT_EQ(complaint(k_real + "2 2 1\n1 2\n"), "file:3: 0 of 1 values for the entry of row 1 and column 2");
  EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 3\n"),
            "file:3: 1 of 2 values for the entry of row 1 and column 2");
  EXPECT_EQ(complaint(k_real + "2 2 1\n1 2 3 4\n"), "file:3: '4' after the value of an entry");
  for (const std::string value : {"x", "1x", "1.0D", "1.0D+", "1.0Dx", "--1", "+", "1e5d", "\x01"}) {
    EXPECT_NE(complaint(k_real + "2 2 1\n1 2 " + value + "\n").find("expected a value, found"), std::string::npos)
        << value;
  }
}

TEST(matrix_market_reader, checks_the_number_of_entries) {
  EXPECT_EQ(complaint(k_pattern + "% sizes\n2 2 2\n1 2\n"),
            "file:4: the file ends after 1 of the 2 entries that line 3 announces");
  EXPECT_EQ(complaint(k_pattern + "2 2 1\n1 2\n2 1\n"), "file:4: an entry after the 1 that line 2 announces");
}

}  // namespace
