// SPDX-License-Identifier: Apache-2.0
// Place-flexible tasks on places of one process, under every policy.
#include "../place/place_settings.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

struct placement_setting {
  ts::placement_policy placement;
  int places;
  int workers;
  std::uint64_t seed = 0;
  ts::copying copy = ts::copying::automatic;
};

std::string policy_name(ts::placement_policy p) {
  constexpr const char* k_names[] = {"none",   "work_dealing",    "eager_dealing",    "lifeline",
                                     "hybrid", "random_stealing", "sender_threshold", "proportional"};
  return k_names[static_cast<std::size_t>(p)];
}

std::ostream& operator<<(std::ostream& out, const placement_setting& s) {
  return out << policy_name(s.placement) << '_' << s.places << "_places_" << s.workers
             << (s.seed != 0 ? "_seed_" + std::to_string(s.seed) : "")
             << (s.copy == ts::copying::serialize   ? "_serialize"
                 : s.copy == ts::copying::construct ? "_construct"
                                                    : "");
}

ts::config config_of(const placement_setting& s) {
  return {.threads = s.workers,
          .places = s.places,
          .placement = s.placement,
          .seed = s.seed,
          .env = false,
          .local_copy = s.copy};
}

class flexible_test : public testing::TestWithParam<placement_setting> {};

std::vector<placement_setting> all_settings() {
  std::vector<placement_setting> all;
  for (int p = 0; p <= static_cast<int>(ts::placement_policy::proportional); ++p) {
    const auto policy = static_cast<ts::placement_policy>(p);
    for (const auto& [places, workers] : {std::pair{1, 2}, {2, 1}, {3, 2}, {4, 1}, {4, 3}}) {
      all.push_back({policy, places, workers});
    }
    all.push_back({policy, 3, 1, 0, ts::copying::serialize});
    all.push_back({policy, 3, 2, 0, ts::copying::construct});
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      all.push_back({policy, 2 + static_cast<int>(seed % 3), 1 + static_cast<int>(seed % 2), seed});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(policies, flexible_test, testing::ValuesIn(all_settings()), testing::PrintToStringParamName());

// Places of one process share memory.
std::atomic<std::uint64_t> g_ran;
std::atomic<std::uint64_t> g_sum;
std::atomic<int> g_wrong;
std::atomic<int> g_at[8];

void clear() {
  g_ran = 0;
  g_sum = 0;
  g_wrong = 0;
  for (auto& n : g_at) {
    n = 0;
  }
}

void note(std::uint64_t value = 0) {
  ++g_ran;
  g_sum += value;
  ++g_at[ts::here().id()];
}

std::uint64_t moves_out(const ts::runtime_stats& s) {
  std::uint64_t all = 0;
  for (const ts::place_stats& p : s.places) {
    EXPECT_EQ(p.migrated, p.dealt + p.given);
    all += p.migrated;
  }
  return all;
}

// What comes of where the tasks ran must add up.
void look_at(const ts::runtime_stats& s) {
  std::uint64_t received = 0;
  std::uint64_t spawned = 0;
  std::uint64_t kept = 0;
  for (const ts::place_stats& p : s.places) {
    received += p.received;
    spawned += p.flexible_spawned;
    kept += p.kept;
  }
  EXPECT_EQ(kept + s.migrations, spawned) << "each task is kept, or moves";
  EXPECT_EQ(received, moves_out(s));
  EXPECT_EQ(s.moves, moves_out(s));
  EXPECT_LE(s.migrations, s.moves);
  EXPECT_GE(s.utilisation_mean, 0);
  EXPECT_LE(s.utilisation_mean, 101);
}

TEST_P(flexible_test, each_task_runs_once_wherever_and_one_finish_joins_all) {
  ts::runtime rt(config_of(GetParam()));
  for (int round = 0; round < 3; ++round) {
    clear();
    rt.run([] {
      for (int i = 0; i < 300; ++i) {
        ts::async_at(ts::place_flexible.named("cell"), [](int n) { note(static_cast<std::uint64_t>(n)); }, i);
      }
    });
    EXPECT_EQ(g_ran, 300U);
    EXPECT_EQ(g_sum, 300U * 299U / 2);
  }
  look_at(rt.stats());
}

void tree(int depth) {
  note();
  if (depth > 0) {
    for (int i = 0; i < 3; ++i) {
      ts::async_at(ts::place_flexible, tree, depth - 1);
    }
    ts::async([] { note(); });
  }
}

TEST_P(flexible_test, tasks_of_tasks_are_joined_and_what_they_spawn_plainly_stays) {
  ts::runtime rt(config_of(GetParam()));
  clear();
  rt.run([] { ts::finish([] { ts::async_at(ts::place_flexible, tree, 5); }); });
  EXPECT_EQ(g_ran, 364U + 121U);  // (3^6 - 1) / 2 nodes, of which those above the leaves spawn one more
  look_at(rt.stats());
}

const ts::task_local<int> g_own;

TEST_P(flexible_test, the_designated_place_is_the_spawners_or_the_one_named) {
  clear();
  ts::run(config_of(GetParam()), [] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        for (int i = 0; i < 20; ++i) {
          ts::async_at(
              ts::place_flexible(p),
              [](ts::place meant_for) {
                g_wrong += ts::designated_place() != meant_for ? 1 : 0;
                g_own.get() = 1;  // values of its own change nothing
                g_wrong += ts::designated_place() != meant_for ? 1 : 0;
                const ts::place runs_at = ts::here();
                ts::finish([runs_at] {
                  ts::async([runs_at] { g_wrong += ts::here() != runs_at || ts::designated_place() != runs_at; });
                  ts::async_at(
                      ts::place_flexible,
                      [](ts::place parent_at) {
                        g_wrong += ts::designated_place() != parent_at ? 1 : 0;
                        note();
                      },
                      runs_at);
                });
                g_wrong += ts::here() != runs_at || ts::designated_place() != meant_for ? 1 : 0;
                for (const ts::place to : ts::places()) {  // as part of this task, also from body to body
                  ts::at(
                      to,
                      [](ts::place task_is_meant_for) {
                        g_wrong += ts::designated_place() != task_is_meant_for ? 1 : 0;
                        ts::at(
                            ts::here().next(),
                            [](ts::place still) { g_wrong += ts::designated_place() != still ? 1 : 0; },
                            task_is_meant_for);
                        const ts::place body_at = ts::here();
                        ts::finish([body_at] {
                          ts::async([body_at] { g_wrong += ts::designated_place() != body_at ? 1 : 0; });
                        });
                      },
                      meant_for);
                }
                note();
              },
              p);
        }
      }
    });
    EXPECT_EQ(g_ran, 40U * static_cast<unsigned>(ts::num_places()));
    EXPECT_EQ(g_wrong, 0);
  });
}

