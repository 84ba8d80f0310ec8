// SPDX-License-Identifier: Apache-2.0
// What timelines_test.py looks at the timelines of: `timelines HOW FILE` under a launcher, with at least two ranks.
#include <tactus/mpi.hpp>
#include <tactus/tactus.hpp>

#include "trace/timeline_clock.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

#include <mpi.h>

namespace {
namespace ts = tactus;

constexpr int k_visits = 30;
constexpr int k_short = 6'000;  // more than one piece of a timeline

std::atomic<bool> g_is_away;  // of place 0: one that may move runs elsewhere

// Some tasks of each kind, over a while in which clocks can go apart.
void body() {
  for (int i = 0; i < k_visits; ++i) {
    ts::at(ts::here().next(), [] { std::this_thread::sleep_for(std::chrono::milliseconds{2}); });
    ts::finish([] { ts::async_at(ts::here().prev(), [] { ts::async([] {}); }); });
  }
  ts::finish([] {
    for (int i = 0; i < k_short; ++i) ts::async_at(ts::here().next(), [] {});
  });
  const ts::global_ref<std::atomic<bool>> away(g_is_away);
  g_is_away = false;
  for (int round = 0; round < 50 && !g_is_away; ++round) {
    ts::finish([away] {
      for (int i = 0; i < 40; ++i) {
        ts::async_at(
            ts::place_flexible.named("wanders"),
            [](ts::global_ref<std::atomic<bool>> is_away) {
              std::this_thread::sleep_for(std::chrono::milliseconds{1});
              if (ts::here().id() != 0) is_away.at([](std::atomic<bool>& here) { here = true; });
            },
            away);
      }
    });
  }
}

ts::config traced(const std::string& file) { return {.placement = ts::placement_policy::hybrid, .trace = file}; }

void run_once(const std::string& file) {
  ts::runtime rt(traced(file));
  rt.run(body);
}

int is_refused(const std::string& file) {
  try {
    run_once(file);
  } catch (const ts::config_error& e) {
    std::printf("refused: %s\n", e.what());
    return 0;
  }
  return 1;
}

// The last rank is the first of those who are not rank 0; that one is alone.
void run_in_parts(int rank, const std::string& file) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, -rank, &part);
  {
    ts::runtime all(traced(file));  // at the same time
    {
      ts::runtime rt(traced(file + (rank == 0 ? ".alone" : ".part")), part);
      rt.run([] { ts::at(ts::here().next(), [] {}); });
    }
    all.run(body);
  }
  MPI_Comm_free(&part);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc == 3 ? argv[1] : "";
  const std::string file = argc == 3 ? argv[2] : "";
  int level = how == "single" ? MPI_THREAD_SINGLE : how == "funneled" ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED;
  MPI_Init_thread(nullptr, nullptr, level, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 0;
  if (how == "plain" || how == "single" || how == "funneled") {
    run_once(file);
  } else if (how == "disturbed") {
    // Each seven seconds ahead of the one before it, and faster than that by a twentieth.
    tactus::detail::disturb_timeline_clock(rank * 7'000'000'000L, rank * 50'000'000L);
    run_once(file);
  } else if (how == "twice") {
    run_once(file);
    run_once(file);
  } else if (how == "nothing") {
    const ts::runtime rt(traced(file));
  } else if (how == "parts") {
    run_in_parts(rank, file);
  } else if (how == "refused") {
    status = is_refused(file);
  } else {
    std::fputs("timelines: plain, single, funneled, disturbed, twice, nothing, parts or refused, and a file\n", stderr);
    status = 2;
  }
  MPI_Finalize();
  return status;
}
