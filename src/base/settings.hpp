// SPDX-License-Identifier: Apache-2.0
// The settings so far, while fields, variables and flags are gone through: each is allowed by itself, and for each
// it is known where it was written last, which errors found later name.
#pragma once

#include "base/option_table.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tactus::detail {

class settings {
public:
  /// Throws config_error for a field that is not allowed.
  explicit settings(const config& given);

  /// What `source` says goes before what was said so far. Throws config_error, and nothing has changed.
  void set(std::size_t row, const std::string& source, std::string_view text);

  [[nodiscard]] const config& values() const noexcept { return values_; }
  [[nodiscard]] const std::string& written_in(std::size_t row) const noexcept { return written_in_[row]; }

private:
  config values_;
  std::array<std::string, k_option_count> written_in_;
};

}  // namespace tactus::detail
