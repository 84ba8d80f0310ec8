// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/options.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <locale>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

#include <unistd.h>

#include <tactus/base/error.hpp>

namespace tactus::detail {

namespace {

constexpr std::uint64_t k_kib = 1024;
constexpr std::uint64_t k_mib = 1024 * k_kib;
constexpr std::uint64_t k_gib = 1024 * k_mib;

constexpr std::size_t k_least_stack = 16 * k_kib;
constexpr std::size_t k_most_stack = k_gib;
constexpr std::size_t k_least_memory = k_mib;
constexpr std::size_t k_longest_name = 4096;  // of a file, its end included

// The default limit on memory never falls below this: a program that starts on a full machine should get as far as the
// operating system lets it, not be refused its first stack.
constexpr std::uint64_t k_least_default_memory = 64 * k_mib;

constexpr std::array<std::pair<std::string_view, spawn_policy>, 4> k_policies{{
    {"adaptive", spawn_policy::adaptive},
    {"work_first", spawn_policy::work_first},
    {"help_first", spawn_policy::help_first},
    {"work_sharing", spawn_policy::work_sharing},
}};

constexpr std::array<std::pair<std::string_view, binding>, 2> k_bindings{{
    {"none", binding::none},
    {"core", binding::core},
}};

constexpr std::array<std::pair<std::string_view, bool>, 4> k_switches{{
    {"0", false},
    {"1", true},
    {"false", false},
    {"true", true},
}};

// ---- reading values: all of the text or nothing ----

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc{} && result.ptr == end;
}

// std::from_chars reads no double in libc++ 19. The same in every locale.
bool read_decimal(std::string_view text, double& number) {
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos || text.starts_with('+')) {
    return false;
  }
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  return in >> number && in.peek() == std::istringstream::traits_type::eof();
}

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

template <class Enum, std::size_t N>
std::string show_name(Enum value, const std::array<std::pair<std::string_view, Enum>, N>& names) {
  const std::string_view name = name_of(value, names);
  return name.empty() ? std::to_string(static_cast<int>(value)) : std::string(name);
}

// ---- the options ----

// One row per option. `name` is the field's; the variable and the flag are spelled from it.
struct option {
  std::string_view name;
  std::string_view allowed;
  std::string_view example;
  bool (*read)(std::string_view text, config& into);
  bool (*is_valid)(const config& values);
  std::string (*show)(const config& values);
};

constexpr std::size_t k_threads = 0;  // row of the one option whose range depends on another
constexpr std::size_t k_seed = 8;
constexpr std::string_view k_bare_switch = "stats";  // the one option whose flag may stand without a value

constexpr std::array<option, 10> k_options{{
    {"threads", "a whole number from 0 to 1024, where 0 means all usable cores", "4",
     [](std::string_view text, config& into) { return read_number(text, into.threads); },
     [](const config& values) { return values.threads >= 0 && values.threads <= k_most_threads; },
     [](const config& values) { return std::to_string(values.threads); }},
    {"places", "1; programs with more places are not built yet: leave places at 1 and set threads for more workers",
     "1", [](std::string_view text, config& into) { return read_number(text, into.places); },
     [](const config& values) { return values.places == 1; },
     [](const config& values) { return std::to_string(values.places); }},
    {"policy", "adaptive, work_first, help_first or work_sharing", "adaptive",
     [](std::string_view text, config& into) { return read_name(text, k_policies, into.policy); },
     [](const config& values) { return !name_of(values.policy, k_policies).empty(); },
     [](const config& values) { return show_name(values.policy, k_policies); }},
    {"stack_bytes", "a size from 16 KiB to 1 GiB, in bytes or with K, M or G", "256K",
     [](std::string_view text, config& into) { return read_size(text, into.stack_bytes); },
     [](const config& values) { return values.stack_bytes >= k_least_stack && values.stack_bytes <= k_most_stack; },
     [](const config& values) { return std::to_string(values.stack_bytes); }},
    {"bind", "none or core", "core",
     [](std::string_view text, config& into) { return read_name(text, k_bindings, into.bind); },
     [](const config& values) { return !name_of(values.bind, k_bindings).empty(); },
     [](const config& values) { return show_name(values.bind, k_bindings); }},
    {"stats", "0, 1, true or false", "1",
     [](std::string_view text, config& into) { return read_name(text, k_switches, into.stats); },
     [](const config&) { return true; },
     [](const config& values) { return std::string(values.stats ? "true" : "false"); }},
    {"trace", "the name of a file to write, of less than 4096 characters, or nothing", "timeline.json",
     [](std::string_view text, config& into) {
       into.trace = text;
       return true;
     },
     [](const config& values) { return values.trace.size() < k_longest_name; },
     [](const config& values) { return values.trace; }},
    {"watchdog_seconds", "a number of seconds from 0.01 to 1000000, or 0 for no watchdog", "60",
     [](std::string_view text, config& into) { return read_decimal(text, into.watchdog_seconds); },
     [](const config& values) {
       return values.watchdog_seconds == 0 || (values.watchdog_seconds >= 0.01 && values.watchdog_seconds <= 1e6);
     },
     [](const config& values) { return std::to_string(values.watchdog_seconds); }},
    {"seed", "a whole number from 0 to 18446744073709551615, where 0 means not seeded", "7",
     [](std::string_view text, config& into) { return read_number(text, into.seed); },
     [](const config&) { return true; }, [](const config& values) { return std::to_string(values.seed); }},
    {"memory_bytes",
     "a size of at least 1 MiB, in bytes or with K, M or G, or 0 for what the process has and three quarters of what "
     "is available",
     "2G", [](std::string_view text, config& into) { return read_size(text, into.memory_bytes); },
     [](const config& values) { return values.memory_bytes == 0 || values.memory_bytes >= k_least_memory; },
     [](const config& values) { return std::to_string(values.memory_bytes); }},
}};
static_assert(k_options[k_threads].name == "threads" && k_options[k_seed].name == "seed");

