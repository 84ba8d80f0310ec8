// SPDX-License-Identifier: Apache-2.0
#include "base/option_values.hpp"

#include <tactus/base/impl/options.hpp>

#include <algorithm>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>

namespace tactus::detail {

// std::from_chars reads no double in libc++ 19.
bool read_decimal(std::string_view text, double& number) {
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos || text.starts_with('+')) {
    return false;
  }
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  return in >> number && in.peek() == std::istringstream::traits_type::eof();
}

namespace {

std::uint64_t unit_of(std::string_view suffix) {
  if (suffix.empty()) {
    return 1;
  }
  if (suffix.size() != 1 && suffix.substr(1) != "iB" && suffix.substr(1) != "ib") {
    return 0;
  }
  switch (suffix.front()) {
    case 'k':
    case 'K': return k_kib;
    case 'm':
    case 'M': return k_mib;
    case 'g':
    case 'G': return k_gib;
    default: return 0;
  }
}

}  // namespace

bool read_size(std::string_view text, std::size_t& bytes) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::size_t number = 0;
  const std::uint64_t unit = unit_of(text.substr(digits));
  if (!read_number(text.substr(0, digits), number) || unit == 0 ||
      number > std::numeric_limits<std::size_t>::max() / unit) {
    return false;
  }
  bytes = static_cast<std::size_t>(number * unit);
  return true;
}

std::string_view policy_name(spawn_policy policy) noexcept { return name_of(policy, k_policies); }

std::optional<spawn_policy> policy_named(std::string_view name) noexcept {
  spawn_policy policy{};
  return read_name(name, k_policies, policy) ? std::optional(policy) : std::nullopt;
}

}  // namespace tactus::detail
