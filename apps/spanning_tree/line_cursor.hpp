// SPDX-License-Identifier: Apache-2.0
// Goes through the numbers and words of one line and says what is wrong with it.
#pragma once

#include "line_source.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace spanning {

/// What a number is, for the messages about it: "expected <article> <name>", "<name> 7 is above <most>, <most_is>".
struct number_kind {
  std::string_view article;
  std::string_view name;
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
  std::string_view most_is = "the largest allowed";
};

/// Blanks and tabs part words; a carriage return at the end of the line counts as a part of that end. Every failure is
/// an input_error with the file and the line.
class line_cursor {
public:
  line_cursor(const line_source& source, std::string_view line)
      : source_(source), at_(line.data()), end_(line.data() + line.size()) {
    if (line.ends_with('\r')) {
      --end_;
    }
  }

  /// Passes over blanks; true when nothing follows.
  bool at_end() {
    while (at_ != end_ && is_blank(*at_)) {
      ++at_;
    }
    return at_ == end_;
  }

  /// Passes over blanks; true when this character follows, which stays.
  bool is_next(char c) { return !at_end() && *at_ == c; }

  /// Takes a whole number between kind.least and kind.most, followed by a blank or the end of the line.
  std::uint64_t take_number(const number_kind& kind) {
    std::uint64_t number = 0;
    if (at_end() || *at_ < '0' || *at_ > '9') {
      fail_at_number(kind);
    }
    const char* const first = at_;
    const auto [behind, problem] = std::from_chars(at_, end_, number);
    at_ = behind;
    if (problem != std::errc{} || number > kind.most || number < kind.least) {
      fail_out_of_range(kind, std::string_view(first, static_cast<std::size_t>(behind - first)));
    }
    if (at_ != end_ && !is_blank(*at_)) {
      fail_here(std::string("after ").append(kind.article).append(" ").append(kind.name));
    }
    return number;
  }

  /// Takes what stands before the next blank; empty at the end of the line.
  std::string_view take_word();

  /// What stands behind the words taken so far.
  [[nodiscard]] std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  /// Throws unless nothing follows; `where` ends the message "'x' after ...".
  void expect_end(std::string_view where) {
    if (!at_end()) {
      fail_here(where);
    }
  }

  [[noreturn]] void fail(const std::string& what) const { source_.fail(what); }

private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }

  [[noreturn]] void fail_at_number(const number_kind& kind) const;
  [[noreturn]] void fail_out_of_range(const number_kind& kind, std::string_view digits) const;
  [[noreturn]] void fail_here(std::string_view where) const;

  const line_source& source_;
  const char* at_;
  const char* end_;
};

/// What a message calls a byte that should not be there.
std::string byte_name(char c);

/// A word of a file as a message shows it: quoted, clipped, without control characters.
std::string quoted(std::string_view word);

}  // namespace spanning
