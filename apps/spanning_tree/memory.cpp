// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <cstdlib>  // defines __GLIBC__, where it is

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <fstream>
#include <string>

namespace spanning {
namespace {

// A line "Key:   123 kB" of a /proc file, in bytes.
std::optional<std::uint64_t> kilobyte_field(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::uint64_t kilobytes = 0;
    if (word == key && file >> kilobytes) {
      return kilobytes * 1024;
    }
    std::getline(file, word);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) {
    return number;
  }
  return std::nullopt;  // no such file, or "max"
}

}  // namespace

std::uint64_t available_memory() {
  // Without /proc nobody knows; then the allocator is what says no.
  std::uint64_t available = kilobyte_field("/proc/meminfo", "MemAvailable:").value_or(UINT64_MAX);
  const auto limit = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (limit && used) {
    available = std::min(available, *limit - std::min(*limit, *used));
  }
  return available;
}

peak_memory::peak_memory() {
#ifdef __GLIBC__
  malloc_trim(0);  // what earlier work freed would otherwise hide what comes
#endif
  std::ofstream mark("/proc/self/clear_refs");
  if (mark << "5\n" << std::flush) {  // 5: the peak starts again from the present resident size
    before_ = kilobyte_field("/proc/self/status", "VmRSS:");
  }
}

std::optional<std::uint64_t> peak_memory::bytes() const {
  const auto peak = kilobyte_field("/proc/self/status", "VmHWM:");
  if (!before_ || !peak) {
    return std::nullopt;
  }
  return *peak - std::min(*peak, *before_);
}

}  // namespace spanning
