// SPDX-License-Identifier: Apache-2.0
#include "base/option_errors.hpp"

#include <tactus/base/error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tactus::detail {

std::string shown(std::string_view text) {
  constexpr std::size_t k_longest = 80;
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::string safe;
  for (const char letter : text.substr(0, k_longest)) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7f) {
      safe += "\\x";
      safe += k_hex[code >> 4U];
      safe += k_hex[code & 15U];
    } else {
      safe += letter;
    }
  }
  if (text.size() > k_longest) {
    safe += "... (" + std::to_string(text.size()) + " characters)";
  }
  return safe;
}

void refuse(const std::string& source, std::string_view value, std::string_view allowed) {
  throw config_error("tactus: " + source + " = '" + shown(value) +
                     "' is not allowed; allowed: " + std::string(allowed));
}

void refuse_name(std::string_view kind, std::string_view name, std::string_view value, std::string_view guess,
                 std::string (*spell)(const option&)) {
  std::string text = "tactus: unknown " + std::string(kind) + " '" + shown(name) + "' (value '" + shown(value) + "')";
  if (!guess.empty()) {
    text += "; did you mean " + std::string(guess) + '?';
  }
  text += "; known:";
  for (const auto& one : k_options) {
    text += ' ' + spell(one);
  }
  throw config_error(text);
}

namespace {

// Edit distance with swaps of neighbours counted as one; both texts are short (see nearest).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view name, std::string_view prefix, std::string (*spell)(const option&),
                    std::size_t slips) {
  constexpr std::size_t k_longest = 40;
  if (name.size() > k_longest) {
    return {};
  }
  std::string wanted(name.substr(prefix.size()));
  for (char& letter : wanted) {
    letter = letter == '-' ? '_' : letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  // Half a name, as in TACTUS_STACK, or one with an end too many, as in TACTUS_BINDING, is as near as a slip of one letter; a word too
  // many, as in TACTUS_PLACEMENT_OTHER, is another name.
  const auto is_part = [&wanted](const option& one) {
    return wanted.size() >= 3 &&
           (one.name.starts_with(wanted) ||
            (wanted.starts_with(one.name) && wanted.find('_', one.name.size()) == std::string::npos));
  };
  const option* best = nullptr;
  std::pair best_distance(std::max(slips, wanted.size() / 3) + 1, std::size_t{0});
  for (const auto& one : k_options) {
    const std::size_t apart = distance(wanted, one.name);
    const std::pair seen(is_part(one) ? std::min<std::size_t>(apart, 1) : apart, apart);
    if (seen < best_distance) {
      best_distance = seen;
      best = &one;
    }
  }
  return best != nullptr ? spell(*best) : std::string();
}

}  // namespace tactus::detail
