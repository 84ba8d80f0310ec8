// SPDX-License-Identifier: Apache-2.0
#include "support/resident.hpp"

#include <ctime>
#include <fstream>
#include <string>

namespace bench {
namespace {

// The kernel keeps these counts per processor and may lag by some tens of pages on each: well below what is
// measured here. The exact smaps_rollup walks all page tables, too long inside a measured pass.
std::uint64_t status(const std::string& name) {
  std::ifstream in("/proc/self/status");
  std::string word;
  while (in >> word) {
    if (word == name) {
      std::uint64_t value = 0;
      in >> value;
      return value;
    }
  }
  return 0;
}

}  // namespace

std::uint64_t resident_bytes() { return status("VmRSS:") * 1024; }

std::uint64_t peak_resident_bytes() { return status("VmHWM:") * 1024; }

std::uint64_t thread_count() { return status("Threads:"); }

bool forget_peak() {
  std::ofstream out("/proc/self/clear_refs");
  out << "5\n";
  out.flush();
  return out.good();
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace bench