TEST_P(flexible_test, exceptions_reach_the_finish_from_everywhere) {
  ts::run(config_of(GetParam()), [] {
    try {
      ts::finish([] {
        for (int i = 0; i < 50; ++i) {
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
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ts::multiple_exceptions& all) {
      EXPECT_EQ(all.exceptions().size(), 10U);
      for (const std::exception_ptr& e : all.exceptions()) {
        EXPECT_THROW(std::rethrow_exception(e), std::out_of_range);
      }
    }
  });
}

TEST_P(flexible_test, a_null_function_is_an_error_of_its_task) {
  ts::runtime rt(config_of(GetParam()));
  rt.run([] {
    void (*const none)(int) = nullptr;
    try {
      ts::finish([&] { ts::async_at(ts::place_flexible, none, 1); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ts::multiple_exceptions& why) {
      EXPECT_NE(std::string(why.what()).find("names a function that is not in this program"), std::string::npos)
          << why.what();
    }
  });
}

TEST_P(flexible_test, results_come_home_under_the_same_finish) {
  clear();
  ts::run(config_of(GetParam()), [] {
    std::vector<std::string> texts(100);
    const ts::global_ref<std::vector<std::string>> home(texts);
    ts::finish([home] {
      for (int i = 0; i < 100; ++i) {
        ts::async_at(
            ts::place_flexible.then([home](std::pair<int, std::string>&& made) {
              g_wrong += ts::here() != home.home() ? 1 : 0;
              (*home)[static_cast<std::size_t>(made.first)] = std::move(made.second);
            }),
            [](int n, const std::string& text) { return std::pair(n, text + std::to_string(n)); }, i,
            std::string("a text that does not fit into a string object "));
      }
    });
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(texts[i], "a text that does not fit into a string object " + std::to_string(i));
    }
    EXPECT_EQ(g_wrong, 0);
    std::vector<ts::future<int>> squares;
    for (int i = 0; i < 50; ++i) {
      squares.push_back(ts::at_future(ts::place_flexible, [](int n) { return n * n; }, i));
    }
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(squares[static_cast<std::size_t>(i)].get(), i * i);
    }
  });
}

TEST_P(flexible_test, objects_go_along_and_come_back) {
  ts::run(config_of(GetParam()), [] {
    std::vector<std::vector<int>> cells(30, std::vector<int>{1});
    EXPECT_THROW(ts::finish([&cells] {
                   for (std::vector<int>& cell : cells) {
                     const ts::global_ref<std::vector<int>> r(cell);
                     for (int i = 0; i < 3; ++i) {
                       ts::async_at(
                           ts::place_flexible(r.home()).carrying(r), [](std::vector<int>& c, int n) { c.push_back(n); },
                           i);
                     }
                     ts::async_at(ts::place_flexible.carrying(r), [](std::vector<int>& c) {
                       c.push_back(10);
                       throw std::runtime_error("after that");
                     });
                   }
                 }),
                 ts::multiple_exceptions);
    for (std::vector<int>& cell : cells) {
      std::sort(cell.begin(), cell.end());
      EXPECT_EQ(cell, (std::vector<int>{0, 1, 1, 2, 10}));
    }
  });
}

TEST_P(flexible_test, every_policy_gives_the_answer_of_none) {
  clear();
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    expected += i * i;
  }
  ts::run(config_of(GetParam()), [] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(p, [] {
          for (std::uint64_t i = 0; i < 200; ++i) {
            ts::async_at(
                ts::place_flexible.then([](std::uint64_t n) { g_sum += n; }), [](std::uint64_t n) { return n * n; }, i);
          }
        });
      }
    });
    EXPECT_EQ(g_sum % static_cast<unsigned>(ts::num_places()), 0U);
  });
  EXPECT_EQ(g_sum, expected * static_cast<unsigned>(GetParam().places));
}

