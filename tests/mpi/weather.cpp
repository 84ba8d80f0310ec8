// SPDX-License-Identifier: Apache-2.0
// Bad weather between ranks (support/shuffled_mpi.hpp), under a launcher of MPI: `weather survived` ends with status 0 at each rank where all
// holds whatever comes late, in pieces and in another order; `weather FAULT` ends with what names the fault.
#include <tactus/tactus.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/errors_caught.hpp"
#include "support/shuffled_mpi.hpp"

#include <sched.h>
#include <unistd.h>

namespace {
namespace ts = tactus;
using support::mpi_fault;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "weather: at place %d it is not so that %s\n", ts::here().id(), what);
    std::exit(1);
  }
}
#define REQUIRE(x) require((x), #x)

// ---- what survives ----

std::atomic<int> g_leaves;  // of this process, which is one place

void grow(int depth) {
  if (depth == 0) {
    ++g_leaves;
    return;
  }
  ts::async_at(ts::here().next(), grow, depth - 1);
  ts::async_at(ts::here().prev(), grow, depth - 1);
}

int leaves() {
  int all = 0;
  for (const ts::place p : ts::places()) all += ts::at(p, [] { return g_leaves.exchange(0); });
  return all;
}

// Short frames, long ones, and ranges beside both, which pass each other.
void values_of_all_lengths() {
  ts::finish([] {
    for (int i = 0; i < 40; ++i) {
      ts::async([i] {
        const std::vector<std::size_t> lengths{10, 5'000, 300'000, 20'000, 9'000'000};
        const std::size_t n = lengths[static_cast<std::size_t>(i) % (i < 5 ? 5U : 4U)];
        const auto back = ts::at(
            ts::here().next(), [](std::string s, int k) { return s + std::to_string(k); }, std::string(n, 'x'), i);
        REQUIRE(back == std::string(n, 'x') + std::to_string(i));
      });
    }
  });
}

void exceptions_and_teams(int round) {
  bool caught = false;
  try {
    ts::finish([] {
      for (const ts::place p : ts::places()) ts::async_at(p, [] { throw std::out_of_range("far"); });
    });
  } catch (const ts::multiple_exceptions& all) {
    caught = all.exceptions().size() == static_cast<std::size_t>(ts::num_places());
  }
  REQUIRE(caught);
  ts::at_each(
      ts::places(),
      [](int r) {
        const ts::team t = ts::team::world();
        for (int i = 0; i < 5; ++i) {
          REQUIRE(t.allreduce(t.rank() + r + i, ts::op::sum) == t.size() * (t.size() - 1) / 2 + t.size() * (r + i));
        }
        const std::vector<double> all(20'000, 1.0);  // whose bytes go apart
        REQUIRE(t.allreduce(all, ts::op::sum) == std::vector<double>(20'000, t.size()));
      },
      round);
}

bool a_stuck_program_is_found(ts::runtime& rt) {
  try {
    rt.run([] {
      for (int i = 0; i < 10; ++i) ts::async_at(ts::place(i % ts::num_places()), [] {});
      ts::async_at(ts::here().prev(), [] { ts::promise<int>().get_future().get(); });
    });
  } catch (const ts::deadlock_error& /*e*/) {
    return true;
  }
  return false;
}

int survived() {
  for (int i = 0; i < 3; ++i) {
    ts::runtime rt;
    for (int round = 0; round < 5; ++round) {
      rt.run([round] {
        ts::finish([] { grow(6); });
        REQUIRE(leaves() == 64);
        values_of_all_lengths();
        exceptions_and_teams(round);
      });
      if (!a_stuck_program_is_found(rt)) {
        std::fprintf(stderr, "weather: a stuck program was not found\n");
        return 1;
      }
    }
  }
  const support::weather w = support::weather_so_far();
  std::fprintf(stderr, "weather: %s\n", support::text_of(w).c_str());
  return w.late > 50 && w.passed > 20 && w.split > 0 && w.unseen > 100 && w.faults == 0 ? 0 : 1;
}

// ---- what does not, and is named ----

// Several tasks that send for ever: where one of them waits for what was lost, the next message of another shows it.
int for_ever() {
  ts::run([] {
    for (int i = 0; i < 4; ++i) {
      ts::async([] {
        for (;;) {
          ts::finish([] { ts::async_at(ts::place(1), [] {}); });
          static_cast<void>(ts::at(ts::place(1), [] { return 1; }));
        }
      });
    }
  });
  return 1;
}

// What was lost holds somebody for ever, and the report of who hangs has it, at the rank where it says `what`.
template <class Body>
int until_told(const char* what, Body body) {
  std::thread judge([what] {
    std::string text;
    {
      const support::errors_caught errors;
      if (!errors.wait_for(what, [] { ::sched_yield(); }))
        ::pause();  // another rank says it, or the test takes too long
      text = errors.text();
    }
    std::fputs(text.c_str(), stderr);
    std::_Exit(7);
  });
  ts::config c;
  c.watchdog_seconds = 0.5;
  ts::run(c, body);
  std::_Exit(1);
}

// Others go on until they wait for what comes behind it.
int until_a_lost_answer_is_told() {
  return until_told("has not come, and", [] {
    for (int i = 0; i < 4; ++i) {
      ts::async([] {
        for (int k = 0; k < 100; ++k) static_cast<void>(ts::at(ts::place(1), [] { return 1; }));
      });
    }
  });
}

// Of 40 tasks and 40 requests.
int until_a_lost_task_is_told() {
  return until_told("and taken 79 from there", [] {
    ts::finish([] {
      for (int i = 0; i < 40; ++i) {
        ts::async_at(ts::place(1), [] {});
        static_cast<void>(ts::at(ts::place(1), [] { return 1; }));
      }
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "survived") {
    support::shuffle_mpi(static_cast<std::uint64_t>(::getpid()));
    return survived();
  }
  const std::optional<mpi_fault> fault = support::mpi_fault_of(what);
  if (!fault) {
    std::fprintf(stderr, "weather: survived, or a fault\n");
    return 2;
  }
  support::shuffle_mpi(static_cast<std::uint64_t>(::getpid()), *fault);
  switch (*fault) {
    case mpi_fault::loses_task: return until_a_lost_task_is_told();
    case mpi_fault::loses_control: return until_a_lost_answer_is_told();
    default: return for_ever();
  }
}
