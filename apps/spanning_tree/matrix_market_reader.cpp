// SPDX-License-Identifier: Apache-2.0
#include "matrix_market_reader.hpp"

#include "edge_collector.hpp"
#include "line_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace spanning {
namespace {

constexpr number_kind k_rows{
    .article = "a", .name = "number of rows", .most = k_max_vertices, .most_is = "the most vertices of a graph"};
constexpr number_kind k_columns{
    .article = "a", .name = "number of columns", .most = k_max_vertices, .most_is = "the most vertices of a graph"};
constexpr number_kind k_entries{.article = "a", .name = "number of entries"};

// The words of the banner may be in either case.
std::string lower_case(std::string_view word) {
  std::string text(word);
  for (char& c : text) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

// As in C, and with the exponents of Fortran's double precision: "1", "-2.5e-3", "+1.0D+00", "nan".
bool is_value(std::string_view word) {
  word.remove_prefix(word.starts_with('+') ? 1 : 0);
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto [behind, problem] = std::from_chars(word.data(), end, value);
  if (problem == std::errc::invalid_argument || behind == end) {
    return problem != std::errc::invalid_argument;
  }
  std::string_view exponent(behind, static_cast<std::size_t>(end - behind));
  if (!exponent.starts_with('D') && !exponent.starts_with('d')) {
    return false;
  }
  exponent.remove_prefix(1);
  exponent.remove_prefix(exponent.starts_with('+') || exponent.starts_with('-') ? 1 : 0);
  return !exponent.empty() && std::ranges::all_of(exponent, [](char c) { return c >= '0' && c <= '9'; });
}

// Takes line after line of one file.
class matrix_parser {
public:
  matrix_parser(const line_source& source, const reading_limits& limits)
      : source_(source), limits_(limits), edges_(source, limits.edges) {}

  void parse_banner(std::string_view line) {
    line_cursor cursor(source_, line);
    expect_word(cursor.take_word(), {k_matrix_market_banner}, "at the start of the file");
    expect_word(lower_case(cursor.take_word()), {"matrix"}, "for the object");
    const std::string format = lower_case(cursor.take_word());
    if (format == "array") {
      source_.fail("array format: a dense matrix is no graph, expected 'coordinate'");
    }
    expect_word(format, {"coordinate"}, "for the format");
    const std::string field = lower_case(cursor.take_word());
    expect_word(field, {"pattern", "integer", "real", "complex"}, "for the field");
    expect_word(lower_case(cursor.take_word()), {"general", "symmetric", "skew-symmetric", "hermitian"},
                "for the symmetry");
    cursor.expect_end("after the five words of the first line");
    values_ = field == "pattern" ? 0 : field == "complex" ? 2 : 1;
  }

  void parse_line(std::string_view line) {
    line_cursor cursor(source_, line);
    if (cursor.at_end() || cursor.is_next('%')) {
      return;
    }
    if (sizes_in_line_ == 0) {
      parse_sizes(cursor);
    } else {
      parse_entry(cursor);
    }
  }

  // After the last line.
  edge_list take() {
    if (sizes_in_line_ == 0) {
      source_.fail("the file ends before the line with the numbers of rows, columns and entries");
    }
    if (edges_.size() < entries_) {
      source_.fail(fmt::format("the file ends after {} of the {} entries that line {} announces", edges_.size(),
                               entries_, sizes_in_line_));
    }
    return counted_from_one(row_.most, edges_.take());
  }

private:
  void expect_word(std::string_view word, std::initializer_list<std::string_view> allowed, const char* where) {
    if (std::ranges::find(allowed, word) == allowed.end()) {
      source_.fail(fmt::format("expected {} {}, found {}", fmt::join(allowed, ", "), where,
                               word.empty() ? "the end of the line" : quoted(word)));
    }
  }

  void parse_sizes(line_cursor& cursor) {
    const std::uint64_t rows = cursor.take_number(k_rows);
    const std::uint64_t columns = cursor.take_number(k_columns);
    entries_ = cursor.take_number(k_entries);
    cursor.expect_end("after the numbers of rows, columns and entries");
    if (rows != columns || rows == 0) {
      source_.fail(fmt::format("a matrix of {} x {} is no graph: expected as many rows as columns, at least one", rows,
                               columns));
    }
    if (rows > limits_.vertices) {
      source_.fail(fmt::format("{} rows are more vertices than the {} that fit into the available memory", rows,
                               limits_.vertices));
    }
    edges_.require(entries_);
    edges_.expect(entries_);
    row_.most = rows;
    column_.most = columns;
    sizes_in_line_ = source_.line_number();
  }

  void parse_entry(line_cursor& cursor) {
    if (edges_.size() == entries_) {
      source_.fail(fmt::format("an entry after the {} that line {} announces", entries_, sizes_in_line_));
    }
    const std::uint64_t row = cursor.take_number(row_);
    const std::uint64_t column = cursor.take_number(column_);
    for (int i = 0; i < values_; ++i) {
      if (cursor.at_end()) {
        source_.fail(fmt::format("{} of {} values for the entry of row {} and column {}", i, values_, row, column));
      }
      if (const std::string_view word = cursor.take_word(); !is_value(word)) {
        source_.fail(fmt::format("expected a value, found {}", quoted(word)));
      }
    }
    cursor.expect_end(values_ == 0 ? "after the row and column of a pattern's entry" : "after the value of an entry");
    edges_.add({static_cast<vertex>(row - 1), static_cast<vertex>(column - 1)});
  }

  const line_source& source_;
  const reading_limits& limits_;
  edge_collector edges_;
  number_kind row_{.article = "a", .name = "row", .least = 1, .most_is = "the number of rows"};
  number_kind column_{.article = "a", .name = "column", .least = 1, .most_is = "the number of columns"};
  std::uint64_t entries_ = 0;
  std::uint64_t sizes_in_line_ = 0;  // 0: not seen yet
  int values_ = 0;                   // per entry
};

}  // namespace

edge_list read_matrix_market(line_source& source, const reading_limits& limits, apps::progress_style style) {
  apps::progress_stage stage(style, "reading " + source.name(), source.size());
  matrix_parser parser(source, limits);
  std::string_view line;
  (void)source.next(line);  // an empty file is told by its missing banner
  parser.parse_banner(line);
  while (source.next(line)) {
    parser.parse_line(line);
    stage.done(source.bytes_read());
  }
  return parser.take();
}

}  // namespace spanning
