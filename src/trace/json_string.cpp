// SPDX-License-Identifier: Apache-2.0
#include "trace/json_string.hpp"

#include <algorithm>
#include <cstddef>

namespace tactus::detail {
namespace {

// The length of the well-formed UTF-8 sequence that begins at `i`; 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t i) noexcept {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || i + length > text.size()) {
    return 0;
  }
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0U) != 0x80U) {
      return 0;
    }
  }
  const unsigned char second = length > 2 ? byte(i + 1) : 0;
  const bool too_long = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool no_character = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  return too_long || no_character ? 0 : length;
}

}  // namespace

std::string json_string(std::string_view text) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const auto code = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      quoted += '?';
    } else if (text[i] == '"' || text[i] == '\\') {
      quoted += {'\\', text[i]};
    } else if (code < 0x20 || code == 0x7f) {
      quoted += "\\u00";
      quoted += {k_hex[code >> 4U], k_hex[code & 15U]};
    } else {
      quoted += text.substr(i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
  return quoted + '"';
}

}  // namespace tactus::detail
