// SPDX-License-Identifier: Apache-2.0
// The options, one row each, from which variables, flags, messages and the help follow.
#pragma once

#include <tactus/base/config.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::detail {

/// `name` is the field's; the variable and the flag are spelled from it.
struct option {
  std::string_view name;
  std::string_view allowed;
  std::string_view example;
  bool (*read)(std::string_view text, config& into);
  bool (*is_valid)(const config& values);
  std::string (*show)(const config& values);
};

inline constexpr std::size_t k_option_count = 25;
extern const std::array<option, k_option_count> k_options;

inline constexpr std::size_t k_threads = 0;  // rows of options whose ranges depend on each other
inline constexpr std::size_t k_places = 1;
inline constexpr std::size_t k_seed = 8;
inline constexpr std::size_t k_placement = 13;
inline constexpr std::size_t k_profile = 23;
inline constexpr std::string_view k_bare_switch = "stats";  // the one option whose flag may stand without a value

inline constexpr std::string_view k_variable_prefix = "TACTUS_";
inline constexpr std::string_view k_flag_prefix = "--tactus-";
inline constexpr std::string_view k_help_flag = "--tactus-help";

[[nodiscard]] std::string variable_name(const option& one);
[[nodiscard]] std::string flag_name(const option& one);
[[nodiscard]] std::string field_name(const option& one);

/// The row of the option that `spell` writes like this.
[[nodiscard]] std::optional<std::size_t> row_spelled(std::string_view name, std::string (*spell)(const option&));

}  // namespace tactus::detail
