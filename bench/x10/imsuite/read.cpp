// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <fstream>
#include <istream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "x10/imsuite/text.hpp"

namespace bench::imsuite {
namespace {

/// What stands in an error for a line of the file: printable and short.
std::string quoted(const std::string& line) {
  constexpr std::size_t k_shown = 40;
  std::string text = "'";
  for (const char c : line.substr(0, k_shown)) text += c >= ' ' && c <= '~' ? c : '?';
  text += "'";
  if (line.size() > k_shown) text += " and " + std::to_string(line.size() - k_shown) + " characters more";
  return text;
}

/// The text line by line; knows where it is when something is wrong.
class source {
public:
  source(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  /// The number of the line last taken.
  [[nodiscard]] std::size_t line() const { return line_; }

  [[noreturn]] void fail(std::size_t line, const std::string& found, const std::string& expected) const {
    throw input_error(name_ + ":" + std::to_string(line) + ": found " + found + ", expected " + expected);
  }

  /// A line with one number between least and most, and nothing else.
  std::int64_t number(std::string_view what, std::int64_t least, std::int64_t most) {
    const auto expected = [&] {
      return std::string(what) + ", " + std::to_string(least) + " to " + std::to_string(most);
    };
    take(expected);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || end != text_.data() + text_.size() || value < least || value > most)
      fail(line_, quoted(text_), expected());
    return value;
  }

  std::uint32_t node(std::string_view what, std::size_t n) {
    return static_cast<std::uint32_t>(number(what, 0, static_cast<std::int64_t>(n) - 1));
  }

  /// A line of n characters, each 0 or 1.
  const std::string& bits(std::string_view what, std::size_t n) {
    const auto expected = [&] { return std::string(what) + " of " + std::to_string(n) + " characters 0 or 1"; };
    take(expected);
    if (text_.size() != n) fail(line_, std::to_string(text_.size()) + " characters", expected());
    const std::size_t other = text_.find_first_not_of("01");
    if (other != std::string::npos)
      fail(line_, quoted(text_.substr(other, 1)) + " in column " + std::to_string(other + 1), expected());
    return text_;
  }

  void blank() {
    const auto expected = [] { return std::string("a line of one blank before the next section"); };
    take(expected);
    if (text_ != " ") fail(line_, quoted(text_), expected());
  }

  void end() {
    if (std::getline(in_, text_)) fail(line_ + 1, quoted(text_), "the end of the file");
  }

private:
  /// Reads the next line; expected() says what it should hold.
  template <class Expected>
  void take(const Expected& expected) {
    ++line_;
    if (!std::getline(in_, text_)) fail(line_, in_.bad() ? "an unreadable file" : "the end of the file", expected());
  }

  std::istream& in_;
  std::string name_;
  std::string text_;
  std::size_t line_ = 0;
};

std::size_t nodes(source& s) {
  return static_cast<std::size_t>(s.number("the number of nodes", 2, static_cast<std::int64_t>(k_most_nodes)));
}

/// The rows of a connected graph.
graph rows(source& s, std::size_t n) {
  graph g;
  g.n = n;
  const std::size_t first_line = s.line() + 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string& row = s.bits("a row", n);
    if (row[i] == '1') s.fail(s.line(), "an edge from node " + std::to_string(i) + " to itself", "0 there");
    auto& list = g.neighbours.emplace_back();
    for (std::size_t j = 0; j < n; ++j) {
      if (row[j] == '1') list.push_back(static_cast<std::uint32_t>(j));
      if (j < i && (row[j] == '1') != g.adjacent(j, i)) {
        s.fail(s.line(), std::string(1, row[j]) + " in column " + std::to_string(j + 1),
               "what line " + std::to_string(first_line + j) + " has in column " + std::to_string(i + 1));
      }
    }
  }
  const auto distance = distances(g, 0);
  const auto lost = std::ranges::find(distance, k_unreached);
  if (lost != distance.end()) {
    const auto i = static_cast<std::size_t>(lost - distance.begin());
    s.fail(first_line + i, "node " + std::to_string(i) + " without a path from node 0", "a connected graph");
  }
  return g;
}

std::vector<std::int64_t> unique_ids(source& s, std::size_t n) {
  std::vector<std::int64_t> ids;
  std::unordered_map<std::int64_t, std::size_t> line_of;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t id = s.number("an id", 0, k_largest_number);
    const auto [other, is_new] = line_of.emplace(id, s.line());
    if (!is_new) {
      s.fail(s.line(), "the id " + std::to_string(id) + " of line " + std::to_string(other->second) + " again",
             "ids that differ");
    }
    ids.push_back(id);
  }
  return ids;
}

/// n * n weights; those of edges are symmetric, and `distinct` ones occur once.
std::vector<std::int64_t> weights(source& s, const graph& g, bool distinct) {
  std::vector<std::int64_t> all;
  std::unordered_map<std::int64_t, std::size_t> line_of;
  const std::size_t first_line = s.line() + 1;
  for (std::size_t i = 0; i < g.n; ++i) {
    for (std::size_t j = 0; j < g.n; ++j) {
      const std::int64_t weight = s.number("a weight", 0, k_largest_number);
      all.push_back(weight);
      if (i == j && weight != k_largest_number)
        s.fail(s.line(), std::to_string(weight), std::to_string(k_largest_number) + " on the diagonal");
      if (j >= i || !g.adjacent(i, j)) continue;
      const std::size_t mirrored = j * g.n + i;
      if (weight != all[mirrored]) {
        s.fail(s.line(), std::to_string(weight),
               std::to_string(all[mirrored]) + ", the weight of the same edge in line " +
                   std::to_string(first_line + mirrored));
      }
      const auto [other, is_new] = line_of.emplace(weight, s.line());
      if (distinct && !is_new) {
        s.fail(s.line(),
               "the weight " + std::to_string(weight) + " of line " + std::to_string(other->second) + " again",
               "weights that differ from edge to edge");
      }
    }
  }
  return all;
}

