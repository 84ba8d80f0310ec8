// SPDX-License-Identifier: Apache-2.0
// A file that one program writes for another.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace bench {

/// A file that is gone when this is.
class passing_file {
public:
  explicit passing_file(std::string_view ending) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    name_ = (folder / ("tactus-XXXXXX" + std::string(ending))).string();
    const int file = ::mkstemps(name_.data(), static_cast<int>(ending.size()));
    if (file < 0) throw std::runtime_error("no file can be made in " + folder.string());
    ::close(file);
  }
  ~passing_file() {
    std::error_code nobody_is_told;
    std::filesystem::remove(name_, nobody_is_told);
  }
  passing_file(const passing_file&) = delete;
  passing_file& operator=(const passing_file&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

private:
  std::string name_;
};

}  // namespace bench
