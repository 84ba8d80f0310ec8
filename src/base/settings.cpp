// SPDX-License-Identifier: Apache-2.0
#include "base/settings.hpp"

#include "base/option_errors.hpp"

namespace tactus::detail {

settings::settings(const config& given) : values_(given) {
  for (std::size_t row = 0; row < k_options.size(); ++row) {
    const option& one = k_options[row];
    if (!one.is_valid(given)) {
      refuse(field_name(one), one.show(given), one.allowed);
    }
    written_in_[row] = field_name(one);
  }
}

void settings::set(std::size_t row, const std::string& source, std::string_view text) {
  const option& one = k_options[row];
  config changed = values_;
  if (!one.read(text, changed) || !one.is_valid(changed)) {
    refuse(source, text, one.allowed);
  }
  values_ = changed;
  written_in_[row] = source;
}

}  // namespace tactus::detail
