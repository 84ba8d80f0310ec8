// SPDX-License-Identifier: Apache-2.0
#include "line_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace spanning {
namespace {

// A word can be as long as the line: a message shows its beginning.
constexpr std::size_t k_shown = 30;

bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

}  // namespace

std::string byte_name(char c) {
  if (c == '\r') {
    return "a carriage return inside the line";
  }
  if (!is_printable(c)) {
    return fmt::format("byte 0x{:02x} (is this a text file?)", static_cast<unsigned char>(c));
  }
  return fmt::format("'{}'", c);
}

std::string quoted(std::string_view word) {
  std::string text = "'";
  for (const char c : word.substr(0, k_shown)) {
    text += is_printable(c) ? c : '?';
  }
  return text + (word.size() > k_shown ? "...'" : "'");
}

std::string_view line_cursor::take_word() {
  (void)at_end();
  const char* const first = at_;
  at_ = std::find_if(at_, end_, is_blank);
  return {first, static_cast<std::size_t>(at_ - first)};
}

void line_cursor::fail_at_number(const number_kind& kind) const {
  fail(fmt::format("expected {} {}, found {}", kind.article, kind.name,
                   at_ == end_ ? "the end of the line" : byte_name(*at_)));
}

void line_cursor::fail_out_of_range(const number_kind& kind, std::string_view digits) const {
  // All zeros below a least value; everything else that is out of range is too large.
  if (digits.find_first_not_of('0') == std::string_view::npos) {
    fail(fmt::format("{} 0 is below {}, the smallest allowed", kind.name, kind.least));
  }
  fail(fmt::format("{} {}{} is above {}, {}", kind.name, digits.substr(0, k_shown),
                   digits.size() > k_shown ? "..." : "", kind.most, kind.most_is));
}

void line_cursor::fail_here(std::string_view where) const { fail(fmt::format("{} {}", byte_name(*at_), where)); }

}  // namespace spanning
