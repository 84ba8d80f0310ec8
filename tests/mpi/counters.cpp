// SPDX-License-Identifier: Apache-2.0
// What the processes of a job have counted stands in stats() of each of them when a run has ended; under a launcher, ends with status 0 at
// each rank where that is so.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>

namespace {
namespace ts = tactus;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "counters: it is not so that %s\n", what);
    std::exit(1);
  }
}
#define REQUIRE(x) require((x), #x)

constexpr int k_tasks = 100;  // that each place sends to each other one

void everybody_sends_to_everybody() {
  ts::at_each(ts::places(), [] {
    ts::finish([] {
      for (int i = 0; i < k_tasks; ++i) {
        for (const ts::place p : ts::places()) {
          if (p != ts::here()) {
            ts::async_at(p, [] {});
          }
        }
      }
    });
  });
}

std::uint64_t taken(const ts::runtime_stats& s) {
  return std::accumulate(s.places.begin(), s.places.end(), std::uint64_t{0},
                         [](std::uint64_t n, const ts::place_stats& p) { return n + p.messages_taken; });
}

void check_after(const ts::runtime_stats& s, int places, int runs) {
  const auto n = static_cast<std::uint64_t>(places);
  const std::uint64_t sent = n * (n - 1) * k_tasks * static_cast<std::uint64_t>(runs);
  REQUIRE(s.places.size() == n);
  REQUIRE(s.totals == ts::sum_of(s.workers) || s.totals.unseen_exceptions != 0);
  REQUIRE(s.totals.spawned_remote >= sent);
  std::size_t workers = 0;
  for (const ts::place_stats& p : s.places) {
    REQUIRE(!p.workers.empty() && p.totals == ts::sum_of(p.workers));
    REQUIRE(p.totals.spawned_remote >= (n - 1) * k_tasks * static_cast<std::uint64_t>(runs));
    REQUIRE(p.messages >= p.totals.spawned_remote);
    workers += p.workers.size();
  }
  REQUIRE(s.workers.size() == workers);
  REQUIRE(taken(s) >= sent);
  REQUIRE(s.wall.count() > 0 && s.cpu.count() > 0);
  REQUIRE(places == 1 || ts::to_table(s).find(std::to_string(places) + " places") != std::string::npos);
}

// What an exchange of ghosts of the array "numbers" has sent.
std::uint64_t bytes_of_ghosts(const ts::runtime_stats& s) {
  std::uint64_t bytes = 0;
  for (const ts::place_stats& p : s.places) {
    for (const ts::operation_stats& o : p.operations) {
      bytes += o.array == "numbers" && o.operation == "send_ghosts" ? o.bytes : 0;
    }
  }
  return bytes;
}

}  // namespace

int main() {
  int places = 0;
  {
    ts::runtime rt{ts::config{.threads = 2}};
    for (int run = 1; run <= 3; ++run) {
      places = rt.run([] {
        everybody_sends_to_everybody();
        REQUIRE(ts::stats().places.size() == 1);  // those of this process
        return ts::num_places();
      });
      check_after(rt.stats(), places, run);
      REQUIRE(ts::stats().places.size() == static_cast<std::size_t>(places));
    }
    rt.run([] {
      ts::dist_array<long, 1> numbers(ts::dist<1>::block(ts::range(0, 999)), {.ghost = 1, .name = "numbers"});
      numbers.update_ghosts();
    });
    REQUIRE(bytes_of_ghosts(rt.stats()) == static_cast<std::uint64_t>(places - 1) * 2 * sizeof(long));
  }
  REQUIRE(ts::stats().places.size() == static_cast<std::size_t>(places));  // of the runtime that ended last
  ts::runtime none{ts::config{.threads = 1}};
  REQUIRE(none.stats().totals.tasks_run == 0);  // no run yet: what this process has
  return 0;
}