// What other tasks may, one that has moved may too.
TEST_P(flexible_test, tasks_go_to_other_places_and_have_values_wherever_they_run) {
  clear();
  static const ts::task_local<int> local;
  ts::run(config_of(GetParam()), [] {
    const ts::place_local<int> counts(0);
    ts::finish([&counts] {
      for (int i = 0; i < 60; ++i) {
        ts::async_at(ts::place_flexible(ts::place(i % ts::num_places())), [s = counts.ref()] {
          for (int round = 1; round <= 2; ++round) {
            for (const ts::place p : ts::places()) {
              g_wrong += ts::at(p, [] { return ++*local; }) == round ? 0 : 1;
              s.at(p, [](int& n) { ts::atomic([&n] { ++n; }); });
            }
          }
          g_wrong += *local == 2 ? 0 : 1;
          ts::at(ts::designated_place(), note, std::uint64_t{1});
        });
      }
    });
    for (const ts::place p : ts::places()) g_wrong += counts.at(p, [](int& n) { return n; }) == 120 ? 0 : 1;
  });
  EXPECT_EQ(g_ran, 60U);
  EXPECT_EQ(g_wrong, 0);
}

// Who is told by the name that it has, else by its function.
TEST_P(flexible_test, an_object_used_elsewhere_is_an_error_that_names_the_task) {
  clear();
  static std::atomic<int> named;
  static std::atomic<int> unnamed;
  named = unnamed = 0;
  ts::run(config_of(GetParam()), [] {
    int object = 0;
    const ts::global_ref<int> r(object);
    const auto use = [](const ts::global_ref<int>& ref, const std::string& who, std::atomic<int>& told) {
      if (ts::here() == ref.home()) return;
      try {
        ++*ref;
        ++g_wrong;
      } catch (const ts::place_error& e) {
        const std::string text = e.what();
        const bool is_said = text.find("by the place-flexible task '" + who) != std::string::npos &&
                             text.find("task ''") == std::string::npos &&
                             text.find("' of designated place 0") != std::string::npos;
        g_wrong += is_said ? 0 : 1;
        ++told;
      }
    };
    ts::finish([&] {
      for (int i = 0; i < 40; ++i) {
        ts::async_at(ts::place_flexible.named("cell"), [r, use] { use(r, "cell'", named); });
        ts::async_at(ts::place_flexible, [r, use] { use(r, "", unnamed); });
      }
    });
  });
  EXPECT_EQ(g_wrong, 0);
  if (GetParam().placement == ts::placement_policy::eager_dealing && GetParam().places > 1) {
    EXPECT_GT(named + unnamed, 0) << "none was elsewhere";
  }
}

