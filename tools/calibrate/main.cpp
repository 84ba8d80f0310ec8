// SPDX-License-Identifier: Apache-2.0
// What `tactus calibrate` runs, alone or under a launcher of MPI: prints a file of costs, or writes it where its argument says. Status 2 and a
// line on stderr where it cannot.
#include <tactus/tactus.hpp>

#include "calibrate/measure.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

namespace {

namespace ts = tactus;

std::string line(const char* name, double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%s %.4g\n", name, value);
  return text;
}

std::string file_of(const calibrate::measured& m) {
  return "# measured by tactus calibrate, between " CALIBRATE_BETWEEN "; docs/simulator.md says what the words mean\n" +
         line("latency_ns", m.latency) + line("send_ns", m.send) + line("receive_ns", m.receive) +
         line("byte_ns", m.per_byte) + line("failed_steal_ns", m.failed_steal) + line("poll_ns", m.poll) +
         line("result_ns", m.result) + line("result_byte_ns", m.result_per_byte) + line("pack_ns", m.pack);
}

// "" if it is written.
std::string written(const std::string& text, const char* name) {
  std::FILE* const file = name == nullptr ? stdout : std::fopen(name, "w");
  const bool is_whole = file != nullptr && std::fputs(text.c_str(), file) >= 0 && std::fflush(file) == 0;
  const int error = errno;
  if (name != nullptr && file != nullptr) std::fclose(file);
  if (is_whole) return "";
  return "calibrate: -o '" + std::string(name == nullptr ? "stdout" : name) +
         "' cannot be written: " + std::strerror(error);
}

// The line for stderr, or "".
std::string calibrated(const char* out) {
  if (ts::num_places() < 2) {
    return "calibrate: there is one process, and messages go between two: mpirun -n 2 tactus calibrate --mpi -o FILE";
  }
  return written(file_of(calibrate::measure()), out);
}

}  // namespace

int main(int n, char** arguments) {
  try {
    const ts::config options{
        .threads = 1, .places = CALIBRATE_PLACES, .placement = ts::placement_policy::lifeline, .env = false};
    const char* const out = n > 1 ? arguments[1] : nullptr;
    return ts::run(options, [out] {
      const std::string wrong = calibrated(out);
      if (!wrong.empty()) std::fprintf(stderr, "tactus: %s\n", wrong.c_str());
      return wrong.empty() ? 0 : 2;
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tactus: calibrate: %s\n", error.what());
    return 1;
  }
}
