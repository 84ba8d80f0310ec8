// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <tactus/base/impl/cpus.hpp>

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

}  // namespace

std::uint64_t available_memory() { return tactus::detail::available_memory(); }

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
