// SPDX-License-Identifier: Apache-2.0
// Small tasks that go to another process go together, and each is a task as any other (docs/protocols/messages.md, "Trains"). Under a launcher,
// `trains WHAT` ends with status 0 at each rank where that is so.
#include <tactus/tactus.hpp>

#include "mpi/parts.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "trains: at place %d it is not so that %s\n", ts::here().id(), what);
    std::exit(1);
  }
}
#define REQUIRE(x) require((x), #x)

// Of this process, which is one place; several workers of it count.
std::atomic<std::uint64_t> g_sum;
std::atomic<std::uint64_t> g_tasks;

std::uint64_t sum() { return g_sum.exchange(0); }

template <std::size_t Words>
void add_all(const std::array<std::uint64_t, Words>& numbers) {
  g_sum += std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

// Calls of so many words, some of which go together and some alone.
template <std::size_t Words>
void goes_round() {
  const ts::place next = ts::here().next();
  std::uint64_t expected = 0;
  for (const std::uint64_t times : {1U, 2U, 15U, 16U, 17U, 500U, 5'000U}) {
    ts::finish([&] {
      for (std::uint64_t i = 0; i < times; ++i) {
        std::array<std::uint64_t, Words> numbers{};
        numbers.fill(i);
        numbers.back() += 1;
        expected += Words * i + 1;
        ts::async_at(next, [](const std::array<std::uint64_t, Words>& all) { add_all(all); }, numbers);
      }
    });
    REQUIRE(ts::at(next, sum) == std::exchange(expected, 0));
  }
}

// Also of calls that are no whole number of words, or of no bytes; and captures are bytes of a call, too.
int sums() {
  ts::run([] {
    goes_round<1>();
    goes_round<3>();
    goes_round<4>();
    goes_round<5>();
    const ts::place next = ts::here().next();
    ts::finish([&] {
      for (int i = 0; i < 3'000; ++i) {
        const auto small = static_cast<std::uint8_t>(i % 100);
        ts::async_at(next, [] { ++g_sum; });
        ts::async_at(next, [](std::uint8_t a, bool b) { g_sum += b ? a : 0U; }, small, i % 2 == 0);
        ts::async_at(next, [small](std::uint16_t n) { g_sum += small * n; }, std::uint16_t{2});
      }
    });
    REQUIRE(ts::at(next, sum) == 3'000 + 30 * 2'450 + 2 * 30 * 4'950);
  });
  return 0;
}

// A finish that ended too early would miss some, one that counted wrong would not end. Tasks elsewhere spawn as well, so that parts do.
void spread(std::uint64_t left) {
  ++g_tasks;
  if (left != 0) {
    for (const ts::place p : ts::places()) {
      ts::async_at(p, [](std::uint64_t n) { spread(n); }, left - 1);
    }
  }
}

int finishes() {
  ts::run([] {
    const auto places = static_cast<std::uint64_t>(ts::num_places());
    std::uint64_t all = 0;
    for (std::uint64_t level = 0, of_level = 1; level <= 6; ++level, of_level *= places) {
      all += of_level;
    }
    for (int round = 0; round < 5; ++round) {
      ts::finish([] { spread(6); });
      std::uint64_t ran = 0;
      for (const ts::place p : ts::places()) {
        ran += ts::at(p, [] { return g_tasks.exchange(0); });
      }
      REQUIRE(ran == all);
    }

    // One inside of the other: its own tasks only, though they are of one type and go to one place.
    const ts::place next = ts::here().next();
    const auto one = [](std::uint64_t n) { g_sum += n; };
    for (int round = 0; round < 200; ++round) {
      ts::finish([&] {
        ts::async_at(next, one, std::uint64_t{1});
        ts::finish([&] {
          for (int i = 0; i < 5; ++i) ts::async_at(next, one, std::uint64_t{100});
        });
        REQUIRE(ts::at(next, [] { return g_sum.load(); }) >= 500);
        ts::async_at(next, one, std::uint64_t{1});
      });
      REQUIRE(ts::at(next, sum) == 502);
    }
  });
  return 0;
}

int exceptions() {
  ts::run([] {
    try {
      ts::finish([] {
        for (int i = 0; i < 1'000; ++i) {
          ts::async_at(
              ts::here().next(),
              [](int n) {
                ++g_sum;
                if (n % 10 == 0) throw std::out_of_range(std::to_string(n));
              },
              i);
        }
      });
      REQUIRE(false);
    } catch (const ts::multiple_exceptions& e) {
      REQUIRE(e.exceptions().size() == 100);
    }
    REQUIRE(ts::at(ts::here().next(), sum) == 1'000);
  });
  return 0;
}

std::optional<ts::promise<int>> g_promise;
ts::task_local<long> g_local;

// A task that waits for one behind it, in the same message; also where each that comes before has to wait.
int waits() {
  ts::run([] {
    const ts::place next = ts::here().next();
    for (int round = 0; round < 50; ++round) {
      ts::at(next, [] { g_promise.emplace(); });
      ts::finish([&] {
        for (int i = 0; i < 12; ++i) {
          ts::async_at(
              next,
              [](int n) {
                *g_local += n;
                if (n == 11) {
                  g_promise->set_value(7);
                } else {
                  g_sum += static_cast<std::uint64_t>(g_promise->get_future().get());
                }
                if (*g_local != n) g_sum += 1'000;  // values are of one task
              },
              i);
        }
      });
      REQUIRE(ts::at(next, sum) == 77);
    }
  });
  return 0;
}

using clock_of_machine = std::chrono::steady_clock;
std::atomic<std::int64_t> g_began;

// All ranks are on one machine, and have one clock.
int spawner_computes() {
  ts::run([] {
    const ts::place next = ts::here().next();
    clock_of_machine::time_point computed;
    ts::finish([&] {
      ts::async_at(next, [](int) { g_began = clock_of_machine::now().time_since_epoch().count(); }, 1);
      const auto begin = clock_of_machine::now();
      do {
        computed = clock_of_machine::now();
      } while (computed - begin < std::chrono::seconds{2});
    });
    REQUIRE(ts::at(next, [] { return g_began.load(); }) < computed.time_since_epoch().count());
  });
  return 0;
}

// Windows that are filled by few tasks, by some, and by one.
int room() {
  for (const std::size_t window : {256U, 1'024U, 4'096U, 65'536U}) {
    ts::config c;
    c.message_bytes = window;
    ts::run(c, [] {
      const ts::place next = ts::here().next();
      ts::finish([&] {
        for (std::uint64_t i = 0; i < 4'000; ++i) {
          ts::async([i, next] { ts::async_at(next, [](std::uint64_t n) { g_sum += n; }, i); });
          ts::async_at(next, [](std::uint64_t n, bool) { g_sum += n; }, i, true);
        }
      });
      REQUIRE(ts::at(next, sum) == 2 * 4'000 * 3'999 / 2);
      for (int i = 0; i < 200; ++i) {  // trains of one, which have room for more
        ts::finish([&] { ts::async_at(next, [](std::uint64_t n) { g_sum += n; }, std::uint64_t{1}); });
      }
      REQUIRE(ts::at(next, sum) == 200);
    });
  }
  return 0;
}

// Of the job, at each rank.
int counts() {
  constexpr std::uint64_t k_tasks = 10'000;
  ts::runtime rt;
  rt.run([] {
    ts::finish([] {
      for (std::uint64_t i = 0; i < k_tasks; ++i)
        ts::async_at(ts::here().next(), [](std::uint64_t n) { g_sum += n; }, i);
    });
  });
  const ts::runtime_stats s = rt.stats();
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;
  for (const ts::place_stats& p : s.places) {
    sent += p.messages;
    taken += p.messages_taken;
  }
  const bool is_right = s.totals.spawned_remote == k_tasks && s.totals.tasks_run >= k_tasks &&
                        s.totals.tasks_run < k_tasks + 100 && sent >= k_tasks && sent < k_tasks + 1'000 &&
                        taken >= k_tasks;
  if (!is_right) {
    std::fprintf(stderr, "trains: %llu spawned, %llu run, %llu sent, %llu taken\n",
                 static_cast<unsigned long long>(s.totals.spawned_remote),
                 static_cast<unsigned long long>(s.totals.tasks_run), static_cast<unsigned long long>(sent),
                 static_cast<unsigned long long>(taken));
  }
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const support::part parts[] = {{"sums", sums},    {"finishes", finishes}, {"exceptions", exceptions},
                                 {"waits", waits},  {"room", room},         {"spawner_computes", spawner_computes},
                                 {"counts", counts}};
  return support::run_parts("trains", parts, what);
}
