// SPDX-License-Identifier: Apache-2.0
// Values of options as text, and back: all of the text is read, or nothing; the same in every locale.
#pragma once

#include <tactus/base/config.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tactus::detail {

inline constexpr std::uint64_t k_kib = 1024;
inline constexpr std::uint64_t k_mib = 1024 * k_kib;
inline constexpr std::uint64_t k_gib = 1024 * k_mib;

inline constexpr std::array<std::pair<std::string_view, spawn_policy>, 4> k_policies{{
    {"adaptive", spawn_policy::adaptive},
    {"work_first", spawn_policy::work_first},
    {"help_first", spawn_policy::help_first},
    {"work_sharing", spawn_policy::work_sharing},
}};

inline constexpr std::array<std::pair<std::string_view, binding>, 3> k_bindings{{
    {"none", binding::none},
    {"core", binding::core},
    {"numa", binding::numa},
}};

inline constexpr std::array<std::pair<std::string_view, message_progress>, 3> k_progresses{{
    {"hybrid", message_progress::hybrid},
    {"worker", message_progress::worker},
    {"thread", message_progress::thread},
}};

inline constexpr std::array<std::pair<std::string_view, placement_policy>, 8> k_placements{{
    {"none", placement_policy::none},
    {"work_dealing", placement_policy::work_dealing},
    {"eager_dealing", placement_policy::eager_dealing},
    {"lifeline", placement_policy::lifeline},
    {"hybrid", placement_policy::hybrid},
    {"random_stealing", placement_policy::random_stealing},
    {"sender_threshold", placement_policy::sender_threshold},
    {"proportional", placement_policy::proportional},
}};

inline constexpr std::array<std::pair<std::string_view, copying>, 3> k_copyings{{
    {"automatic", copying::automatic},
    {"serialize", copying::serialize},
    {"construct", copying::construct},
}};

inline constexpr std::array<std::pair<std::string_view, bool>, 4> k_switches{{
    {"0", false},
    {"1", true},
    {"false", false},
    {"true", true},
}};

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc{} && result.ptr == end;
}

bool read_decimal(std::string_view text, double& number);

/// Bytes, or a number with K, M or G, also KiB, MiB, GiB.
bool read_size(std::string_view text, std::size_t& bytes);

template <class Value, std::size_t N>
bool read_name(std::string_view text, const std::array<std::pair<std::string_view, Value>, N>& names, Value& value) {
  for (const auto& [name, meaning] : names) {
    if (name == text) {
      value = meaning;
      return true;
    }
  }
  return false;
}

template <class Value, std::size_t N>
std::string_view name_of(Value value, const std::array<std::pair<std::string_view, Value>, N>& names) {
  for (const auto& [name, meaning] : names) {
    if (meaning == value) {
      return name;
    }
  }
  return {};
}

/// Its number, where it has no name.
template <class Enum, std::size_t N>
std::string show_name(Enum value, const std::array<std::pair<std::string_view, Enum>, N>& names) {
  const std::string_view name = name_of(value, names);
  return name.empty() ? std::to_string(static_cast<int>(value)) : std::string(name);
}

}  // namespace tactus::detail