constexpr std::string_view k_variable_prefix = "TACTUS_";
constexpr std::string_view k_flag_prefix = "--tactus-";
constexpr std::string_view k_help_flag = "--tactus-help";

std::string variable_name(const option& one) {
  std::string name(k_variable_prefix);
  for (const char letter : one.name) {
    name += letter == '_' ? '_' : static_cast<char>(letter - 'a' + 'A');
  }
  return name;
}

std::string flag_name(const option& one) {
  std::string name(k_flag_prefix);
  for (const char letter : one.name) {
    name += letter == '_' ? '-' : letter;
  }
  return name;
}

std::string field_name(const option& one) { return "config." + std::string(one.name); }

// ---- texts of errors ----

// What somebody wrote, fit for one line of a terminal: control characters escaped, and clipped.
std::string shown(std::string_view text) {
  constexpr std::size_t k_longest = 80;
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::string safe;
  for (const char letter : text.substr(0, k_longest)) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7f) {
      safe += "\\x";
      safe += k_hex[code >> 4U];
      safe += k_hex[code & 15U];
    } else {
      safe += letter;
    }
  }
  if (text.size() > k_longest) {
    safe += "... (" + std::to_string(text.size()) + " characters)";
  }
  return safe;
}

[[noreturn]] void refuse(const std::string& source, std::string_view value, std::string_view allowed) {
  throw config_error("tactus: " + source + " = '" + shown(value) +
                     "' is not allowed; allowed: " + std::string(allowed));
}

