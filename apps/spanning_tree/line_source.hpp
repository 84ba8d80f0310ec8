// SPDX-License-Identifier: Apache-2.0
// The lines of a file or a pipe, read through one large buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spanning {

/// The input cannot be read or is not what it should be. The text begins with the file and, where there is one, the line.
class input_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads with read(2) and not through a mapping: a file that somebody cuts short meanwhile then ends early, where a
/// mapping would end the process with SIGBUS; and a pipe works too.
class line_source {
public:
  /// next() refuses longer lines, next_piece() longer words; it bounds what a file without line ends costs.
  static constexpr std::size_t k_max_line = 64 * 1024;

  enum class piece : std::uint8_t {
    end_of_line,  ///< the line, or the rest of it
    part,         ///< its next part, followed by a blank, a tab or the end of the line
    none,         ///< the end of the file
  };

  /// "-" is the standard input. Throws input_error when the file cannot be opened.
  explicit line_source(const std::string& path);

  /// The lines of a text, which must live as long as this; messages call it `name`.
  line_source(std::string name, std::string_view text);

  ~line_source();
  line_source(const line_source&) = delete;
  line_source& operator=(const line_source&) = delete;

  /// True if the file begins like this; only before the first line is taken.
  bool begins_with(std::string_view text);

  /// Gives the next line without its LF; it stays valid until the next call. The last line needs no LF. False at the end.
  /// Throws input_error when reading fails and for a line longer than k_max_line.
  bool next(std::string_view& line);

  /// The same for lines of any length, in parts that do not divide words.
  /// Throws input_error when reading fails and for a word longer than k_max_line.
  piece next_piece(std::string_view& text);

  /// Throws input_error about the line that was given last.
  [[noreturn]] void fail(const std::string& what) const;

  /// Of the line that was given last, from 1; 0 before the first.
  [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }

  /// What messages call it.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Of a regular file; 0 when not known.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

private:
  // How much of the next line is in the buffer.
  struct at_hand {
    std::size_t size;
    piece what;
  };
  at_hand look();
  std::string_view take(at_hand next);
  bool refill();

  std::string name_;
  int descriptor_ = -1;  // none: the text is all there is
  std::uint64_t size_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t line_number_ = 0;
  bool in_line_ = false;  // a part of it was given
  bool at_end_ = false;
  std::vector<char> buffer_;
  const char* begin_;  // of what has been read and not given out
  const char* end_;
};

}  // namespace spanning
