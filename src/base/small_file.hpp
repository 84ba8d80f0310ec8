// SPDX-License-Identifier: Apache-2.0
// The small text files in which the kernel tells about itself: lines of words, some of them numbers.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::detail {

/// Enough for any of them but the table of mounts. A cap keeps a strange file from eating the memory.
inline constexpr std::size_t k_longest_small_file = 64 * 1024;

/// The beginning of the file; empty where there is none.
inline std::string read_small_file(const std::string& path, std::size_t most = k_longest_small_file) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  while (file && text.size() < most) {
    const std::size_t before = text.size();
    text.resize(std::min(before + k_longest_small_file, most));
    file.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  }
  return text;
}

/// Takes the next word of a line; words are parted by blanks and tabs.
inline std::string_view take_word(std::string_view& line) {
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    line = {};
    return {};
  }
  line.remove_prefix(first);
  const auto word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

inline std::string_view take_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// All of the word or nothing.
inline std::optional<std::uint64_t> as_number(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failure != std::errc{} || word.empty() || end != word.data() + word.size()) {
    return std::nullopt;
  }
  return number;
}

/// The number after `key` in lines "key number".
inline std::optional<std::uint64_t> number_after(std::string_view key, std::string_view text) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (take_word(line) == key) {
      return as_number(take_word(line));
    }
  }
  return std::nullopt;
}

}  // namespace tactus::detail
