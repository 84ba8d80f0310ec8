// SPDX-License-Identifier: Apache-2.0
#include "base/option_table.hpp"

#include <tactus/base/impl/options.hpp>

#include "base/option_values.hpp"

namespace tactus::detail {

namespace {

constexpr std::size_t k_least_stack = 16 * k_kib;
constexpr std::size_t k_most_stack = k_gib;
constexpr std::size_t k_least_memory = k_mib;
constexpr std::size_t k_longest_name = 4096;  // of a file, its end included
constexpr std::size_t k_least_window = 256;
constexpr std::size_t k_most_window = k_gib;
constexpr int k_most_failed_steals = 1'000'000;
constexpr std::string_view k_tuning_prefix = "placement_";  // of the fields of config::tuning

}  // namespace

constexpr std::array<option, k_option_count> k_options{{
    {"threads", "a whole number from 0 to 1024, where 0 means all usable cores", "4",
     [](std::string_view text, config& into) { return read_number(text, into.threads); },
     [](const config& values) { return values.threads >= 0 && values.threads <= k_most_threads; },
     [](const config& values) { return std::to_string(values.threads); }},
    {"places", "a whole number from 1 to 1024", "4",
     [](std::string_view text, config& into) { return read_number(text, into.places); },
     [](const config& values) { return values.places >= 1 && values.places <= k_most_places; },
     [](const config& values) { return std::to_string(values.places); }},
    {"policy", "adaptive, work_first, help_first or work_sharing", "adaptive",
     [](std::string_view text, config& into) { return read_name(text, k_policies, into.policy); },
     [](const config& values) { return !name_of(values.policy, k_policies).empty(); },
     [](const config& values) { return show_name(values.policy, k_policies); }},
    {"stack_bytes", "a size from 16 KiB to 1 GiB, in bytes or with K, M or G", "256K",
     [](std::string_view text, config& into) { return read_size(text, into.stack_bytes); },
     [](const config& values) { return values.stack_bytes >= k_least_stack && values.stack_bytes <= k_most_stack; },
     [](const config& values) { return std::to_string(values.stack_bytes); }},
    {"bind", "none, core or numa", "core",
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
    {"progress", "hybrid, worker or thread", "worker",
     [](std::string_view text, config& into) { return read_name(text, k_progresses, into.progress); },
     [](const config& values) { return !name_of(values.progress, k_progresses).empty(); },
     [](const config& values) { return show_name(values.progress, k_progresses); }},
    {"local_copy", "automatic, serialize or construct", "serialize",
     [](std::string_view text, config& into) { return read_name(text, k_copyings, into.local_copy); },
     [](const config& values) { return !name_of(values.local_copy, k_copyings).empty(); },
     [](const config& values) { return show_name(values.local_copy, k_copyings); }},
    {"message_bytes", "a size from 256 bytes to 1 GiB, in bytes or with K, M or G, or 0 for one that fits the places",
     "64K", [](std::string_view text, config& into) { return read_size(text, into.message_bytes); },
     [](const config& values) {
       return values.message_bytes == 0 ||
              (values.message_bytes >= k_least_window && values.message_bytes <= k_most_window);
     },
     [](const config& values) { return std::to_string(values.message_bytes); }},
    {"placement",
     "none, work_dealing, eager_dealing, lifeline, hybrid, random_stealing, sender_threshold or proportional", "hybrid",
     [](std::string_view text, config& into) { return read_name(text, k_placements, into.placement); },
     [](const config& values) { return !name_of(values.placement, k_placements).empty(); },
     [](const config& values) { return show_name(values.placement, k_placements); }},
    {"placement_failed_steals", "a whole number from 0 to 1000000, where 0 means the workers of a place", "8",
     [](std::string_view text, config& into) { return read_number(text, into.tuning.failed_steals); },
     [](const config& values) {
       return values.tuning.failed_steals >= 0 && values.tuning.failed_steals <= k_most_failed_steals;
     },
     [](const config& values) { return std::to_string(values.tuning.failed_steals); }},
    {"placement_random_steals", "a whole number from 0 to 1024", "1",
     [](std::string_view text, config& into) { return read_number(text, into.tuning.random_steals); },
     [](const config& values) {
       return values.tuning.random_steals >= 0 && values.tuning.random_steals <= k_most_places;
     },
     [](const config& values) { return std::to_string(values.tuning.random_steals); }},
    {"placement_lifeline_base", "a whole number from 2 to 1024", "4",
     [](std::string_view text, config& into) { return read_number(text, into.tuning.lifeline_base); },
     [](const config& values) {
       return values.tuning.lifeline_base >= 2 && values.tuning.lifeline_base <= k_most_places;
     },
     [](const config& values) { return std::to_string(values.tuning.lifeline_base); }},
    {"placement_probes", "a whole number from 1 to 1024", "3",
     [](std::string_view text, config& into) { return read_number(text, into.tuning.probes); },
     [](const config& values) { return values.tuning.probes >= 1 && values.tuning.probes <= k_most_places; },
     [](const config& values) { return std::to_string(values.tuning.probes); }},
    {"placement_threshold", "a number of tasks from 0 to 1000000", "2",
     [](std::string_view text, config& into) { return read_decimal(text, into.tuning.threshold); },
     [](const config& values) { return values.tuning.threshold >= 0 && values.tuning.threshold <= 1e6; },
     [](const config& values) { return std::to_string(values.tuning.threshold); }},
    {"placement_look_ahead", "0, 1, true or false", "1",
     [](std::string_view text, config& into) { return read_name(text, k_switches, into.tuning.look_ahead); },
     [](const config&) { return true; },
     [](const config& values) { return std::string(values.tuning.look_ahead ? "true" : "false"); }},
    {"placement_interleave", "0, 1, true or false", "1",
     [](std::string_view text, config& into) { return read_name(text, k_switches, into.tuning.interleave); },
     [](const config&) { return true; },
     [](const config& values) { return std::string(values.tuning.interleave ? "true" : "false"); }},
    {"placement_guard", "0, 1, true or false", "1",
     [](std::string_view text, config& into) { return read_name(text, k_switches, into.tuning.guard); },
     [](const config&) { return true; },
     [](const config& values) { return std::string(values.tuning.guard ? "true" : "false"); }},
    {"labels",
     "none, all, the name of a file of labels, of less than 4096 characters, or nothing for tasks as they are written",
     "labels.txt",
     [](std::string_view text, config& into) {
       into.labels = text;
       return true;
     },
     [](const config& values) { return values.labels.size() < k_longest_name; },
     [](const config& values) { return values.labels; }},
    {"profile", "the name of a file to write, of less than 4096 characters, or nothing", "run.tpp",
     [](std::string_view text, config& into) {
       into.profile = text;
       return true;
     },
     [](const config& values) { return values.profile.size() < k_longest_name; },
     [](const config& values) { return values.profile; }},
    {"peer_timeout", "a number of seconds from 0.1 to 1000000, or 0 to leave it to the launcher", "10",
     [](std::string_view text, config& into) { return read_decimal(text, into.peer_timeout); },
     [](const config& values) {
       return values.peer_timeout == 0 || (values.peer_timeout >= 0.1 && values.peer_timeout <= 1e6);
     },
     [](const config& values) { return std::to_string(values.peer_timeout); }},
}};
static_assert(k_options[k_threads].name == "threads" && k_options[k_seed].name == "seed" &&
              k_options[k_placement].name == "placement" && k_options[k_profile].name == "profile");
static_assert(!k_options.back().name.empty());  // there are as many rows as the header says

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

std::string field_name(const option& one) {
  return one.name.starts_with(k_tuning_prefix) ? "config.tuning." + std::string(one.name.substr(k_tuning_prefix.size()))
                                               : "config." + std::string(one.name);
}

std::optional<std::size_t> row_spelled(std::string_view name, std::string (*spell)(const option&)) {
  for (std::size_t row = 0; row < k_options.size(); ++row) {
    if (spell(k_options[row]) == name) {
      return row;
    }
  }
  return std::nullopt;
}

}  // namespace tactus::detail
