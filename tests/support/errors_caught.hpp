// SPDX-License-Identifier: Apache-2.0
// What goes to stderr while this lives; unlike GoogleTest's capture it can be read meanwhile.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include <unistd.h>

namespace support {

class errors_caught {
public:
  errors_caught() : file_(std::tmpfile()), before_(::dup(STDERR_FILENO)) { ::dup2(::fileno(file_), STDERR_FILENO); }
  ~errors_caught() {
    std::fflush(stderr);
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    std::fclose(file_);
  }
  errors_caught(const errors_caught&) = delete;
  errors_caught& operator=(const errors_caught&) = delete;

  /// So far. Any thread.
  [[nodiscard]] std::string text() const {
    std::string all;
    char part[4096];
    while (const auto got = ::pread(::fileno(file_), part, sizeof part, static_cast<off_t>(all.size()))) {
      if (got < 0) break;
      all.append(part, static_cast<std::size_t>(got));
    }
    return all;
  }

  [[nodiscard]] bool hold(std::string_view what) const { return text().find(what) != std::string::npos; }

  /// Calls again() and looks, until `what` is there; false after a time that only a fault can take.
  template <class Again>
  bool wait_for(std::string_view what, Again&& again) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!hold(what)) {
      if (std::chrono::steady_clock::now() > until) return false;
      again();
    }
    return true;
  }

private:
  std::FILE* file_;
  int before_;
};

}  // namespace support
