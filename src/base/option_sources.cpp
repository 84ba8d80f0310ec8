// SPDX-License-Identifier: Apache-2.0
#include "base/option_sources.hpp"

#include <tactus/base/error.hpp>

#include "base/option_errors.hpp"
#include "base/option_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tactus::detail {

namespace {

// By these, module systems and CMake say where Tactus lies; MPI is for what joins processes (mpi/launch.cpp).
constexpr std::array<std::string_view, 8> k_names_of_others{"ROOT",    "DIR", "HOME", "PREFIX",
                                                            "VERSION", "INC", "LIB",  "MPI"};

// A slip in one of our names is an error; anything else is somebody else's, and ignored.
void judge_unknown_variable(std::string_view name, std::string_view value, std::vector<std::string>& ignored) {
  const std::string_view rest = name.substr(k_variable_prefix.size());
  if (std::find(k_names_of_others.begin(), k_names_of_others.end(), rest) != k_names_of_others.end()) {
    return;
  }
  if (const std::string guess = nearest(name, k_variable_prefix, variable_name, 1); !guess.empty()) {
    refuse_name("variable", name, value, guess, variable_name);
  }
  ignored.push_back(shown(name));
}

}  // namespace

// An empty one counts as unset. A name may stand twice in an environment; as for getenv, the first one counts.
void apply_variables(settings& so_far, const char* const* environment, std::vector<std::string>& ignored) {
  std::array<bool, k_option_count> seen{};
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (!entry.starts_with(k_variable_prefix)) {
      continue;
    }
    const std::string_view name = entry.substr(0, entry.find('='));
    const std::string_view value = entry.substr(std::min(name.size() + 1, entry.size()));
    const auto row = row_spelled(name, variable_name);
    const bool is_first = !row || !std::exchange(seen[*row], true);
    if (value.empty() || !is_first) {
      continue;
    }
    if (row) {
      so_far.set(*row, std::string(name), value);
    } else {
      judge_unknown_variable(name, value, ignored);
    }
  }
}

namespace {

void apply_flag(settings& so_far, std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  const bool has_value = name.size() != argument.size();
  const std::string_view value = has_value ? argument.substr(name.size() + 1) : std::string_view{};
  const auto row = row_spelled(name, flag_name);
  if (!row) {
    refuse_name("flag", name, value, nearest(name, k_flag_prefix, flag_name, 2), flag_name);
  }
  const option& one = k_options[*row];
  if (has_value) {
    so_far.set(*row, std::string(name), value);
  } else if (one.name == k_bare_switch) {
    so_far.set(*row, std::string(name), "1");
  } else {
    throw config_error("tactus: " + std::string(name) + " has no value; write " + std::string(name) + '=' +
                       std::string(one.example) + "; allowed: " + std::string(one.allowed));
  }
}

}  // namespace

std::vector<char*> apply_flags(settings& so_far, int argc, char* const* argv) {
  std::vector<char*> left;
  bool is_looking = so_far.values().env;
  for (int i = 0; argv != nullptr && i < argc && argv[i] != nullptr; ++i) {
    const std::string_view argument = argv[i];
    is_looking = is_looking && argument != "--";
    if (i > 0 && is_looking && argument == k_help_flag) {
      continue;
    }
    if (i > 0 && is_looking && argument.starts_with(k_flag_prefix)) {
      apply_flag(so_far, argument);
    } else {
      left.push_back(argv[i]);
    }
  }
  left.push_back(nullptr);
  return left;
}

}  // namespace tactus::detail
