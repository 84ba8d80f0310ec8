// SPDX-License-Identifier: Apache-2.0
// The settings of a runtime: lines up to one "--" are variables of the environment, those behind it are arguments.
#include "targets.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <tactus/base/error.hpp>
#include <tactus/base/impl/options.hpp>

namespace fuzz {
namespace {

void check(const tactus::config& values, const tactus::detail::machine_limits& machine) {
  namespace td = tactus::detail;
  require(values.threads >= 1 && values.threads <= td::k_most_threads, "1 to 1024 threads");
  require(values.seed == 0 || values.threads <= td::k_most_virtual_workers, "at most 64 virtual workers");
  require(values.places >= 1 && values.places <= td::k_most_places, "1 to 1024 places");
  require(values.threads * values.places <= td::k_most_workers || values.seed != 0,
          "no more workers than a finish counts");
  require(values.message_bytes >= 256 && values.message_bytes <= std::size_t{1} << 30U, "room of 256 bytes to 1 GiB");
  require(values.stack_bytes >= 16 * 1024 && values.stack_bytes <= std::size_t{1} << 30U, "a stack of 16 KiB to 1 GiB");
  require(values.stack_bytes % machine.page_bytes == 0, "whole pages");
  require(values.memory_bytes >= std::size_t{1} << 20U, "at least 1 MiB");
  require(values.watchdog_seconds == 0 || (values.watchdog_seconds >= 0.01 && values.watchdog_seconds <= 1e6),
          "a watchdog of 0.01 to 1000000 seconds");
  require(!td::policy_name(values.policy).empty(), "a policy with a name");
}

struct request {
  std::vector<std::string> variables;
  std::vector<std::string> arguments{"program"};
};

request split(std::string_view text) {
  request made;
  bool is_argument = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    // A C string ends at its first zero byte.
    const std::string line(text.substr(0, std::min(text.find('\0'), end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!is_argument && line == "--") {
      is_argument = true;
    } else {
      (is_argument ? made.arguments : made.variables).push_back(line);
    }
  }
  return made;
}

}  // namespace

void options(std::string_view text) {
  request asked = split(text);
  std::vector<const char*> environment;
  for (const std::string& one : asked.variables) {
    environment.push_back(one.c_str());
  }
  environment.push_back(nullptr);
  std::vector<char*> argv;
  for (std::string& one : asked.arguments) {
    argv.push_back(one.data());
  }
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  const tactus::detail::machine_limits machine{.cores = 6, .memory_bytes = std::uint64_t{1} << 32U, .page_bytes = 4096};
  try {
    const auto resolved = tactus::detail::resolve_options({}, argc, argv.data(), environment.data(), machine);
    check(resolved.values, machine);
    require(resolved.argc() >= 1 && resolved.argc() <= argc, "arguments are only taken out");
    require(resolved.arguments.front() == argv.front() && resolved.arguments.back() == nullptr, "a new argv");
  } catch (const tactus::config_error& refused) {
    require(std::string_view(refused.what()).size() < 1000, "an error is short");
  }
}

}  // namespace fuzz
