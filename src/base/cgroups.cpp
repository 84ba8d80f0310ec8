// SPDX-License-Identifier: Apache-2.0
#include "base/cgroups.hpp"

#include <algorithm>
#include <limits>

#include "base/small_file.hpp"

namespace tactus::detail {

namespace {

// A machine full of containers has thousands of mounts.
constexpr std::size_t k_longest_mountinfo = 16 * 1024 * 1024;

// No file below a longer one can be opened (PATH_MAX).
constexpr std::size_t k_longest_path = 4096;

// ---- limits of one group ----

// A file of one number. "max" and "-1" are no numbers, hence no limit.
std::optional<std::uint64_t> number_in(const std::string& path) {
  const std::string text = read_small_file(path);
  std::string_view rest = text;
  std::string_view line = take_line(rest);
  return as_number(take_word(line));
}

std::optional<int> whole_cores(std::optional<std::uint64_t> quota_us, std::optional<std::uint64_t> period_us) {
  if (!quota_us || !period_us || *quota_us == 0 || *period_us == 0) {
    return std::nullopt;
  }
  const std::uint64_t cores = *quota_us / *period_us + (*quota_us % *period_us != 0 ? 1 : 0);
  return static_cast<int>(std::min<std::uint64_t>(cores, std::numeric_limits<int>::max()));
}

std::optional<int> cores_v2(const std::string& group) { return cores_of_cpu_max(read_small_file(group + "/cpu.max")); }

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
                    number_after("inactive_file", read_small_file(group + "/memory.stat")).value_or(0));
}

// Version 1 writes "no limit" as the largest multiple of the page below 2^63.
std::optional<std::uint64_t> memory_v1(const std::string& group) {
  constexpr std::uint64_t k_unlimited = std::uint64_t{1} << 62;
  const auto limit = number_in(group + "/memory.limit_in_bytes");
  if (limit >= k_unlimited) {
    return std::nullopt;
  }
  return bytes_left(limit, number_in(group + "/memory.usage_in_bytes").value_or(0),
                    number_after("total_inactive_file", read_small_file(group + "/memory.stat")).value_or(0));
}

// ---- where the groups of this process are ----

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

// The path of the process in the hierarchy of version 2 (`controller` empty) or in the one that has the controller, from
// lines "number:controllers:path".
std::optional<std::string_view> path_in(std::string_view membership, std::string_view controller) {
  while (!membership.empty()) {
    const std::string_view line = take_line(membership);
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) {
      continue;
    }
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : names_controller(controllers, controller)) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

// Blank, tab, line end and backslash stand in the table of mounts as a backslash and three octal digits.
std::string unescaped(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text.substr(i + 1, 3);
    if (text[i] == '\\' && digits.size() == 3 && std::ranges::all_of(digits, is_octal)) {
      plain += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool climbs(std::string_view path) { return path == "/.." || path.starts_with("/../"); }

// The way from the root of a mount down to the process's group, both seen from the root of the name space, above which
// "/.." leads; nothing where the one is not above the other.
std::optional<std::string_view> path_below(std::string_view mount_root, std::string_view path) {
  constexpr std::size_t k_step = 3;
  while (climbs(mount_root) && climbs(path)) {
    mount_root.remove_prefix(k_step);
    path.remove_prefix(k_step);
  }
  if (climbs(path)) {
    return std::nullopt;
  }
  const bool has_unknown_names = climbs(mount_root);
  while (climbs(mount_root)) {
    mount_root.remove_prefix(k_step);
  }
  if (mount_root == "/") {
    mount_root = {};
  }
  if (has_unknown_names) {
    return mount_root.empty() ? std::optional(std::string_view()) : std::nullopt;
  }
  if (!path.starts_with(mount_root)) {
    return std::nullopt;
  }
  path.remove_prefix(mount_root.size());
  if (path.empty() || path == "/") {
    return std::string_view();
  }
  const bool leads_down = path.front() == '/' && path.find("/../") == std::string_view::npos && !path.ends_with("/..");
  return leads_down ? std::optional(path) : std::nullopt;
}

// ---- the smallest limit ----

template <class Number>
void lower(std::optional<Number>& least, std::optional<Number> other) {
  if (other && (!least || *other < *least)) {
    least = other;
  }
}

// Every limit from the process's group up to the root of the mount.
template <class Number>
std::optional<Number> least_limit(const std::string& mount, std::string_view path,
                                  std::optional<Number> (*limit_of)(const std::string& group)) {
  std::optional<Number> least = limit_of(mount);
  while (!path.empty()) {
    lower(least, limit_of(mount + std::string(path)));
    const auto slash = path.find_last_of('/');
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return least;
}

template <class Number>
std::optional<Number> least_limit_of(const std::string& root, std::string_view controller,
                                     std::optional<Number> (*v2)(const std::string&),
                                     std::optional<Number> (*v1)(const std::string&)) {
  std::optional<Number> least;
  for (const cgroup_hierarchy& one :
       cgroup_hierarchies(read_small_file(root + "/proc/self/mountinfo", k_longest_mountinfo),
                          read_small_file(root + "/proc/self/cgroup"), controller)) {
    lower(least, least_limit(root + one.mount, one.path, one.version == cgroup_version::v2 ? v2 : v1));
  }
  return least;
}

}  // namespace

// A line of the table: id, parent, device, root of the mount, mount point, options, more options, "-", type, source, and
// the options of the file system, which for version 1 are the controllers. The source may be empty.
std::vector<cgroup_hierarchy> cgroup_hierarchies(std::string_view mountinfo, std::string_view membership,
                                                 std::string_view controller) {
  const auto v2_path = path_in(membership, {});
  const auto v1_path = path_in(membership, controller);
  std::vector<cgroup_hierarchy> found;
  while (!mountinfo.empty()) {
    std::string_view line = take_line(mountinfo);
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) {
      continue;
    }
    std::string_view filesystem = line.substr(dash + 3);
    const std::string_view type = take_word(filesystem);
    const bool is_v2 = type == "cgroup2";
    const std::string_view controllers = filesystem.substr(filesystem.find_last_of(' ') + 1);
    const auto& path = is_v2 ? v2_path : v1_path;
    if (!path || !(is_v2 || (type == "cgroup" && names_controller(controllers, controller)))) {
      continue;
    }
    line = line.substr(0, dash);
    for (int i = 0; i < 3; ++i) {
      (void)take_word(line);
    }
    const std::string mount_root = unescaped(take_word(line));
    const auto below = path_below(mount_root, *path);
    std::string mount = unescaped(take_word(line));
    if (below && mount.starts_with('/') && mount.size() + below->size() < k_longest_path) {
      found.push_back({is_v2 ? cgroup_version::v2 : cgroup_version::v1, std::move(mount), std::string(*below)});
    }
  }
  return found;
}

std::optional<int> cgroup_cores(const std::string& root) {
  return least_limit_of<int>(root, "cpu", cores_v2, cores_v1);
}

std::optional<std::uint64_t> cgroup_memory(const std::string& root) {
  return least_limit_of<std::uint64_t>(root, "memory", memory_v2, memory_v1);
}

std::optional<int> cores_of_cpu_max(std::string_view text) {
  std::string_view line = take_line(text);
  const auto quota_us = as_number(take_word(line));
  const auto period_us = as_number(take_word(line));
  return whole_cores(quota_us, period_us);
}

}  // namespace tactus::detail
