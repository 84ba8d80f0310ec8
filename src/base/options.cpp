// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/error.hpp>
#include <tactus/base/impl/options.hpp>

#include "base/job.hpp"
#include "base/option_errors.hpp"
#include "base/option_sources.hpp"
#include "base/option_values.hpp"
#include "base/settings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include <unistd.h>

namespace tactus::detail {

namespace {

// The default limit on memory never falls below this: a program that starts on a full machine should get as far as the
// operating system lets it, not be refused its first stack.
constexpr std::uint64_t k_least_default_memory = 64 * k_mib;

constexpr int k_most_ranks = 32768;  // a message names them in 16 bits

// Of several processes each is a place.
void choose_places(config& values, const settings& chosen, const launch& process) {
  if (!process.has_others()) {
    return;
  }
  if (values.places != 1 && values.places != process.ranks) {
    refuse(chosen.written_in(k_places), std::to_string(values.places),
           "nothing, or " + std::to_string(process.ranks) +
               ", because the launcher has started so many processes, each of "
               "which is one place");
  }
  if (process.ranks > k_most_ranks) {
    throw config_error("tactus: the launcher has started " + std::to_string(process.ranks) + " processes; at most " +
                       std::to_string(k_most_ranks) + " can be places of one program");
  }
  values.places = process.ranks;
  if (values.seed != 0) {
    refuse(chosen.written_in(k_seed), std::to_string(values.seed),
           "0, because the seeded scheduler orders the places of one process, and the launcher has started " +
               std::to_string(process.ranks));
  }
}

// Who has spawned a task and who has run it would have to tell each other.
void check_profile(const config& values, const settings& chosen, const launch& process) {
  if (process.has_others() && !values.profile.empty()) {
    refuse(chosen.written_in(k_profile), values.profile,
           "nothing, because a profile is of the places of one process, and the launcher has started " +
               std::to_string(process.ranks) +
               "; run the program alone, with --tactus-places=" + std::to_string(process.ranks));
  }
}

int cores_of(const launch& process, const machine_limits& machine) {
  if (!process.has_others()) {
    return machine.cores;
  }
  const int all = machine.processors != 0 ? machine.processors : machine.cores;
  return process.share_of(machine.cores, all);
}

void choose_threads(config& values, const settings& chosen, const launch& process, int cores, int places_here) {
  if (process.one_thread) {
    if (values.threads > 1) {
      refuse(
          chosen.written_in(k_threads), std::to_string(values.threads),
          "1, or nothing, because MPI was initialised for a process of one thread (MPI_THREAD_SINGLE); or initialise "
          "it by MPI_Init_thread with MPI_THREAD_FUNNELED or more");
    }
    values.threads = 1;
  }
  if (values.seed == 0) {
    values.threads = values.threads != 0 ? values.threads : std::clamp(cores / places_here, 1, k_most_threads);
    if (process.has_others()) {
      return;  // each counts its own
    }
    if (values.threads > k_most_workers / values.places) {
      refuse(chosen.written_in(k_threads), std::to_string(values.threads),
             "at most " + std::to_string(k_most_workers / values.places) + " workers of each place, because " +
                 chosen.written_in(k_places) + " = " + std::to_string(values.places) + " asks for so many places");
    }
    return;
  }
  if (values.threads > k_most_virtual_workers) {
    refuse(chosen.written_in(k_threads), std::to_string(values.threads),
           "0 to 64 virtual workers, because " + chosen.written_in(k_seed) + " = " + std::to_string(values.seed) +
               " asks for the seeded scheduler; 0 means 4 / places");
  }
  values.threads = values.threads != 0 ? values.threads : std::max(k_default_virtual_workers / values.places, 1);
}

// So that all that lies at one place cannot be more than 256 MiB.
void choose_window(config& values) {
  constexpr std::size_t k_most_waiting = 256 * k_mib;
  if (values.message_bytes == 0) {
    values.message_bytes =
        std::clamp<std::size_t>(k_most_waiting / static_cast<std::size_t>(values.places), 64 * k_kib, k_mib);
  }
}

// Processes on one machine share what is available there.
void choose_memory(config& values, const machine_limits& machine, const launch& process) {
  const std::size_t page = std::max<std::size_t>(machine.page_bytes, 1);
  values.stack_bytes = (values.stack_bytes + page - 1) / page * page;
  if (values.memory_bytes == 0) {
    constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max();
    const auto sharers = static_cast<std::uint64_t>(process.ranks_here);
    const std::uint64_t share =
        std::max((machine.memory_bytes - machine.memory_bytes / 4) / sharers, k_least_default_memory);
    values.memory_bytes =
        static_cast<std::size_t>(machine.resident_bytes > most - share ? most : machine.resident_bytes + share);
  }
}

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

resolved_options resolve_options(const config& given, int argc, char* const* argv, const char* const* environment,
                                 const machine_limits& machine, const launch& process) {
  settings chosen(given);
  resolved_options result;
  result.process = process;
  if (given.env) {
    apply_variables(chosen, environment, result.ignored_variables);
  }
  result.arguments = apply_flags(chosen, argc, argv);
  result.values = chosen.values();
  choose_places(result.values, chosen, process);
  check_profile(result.values, chosen, process);
  choose_threads(result.values, chosen, process, cores_of(process, machine),
                 process.has_others() ? 1 : result.values.places);
  choose_memory(result.values, machine, process);
  choose_window(result.values);
  return result;
}

resolved_options resolve_options(const config& given, int argc, char* const* argv, const communicator* processes) {
  if (asks_for_help(given, argc, argv)) {
    std::fputs(help_text().c_str(), stdout);
    std::exit(0);
  }
  resolved_options result = resolve_options(given, argc, argv, ::environ, this_machine(), this_launch(processes));
  tell_of_ignored(result.ignored_variables);
  return result;
}

}  // namespace tactus::detail
