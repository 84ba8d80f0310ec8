// SPDX-License-Identifier: Apache-2.0
#include "metis_reader.hpp"

#include "edge_collector.hpp"
#include "line_cursor.hpp"
#include "mirror_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace spanning {
namespace {

constexpr number_kind k_vertices{.article = "a",
                                 .name = "number of vertices",
                                 .least = 1,
                                 .most = k_max_vertices,
                                 .most_is = "the most vertices of a graph"};
constexpr number_kind k_edges{.article = "a", .name = "number of edges"};
constexpr number_kind k_constraints{.article = "a", .name = "number of weights per vertex", .least = 1, .most = 1000};
constexpr number_kind k_vertex_weight{.article = "a", .name = "vertex weight or size"};
constexpr number_kind k_edge_weight{.article = "an", .name = "edge weight"};

// Takes the lines of one file, whole or in parts.
class metis_parser {
public:
  metis_parser(const line_source& source, const reading_limits& limits)
      : source_(source), limits_(limits), edges_(source, limits.edges) {}

  void parse(std::string_view text, line_source::piece what) {
    line_cursor cursor(source_, text);
    if (starts_line_) {
      is_comment_ = cursor.is_next('%');
    }
    starts_line_ = what == line_source::piece::end_of_line;
    if (is_comment_) {
      return;
    }
    if (header_in_line_ == 0) {
      parse_header(cursor, what);
    } else if (lines_ == num_vertices_) {
      cursor.expect_end(
          fmt::format("after the lines of the {} vertices that line {} announces", lines_, header_in_line_));
    } else {
      parse_neighbours(cursor);
      if (what == line_source::piece::end_of_line) {
        end_line();
      }
    }
  }

  // After the last line.
  edge_list take() {
    if (header_in_line_ == 0) {
      source_.fail("the file ends before the line with the numbers of vertices and edges");
    }
    if (lines_ < num_vertices_) {
      source_.fail(fmt::format("the file ends after the lines of {} of the {} vertices that line {} announces", lines_,
                               num_vertices_, header_in_line_));
    }
    if (edges_.size() < num_edges_) {
      source_.fail(fmt::format("the file has {} of the {} edges that line {} announces", edges_.size(), num_edges_,
                               header_in_line_));
    }
    return counted_from_one(num_vertices_, edges_.take());
  }

private:
  void parse_header(line_cursor& cursor, line_source::piece what) {
    if (cursor.at_end()) {
      return;
    }
    if (what == line_source::piece::part) {
      cursor.fail("the first line is too long for the numbers of vertices and edges");
    }
    num_vertices_ = cursor.take_number(k_vertices);
    num_edges_ = cursor.take_number(k_edges);
    if (!cursor.at_end()) {
      parse_format(cursor.take_word());
    }
    if (!cursor.at_end()) {
      if (weights_ == 0) {
        cursor.fail("a number of weights per vertex, but the format before it says that vertices have none");
      }
      weights_ = cursor.take_number(k_constraints);
    }
    cursor.expect_end("after the number of weights per vertex");
    if (num_vertices_ > limits_.vertices) {
      cursor.fail(fmt::format("{} vertices are more than the {} that fit into the available memory", num_vertices_,
                              limits_.vertices));
    }
    edges_.require(num_edges_);
    edges_.expect(num_edges_);
    neighbour_.most = num_vertices_;
    mirror_.emplace(num_vertices_);
    numbers_before_ = (has_size_ ? 1 : 0) + weights_;
    header_in_line_ = source_.line_number();
  }

  // Up to three digits, read from the right: edge weights, vertex weights, vertex sizes.
  void parse_format(std::string_view word) {
    if (word.size() > 3 || word.find_first_not_of("01") != std::string_view::npos) {
      source_.fail(fmt::format("expected a format of up to three digits 0 or 1, found {}", quoted(word)));
    }
    const auto digit = [&](std::size_t from_right) {
      return word.size() >= from_right && word[word.size() - from_right] == '1';
    };
    has_edge_weights_ = digit(1);
    weights_ = digit(2) ? 1 : 0;
    has_size_ = digit(3);
  }

  void parse_neighbours(line_cursor& cursor) {
    while (!cursor.at_end()) {
      if (numbers_seen_ < numbers_before_) {
        (void)cursor.take_number(k_vertex_weight);
        ++numbers_seen_;
      } else if (needs_edge_weight_) {
        (void)cursor.take_number(k_edge_weight);
        needs_edge_weight_ = false;
      } else {
        add_neighbour(static_cast<vertex>(cursor.take_number(neighbour_) - 1));
        needs_edge_weight_ = has_edge_weights_;
      }
    }
  }

  void add_neighbour(vertex other) {
    const auto here = static_cast<vertex>(lines_);
    if (other == here) {
      source_.fail(fmt::format("vertex {} is its own neighbour, and this format has no self-loops", here + 1));
    }
    if ((other > here ? edges_.size() : mirrored_) == num_edges_) {
      source_.fail(fmt::format("more edges than the {} that line {} announces", num_edges_, header_in_line_));
    }
    if (other > here) {
      edges_.add({here, other});
      mirror_->named_larger({here, other});
    } else {
      ++mirrored_;
      mirror_->named_smaller(here, other);
    }
  }

  void end_line() {
    const auto here = static_cast<vertex>(lines_);
    if (numbers_seen_ < numbers_before_) {
      source_.fail(fmt::format("the line of vertex {} ends after {} of its {} sizes and weights", here + 1,
                               numbers_seen_, numbers_before_));
    }
    if (needs_edge_weight_) {
      source_.fail(fmt::format("the line of vertex {} ends before the weight of its last edge", here + 1));
    }
    if (const auto one_sided = mirror_->end_of_line(here, edges_.edges())) {
      vertex names = one_sided->smaller + 1;
      vertex named = here + 1;
      if (one_sided->only_in_the_larger) {
        std::swap(names, named);
      }
      source_.fail(
          fmt::format("vertex {} names vertex {} more often than the other way round: every edge must stand in "
                      "the lines of both ends",
                      names, named));
    }
    numbers_seen_ = 0;
    ++lines_;
  }

  const line_source& source_;
  const reading_limits& limits_;
  edge_collector edges_;        // found in the line of the smaller vertex
  std::uint64_t mirrored_ = 0;  // found again in the line of the larger one
  std::optional<mirror_check> mirror_;

  // From the first line.
  std::uint64_t header_in_line_ = 0;  // 0: not seen yet
  std::uint64_t num_vertices_ = 0;
  std::uint64_t num_edges_ = 0;
  std::uint64_t weights_ = 0;         // per vertex
  std::uint64_t numbers_before_ = 0;  // the neighbours: size and weights
  bool has_size_ = false;
  bool has_edge_weights_ = false;
  number_kind neighbour_{.article = "a", .name = "neighbour", .least = 1, .most_is = "the number of vertices"};

  // Where the parser is.
  std::uint64_t lines_ = 0;  // of vertices that have ended
  std::uint64_t numbers_seen_ = 0;
  bool starts_line_ = true;
  bool is_comment_ = false;
  bool needs_edge_weight_ = false;
};

}  // namespace

edge_list read_metis(line_source& source, const reading_limits& limits, apps::progress_style style) {
  apps::progress_stage stage(style, "reading " + source.name(), source.size());
  metis_parser parser(source, limits);
  std::string_view text;
  for (;;) {
    const line_source::piece got = source.next_piece(text);
    if (got == line_source::piece::none) {
      return parser.take();
    }
    parser.parse(text, got);
    stage.done(source.bytes_read());
  }
}

}  // namespace spanning
