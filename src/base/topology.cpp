// SPDX-License-Identifier: Apache-2.0

#include "base/topology.hpp"

#include "base/small_file.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::size_t k_most_processors = std::size_t{1} << 16;  // beyond that a list is nonsense
constexpr int k_most_caches = 16;                                // of one processor

// Takes a number off the front; none if there is none.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || static_cast<std::size_t>(number) >= k_most_processors) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<std::vector<int>> parse_processors(std::string_view list) {
  std::vector<int> processors;
  do {
    const std::optional<int> first = take_number(list);
    const std::optional<int> last = first && take(list, '-') ? take_number(list) : first;
    if (!last || *last < *first || processors.size() > k_most_processors) {
      return std::nullopt;
    }
    for (int p = *first; p <= *last; ++p) {
      processors.push_back(p);
    }
  } while (take(list, ','));
  if (!list.empty() && list != "\n") {
    return std::nullopt;
  }
  std::sort(processors.begin(), processors.end());
  processors.erase(std::unique(processors.begin(), processors.end()), processors.end());
  return processors;
}

std::vector<std::vector<int>> neighbourhoods(int processor, const std::string& root) {
  const std::string folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(processor);
  std::vector<std::vector<int>> all;
  const auto add = [&all, processor](const std::string& file) {
    const std::string text = read_small_file(file);
    if (auto set = parse_processors(text); set && std::binary_search(set->begin(), set->end(), processor)) {
      all.push_back(std::move(*set));
    }
    return !text.empty();
  };
  int cache = 0;
  while (cache < k_most_caches && add(folder + "/cache/index" + std::to_string(cache) + "/shared_cpu_list")) {
    ++cache;
  }
  add(folder + "/topology/package_cpus_list");
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const auto same_size = [](const auto& a, const auto& b) { return a.size() == b.size(); };
  all.erase(std::unique(all.begin(), all.end(), same_size), all.end());
  return all;
}

std::vector<int> numa_node_of(int processor, const std::string& root) {
  const std::string folder = root + "/sys/devices/system/node/";
  for (const int node : parse_processors(read_small_file(folder + "online")).value_or(std::vector<int>())) {
    auto set = parse_processors(read_small_file(folder + "node" + std::to_string(node) + "/cpulist"));
    if (set && std::binary_search(set->begin(), set->end(), processor)) {
      return std::move(*set);
    }
  }
  return {processor};
}

std::size_t distance_to(int other, const std::vector<std::vector<int>>& of_one) {
  const auto holds_other = [other](const std::vector<int>& set) {
    return std::binary_search(set.begin(), set.end(), other);
  };
  return static_cast<std::size_t>(std::find_if(of_one.begin(), of_one.end(), holds_other) - of_one.begin());
}

}  // namespace tactus::detail