TEST_P(flexible_test, a_started_task_never_moves) {
  clear();
  ts::run(config_of(GetParam()), [] {
    ts::finish([] {
      for (int i = 0; i < 60; ++i) {
        ts::async_at(ts::place_flexible, [] {
          const ts::place before = ts::here();
          ts::yield();
          ts::finish([] { ts::async([] {}); });
          static_cast<void>(ts::at(before.next(), [] { return 1; }));
          g_wrong += ts::here() != before ? 1 : 0;
          note();
        });
      }
    });
    EXPECT_EQ(g_ran, 60U);
    EXPECT_EQ(g_wrong, 0);
  });
}

TEST_P(flexible_test, a_stuck_program_is_told_while_tasks_move) {
  EXPECT_THROW(ts::run(config_of(GetParam()),
                       [] {
                         ts::promise<int> never;
                         const ts::future<int> f = never.get_future();
                         for (int i = 0; i < 100; ++i) {
                           ts::async_at(ts::place_flexible, [] { note(); });
                         }
                         static_cast<void>(f.get());
                       }),
               ts::deadlock_error);
}

// ---- that tasks do move ----

// All tasks are spawned at place 0, and each waits until some other one has run elsewhere.
class moving_test : public testing::TestWithParam<placement_setting> {
protected:
  // Seeded places share a thread: nothing is waited for there.
  [[nodiscard]] static int patience() { return GetParam().seed != 0 ? 0 : 50'000; }
};

// Some policies decide at the spawn, and then only for a place that has said that it starves. Seeded places have no time for that: who asks
// place 0 while it waits is refused, and rests for longer than such a run takes; it starves soon enough while place 0 spawns.
void wait_until_place_1_starves(const ts::runtime& rt, std::uint64_t seed) {
  while (seed == 0 && rt.stats().places[1].starvations == 0) {
    ts::yield();
  }
}

// By each task.
void wait_until_one_ran_elsewhere(int most) {
  note();
  for (int spins = 0; spins < most && g_at[1] == 0; ++spins) {
    std::this_thread::yield();  // the other place may need this processor
  }
}

TEST_P(moving_test, an_idle_place_gets_tasks) {
  ts::runtime rt(config_of(GetParam()));
  clear();
  rt.run([&rt] {
    wait_until_place_1_starves(rt, GetParam().seed);
    ts::finish([] {
      for (int batch = 0; batch < 20; ++batch) {
        for (int i = 0; i < 10; ++i) {
          ts::async_at(ts::place_flexible.named("moving"), wait_until_one_ran_elsewhere, patience());
        }
        ts::yield();
      }
    });
  });
  EXPECT_EQ(g_ran, 200U);
  EXPECT_GT(g_at[1], 0) << "nothing ran at the idle place";
  const ts::runtime_stats s = rt.stats();
  look_at(s);
  EXPECT_GT(s.moves, 0U);
  EXPECT_GT(s.migrations, 0U);
  EXPECT_GT(s.migration_ratio, 0);
  EXPECT_EQ(s.places[0].flexible_spawned, 200U);
  EXPECT_GT(s.places[0].migrated_bytes, 0U);
  EXPECT_GT(s.places[1].received, 0U);
  EXPECT_GT(s.places[1].busy_seconds, 0);
}

TEST_P(moving_test, results_that_go_home_are_counted_where_they_were_made) {
  ts::runtime rt(config_of(GetParam()));
  clear();
  rt.run([&rt] {
    wait_until_place_1_starves(rt, GetParam().seed);
    const auto make = [](int most) {
      wait_until_one_ran_elsewhere(most);
      return 7;
    };
    std::vector<ts::future<int>> made;
    ts::finish([&] {
      for (int batch = 0; batch < 20; ++batch) {
        for (int i = 0; i < 5; ++i) {
          made.push_back(ts::at_future(ts::place_flexible, make, patience()));
          ts::async_at(ts::place_flexible.then([](int seven) { g_wrong += seven - 7; }), make, patience());
        }
        ts::yield();
      }
    });
    for (const ts::future<int>& f : made) {
      EXPECT_EQ(f.get(), 7);
    }
  });
  EXPECT_EQ(g_wrong, 0);
  EXPECT_GT(g_at[1], 0) << "nothing ran at the idle place";
  const ts::runtime_stats s = rt.stats();
  EXPECT_EQ(s.places[0].results_home, 0U) << "they were at home";
  EXPECT_EQ(s.places[1].results_home, static_cast<std::uint64_t>(g_at[1]));
  EXPECT_EQ(s.places[1].results_home_bytes, sizeof(int) * static_cast<std::uint64_t>(g_at[1]));
}

std::vector<placement_setting> moving_settings() {
  std::vector<placement_setting> all;
  for (int p = 1; p <= static_cast<int>(ts::placement_policy::proportional); ++p) {
    const auto policy = static_cast<ts::placement_policy>(p);
    all.push_back({policy, 2, 1});
    if (policy != ts::placement_policy::work_dealing) {
      all.push_back({policy, 2, 2});  // that one keeps tasks at a place with an idle worker
    }
    all.push_back({policy, 2, 1, 5});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(policies, moving_test, testing::ValuesIn(moving_settings()),
                         testing::PrintToStringParamName());

// ---- objects whose bytes fail on their way ----

// Places at which it cannot be written, or read.
struct fragile {
  int value = 0;
  int unwritable_at = -1;
  int unreadable_at = -1;

  template <class Ar>
  void serialize(Ar& ar) {
    if (!Ar::loading && ts::here().id() == unwritable_at) {
      throw std::runtime_error("cannot be written");
    }
    ar & value & unwritable_at & unreadable_at;
    if (Ar::loading && ts::here().id() == unreadable_at) {
      throw std::runtime_error("cannot be read");
    }
  }
};

// Carries it until place 1 has done so, which fails: there it becomes 2, and cannot be written or read at these places. Returns its value then.
int value_after_a_failure(ts::global_ref<fragile> r, int unwritable_at, int unreadable_at) {
  for (;; ts::yield()) {
    try {
      ts::finish([&] {
        ts::async_at(
            ts::place_flexible.carrying(r),
            [](fragile& object, int unwritable, int unreadable) {
              if (ts::here().id() == 1) {
                object = {2, unwritable, unreadable};
              }
            },
            unwritable_at, unreadable_at);
      });
    } catch (const ts::multiple_exceptions& e) {
      EXPECT_EQ(e.exceptions().size(), 1U);
      return r->value;
    }
  }
}

TEST(carried_objects, are_at_home_again_whatever_becomes_of_their_bytes) {
  ts::run(config_of({ts::placement_policy::work_dealing, 2, 1, 0, ts::copying::serialize}), [] {
    const fragile unwritable_at_home{1, 0, -1};
    const fragile unreadable_elsewhere{1, -1, 1};
    fragile object;
    const ts::global_ref<fragile> r(object);
    const auto fails = [&](const fragile& is, int becomes_unwritable_at, int becomes_unreadable_at) {
      object = is;
      EXPECT_EQ(value_after_a_failure(r, becomes_unwritable_at, becomes_unreadable_at), 1);
      object = {};
      ts::finish([r] { ts::async_at(ts::place_flexible.carrying(r), [](fragile& o) { o.value = 5; }); });
      EXPECT_EQ(r->value, 5);
    };
    fails(unwritable_at_home, -1, -1);
    fails(unreadable_elsewhere, -1, -1);
    fails({1}, 1, -1);
    fails({1}, -1, 0);
  });
}

TEST(placement_none, the_body_of_an_at_is_of_a_task_that_is_where_it_was_meant_to_be) {
  ts::run({.threads = 1, .places = 2, .env = false}, [] {
    ts::finish([] {
      ts::async_at(ts::place_flexible(ts::place(1)), [] {
        EXPECT_EQ(ts::at(ts::place(0), [] { return ts::designated_place(); }), ts::place(1));
        EXPECT_EQ(ts::at(ts::place(1), [] { return ts::designated_place(); }), ts::place(1));
      });
    });
  });
}

TEST(placement_none, moves_nothing) {
  for (const char* const labels : {"", "none"}) {
    ts::runtime rt(ts::config{
        .threads = 1,
        .places = 3,
        .placement = *labels == '\0' ? ts::placement_policy::none : ts::placement_policy::hybrid,
        .env = false,
        .labels = labels,
    });
    clear();
    rt.run([] {
      ts::finish([] {
        for (int i = 0; i < 100; ++i) {
          ts::async_at(ts::place_flexible, [] { note(); });
        }
      });
      EXPECT_EQ(g_at[0], 100);
    });
    EXPECT_EQ(rt.stats().moves, 0U);
    EXPECT_EQ(rt.stats().places[0].flexible_spawned, 0U);
  }
}

TEST(sensitive_tasks, stay_under_every_policy) {
  ts::run(ts::config{.threads = 1, .places = 3, .placement = ts::placement_policy::hybrid, .env = false}, [] {
    clear();
    ts::finish([] {
      for (int i = 0; i < 100; ++i) {
        ts::async_at(ts::place_flexible.sensitive(), [] { note(); });
      }
    });
    EXPECT_EQ(g_at[0], 100);
  });
}

TEST(seeded_placement, repeats_where_each_task_ran) {
  const auto places_of_a_run = [](std::uint64_t seed) {
    clear();
    ts::run(
        ts::config{.threads = 1, .places = 4, .placement = ts::placement_policy::hybrid, .seed = seed, .env = false},
        [] { ts::finish([] { ts::async_at(ts::place_flexible, tree, 6); }); });
    return std::vector<int>(std::begin(g_at), std::end(g_at));
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(places_of_a_run(seed), places_of_a_run(seed)) << "seed " << seed;
  }
}

// Seeded places share a thread.
std::string g_where;

std::string places_of_a_run(ts::runtime& rt) {
  g_where.clear();
  rt.run([] {
    for (int i = 0; i < 60; ++i) {
      ts::async_at(ts::place_flexible, [] {
        ts::yield();
        g_where += static_cast<char>('0' + ts::here().id());
      });
      if (i % 5 == 0) {
        ts::yield();
      }
    }
  });
  return g_where;
}

TEST(seeded_placement, repeats_where_each_task_ran_in_every_run_of_a_runtime) {
  for (int p = 1; p <= static_cast<int>(ts::placement_policy::proportional); ++p) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      for (const int workers : {1, 2}) {
        const placement_setting s{static_cast<ts::placement_policy>(p), 4, workers, seed};
        ts::runtime rt(config_of(s));
        const std::string first = places_of_a_run(rt);
        for (int run = 2; run <= 4; ++run) {
          EXPECT_EQ(places_of_a_run(rt), first) << s << ", run " << run;
        }
      }
    }
  }
}

// What a place owes another of its room at the end of a run would be given back at another moment of the next one.
TEST(seeded_placement, repeats_where_each_task_ran_when_runs_use_up_the_room) {
  const auto places_of_a_large_run = [](ts::runtime& rt) {
    g_where.clear();
    rt.run([] {
      const auto large = [](const std::vector<char>&) {
        ts::yield();
        g_where += static_cast<char>('0' + ts::here().id());
      };
      for (int i = 0; i < 200; ++i) {
        ts::async_at(ts::place_flexible, large, std::vector<char>(2000));
        ts::async_at(ts::place(i % 3), large, std::vector<char>(2000));
      }
    });
    return g_where;
  };
  for (int p = 0; p <= static_cast<int>(ts::placement_policy::proportional); ++p) {
    for (const int workers : {1, 2}) {
      const placement_setting s{static_cast<ts::placement_policy>(p), 3, workers, 2};
      ts::runtime rt(config_of(s));
      const std::string first = places_of_a_large_run(rt);
      for (int run = 2; run <= 8; ++run) {
        EXPECT_EQ(places_of_a_large_run(rt), first) << s << ", run " << run;
      }
    }
  }
}

// Place 1 has asked, was refused, and sleeps; nothing wakes it, and there is no thread of progress.
TEST(random_stealing_in_process, asks_again_where_only_workers_look_for_messages) {
  for (const std::uint64_t seed : {0U, 3U}) {
    ts::config settings = config_of({ts::placement_policy::random_stealing, 2, 1, seed});
    settings.progress = ts::message_progress::worker;
    ts::runtime rt(settings);
    clear();
    rt.run([&rt, seed] {
      while (rt.stats().places[1].remote_steals_failed == 0) {
        ts::yield();
      }
      // Refusing, until nobody asks any more: what was asked and not answered yet would be a way to get tasks.
      const auto begin = std::chrono::steady_clock::now();
      while (seed == 0 && std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(30)) {
        ts::yield();
      }
      for (int i = 0; i < 3000; ++i) {
        ts::async_at(ts::place_flexible, wait_until_one_ran_elsewhere, seed == 0 ? 20 : 0);
      }
    });
    EXPECT_EQ(g_ran, 3000U);
    EXPECT_GT(g_at[1], 0) << "seed " << seed;
  }
}

// Places of one process share its memory, so all of them are short of it, and nobody takes a task from another one.
TEST(places_short_of_memory, get_no_tasks_of_others) {
  constexpr std::size_t k_less_than_there_is = std::size_t{1} << 20U;
  constexpr std::uint64_t k_tasks = 30;
  for (int p = 1; p <= static_cast<int>(ts::placement_policy::proportional); ++p) {
    for (const std::size_t limit : {std::size_t{0}, k_less_than_there_is}) {
      clear();
      ts::config c = config_of({static_cast<ts::placement_policy>(p), 3, 1, 0, ts::copying::construct});
      c.memory_bytes = limit;
      ts::runtime runtime(c);
      runtime.run([] {
        const auto sleep_a_little = [] {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          note();
        };
        ts::finish([sleep_a_little] {
          ts::async_at(ts::place_flexible.sensitive(), [sleep_a_little] {
            for (std::uint64_t i = 0; i < k_tasks; ++i) {
              std::this_thread::sleep_for(std::chrono::microseconds(100));  // others starve
              ts::async_at(ts::place_flexible, sleep_a_little);
            }
          });
        });
      });
      EXPECT_EQ(g_ran, k_tasks);
      const std::uint64_t moves = runtime.stats().moves;
      EXPECT_EQ(moves == 0, limit != 0) << policy_name(c.placement) << ": " << moves << " moves";
    }
  }
}

// What it got may not move, and keeps its only worker.
TEST(work_dealing_in_process, a_place_that_has_got_work_of_any_kind_is_dealt_nothing) {
  for (const auto copy : {ts::copying::construct, ts::copying::serialize}) {
    static std::atomic<bool> g_runs;
    static std::atomic<bool> g_goes_on;
    static std::atomic<int> g_ran_at;
    g_runs = g_goes_on = false;
    g_ran_at = -1;
    ts::run(config_of({ts::placement_policy::work_dealing, 2, 1, 0, copy}), [] {
      while (ts::stats().places[1].starvations == 0) {
        std::this_thread::yield();
      }
      ts::finish([] {
        ts::async_at(ts::place(1), [] {
          g_runs = true;
          while (!g_goes_on) {
            std::this_thread::yield();
          }
        });
        while (!g_runs) {
          std::this_thread::yield();
        }
        ts::async_at(ts::place_flexible, [] { g_ran_at = ts::here().id(); });
        g_goes_on = true;
      });
      EXPECT_EQ(ts::stats().places[0].dealt, 0U);
    });
    EXPECT_EQ(g_ran_at, 0);
  }
}

// ---- while place 1, of one worker, computes ----

constexpr auto k_patience = std::chrono::seconds(20);  // should it be left alone with what it waits for
constexpr int k_enough = 8;  // for who has asked before it got something to do: they lie there then
std::atomic<bool> g_is_occupied;
std::atomic<bool> g_is_free;

// Until g_is_free; with as many tasks that note() themselves as are enough.
void occupy_place_1() {
  g_is_occupied = g_is_free = false;
  ts::async_at(ts::place(1), [] {
    g_is_occupied = true;
    const auto end = std::chrono::steady_clock::now() + k_patience;
    while (!g_is_free && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
  });
  while (!g_is_occupied) {
    std::this_thread::yield();
  }
  for (int i = 0; i < k_enough; ++i) {
    ts::async_at(ts::place_flexible, [] { note(); });
  }
}

TEST(short_tasks_that_wait, begin_the_newest_first) {
  constexpr int k_tasks = 2000;
  // In the first one it is learnt how short they are; and place 1 may get some more that it has asked for, which come back, the oldest first.
  constexpr int k_rounds = 3;
  static std::vector<int> g_order;  // at place 0, which has one worker
  for (const auto copy : {ts::copying::construct, ts::copying::serialize}) {
    clear();
    ts::runtime rt(config_of({ts::placement_policy::hybrid, 2, 1, 0, copy}));
    rt.run([] {
      occupy_place_1();
      for (int round = 0; round < k_rounds; ++round) {
        g_order.clear();
        ts::finish([] {
          for (int i = 0; i < k_tasks; ++i) {
            ts::async_at(
                ts::place_flexible,
                [](int n) {
                  note();
                  g_order.push_back(n);
                },
                i);
          }
        });
        EXPECT_EQ(g_order.size(), std::size_t{k_tasks});
        EXPECT_TRUE(round == 0 || std::ranges::is_sorted(g_order, std::ranges::greater())) << round;
      }
      g_is_free = true;
    });
    EXPECT_EQ(g_ran, static_cast<std::uint64_t>(k_rounds * k_tasks + k_enough));
    look_at(rt.stats());
  }
}

// However short tasks have been so far: what waits behind one that computes may leave. Of the policies that take more than every second one.
TEST(a_task_that_computes_for_long, keeps_no_other_from_leaving) {
  constexpr int k_short = 3000;
  constexpr int k_waiting = 600;
  static std::atomic<bool> g_next_has_run;
  static std::atomic<bool> g_in_time;
  for (const auto policy : {ts::placement_policy::hybrid, ts::placement_policy::lifeline}) {
    g_next_has_run = g_in_time = false;
    clear();
    ts::run(config_of({policy, 2, 1}), [] {
      occupy_place_1();
      ts::finish([] {
        for (int i = 0; i < k_short; ++i) {
          ts::async_at(ts::place_flexible, [] { note(); });
        }
      });
      ts::finish([] {
        for (int i = 0; i < k_waiting; ++i) {
          ts::async_at(ts::place_flexible, [] { note(); });
        }
        ts::async_at(ts::place_flexible, [] { g_next_has_run = true; });
        ts::async_at(ts::place_flexible, [] {
          g_is_free = true;  // now place 1 has nothing to do
          const auto end = std::chrono::steady_clock::now() + k_patience;
          while (!g_next_has_run && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
          }
          g_in_time = g_next_has_run.load();
        });
      });
    });
    EXPECT_TRUE(g_in_time) << policy_name(policy);
    EXPECT_EQ(g_ran, static_cast<std::uint64_t>(k_enough + k_short + k_waiting));
  }
}

struct alignas(128) far_apart {
  int value = 0;
};

// Where a task's closure lies depends on its size and its alignment; it is destroyed there, wherever the task ran.
TEST_P(flexible_test, closures_of_any_size_and_alignment_arrive_whole) {
  clear();
  ts::runtime rt(config_of(GetParam()));
  rt.run([] {
    for (int i = 0; i < 100; ++i) {
      const auto n = static_cast<std::uint64_t>(i);
      ts::async_at(ts::place_flexible, [] { note(); });
      ts::async_at(ts::place_flexible, [n] { note(n); });
      ts::async_at(ts::place_flexible, [](const std::vector<int>& v) { note(v.size()); }, std::vector<int>(n));
      ts::async_at(
          ts::place_flexible,
          [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) { note(a + b + c + d); }, n, n, n, n);
      ts::async_at(
          ts::place_flexible, [](const std::array<int, 100>& a) { note(static_cast<std::uint64_t>(a[99])); },
          std::array<int, 100>{});
      ts::async_at(
          ts::place_flexible,
          [](const far_apart& a) {
            g_wrong += reinterpret_cast<std::uintptr_t>(&a) % alignof(far_apart) != 0 ? 1 : 0;
            note(static_cast<std::uint64_t>(a.value));
          },
          far_apart{i});
    }
  });
  EXPECT_EQ(g_ran, 600U);
  EXPECT_EQ(g_sum, (1U + 1U + 4U + 1U) * (100U * 99U / 2));
  EXPECT_EQ(g_wrong, 0);
}

}  // namespace
