// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/cpus.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string_view>

#include <sched.h>
#include <unistd.h>

namespace tactus::detail {

namespace {

// The files read here have a few lines; /proc/meminfo has 2 KiB. A cap keeps a strange file from eating the memory.
constexpr std::size_t k_longest_file = 64 * 1024;

// No file below a longer one can be opened (PATH_MAX).
constexpr std::size_t k_longest_path = 4096;

std::string read_small_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(k_longest_file, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

// Takes the next word of a line; words are parted by blanks and tabs.
std::string_view take_word(std::string_view& line) {
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    line = {};
    return {};
  }
  line.remove_prefix(first);
  const auto word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

std::string_view take_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::optional<std::uint64_t> as_number(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failure != std::errc{} || word.empty() || end != word.data() + word.size()) {
    return std::nullopt;
  }
  return number;
}

// A file of one number. "max" and "-1" are no numbers, hence no limit.
std::optional<std::uint64_t> number_in(const std::string& path) {
  const std::string text = read_small_file(path);
  std::string_view rest = text;
  std::string_view line = take_line(rest);
  return as_number(take_word(line));
}

// The number after `key` in a file of lines "key number".
std::optional<std::uint64_t> number_after(std::string_view key, const std::string& path) {
  const std::string text = read_small_file(path);
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (take_word(line) == key) {
      return as_number(take_word(line));
    }
  }
  return std::nullopt;
}

std::optional<int> whole_cores(std::optional<std::uint64_t> quota_us, std::optional<std::uint64_t> period_us) {
  if (!quota_us || !period_us || *quota_us == 0 || *period_us == 0) {
    return std::nullopt;
  }
  const std::uint64_t cores = *quota_us / *period_us + (*quota_us % *period_us != 0 ? 1 : 0);
  return static_cast<int>(std::min<std::uint64_t>(cores, std::numeric_limits<int>::max()));
}

std::optional<int> cores_v2(const std::string& group) {
  const std::string text = read_small_file(group + "/cpu.max");
  std::string_view rest = text;
  std::string_view line = take_line(rest);
  const auto quota_us = as_number(take_word(line));
  const auto period_us = as_number(take_word(line));
  return whole_cores(quota_us, period_us);
}

std::optional<int> cores_v1(const std::string& group) {
  return whole_cores(number_in(group + "/cpu.cfs_quota_us"), number_in(group + "/cpu.cfs_period_us"));
}

// The group's own use counts the page cache, which fills whatever the limit allows on a machine that reads files.
// The kernel drops its inactive part before it refuses memory, so that part is as good as free.
std::optional<std::uint64_t> bytes_left(std::optional<std::uint64_t> limit, std::uint64_t used,
                                        std::uint64_t droppable) {
  if (!limit) {
    return std::nullopt;
  }
  used -= std::min(used, droppable);
  return *limit - std::min(*limit, used);
}

std::optional<std::uint64_t> memory_v2(const std::string& group) {
  return bytes_left(number_in(group + "/memory.max"), number_in(group + "/memory.current").value_or(0),
                    number_after("inactive_file", group + "/memory.stat").value_or(0));
}

std::optional<std::uint64_t> memory_v1(const std::string& group) {
  return bytes_left(number_in(group + "/memory.limit_in_bytes"),
                    number_in(group + "/memory.usage_in_bytes").value_or(0),
                    number_after("total_inactive_file", group + "/memory.stat").value_or(0));
}

template <class Number>
void lower(std::optional<Number>& least, std::optional<Number> other) {
  if (other && (!least || *other < *least)) {
    least = other;
  }
}

// The smallest limit from the group at `path` up to the top of the hierarchy mounted at `mount`. In a container without
// a name space of its own the path names groups that are not visible: those files are missing, and the top is the
// container's own group. A path that climbs ("/../other") leads out of the mount: only the top is visible then.
template <class Number>
std::optional<Number> least_limit(const std::string& mount, std::string_view path,
                                  std::optional<Number> (*limit_of)(const std::string& group)) {
  std::optional<Number> least;
  if (path.size() > k_longest_path || path.find("/..") != std::string_view::npos) {
    path = {};
  }
  while (!path.empty()) {
    lower(least, limit_of(mount + std::string(path)));
    const auto slash = path.find_last_of('/');
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  lower(least, limit_of(mount));
  return least;
}

bool names_controller(std::string_view list, std::string_view controller) {
  while (!list.empty()) {
    const auto one = list.substr(0, list.find(','));
    if (one == controller) {
      return true;
    }
    list.remove_prefix(std::min(one.size() + 1, list.size()));
  }
  return false;
}

// Walks the lines "number:controllers:path" of /proc/self/cgroup. The empty list of controllers is version 2, mounted on
// its own or, beside version 1, under "unified". Version 1 hierarchies are mounted under the names of their controllers.
template <class Number>
std::optional<Number> least_limit_of(const std::string& root, std::string_view controller,
                                     std::optional<Number> (*v2)(const std::string&),
                                     std::optional<Number> (*v1)(const std::string&)) {
  const std::string mounts = root + "/sys/fs/cgroup";
  const std::string text = read_small_file(root + "/proc/self/cgroup");
  std::optional<Number> least;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) {
      continue;
    }
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers.empty()) {
      lower(least, least_limit(mounts, path, v2));
      lower(least, least_limit(mounts + "/unified", path, v2));
    } else if (names_controller(controllers, controller)) {
      lower(least, least_limit(mounts + '/' + std::string(controllers), path, v1));
      lower(least, least_limit(mounts + '/' + std::string(controller), path, v1));
    }
  }
  return least;
}

}  // namespace

