// SPDX-License-Identifier: Apache-2.0
#include "placement/replay/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <unordered_map>

namespace bench {
namespace {

struct table_row {
  std::uint64_t id;
  std::uint64_t parent;
  table_task task;
};

class profile_reader {
public:
  profile_reader(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  void read() {
    std::string text;
    next(text);
    if (text != "tactus-profile 1") fail("the first line is not 'tactus-profile 1'");
    while (next(text)) {
      if (!text.empty() && text.front() != '#') read_line(text);
    }
    if (!is_whole_) fail("the file ends too early");
    // Tasks are listed as they end; their numbers are given as they are spawned.
    std::ranges::sort(rows, {}, &table_row::id);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(name_ + ":" + std::to_string(line_) + ": " + why);
  }

  std::vector<table_site> sites;
  std::vector<table_row> rows;

private:
  bool next(std::string& text) {
    ++line_;
    return static_cast<bool>(std::getline(in_, text));
  }

  void read_line(const std::string& text) {
    std::istringstream words(text);
    if (text.starts_with("site ")) return read_site(words);
    if (text.starts_with("run ")) return;
    if (text.starts_with("end ")) return read_end(words);
    read_task(words);
  }

  // site N KIND and nine numbers, NAME
  void read_site(std::istream& words) {
    std::string word;
    std::string kind;
    std::uint64_t number = 0;
    words >> word >> number >> kind;
    for (int i = 0; i < 9; ++i) words >> word;
    table_site made{{}, table_site::kind::plain};
    std::getline(words >> std::ws, made.name);
    if (!words || made.name.empty() || (kind != "plain" && kind != "flexible" && kind != "sensitive")) {
      fail("it is no line of a site");
    }
    if (kind == "flexible") made.written = table_site::kind::flexible;
    if (kind == "sensitive") made.written = table_site::kind::sensitive;
    index_of_site_[number] = static_cast<std::uint32_t>(sites.size());
    sites.push_back(made);
  }

  // ID PARENT PLACE NS BYTES RESULT_BYTES flexible|sensitive SITE
  void read_task(std::istream& words) {
    table_row row{};
    std::uint64_t place = 0;
    std::uint64_t site = 0;
    std::string how;
    words >> row.id >> row.parent >> place >> row.task.ns >> row.task.bytes >> row.task.result_bytes >> how >> site;
    if (!words) fail("it is no line of a task");
    const auto found = index_of_site_.find(site);
    if (found == index_of_site_.end()) fail("there is no site " + std::to_string(site));
    row.task.site = found->second;
    rows.push_back(row);
  }

  void read_end(std::istream& words) {
    std::string word;
    std::uint64_t spawned = 0;
    std::uint64_t listed = 0;
    words >> word >> spawned >> listed;
    if (!words || listed != rows.size()) fail("not as many tasks are listed as it says");
    if (listed != spawned)
      fail("of " + std::to_string(spawned) + " tasks only the first " + std::to_string(listed) + " are listed");
    is_whole_ = true;
  }

  std::istream& in_;
  const std::string& name_;
  std::size_t line_ = 0;
  bool is_whole_ = false;
  std::map<std::uint64_t, std::uint32_t> index_of_site_;
};

// Generation after generation, the children of each together.
task_table in_families(profile_reader& from) {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> children;
  for (std::size_t i = 0; i < from.rows.size(); ++i) children[from.rows[i].parent].push_back(i);
  task_table made;
  std::vector<std::size_t> order;
  const auto append_children_of = [&](std::uint64_t id) {
    const auto found = children.find(id);
    if (found == children.end()) return std::uint32_t{0};
    order.insert(order.end(), found->second.begin(), found->second.end());
    return static_cast<std::uint32_t>(found->second.size());
  };
  made.roots = append_children_of(0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const table_row& row = from.rows[order[i]];
    made.tasks.push_back(row.task);
    made.tasks.back().first_child = static_cast<std::uint32_t>(order.size());
    made.tasks.back().children = append_children_of(row.id);
  }
  if (made.tasks.size() != from.rows.size()) from.fail("a task has a parent that is not listed");
  if (made.tasks.empty()) from.fail("there is no task in it");
  made.sites = std::move(from.sites);
  return made;
}

}  // namespace

std::uint64_t task_table::total_ns() const {
  std::uint64_t sum = 0;
  for (const table_task& t : tasks) sum += t.ns;
  return sum;
}

std::uint64_t task_table::median_ns() const {
  std::vector<std::uint64_t> all;
  for (const table_task& t : tasks) all.push_back(t.ns);
  const auto middle = all.begin() + std::ssize(all) / 2;
  std::ranges::nth_element(all, middle);
  return *middle;
}

std::uint64_t task_table::longest_path_ns(std::uint32_t roots_of_wave) const {
  std::vector<std::uint64_t> longest(tasks.size());  // from the begin of each
  for (std::size_t i = tasks.size(); i-- > 0;) {
    const table_task& t = tasks[i];
    longest[i] = t.ns;
    for (std::uint32_t k = 0; k < t.children; ++k) {
      longest[i] = std::max(longest[i], spawned_after(t, k) + longest[t.first_child + k]);
    }
  }
  std::uint64_t sum = 0;
  for (auto wave = longest.begin(); wave < longest.begin() + roots; wave += roots_of_wave) {
    sum += *std::max_element(wave, wave + roots_of_wave);
  }
  return sum;
}

void task_table::keep_shorter(const task_table& other) {
  const auto same_children = [](const table_task& a, const table_task& b) { return a.children == b.children; };
  if (!std::ranges::equal(tasks, other.tasks, same_children)) {
    throw std::runtime_error("replay: the program has not spawned the same tasks each time");
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].ns = std::min(tasks[i].ns, other.tasks[i].ns);
}

void task_table::stretch_to_median(double ns) {
  const std::uint64_t median = median_ns();
  if (median == 0) throw std::runtime_error("replay: most tasks of the table take no time");
  const double factor = ns / static_cast<double>(median);
  for (table_task& t : tasks) t.ns = static_cast<std::uint64_t>(std::llround(factor * static_cast<double>(t.ns)));
}

task_table read_table(std::istream& in, const std::string& name) {
  profile_reader from(in, name);
  from.read();
  return in_families(from);
}

task_table read_table(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be read");
  return read_table(in, file);
}

void write_table(std::ostream& out, const task_table& table, const std::vector<std::uint64_t>& ns, int root_place) {
  std::vector<std::size_t> parents(table.tasks.size());  // numbers are from 1 on; 0: none
  for (std::size_t i = 0; i < table.tasks.size(); ++i) {
    const table_task& t = table.tasks[i];
    for (std::uint32_t k = 0; k < t.children; ++k) parents[t.first_child + k] = i + 1;
  }
  out << "tactus-tasks 1\n";
  for (std::size_t i = 0; i < table.tasks.size(); ++i) {
    const table_task& t = table.tasks[i];
    const table_site& site = table.sites[t.site];
    out << i + 1 << ' ' << parents[i] << ' ' << root_place << ' ' << ns[i] << ' ' << t.bytes << ' ' << t.result_bytes
        << (site.written == table_site::kind::flexible ? " flexible " : " sensitive ") << site.name << '\n';
  }
}

}  // namespace bench
