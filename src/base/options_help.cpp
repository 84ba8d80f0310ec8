// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/impl/options.hpp>

#include "base/option_table.hpp"

#include <string>
#include <string_view>

namespace tactus::detail {

bool asks_for_help(const config& given, int argc, char* const* argv) noexcept {
  for (int i = 1; given.env && argv != nullptr && i < argc && argv[i] != nullptr; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") {
      return false;
    }
    if (argument == k_help_flag) {
      return true;
    }
  }
  return false;
}

std::string help_text() {
  std::string text = "Flags of Tactus. " + flag_name(k_options[k_threads]) + "=4 is also the variable " +
                     variable_name(k_options[k_threads]) + "=4, which it overrides.\n";
  for (const auto& one : k_options) {
    text += "  " + flag_name(one) + '=' + std::string(one.example) + "\n      " + std::string(one.allowed) + '\n';
  }
  return text + "  " + std::string(k_help_flag) + "\n      this text\n";
}

}  // namespace tactus::detail