// The kernel refuses a mask smaller than its own, whose size it does not tell: grow until it fits.
std::vector<int> affinity_processors() {
  std::vector<int> processors;
  for (std::size_t words = 16; words <= 16 * 1024; words *= 2) {
    std::vector<unsigned long> mask(words, 0);
    const std::size_t bytes = words * sizeof(unsigned long);
    if (::sched_getaffinity(0, bytes, reinterpret_cast<cpu_set_t*>(mask.data())) != 0) {
      continue;
    }
    const std::size_t bits = bytes * 8;
    for (std::size_t bit = 0; bit < bits; ++bit) {
      if (CPU_ISSET_S(bit, bytes, reinterpret_cast<const cpu_set_t*>(mask.data()))) {
        processors.push_back(static_cast<int>(bit));
      }
    }
    break;
  }
  if (processors.empty()) {
    processors.push_back(0);
  }
  return processors;
}

std::optional<int> cgroup_cores(const std::string& root) {
  return least_limit_of<int>(root, "cpu", cores_v2, cores_v1);
}

int usable_cores(const std::string& root) {
  const int processors = static_cast<int>(affinity_processors().size());
  return std::max(1, std::min(processors, cgroup_cores(root).value_or(processors)));
}

std::optional<std::uint64_t> cgroup_memory(const std::string& root) {
  return least_limit_of<std::uint64_t>(root, "memory", memory_v2, memory_v1);
}

std::uint64_t available_memory(const std::string& root) {
  constexpr std::uint64_t k_largest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t available = k_largest;
  if (const auto kib = number_after("MemAvailable:", root + "/proc/meminfo")) {
    available = *kib > k_largest / 1024 ? k_largest : *kib * 1024;
  } else {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page = ::sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) {
      available = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
    }
  }
  return std::min(available, cgroup_memory(root).value_or(k_largest));
}

machine_limits this_machine() {
  const long page = ::sysconf(_SC_PAGESIZE);
  return {.cores = usable_cores(),
          .memory_bytes = available_memory(),
          .page_bytes = page > 0 ? static_cast<std::size_t>(page) : 4096};
}

}  // namespace tactus::detail
