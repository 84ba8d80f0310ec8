// SPDX-License-Identifier: Apache-2.0
// Place-flexible tasks over places of several processes, under a launcher of MPI: `flexible WHAT [ROUNDS]` ends with status 0 at each rank
// where all holds, whatever the policy decides.
#include <tactus/tactus.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace {
namespace ts = tactus;

constexpr std::array<const char*, 8> k_policies{"none",   "work_dealing",    "eager_dealing",    "lifeline",
                                                "hybrid", "random_stealing", "sender_threshold", "proportional"};

// Of this process, which is one place.
ts::placement_policy g_policy;
ts::runtime* g_runtime;
std::atomic<int> g_ran;
std::atomic<int> g_wrong;
std::atomic<int> g_ran_away;  // at the place that is asked, tasks that have told it from elsewhere
int g_own;                    // number of this process's place
int g_rounds = 10;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "flexible: under %s it is not so that %s\n", k_policies[static_cast<std::size_t>(g_policy)],
                 what);
    std::exit(1);
  }
}
#define REQUIRE(x) require((x), #x)

int ran_everywhere() {
  int all = 0;
  for (const ts::place p : ts::places()) {
    all += ts::at(p, [] { return g_ran.exchange(0); });
    all += ts::at(p, [] { return g_wrong.exchange(0); }) * 1'000'000;
  }
  return all;
}

// ---- what a task is ----

void each_task_runs_once_and_knows_its_place() {
  ts::finish([] {
    for (const ts::place p : ts::places()) {
      for (int i = 0; i < 60; ++i) {
        ts::async_at(
            ts::place_flexible(p).named("cell"),
            [](ts::place meant_for, int n, const std::string& text) {
              ++g_ran;
              g_wrong += ts::designated_place() != meant_for || text != std::string(static_cast<unsigned>(n) * 20, 'x');
              const ts::place runs_at = ts::here();
              ts::finish([runs_at] {
                ts::async([runs_at] { g_wrong += ts::here() != runs_at; });
                ts::async_at(
                    ts::place_flexible,
                    [](ts::place parent_at) {
                      ++g_ran;
                      g_wrong += ts::designated_place() != parent_at;
                    },
                    runs_at);
              });
              g_wrong += ts::here() != runs_at;  // it has started, so it does not move
              g_wrong += ts::at(runs_at.next(), [] { return ts::designated_place(); }) != meant_for;
            },
            p, i, std::string(static_cast<unsigned>(i) * 20, 'x'));
      }
    }
  });
  REQUIRE(ran_everywhere() == 120 * ts::num_places());
}

void tree(int depth) {
  ++g_ran;
  for (int child = 0; child < 3 && depth > 0; ++child) {
    ts::async_at(ts::place_flexible, tree, depth - 1);  // a function goes by its name
  }
}

void a_tree_is_joined_as_a_whole() {
  ts::finish([] { ts::async_at(ts::place_flexible(ts::here().next()), tree, 6); });
  REQUIRE(ran_everywhere() == 1093);
}

void a_task_whose_arguments_stay_runs_here() {
  const ts::phaser ph;
  bool right = false;
  ts::finish([&] {
    const ts::global_ref<bool> home(right);
    ts::async_at(
        ts::place_flexible, [](ts::global_ref<bool> r, const ts::phaser& /*of here*/) { *r = true; }, home, ph);
  });
  REQUIRE(right);
}

// ---- what comes home ----

