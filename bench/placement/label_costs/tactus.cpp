// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "placement/label_costs/label_costs.hpp"
#include "placement/passing_file.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

enum class other_place : std::uint8_t { is_free, computes, is_let_go };

constexpr std::size_t k_apart = 128;  // bytes

// Apart from what the places count, which each counted task would have to get back from the one that looks here.
alignas(k_apart) std::atomic<other_place> g_other;
struct alignas(k_apart) place_count {
  std::uint64_t tasks;
};
std::array<place_count, 2> g_ran;  // by each place, which has one worker

void work(std::uint64_t steps) {
  bench::compute(steps);
  ++g_ran[static_cast<std::size_t>(ts::here().id())].tasks;
}

// Not for ever: a task that had come here all the same would wait for its end, and be missing at home.
void compute_until_let_go() {
  constexpr std::chrono::seconds k_too_long{20};
  const auto end = std::chrono::steady_clock::now() + k_too_long;
  g_other = other_place::computes;
  while (g_other != other_place::is_let_go && std::chrono::steady_clock::now() < end) {
  }
}

class tactus_label_costs {
public:
  tactus_label_costs(const bench::options& o, bench::label_costs_problem& p)
      : problem_(p), runtime_(config(o, p, profile_)) {
    runtime_.run([] {});
  }

  void pass() {
    g_other = other_place::is_free;
    g_ran = {};
    bench::duration took;
    runtime_.run([this, &took] {
      ts::finish([this, &took] {
        ts::async_at(ts::place(1), [] { compute_until_let_go(); });
        while (g_other == other_place::is_free) ::sched_yield();
        satisfy_who_waits();
        const bench::stopwatch watch;
        ts::finish([this] { spawn_all(); });
        took = watch.elapsed();
        g_other = other_place::is_let_go;
      });
    });
    problem_.done(g_ran[0].tasks, took);
  }

private:
  static ts::config config(const bench::options& o, const bench::label_costs_problem& p,
                           std::optional<bench::passing_file>& profile) {
    ts::config c = bench::config_of_places(o, 2);
    if (p.what() == bench::label_costs_problem::form::profiled) c.profile = profile.emplace(".tpp").name();
    return c;
  }

  // The other place has starved before it got something to do, and is remembered by this one until it gets tasks. They lie there then.
  static void satisfy_who_waits() {
    constexpr int k_enough = 8;
    for (int i = 0; i < k_enough; ++i) ts::async_at(ts::place_flexible, [] {});
  }

  void spawn_all() {
    const std::uint64_t steps = problem_.steps_of_a_task();
    if (problem_.what() == bench::label_costs_problem::form::plain) {
      for (std::uint64_t i = 0; i < problem_.operations(); ++i) ts::async_at(ts::here(), work, steps);
    } else {
      for (std::uint64_t i = 0; i < problem_.operations(); ++i) ts::async_at(ts::place_flexible, work, steps);
    }
  }

  bench::label_costs_problem& problem_;
  std::optional<bench::passing_file> profile_;
  ts::runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::label_costs_problem, tactus_label_costs>(argc, argv, "label_costs", "tactus");
}
