// SPDX-License-Identifier: Apache-2.0
#include "simulator/table.hpp"

#include <charconv>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simulator {
namespace {

constexpr std::string_view k_first_line = "tactus-tasks 1";
constexpr std::string_view k_first_of_profile = "tactus-profile 1";

struct row {
  std::uint64_t id;
  std::uint64_t parent;
  task what;
  std::size_t line;
};

class reader {
public:
  reader(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  std::vector<row> rows() {
    std::string text;
    const bool has_line = static_cast<bool>(std::getline(in_, text));
    expect_read(in_, name_);
    const bool is_profile = has_line && text == k_first_of_profile;
    if (!is_profile && (!has_line || text != k_first_line))
      fail(1, "the first line is not '" + std::string(k_first_line) + "' or '" + std::string(k_first_of_profile) + "'");
    std::vector<row> found;
    bool is_whole = !is_profile;  // a table has no mark at its end
    std::size_t line = 1;
    while (std::getline(in_, text)) {
      ++line;
      if (is_profile && is_whole) fail(line, "something follows behind the end");
      if (text.empty() || text.front() == '#') continue;
      if (is_profile && text.starts_with("end ")) {
        check_end(text, line, found.size());
        is_whole = true;
      } else if (!is_profile || !is_no_task(text)) {
        found.push_back(row_of(text, line));
        if (found.size() > k_most_tasks) fail(line, "more than 200 million tasks");
      }
    }
    expect_read(in_, name_);
    if (!is_whole) fail(line, "the file ends too early; the run that it is of was stopped, or the disk was full");
    if (found.empty()) fail(1, "there is no task in it");
    return found;
  }

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw bad_input(name_ + ":" + std::to_string(line) + ": " + what);
  }

private:
  // What a profile says besides of sites and of the whole run.
  [[nodiscard]] static bool is_no_task(std::string_view text) {
    return text.starts_with("site ") || text.starts_with("run ");
  }

  // end SPAWNED LISTED
  void check_end(const std::string& text, std::size_t line, std::size_t rows) const {
    std::istringstream words(text.substr(4));
    constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
    static_cast<void>(number(words, line, "how many tasks were spawned", 0, k_most));
    const std::uint64_t listed = number(words, line, "how many are listed", 0, k_most);
    if (listed != rows)
      fail(line, "there are " + std::to_string(rows) + " tasks, and it says " + std::to_string(listed));
  }

  // ID PARENT PLACE NS BYTES RESULT_BYTES flexible|sensitive SITE
  [[nodiscard]] row row_of(const std::string& text, std::size_t line) const {
    std::istringstream words(text);
    row r{};
    r.line = line;
    r.id = number(words, line, "the task's number", 1, std::numeric_limits<std::int64_t>::max());
    r.parent = number(words, line, "its parent's number", 0, std::numeric_limits<std::int64_t>::max());
    r.what.place = static_cast<std::int32_t>(number(words, line, "its place", 0, 1'000'000));
    r.what.ns = static_cast<std::int64_t>(number(words, line, "its nanoseconds", 0, 1'000'000'000'000'000));
    r.what.bytes = static_cast<std::uint32_t>(number(words, line, "its bytes", 0, 4294967295));
    r.what.result_bytes = static_cast<std::uint32_t>(number(words, line, "its result's bytes", 0, 4294967295));
    std::string kind;
    words >> kind;
    if (kind != "flexible" && kind != "sensitive") fail(line, "'" + kind + "' is neither flexible nor sensitive");
    r.what.flexible = kind == "flexible";
    return r;
  }

  [[nodiscard]] std::uint64_t number(std::istream& words, std::size_t line, const std::string& what, std::int64_t least,
                                     std::int64_t most) const {
    std::string word;
    words >> word;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < least || value > most) {
      fail(line, what + " = '" + word + "' is not allowed; allowed: a whole number from " + std::to_string(least) +
                     " to " + std::to_string(most));
    }
    return static_cast<std::uint64_t>(value);
  }

  std::istream& in_;
  const std::string& name_;
};

// The rows of each parent; those of 0 are roots.
class families {
public:
  families(const std::vector<row>& rows, const reader& from) : rows_(rows), children_(rows.size() + 1) {
    std::unordered_map<std::uint64_t, std::size_t> index{{0, 0}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!index.emplace(rows[i].id, i + 1).second)
        from.fail(rows[i].line, "task " + std::to_string(rows[i].id) + " is there twice");
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto parent = index.find(rows[i].parent);
      if (parent == index.end())
        from.fail(rows[i].line, "its parent " + std::to_string(rows[i].parent) + " is not there");
      children_[parent->second].push_back(static_cast<std::uint32_t>(i));
    }
  }

  /// Children stand together; those of a task that no root leads to are in no family.
  [[nodiscard]] workload in_order() const {
    workload made;
    std::vector<std::uint32_t> order;
    add_children(0, 0, made, order);
    for (std::uint32_t i = 0; i < made.tasks.size(); ++i) made.roots.push_back(i);
    for (std::size_t i = 0; i < order.size(); ++i) {
      made.tasks[i].first_child = static_cast<std::uint32_t>(order.size());
      made.tasks[i].children = static_cast<std::uint32_t>(children_[order[i] + 1].size());
      add_children(order[i] + 1, order[i], made, order);
    }
    return made;
  }

private:
  // A child whose designated place is its parent's is one that the parent spawned where it ran.
  void add_children(std::size_t family, std::uint32_t parent, workload& made, std::vector<std::uint32_t>& order) const {
    for (const std::uint32_t child : children_[family]) {
      task t = rows_[child].what;
      if (family != 0 && t.place == rows_[parent].what.place) t.place = k_where_parent_runs;
      made.tasks.push_back(t);
      order.push_back(child);
    }
  }

  const std::vector<row>& rows_;
  std::vector<std::vector<std::uint32_t>> children_;
};

}  // namespace

workload table(std::istream& in, const std::string& name) {
  reader from(in, name);
  const std::vector<row> rows = from.rows();
  workload made = families(rows, from).in_order();
  if (made.tasks.size() != rows.size()) {
    throw bad_input(name + ": " + std::to_string(rows.size() - made.tasks.size()) + " tasks are each other's parents");
  }
  return made;
}

}  // namespace simulator
