// SPDX-License-Identifier: Apache-2.0
// What /proc and the clock say about this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <unistd.h>

namespace support {

inline std::size_t entries(const char* folder) {
  const auto n = std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator{});
  return static_cast<std::size_t>(n);
}

inline std::size_t thread_count() { return entries("/proc/self/task"); }
inline std::size_t descriptor_count() { return entries("/proc/self/fd"); }

inline std::size_t mapping_count() {
  std::ifstream maps("/proc/self/maps");
  std::size_t n = 0;
  for (std::string line; std::getline(maps, line);) ++n;
  return n;
}

/// A field of /proc/self/status, or of another such file, that is given in kB, in bytes.
inline std::size_t status_bytes(const std::string& field, const char* file = "/proc/self/status") {
  std::ifstream status(file);
  for (std::string word; status >> word;) {
    if (word == field + ":") {
      std::size_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

inline std::size_t resident_bytes() { return status_bytes("VmRSS"); }

/// Of anonymous memory, what was written to, exactly. It costs a look at every page.
inline std::size_t anonymous_bytes() { return status_bytes("Anonymous", "/proc/self/smaps_rollup"); }

inline std::size_t peak_resident_bytes() { return status_bytes("VmHWM"); }

/// Whether an emulator of another processor runs this program: to the kernel that is what this process is.
inline bool is_emulated() {
  std::ifstream status("/proc/self/status");
  std::string name;
  std::getline(status, name);
  return name.find("qemu-") != std::string::npos;
}

/// Makes the peak begin anew at what is resident now.
inline void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

/// Processor time of all threads of this process.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace support
