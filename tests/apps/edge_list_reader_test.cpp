// SPDX-License-Identifier: Apache-2.0
#include "edge_list_reader.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace {

using namespace std::string_literals;
using spanning::edge;
using spanning::edge_list;
using spanning::input_error;
using spanning::vertex;

// A file that is there as long as this object.
class temporary_file {
public:
  explicit temporary_file(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              ("tactus_edges_" + std::to_string(::getpid()) + "_" + std::to_string(++made))) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~temporary_file() { std::filesystem::remove(path_); }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

private:
  static inline int made = 0;
  std::filesystem::path path_;
};

edge_list read_file(const std::string& path, const spanning::reading_limits& limits = spanning::limits_of_memory()) {
  spanning::line_source source(path);
  return spanning::read_edge_list(source, limits);
}

edge_list read(const std::string& content) { return read_file(temporary_file(content).path()); }

// The message for `content`, without the path in front.
std::string complaint(const std::string& content, std::uint64_t max_edges = 1000) {
  const temporary_file file(content);
  try {
    (void)read_file(file.path(), {.edges = max_edges, .vertices = 0});
  } catch (const input_error& e) {
    const std::string what = e.what();
    EXPECT_TRUE(what.starts_with(file.path())) << what;
    return what.substr(file.path().size());
  }
  return "no complaint";
}