std::vector<std::uint32_t> unique_nodes(source& s, std::size_t count, std::size_t n, std::string_view what) {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t node = s.node(what, n);
    if (std::ranges::count(all, node) != 0)
      s.fail(s.line(), "node " + std::to_string(node) + " again", std::string(what) + " not named before");
    all.push_back(node);
  }
  return all;
}

/// Parents that lead every node to the root along all the edges of the graph.
std::vector<std::uint32_t> parents(source& s, const graph& g, std::uint32_t root) {
  std::vector<std::uint32_t> parent;
  const std::size_t first_line = s.line() + 1;
  for (std::size_t i = 0; i < g.n; ++i) {
    const std::uint32_t p = s.node("a parent", g.n);
    if (i == root ? p != 0 : !g.adjacent(i, p))
      s.fail(s.line(), std::to_string(p), i == root ? "0, for this node is the root" : "a neighbour of the node");
    parent.push_back(p);
  }
  // A node whose way up is longer than n goes round in a circle.
  for (std::size_t i = 0; i < g.n; ++i) {
    std::size_t at = i;
    for (std::size_t steps = 0; at != root && steps < g.n; ++steps) at = parent[at];
    if (at != root) s.fail(first_line + i, "a node whose parents lead into a circle", "a way to the root");
  }
  if (g.edges() != g.n - 1) {
    s.fail(s.line(), "a graph of " + std::to_string(g.edges()) + " edges",
           "a tree: an edge to the parent of each node but the root");
  }
  return parent;
}

void parse(source& s, bf_input& input) {
  const std::size_t n = nodes(s);
  input.root = s.node("the root", n);
  input.g = rows(s, n);
}

void parse(source& s, dst_input& input) {
  const std::size_t n = nodes(s);
  input.root = s.node("the root", n);
  input.g = rows(s, n);
}

void parse(source& s, kc_input& input) {
  const std::size_t n = nodes(s);
  input.k = static_cast<std::uint32_t>(s.number("the size of a committee", 1, static_cast<std::int64_t>(n)));
  input.g = rows(s, n);
  s.blank();
  input.id = unique_ids(s, n);
}

void parse(source& s, dp_input& input) {
  input.g = rows(s, nodes(s));
  s.blank();
  input.id = unique_ids(s, input.g.n);
}

void parse(source& s, hs_input& input) { input.id = unique_ids(s, nodes(s)); }

void parse(source& s, lcr_input& input) { input.id = unique_ids(s, nodes(s)); }

void parse(source& s, mis_input& input) { input.g = rows(s, nodes(s)); }

void parse(source& s, mst_input& input) {
  input.g = rows(s, nodes(s));
  s.blank();
  input.weight = weights(s, input.g, true);
}

void parse(source& s, by_input& input) {
  input.g = rows(s, nodes(s));
  s.blank();
  for (const char vote : s.bits("a line of votes", input.g.n)) input.vote.push_back(vote == '1' ? 1 : 0);
  s.blank();
  input.traitor = unique_nodes(s, traitors(input.g.n), input.g.n, "a traitor");
}

void parse(source& s, ds_input& input) { input.g = rows(s, nodes(s)); }

void parse(source& s, vc_input& input) {
  const std::size_t n = nodes(s);
  input.root = s.node("the root", n);
  input.g = rows(s, n);
  s.blank();
  input.parent = parents(s, input.g, input.root);
}

void parse(source& s, dr_input& input) {
  input.g = rows(s, nodes(s));
  s.blank();
  input.weight = weights(s, input.g, false);
}

}  // namespace

template <class Input>
Input read(std::istream& in, const std::string& name) {
  source s(in, name);
  Input input;
  parse(s, input);
  s.end();
  return input;
}

template <class Input>
Input read_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw input_error(path + ": found no file that can be read, expected an input");
  return read<Input>(in, path);
}

template bf_input read(std::istream&, const std::string&);
template dst_input read(std::istream&, const std::string&);
template kc_input read(std::istream&, const std::string&);
template dp_input read(std::istream&, const std::string&);
template hs_input read(std::istream&, const std::string&);
template lcr_input read(std::istream&, const std::string&);
template mis_input read(std::istream&, const std::string&);
template mst_input read(std::istream&, const std::string&);
template by_input read(std::istream&, const std::string&);
template ds_input read(std::istream&, const std::string&);
template vc_input read(std::istream&, const std::string&);
template dr_input read(std::istream&, const std::string&);

template bf_input read_file(const std::string&);
template dst_input read_file(const std::string&);
template kc_input read_file(const std::string&);
template dp_input read_file(const std::string&);
template hs_input read_file(const std::string&);
template lcr_input read_file(const std::string&);
template mis_input read_file(const std::string&);
template mst_input read_file(const std::string&);
template by_input read_file(const std::string&);
template ds_input read_file(const std::string&);
template vc_input read_file(const std::string&);
template dr_input read_file(const std::string&);

}  // namespace bench::imsuite
