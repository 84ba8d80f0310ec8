// SPDX-License-Identifier: Apache-2.0
// A replay on the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tactus/tactus.hpp>
#include <vector>

#include <sys/prctl.h>
#include <time.h>

#include "placement/passing_file.hpp"
#include "placement/placed_runtime.hpp"
#include "placement/replay/record.hpp"
#include "placement/replay/replay.hpp"
#include "placement/replay/simulation.hpp"
#include "placement/replay/tree.hpp"

namespace bench {

/// Places of one process share it.
inline replay_problem* g_replayed = nullptr;

/// Holds the worker, not the processor.
class sleeping {
public:
  sleeping() { ::clock_gettime(CLOCK_MONOTONIC, &begin_); }

  /// Until so long after the beginning.
  void until(std::uint64_t ns) const {
    constexpr long k_second = 1'000'000'000;
    timespec end = begin_;
    end.tv_sec += static_cast<time_t>(ns / k_second);
    end.tv_nsec += static_cast<long>(ns % k_second);
    if (end.tv_nsec >= k_second) {
      end.tv_nsec -= k_second;
      ++end.tv_sec;
    }
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) != 0) {  // a signal has come between
    }
  }

  /// How much longer ago it began.
  [[nodiscard]] std::uint64_t late(std::uint64_t ns) const {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t since =
        (now.tv_sec - begin_.tv_sec) * std::int64_t{1'000'000'000} + now.tv_nsec - begin_.tv_nsec;
    return static_cast<std::uint64_t>(since) - ns;
  }

private:
  timespec begin_{};
};

using some_bytes = std::vector<std::byte>;

inline void spawn_replayed(tactus::place at, std::uint32_t number);

inline void replay_task(std::uint32_t number, const some_bytes& /*arguments*/) {
  const table_task& task = g_replayed->table().tasks[number];
  const sleeping asleep;
  for (std::uint32_t i = 0; i < task.children; ++i) {
    asleep.until(g_replayed->table().spawned_after(task, i));
    spawn_replayed(tactus::here(), task.first_child + i);
  }
  asleep.until(task.ns);
  g_replayed->mark(number, asleep.late(task.ns));
}

inline some_bytes replay_task_with_result(std::uint32_t number, const some_bytes& arguments) {
  replay_task(number, arguments);
  return some_bytes(g_replayed->table().tasks[number].result_bytes);
}

inline void result_is_home(const some_bytes& /*result*/) {}

template <class Target>
void spawn_flexibly(const Target& how, const table_task& task, std::uint32_t number) {
  if (task.result_bytes == 0) {
    tactus::async_at(how, replay_task, number, some_bytes(task.bytes));
  } else {
    tactus::async_at(how.then(result_is_home), replay_task_with_result, number, some_bytes(task.bytes));
  }
}

inline void spawn_replayed(tactus::place at, std::uint32_t number) {
  const table_task& task = g_replayed->table().tasks[number];
  const table_site& site = g_replayed->table().sites[task.site];
  const auto named = tactus::place_flexible(at).named(site.name);
  switch (site.written) {
    case table_site::kind::plain:
      return tactus::async_at(at, tactus::named(site.name), replay_task, number, some_bytes(task.bytes));
    case table_site::kind::flexible: return spawn_flexibly(named, task, number);
    case table_site::kind::sensitive: return spawn_flexibly(named.sensitive(), task, number);
  }
}

/// At each place: the part of a wave that is there.
inline void spawn_wave(std::uint32_t wave) {
  const std::uint64_t tasks = g_replayed->roots_of_wave();
  const auto place = static_cast<std::uint64_t>(tactus::here().id());
  const auto places = static_cast<std::uint64_t>(tactus::places().size());
  for (std::uint64_t i = place * tasks / places; i < (place + 1) * tasks / places; ++i) {
    spawn_replayed(tactus::here(), static_cast<std::uint32_t>(wave * tasks + i));
  }
}

class tactus_replay {
public:
  tactus_replay(const options& o, replay_problem& p) : options_(o), problem_(p) {
    ::prctl(PR_SET_TIMERSLACK, 1UL);  // threads that are made from here on wake when they are to
    const passing_file recorded(".tpp");
    const std::string table = o.table.empty() ? recorded.name() : o.table;
    p.set(o.shape == "tree" ? made_tree(o) : o.table.empty() ? record(o, table) : read_table(table));
    for (const std::string& run : p.runs()) {
      if (replay_run::named(run).labels == "found") find_labels(table, labels_.name(), o);
    }
    if (p.is_simulated()) simulation_.emplace(p.places(), p.workers_of_each(), p.place_of_root());
    g_replayed = &p;
  }

  void pass() {
    for (const std::string& run : problem_.runs()) {
      placed_runtime runtime(config_of_run(replay_run::named(run)));
      problem_.begins();
      const stopwatch watch;
      runtime.run([this] {
        for (std::uint32_t wave = 0; wave < problem_.waves(); ++wave) {
          tactus::at_each(tactus::places(), spawn_wave, wave);
        }
      });
      const duration took = watch.elapsed();
      problem_.done(run, runtime.figures(), took);
      if (simulation_) problem_.simulated(run, simulation_->seconds(problem_.table(), problem_.took_ns(), run));
    }
  }

private:
  [[nodiscard]] tactus::config config_of_run(const replay_run& run) const {
    options o = options_;
    o.placement = run.placement;
    o.labels = run.labels == "found" ? labels_.name() : run.labels;
    return placed_config(o);
  }

  options options_;
  replay_problem& problem_;
  passing_file labels_{".labels"};
  std::optional<simulation> simulation_;
};

}  // namespace bench
