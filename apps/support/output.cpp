// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace apps {
namespace {

namespace fs = std::filesystem;

std::string target_of(const std::string& path) {
  std::error_code none;
  const fs::path to = fs::is_symlink(path, none) ? fs::weakly_canonical(path, none) : fs::path(path);
  return to.empty() ? path : to.string();
}

bool is_to_be_replaced(const std::string& target) {
  std::error_code none;
  const fs::file_status now = fs::status(target, none);
  return !fs::exists(now) || fs::is_regular_file(now);
}

}  // namespace

void tell(std::string_view text) noexcept {
  // fmt::print throws where it cannot write.
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

void complain(std::string_view program, std::string_view what) noexcept {
  // In one piece, which nobody else's falls into.
  static_cast<void>(std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(program.size()), program.data(),
                                 static_cast<int>(what.size()), what.data()));
}

void finish_printing() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const int reason = errno;  // of this flush: what failed in an earlier one is not known any more
    throw std::runtime_error(fmt::format("standard output: cannot write what came out{}{}", reason != 0 ? ": " : "",
                                         reason != 0 ? std::generic_category().message(reason) : ""));
  }
}

output_file::output_file(std::string path, std::string what)
    : path_(std::move(path)),
      what_(std::move(what)),
      target_(target_of(path_)),
      part_(is_to_be_replaced(target_) ? target_ + ".part" : target_),
      file_(std::fopen(part_.c_str(), "w")) {
  if (file_ == nullptr) {
    fail(errno);
  }
}

output_file::~output_file() {
  if (file_ != nullptr) {
    std::fclose(file_);
    if (is_apart()) {
      std::remove(part_.c_str());
    }
  }
}

void output_file::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    fail(errno);
  }
}

void output_file::finish() {
  if (std::fflush(file_) != 0 || std::ferror(file_) != 0) {
    fail(errno);
  }
  if (is_apart() && std::rename(part_.c_str(), target_.c_str()) != 0) {
    fail(errno);
  }
  if (std::fclose(std::exchange(file_, nullptr)) != 0) {
    fail(errno);
  }
}

void output_file::fail(int reason) const {
  throw std::runtime_error(
      fmt::format("{}: cannot write {}: {}", path_, what_, std::generic_category().message(reason)));
}

}  // namespace apps
