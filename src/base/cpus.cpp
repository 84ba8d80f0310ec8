// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/impl/cpus.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cgroups.hpp"

#include "base/small_file.hpp"

namespace tactus::detail {

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

int usable_cores(const std::string& root) {
  const int processors = static_cast<int>(affinity_processors().size());
  return std::max(1, std::min(processors, cgroup_cores(root).value_or(processors)));
}

std::uint64_t available_memory(const std::string& root) {
  constexpr std::uint64_t k_largest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t available = k_largest;
  if (const auto kib = number_after("MemAvailable:", read_small_file(root + "/proc/meminfo"))) {
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

std::uint64_t resident_memory() noexcept {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    rusage most{};  // no descriptor is left: what it had at most
    return ::getrusage(RUSAGE_SELF, &most) == 0 ? static_cast<std::uint64_t>(most.ru_maxrss) * 1024 : 0;
  }
  char text[128];  // pages: in all, resident, ...
  const ssize_t n = ::read(file, text, sizeof text - 1);
  ::close(file);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (n <= 0 || page <= 0) {
    return 0;
  }
  text[n] = '\0';
  char* rest = nullptr;
  (void)std::strtoull(text, &rest, 10);
  return std::strtoull(rest, nullptr, 10) * static_cast<std::uint64_t>(page);
}

machine_limits this_machine() {
  const long page = ::sysconf(_SC_PAGESIZE);
  return {.cores = usable_cores(),
          .processors = static_cast<int>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 0L)),
          .memory_bytes = available_memory(),
          .resident_bytes = resident_memory(),
          .page_bytes = page > 0 ? static_cast<std::size_t>(page) : 4096};
}

}  // namespace tactus::detail
