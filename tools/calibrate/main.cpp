// SPDX-License-Identifier: Apache-2.0
// What `tactus calibrate` runs, alone or under a launcher of MPI: prints a file of costs, or writes it where its argument says. Before that may
// stand the word sleepers. Status 2 and a line on stderr where it cannot.
#include <tactus/tactus.hpp>

#include "calibrate/measure.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;
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

// 0 if it is written, else what errno says.
int put(const std::string& text, std::FILE* file) {
  return file != nullptr && std::fputs(text.c_str(), file) >= 0 && std::fflush(file) == 0 ? 0 : errno;
}

int put_and_close(const std::string& text, const fs::path& name) {
  std::FILE* const file = std::fopen(name.c_str(), "w");
  const int error = put(text, file);
  return file != nullptr && std::fclose(file) != 0 && error == 0 ? errno : error;
}

// A file of costs that is cut is one, too: it gets its name when it is whole. What leads to something else than a file, to
// a terminal or /dev/null, is written to.
int put_whole(const std::string& text, const fs::path& name) {
  std::error_code error;
  const bool is_name_taken = fs::exists(fs::symlink_status(name, error));
  if (is_name_taken && !fs::is_regular_file(name, error)) return put_and_close(text, name);
  const fs::path file = fs::weakly_canonical(name, error);
  const fs::path beside = file.parent_path() / ("." + std::to_string(::getpid()) + ".part");
  if (const int why = put_and_close(text, beside); why != 0) {
    ::unlink(beside.c_str());
    return why;
  }
  fs::rename(beside, file, error);
  if (error) ::unlink(beside.c_str());
  return error.value();
}

// "" if it is written.
std::string written(const std::string& text, const char* name) {
  const int error = name == nullptr ? put(text, stdout) : put_whole(text, name);
  if (error == 0) return "";
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
    const bool of_sleepers = n > 1 && std::string_view(arguments[1]) == "sleepers";
    if (of_sleepers) calibrate::sleep_when_busy();
    const int first = of_sleepers ? 2 : 1;
    const char* const out = n > first ? arguments[first] : nullptr;
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
