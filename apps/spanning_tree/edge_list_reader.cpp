// SPDX-License-Identifier: Apache-2.0
#include "edge_list_reader.hpp"

#include "line_source.hpp"
#include "memory.hpp"
#include "vertex_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace spanning {
namespace {

// An edge takes 8 bytes in the list, 24 for a moment while the list grows; then 16 more while its ends are numbered,
// or 8 among the neighbours.
constexpr std::uint64_t k_bytes_per_edge = 24;

// The shortest line that is an edge: "0 1\n".
constexpr std::uint64_t k_shortest_edge_line = 4;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What a message calls a byte that should not be there.
std::string byte_name(char c) {
  const auto code = static_cast<unsigned char>(c);
  if (code == '\r') {
    return "a carriage return inside the line";
  }
  if (code < 0x20 || code >= 0x7f) {
    return fmt::format("byte 0x{:02x} (is this a text file?)", code);
  }
  return fmt::format("'{}'", c);
}

// The parser of one file: takes line after line, knows where it is, and says so when it throws.
class edge_parser {
public:
  edge_parser(const std::string& path, std::uint64_t max_edges, std::uint64_t file_bytes)
      : path_(path), max_edges_(max_edges), file_bytes_(file_bytes) {}

  void parse_line(std::string_view line) {
    ++line_number_;
    const char* p = line.data();
    const char* end = p + line.size();
    if (end != p && end[-1] == '\r') {
      --end;
    }
    p = skip_blanks(p, end);
    if (p == end) {
      return;
    }
    if (*p == '#') {
      parse_comment(std::string_view(p, static_cast<std::size_t>(end - p)));
      return;
    }
    const char* const first = p;
    const vertex a = parse_id(p, end);
    if (p == end || skip_blanks(p, end) == end) {
      fail(fmt::format("one number ({}) where an edge needs two",
                       std::string_view(first, static_cast<std::size_t>(p - first))));
    }
    if (!is_blank(*p)) {
      fail(fmt::format("{} after a vertex id", byte_name(*p)));
    }
    p = skip_blanks(p, end);
    const vertex b = parse_id(p, end);
    if (p != end && !is_blank(*p)) {
      fail(fmt::format("{} after a vertex id", byte_name(*p)));
    }
    p = skip_blanks(p, end);
    if (p != end) {
      fail(fmt::format("{} after the two vertex ids of an edge", byte_name(*p)));
    }
    add({a, b});
  }

  // After the last line.
  std::vector<edge> take_edges() {
    if (announced_ && edges_.size() < *announced_) {
      fail(fmt::format("the file ends after {} of the {} edges that line {} announces", edges_.size(), *announced_,
                       announced_in_line_));
    }
    if (edges_.empty()) {
      fail("the file ends without an edge");
    }
    return std::move(edges_);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw input_error(fmt::format("{}:{}: {}", path_, std::max<std::uint64_t>(line_number_, 1), what));
  }

  // For what is wrong with the line that could not be handed to parse_line.
  [[noreturn]] void fail_next_line(const std::string& what) {
    ++line_number_;
    fail(what);
  }

private:
  static const char* skip_blanks(const char* p, const char* end) {
    while (p != end && is_blank(*p)) {
      ++p;
    }
    return p;
  }

  // Reads one vertex id at p and moves p behind it.
  vertex parse_id(const char*& p, const char* end) const {
    if (!is_digit(*p)) {
      fail(fmt::format("expected a vertex id, found {}", byte_name(*p)));
    }
    std::uint64_t id = 0;
    const char* const first = p;
    const auto [behind, problem] = std::from_chars(p, end, id);
    p = behind;
    if (problem != std::errc{} || id >= k_max_vertices) {
      // A run of digits can be as long as the line: show its beginning.
      const auto digits = static_cast<std::size_t>(p - first);
      fail(fmt::format("vertex id {}{} is above {}, the largest allowed",
                       std::string_view(first, std::min<std::size_t>(digits, 30)), digits > 30 ? "..." : "",
                       k_max_vertices - 1));
    }
    return static_cast<vertex>(id);
  }

  // Comments are free text, except that a zero byte betrays a binary file; "Edges: <number>" in one before the first
  // edge tells how many lines follow.
  void parse_comment(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) {
      fail(fmt::format("{} in a comment", byte_name('\0')));
    }
    constexpr std::string_view k_key = "Edges:";
    const std::size_t at = text.find(k_key);
    if (at == std::string_view::npos || !edges_.empty()) {
      return;
    }
    const char* const end = text.data() + text.size();
    const char* const p = skip_blanks(text.data() + at + k_key.size(), end);
    std::uint64_t count = 0;
    if (std::from_chars(p, end, count).ec != std::errc{}) {
      return;
    }
    announced_ = count;
    announced_in_line_ = line_number_;
    // A header is a claim: do not take more memory for it than the file can fill.
    edges_.reserve(std::min({count, max_edges_, file_bytes_ / k_shortest_edge_line + 1}));
  }

  void add(edge e) {
    if (edges_.size() == max_edges_) {
      fail(fmt::format("more than {} edges, the limit (--max-edges; by default what fits into the available memory)",
                       max_edges_));
    }
    edges_.push_back(e);
  }

  const std::string& path_;
  std::uint64_t max_edges_;
  std::uint64_t file_bytes_;
  std::uint64_t line_number_ = 0;
  std::optional<std::uint64_t> announced_;
  std::uint64_t announced_in_line_ = 0;
  std::vector<edge> edges_;
};

}  // namespace

std::uint64_t edges_that_fit() { return available_memory() / k_bytes_per_edge; }

edge_list read_edge_list(const std::string& path, std::uint64_t max_edges, progress_style style) {
  edge_list list;
  {
    line_source source(path);
    progress_stage stage(style, "reading " + source.name(), source.size());
    edge_parser parser(source.name(), max_edges, source.size());
    std::string_view line;
    for (;;) {
      const auto got = source.next(line);
      if (got == line_source::result::end) {
        break;
      }
      if (got == line_source::result::too_long) {
        parser.fail_next_line(
            fmt::format("the line is longer than {} bytes: not an edge list", line_source::k_max_line));
      }
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