void results_come_home() {
  std::vector<std::string> texts(200);
  const ts::global_ref<std::vector<std::string>> home(texts);
  ts::finish([home] {
    for (int i = 0; i < 200; ++i) {
      ts::async_at(
          ts::place_flexible.then([home](std::pair<int, std::string>&& made) {
            (*home)[static_cast<std::size_t>(made.first)] = std::move(made.second);  // place_error, were it not home
          }),
          [](int n, const std::string& text) { return std::pair(n, text + std::to_string(n)); }, i,
          std::string(i % 50 == 0 ? 10'000 : 30, 'r'));  // some are longer than what goes together
    }
  });
  for (int i = 0; i < 200; ++i) {
    REQUIRE(texts[static_cast<std::size_t>(i)] == std::string(i % 50 == 0 ? 10'000 : 30, 'r') + std::to_string(i));
  }
}

void futures_get_their_values() {
  std::vector<ts::future<int>> squares;
  for (int i = 0; i < 100; ++i) {
    squares.push_back(ts::at_future(
        ts::place_flexible(i % 2 == 0 ? ts::here() : ts::here().next()),
        [](int n) { return n % 10 == 9 ? throw std::out_of_range("nine") : n * n; }, i));
  }
  for (int i = 0; i < 100; ++i) {
    try {
      REQUIRE(squares[static_cast<std::size_t>(i)].get() == i * i && i % 10 != 9);
    } catch (const std::out_of_range& e) {
      REQUIRE(i % 10 == 9 && std::string_view(e.what()) == "nine");
    }
  }
  const ts::future<std::string> told = ts::at_future(
      ts::place_flexible(ts::here().next()).then([](int n) { return std::to_string(n + ts::here().id()); }),
      [] { return 40; });
  REQUIRE(told.get() == std::to_string(40 + ts::here().next().id()));
}

void exceptions_reach_the_finish() {
  try {
    ts::finish([] {
      for (int i = 0; i < 100; ++i) {
        ts::async_at(
            ts::place_flexible,
            [](int n) {
              if (n % 5 == 0) {
                throw std::out_of_range(std::to_string(n));
              }
            },
            i);
      }
    });
    REQUIRE(false);
  } catch (const ts::multiple_exceptions& all) {
    int sum = 0;
    for (const std::exception_ptr& e : all.exceptions()) {
      try {
        std::rethrow_exception(e);
      } catch (const std::out_of_range& of_one) {
        sum += std::stoi(of_one.what());
      }
    }
    REQUIRE(all.exceptions().size() == 20 && sum == 950);
  }
}

// ---- objects that go along ----

void objects_go_along_and_come_back() {
  std::vector<std::vector<int>> cells(20, std::vector<int>{1});
  const ts::place_local<std::vector<int>> locals(1, 7);
  int caught = 0;
  try {
    ts::finish([&] {
      for (std::vector<int>& cell : cells) {
        const ts::global_ref<std::vector<int>> r(cell);
        for (int i = 0; i < 3; ++i) {
          ts::async_at(ts::place_flexible(r.home()).carrying(r), [](std::vector<int>& c, int n) { c.push_back(n); }, i);
        }
        ts::async_at(ts::place_flexible.carrying(r), [](std::vector<int>& c) {
          c.push_back(10);
          throw std::runtime_error("after that");
        });
      }
      for (const ts::place p : ts::places()) {
        ts::async_at(ts::place_flexible(p).carrying(locals.ref()).then([](int size) { g_ran += size; }),
                     [](std::vector<int>& c) {
                       c.push_back(8);
                       return static_cast<int>(c.size());
                     });
      }
    });
  } catch (const ts::multiple_exceptions& all) {
    caught = static_cast<int>(all.exceptions().size());
  }
  REQUIRE(caught == 20);
  for (std::vector<int>& cell : cells) {
    std::sort(cell.begin(), cell.end());
    REQUIRE((cell == std::vector<int>{0, 1, 1, 2, 10}));
  }
  REQUIRE(ran_everywhere() == 2 * ts::num_places());
  for (const ts::place p : ts::places()) {
    REQUIRE((locals.at(p, [](const std::vector<int>& c) { return c == std::vector<int>{7, 8}; })));
  }
}

// ---- that tasks do move ----

struct moved {
  std::uint64_t out = 0;  // dealt and given
  std::uint64_t in = 0;
};

moved moves_of_all() {
  moved all;
  for (const ts::place p : ts::places()) {
    const auto [out, in] = ts::at(p, [] {
      const ts::place_stats s = g_runtime->stats().places.front();  // this process has one place
      return std::pair(s.dealt + s.given, s.received);
    });
    all.out += out;
    all.in += in;
  }
  return all;
}

// Tasks of one place, each of which waits a while until one has run elsewhere; and so on, until one has.
void tasks_move_to_a_place_that_is_idle() {
  if (g_policy == ts::placement_policy::none) {
    return;
  }
  g_ran_away = 0;
  const moved before = moves_of_all();
  // This one goes by speed, and a place whose tasks call back is slow, under a sanitizer very: of a few tasks it gets none.
  const int at_once = g_policy == ts::placement_policy::proportional ? 1000 : 20;
  for (int most = 20'000; g_ran_away == 0 && most > 0; --most) {
    ts::finish([at_once] {
      for (int i = 0; i < at_once; ++i) {
        ts::async_at(
            ts::place_flexible,
            [](ts::place home) {
              if (ts::here() != home) {
                ts::at(home, [] { ++g_ran_away; });
              }
              for (int spins = 0; spins < 100 && ts::here() == home && g_ran_away == 0; ++spins) {
                std::this_thread::yield();  // the other process may need this processor
              }
            },
            ts::here());
      }
    });
  }
  REQUIRE(g_ran_away > 0);
  const moved after = moves_of_all();
  REQUIRE(after.out > before.out);
  REQUIRE(after.out == after.in);
}

void thousand_tasks(int round) {
  const int n = 1000;
  long sum = 0;
  const ts::global_ref<long> home(sum);
  ts::finish([home, round] {
    for (int i = 0; i < n; ++i) {
      ts::async_at(
          ts::place_flexible(i % 7 == 0 ? ts::here().next() : ts::here()).then([home](long made) {
            home.at([made](long& s) { ts::atomic([&] { s += made; }); });
          }),
          [](long k, const std::vector<char>& much) {
            ++g_ran;
            return k + static_cast<long>(much.size());
          },
          static_cast<long>(i), std::vector<char>(static_cast<unsigned>((i + round) % 97 == 0 ? 5000 : i % 50), 'm'));
    }
  });
  long expected = 0;
  for (int i = 0; i < n; ++i) {
    expected += i + ((i + round) % 97 == 0 ? 5000 : i % 50);
  }
  REQUIRE(sum == expected);
  REQUIRE(ran_everywhere() == n);
}

// ---- a program that is stuck ----

// One task waits for ever, perhaps with an object that is not its own place's; another one waits for that object.
int stuck_with_a_lent_object() {
  std::string text;
  try {
    g_runtime->run([] {
      std::vector<int> object{1};
      const ts::global_ref<std::vector<int>> r(object);
      ts::finish([r] {
        for (int i = 0; i < 2; ++i) {
          ts::async_at(ts::place_flexible.carrying(r), [](std::vector<int>& c) {
            c.push_back(2);
            ts::promise<int> never;
            static_cast<void>(never.get_future().get());
          });
        }
        for (int i = 0; i < 200; ++i) {
          ts::async_at(ts::place_flexible, [] { ++g_ran; });  // these move meanwhile
        }
      });
    });
  } catch (const ts::deadlock_error& e) {
    text = e.what();
  }
  const bool told = text.find("an object that another task carries") != std::string::npos;
  if (!told) {
    std::fprintf(stderr, "flexible: under %s a stuck program ends with '%s'\n",
                 k_policies[static_cast<std::size_t>(g_policy)], text.c_str());
  }
  return told ? 0 : 1;
}

// ---- all of that ----

template <class F>
int under_each_policy(F f) {
  int failed = 0;
  for (std::size_t p = 0; p < k_policies.size(); ++p) {
    g_policy = static_cast<ts::placement_policy>(p);
    ts::runtime rt(ts::config{.threads = p % 3 == 2 ? 2 : 1, .placement = g_policy});
    g_runtime = &rt;
    failed += f(rt);
    g_runtime = nullptr;
  }
  return failed;
}

int meaning() {
  return under_each_policy([](ts::runtime& rt) {
    return rt.run([] {
      each_task_runs_once_and_knows_its_place();
      a_tree_is_joined_as_a_whole();
      a_task_whose_arguments_stay_runs_here();
      results_come_home();
      futures_get_their_values();
      exceptions_reach_the_finish();
      objects_go_along_and_come_back();
      tasks_move_to_a_place_that_is_idle();
      return 0;
    });
  });
}

int many() {
  return under_each_policy([](ts::runtime& rt) {
    for (int round = 0; round < g_rounds; ++round) {
      rt.run([round] { thousand_tasks(round); });
    }
    return 0;
  });
}

int stuck() {
  return under_each_policy([](ts::runtime& rt) {
    int failed = 0;
    for (int round = 0; round < g_rounds; ++round) {
      failed += stuck_with_a_lent_object();
    }
    return failed + rt.run([] {  // and the next run is as any
      static_cast<void>(ran_everywhere());
      objects_go_along_and_come_back();
      return 0;
    });
  });
}

// The first rank comes to its second run when the others are in it, and have asked it for tasks. They ask once.
int late() {
  const std::string asked = "/tmp/tactus-flexible-late-" + std::to_string(::getppid());  // the launcher's
  for (const auto policy : {ts::placement_policy::hybrid, ts::placement_policy::lifeline}) {
    g_policy = policy;
    ts::runtime rt(ts::config{.threads = 1, .placement = policy});
    g_runtime = &rt;
    rt.run([] { ts::at_each(ts::places(), [] { g_own = ts::here().id(); }); });
    const auto questions = [&rt] {
      const ts::runtime_stats s = rt.stats();  // inside of a run, of this process alone
      return s.places[s.places.size() == 1 ? 0 : static_cast<std::size_t>(g_own)].remote_steals_tried;
    };
    const std::uint64_t before = questions();
    std::thread tells;
    if (g_own == 0) {
      while (::access(asked.c_str(), F_OK) != 0) {
        ::sched_yield();
      }
      ::unlink(asked.c_str());
    } else {
      tells = std::thread([&] {
        while (questions() == before) {
          ::sched_yield();
        }
        std::fclose(std::fopen(asked.c_str(), "w"));
      });
    }
    rt.run(tasks_move_to_a_place_that_is_idle);
    if (tells.joinable()) {
      tells.join();
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (argc > 2) {
    g_rounds = std::atoi(argv[2]);
  }
  const struct {
    std::string_view name;
    int (*run)();
  } parts[] = {{"meaning", meaning}, {"many", many}, {"stuck", stuck}, {"late", late}};
  for (const auto& part : parts) {
    if (part.name == what) {
      return part.run() == 0 ? 0 : 1;
    }
  }
  std::fprintf(stderr, "flexible: meaning, many, stuck or late, not '%s'\n", argc > 1 ? argv[1] : "");
  return 2;
}