TEST(edge_list_reader, reads_lines_of_two_ids) {
  const edge_list list = read("0 1\n1 2\n");
  EXPECT_EQ(list.edges, (std::vector<edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(list.num_vertices, 3U);
}

TEST(edge_list_reader, passes_over_comments_and_empty_lines) {
  EXPECT_EQ(read("# a graph\n\n0 1\n  # indented\n \t \n1 2\n").edges.size(), 2U);
}

TEST(edge_list_reader, takes_tabs_and_blanks_in_any_number) {
  EXPECT_EQ(read("\t0 \t 1 \t\n0\t1\n").edges, (std::vector<edge>{{0, 1}, {0, 1}}));
}

TEST(edge_list_reader, takes_line_ends_of_dos) {
  EXPECT_EQ(read("# dos\r\n0 1\r\n\r\n1 2\r\n").edges, (std::vector<edge>{{0, 1}, {1, 2}}));
}

TEST(edge_list_reader, needs_no_end_of_the_last_line) {
  EXPECT_EQ(read("0 1\n1 2").edges.size(), 2U);
  EXPECT_EQ(read("0 1\r\n1 2\r").edges.size(), 2U);
}

TEST(edge_list_reader, keeps_self_loops_and_repeated_edges) { EXPECT_EQ(read("0 0\n0 1\n1 0\n").edges.size(), 3U); }

TEST(edge_list_reader, numbers_the_ids_that_occur_in_ascending_order) {
  const edge_list list = read("4294967294 7\n7 100\n");
  EXPECT_EQ(list.num_vertices, 3U);
  EXPECT_EQ(list.ids, (std::vector<vertex>{7, 100, 4294967294}));
  EXPECT_EQ(list.edges, (std::vector<edge>{{2, 0}, {0, 1}}));
}

TEST(edge_list_reader, takes_leading_zeros) {
  EXPECT_EQ(read("007 0000000000000000000000008\n").ids, (std::vector<vertex>{7, 8}));
}

TEST(edge_list_reader, refuses_a_line_with_one_number) {
  EXPECT_EQ(complaint("0 1\n2\n"), ":2: one number (2) where an edge needs two");
  EXPECT_EQ(complaint("0 1\n2"), ":2: one number (2) where an edge needs two");
  EXPECT_EQ(complaint("0 1\n2 \t\r\n"), ":2: one number (2) where an edge needs two");
}

TEST(edge_list_reader, refuses_a_third_number) {
  EXPECT_EQ(complaint("0 1 2\n"), ":1: '2' after the two vertex ids of an edge");
}

TEST(edge_list_reader, refuses_what_is_not_a_number) {
  EXPECT_EQ(complaint("0 1\n#\n0 x\n"), ":3: expected a vertex id, found 'x'");
  EXPECT_EQ(complaint("-1 2\n"), ":1: expected a vertex id, found '-'");
  EXPECT_EQ(complaint("+1 2\n"), ":1: expected a vertex id, found '+'");
  EXPECT_EQ(complaint("1.5 2\n"), ":1: '.' after a vertex id");
  EXPECT_EQ(complaint("1,2\n"), ":1: ',' after a vertex id");
  EXPECT_EQ(complaint("1 2e3\n"), ":1: 'e' after a vertex id");
}

TEST(edge_list_reader, refuses_ids_that_are_too_large) {
  EXPECT_EQ(complaint("0 4294967295\n"), ":1: vertex id 4294967295 is above 4294967294, the largest allowed");
  EXPECT_EQ(complaint("99999999999999999999999 1\n"),
            ":1: vertex id 99999999999999999999999 is above 4294967294, the largest allowed");
  EXPECT_EQ(complaint("0 " + std::string(1000, '9') + "\n"),
            ":1: vertex id " + std::string(30, '9') + "... is above 4294967294, the largest allowed");
}

TEST(edge_list_reader, refuses_more_edges_than_allowed_in_the_line_that_has_them) {
  EXPECT_EQ(complaint("# four\n0 1\n1 2\n2 3\n3 4\n", 3),
            ":5: more than 3 edges, the limit (--max-edges; by default what fits into the available memory)");
}

TEST(edge_list_reader, refuses_a_file_without_edges) {
  EXPECT_EQ(complaint(""), ":1: the file ends without an edge");
  EXPECT_EQ(complaint("# nothing\n\n"), ":2: the file ends without an edge");
}

TEST(edge_list_reader, refuses_binary_files) {
  EXPECT_EQ(complaint(std::string("\x7f"
                                  "ELF\x02\x01\0\0",
                                  8)),
            ":1: expected a vertex id, found byte 0x7f (is this a text file?)");
  EXPECT_EQ(complaint(std::string("0 1\n0\0001\n", 8)), ":2: byte 0x00 (is this a text file?) after a vertex id");
  EXPECT_EQ(complaint(std::string("#\0\n", 3)), ":1: byte 0x00 (is this a text file?) in a comment");
  EXPECT_EQ(complaint("0 1\rx\n"), ":1: a carriage return inside the line after a vertex id");
}

TEST(edge_list_reader, refuses_lines_without_end) {
  EXPECT_EQ(complaint("0 1\n" + std::string(70'000, ' ')),
            ":2: the line is longer than 65536 bytes, which no edge needs");
  EXPECT_EQ(complaint("0 1\n#" + std::string(3'000'000, 'x') + "\n"),
            ":2: the line is longer than 65536 bytes, which no edge needs");
}

TEST(edge_list_reader, finds_a_file_cut_off_between_two_lines_by_its_header) {
  EXPECT_EQ(complaint("# Nodes: 4 Edges: 3\n0 1\n1 2\n"),
            ":3: the file ends after 2 of the 3 edges that line 1 announces");
  EXPECT_EQ(read("# Nodes: 4 Edges: 3\n0 1\n1 2\n2 3\n").edges.size(), 3U);
}

TEST(edge_list_reader, takes_no_memory_for_an_absurd_header) {
  EXPECT_EQ(complaint("# Edges: 18446744073709551615\n0 1\n", UINT64_MAX),
            ":2: the file ends after 1 of the 18446744073709551615 edges that line 1 announces");
}

TEST(edge_list_reader, names_a_file_that_cannot_be_read) {
  try {
    (void)read_file("/no/such/file");
    FAIL() << "no complaint";
  } catch (const input_error& e) {
    EXPECT_STREQ(e.what(), "/no/such/file: cannot open: No such file or directory");
  }
  try {
    (void)read_file("/");
    FAIL() << "no complaint";
  } catch (const input_error& e) {
    EXPECT_STREQ(e.what(), "/: cannot read: Is a directory");
  }
}

TEST(edge_list_reader, reads_a_text_as_it_reads_a_file) {
  const std::string content = "0 1\r\n# comment\n1 2";
  spanning::line_source source("text", content);
  EXPECT_EQ(spanning::read_edge_list(source).edges, read(content).edges);
}

// Lines that straddle the reader's buffer, whose size is not a multiple of theirs.
TEST(edge_list_reader, reads_files_larger_than_its_buffer) {
  std::string content;
  constexpr vertex k_edges = 300'000;
  for (vertex v = 0; v < k_edges; ++v) {
    content += std::to_string(v) + "\t" + std::to_string(v + 1) + "\n";
  }
  const edge_list list = read(content);
  ASSERT_EQ(list.edges.size(), k_edges);
  EXPECT_EQ(list.num_vertices, k_edges + 1U);
  for (vertex v = 0; v < k_edges; ++v) {
    ASSERT_EQ(list.edges[v], (edge{v, v + 1}));
  }
}

// Whatever the bytes are, the outcome is a list or an input_error.
TEST(edge_list_reader, survives_random_bytes) {
  // "s" keeps the zero byte.
  const std::string likely = "0123456789 \t\n\r#-x\0\xff"s;
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string content;
    for (std::uint64_t length = random() % 60; content.size() < length;) {
      content += likely[random() % likely.size()];
    }
    (void)complaint(content, 5);
  }
}

}  // namespace