// Edit distance with swaps of neighbours counted as one; both texts are short (see nearest).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// The known name that `name` was probably meant to be, or an empty string. `slips` are as many as even a short name may
// have. `-`, `_` and case never part two names.
std::string nearest(std::string_view name, std::string_view prefix, std::string (*spell)(const option&),
                    std::size_t slips) {
  constexpr std::size_t k_longest = 40;
  if (name.size() > k_longest) {
    return {};
  }
  std::string wanted(name.substr(prefix.size()));
  for (char& letter : wanted) {
    letter = letter == '-' ? '_' : letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  const option* best = nullptr;
  std::size_t best_distance = std::max(slips, wanted.size() / 3) + 1;
  for (const auto& one : k_options) {
    // Half a name, as in TACTUS_STACK, or one with an end too many, as in TACTUS_BINDING, is as near as a slip of one letter.
    const bool is_start = wanted.size() >= 3 && (one.name.starts_with(wanted) || wanted.starts_with(one.name));
    const std::size_t apart = is_start ? 1 : distance(wanted, one.name);
    if (apart < best_distance) {
      best_distance = apart;
      best = &one;
    }
  }
  return best != nullptr ? spell(*best) : std::string();
}

[[noreturn]] void refuse_name(std::string_view kind, std::string_view name, std::string_view value,
                              std::string_view guess, std::string (*spell)(const option&)) {
  std::string text = "tactus: unknown " + std::string(kind) + " '" + shown(name) + "' (value '" + shown(value) + "')";
  if (!guess.empty()) {
    text += "; did you mean " + std::string(guess) + '?';
  }
  text += "; known:";
  for (const auto& one : k_options) {
    text += ' ' + spell(one);
  }
  throw config_error(text);
}

// ---- resolving ----

// The settings so far, and for each option where its value was written last: errors found later name that place.
struct settings {
  config values;
  std::array<std::string, k_options.size()> written_in;

  void set(std::size_t row, const std::string& source, std::string_view text) {
    const option& one = k_options[row];
    config changed = values;
    if (!one.read(text, changed) || !one.is_valid(changed)) {
      refuse(source, text, one.allowed);
    }
    values = changed;
    written_in[row] = source;
  }
};

settings check_fields(const config& given) {
  settings start{given, {}};
  for (std::size_t row = 0; row < k_options.size(); ++row) {
    const option& one = k_options[row];
    if (!one.is_valid(given)) {
      refuse(field_name(one), one.show(given), one.allowed);
    }
    start.written_in[row] = field_name(one);
  }
  return start;
}

std::optional<std::size_t> row_spelled(std::string_view name, std::string (*spell)(const option&)) {
  for (std::size_t row = 0; row < k_options.size(); ++row) {
    if (spell(k_options[row]) == name) {
      return row;
    }
  }
  return std::nullopt;
}

// By these, module systems and CMake say where Tactus lies.
constexpr std::array<std::string_view, 7> k_names_of_others{"ROOT", "DIR", "HOME", "PREFIX", "VERSION", "INC", "LIB"};

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

// An empty one counts as unset. A name may stand twice in an environment; as for getenv, the first one counts.
void apply_variables(settings& so_far, const char* const* environment, std::vector<std::string>& ignored) {
  std::array<bool, k_options.size()> seen{};
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

std::vector<char*> apply_flags(settings& so_far, int argc, char* const* argv) {
  std::vector<char*> left;
  bool is_looking = so_far.values.env;
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

void choose_threads(settings& chosen, int cores) {
  config& values = chosen.values;
  if (values.seed == 0) {
    values.threads = values.threads != 0 ? values.threads : std::clamp(cores, 1, k_most_threads);
    return;
  }
  if (values.threads > k_most_virtual_workers) {
    refuse(chosen.written_in[k_threads], std::to_string(values.threads),
           "0 to 64 virtual workers, because " + chosen.written_in[k_seed] + " = " + std::to_string(values.seed) +
               " asks for the seeded scheduler; 0 means 4");
  }
  values.threads = values.threads != 0 ? values.threads : k_default_virtual_workers;
}

void choose_memory(config& values, const machine_limits& machine) {
  const std::size_t page = std::max<std::size_t>(machine.page_bytes, 1);
  values.stack_bytes = (values.stack_bytes + page - 1) / page * page;
  if (values.memory_bytes == 0) {
    constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max();
    const std::uint64_t share = std::max(machine.memory_bytes - machine.memory_bytes / 4, k_least_default_memory);
    values.memory_bytes =
        static_cast<std::size_t>(machine.resident_bytes > most - share ? most : machine.resident_bytes + share);
  }
}

}  // namespace

resolved_options resolve_options(const config& given, int argc, char* const* argv, const char* const* environment,
                                 const machine_limits& machine) {
  settings chosen = check_fields(given);
  resolved_options result;
  if (given.env) {
    apply_variables(chosen, environment, result.ignored_variables);
  }
  result.arguments = apply_flags(chosen, argc, argv);
  choose_threads(chosen, machine.cores);
  choose_memory(chosen.values, machine);
  result.values = chosen.values;
  return result;
}

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

namespace {

// Once in a process for each name, however many runtimes there are.
void tell_of_ignored(const std::vector<std::string>& variables) {
  static std::mutex mutex;
  static auto& told = *new std::vector<std::string>;  // never destroyed: a runtime may be made while others are
  const std::lock_guard hold(mutex);
  for (const std::string& name : variables) {
    if (std::find(told.begin(), told.end(), name) == told.end()) {
      told.push_back(name);
      const std::string line =
          "tactus: unknown variable '" + name + "' is ignored; --tactus-help lists those that Tactus reads\n";
      std::fputs(line.c_str(), stderr);
    }
  }
}

}  // namespace

resolved_options resolve_options(const config& given, int argc, char* const* argv) {
  if (asks_for_help(given, argc, argv)) {
    std::fputs(help_text().c_str(), stdout);
    std::exit(0);
  }
  resolved_options result = resolve_options(given, argc, argv, ::environ, this_machine());
  tell_of_ignored(result.ignored_variables);
  return result;
}

std::string_view policy_name(spawn_policy policy) noexcept { return name_of(policy, k_policies); }

std::optional<spawn_policy> policy_named(std::string_view name) noexcept {
  spawn_policy policy{};
  return read_name(name, k_policies, policy) ? std::optional(policy) : std::nullopt;
}

}  // namespace tactus::detail
