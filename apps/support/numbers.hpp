// SPDX-License-Identifier: Apache-2.0
// Numbers on a command line, where CLI11's own checks let something through.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <system_error>

namespace apps {

/// A whole number, for Option::transform: written in decimal, which it stays. CLI11 reads "-1" as 2^64 - 1, "010" as eight, and cuts what is
/// larger than 2^64 - 1 to it.
inline CLI::Validator whole_number(std::uint64_t most = UINT64_MAX) {
  return {[most](std::string& text) {
            std::uint64_t number = 0;
            const auto [behind, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
            if (problem != std::errc{} || behind != text.data() + text.size() || number > most) {
              return text + " is not a whole number between 0 and " +
                     (most == UINT64_MAX ? "2^64 - 1" : std::to_string(most));
            }
            text = std::to_string(number);
            return std::string{};
          },
          ""};
}

/// A number from `least` to `most`. What is no number ("nan") passes CLI::Range, because it is neither below nor above.
inline CLI::Validator number_between(double least, double most) {
  const CLI::Range range(least, most);
  return {[range](std::string& text) {
            std::string wrong = range(text);
            double number = 0;
            if (wrong.empty() && (!CLI::detail::lexical_cast(text, number) || std::isnan(number))) {
              wrong = text + " is not a number";
            }
            return wrong;
          },
          range.get_description()};
}

}  // namespace apps
