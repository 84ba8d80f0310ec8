// SPDX-License-Identifier: Apache-2.0
// The lines of a file or a pipe, read through one large buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spanning {

/// Reads with read(2) and not through a mapping: a file that somebody cuts short meanwhile then ends early, where a
/// mapping would end the process with SIGBUS; and a pipe works too.
class line_source {
public:
  /// Longer lines are refused; it bounds what a file without line ends costs.
  static constexpr std::size_t k_max_line = 64 * 1024;

  enum class result : std::uint8_t { line, end, too_long };

  /// "-" is the standard input. Throws input_error when the file cannot be opened or is a directory.
  explicit line_source(const std::string& path);
  ~line_source();
  line_source(const line_source&) = delete;
  line_source& operator=(const line_source&) = delete;

  /// Gives the next line without its LF; it stays valid until the next call. The last line needs no LF.
  /// Throws input_error when reading fails.
  result next(std::string_view& line);

  /// What messages call it.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Of a regular file; 0 when not known.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

private:
  bool refill();

  std::string name_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t bytes_read_ = 0;
  bool at_end_ = false;
  std::vector<char> buffer_;
  const char* begin_;  // of what has been read and not given out
  const char* end_;
};

}  // namespace spanning
