// SPDX-License-Identifier: Apache-2.0
// The X10 model means what X10 means under every scheme, and each improvement does what the paper says of it, by count.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "x10/imsuite/generate.hpp"
#include "x10/imsuite/hs.hpp"
#include "x10/imsuite/lcr.hpp"
#include "x10/xrx/engine.hpp"
#include "x10/xrx/xrx.hpp"

namespace xrx = bench::xrx;
namespace imsuite = bench::imsuite;

namespace {

constexpr double k_no_cap = 3600;

/// Counters grow while activities run; each test waits for one of its own doing.
void until(const std::atomic<std::uint64_t>& counter, std::uint64_t value) {
  while (counter.load() < value) std::this_thread::yield();
}

struct setting {
  xrx::scheme kind;
  int threads;
};

class xrx_model : public ::testing::TestWithParam<setting> {
protected:
  template <class F>
  void run(const F& body) {
    pool_.reset_counts();
    pool_.run(body, k_no_cap);
  }

  [[nodiscard]] xrx::scheme kind() const { return GetParam().kind; }
  [[nodiscard]] std::uint64_t threads() const { return static_cast<std::uint64_t>(GetParam().threads); }

  xrx::pool pool_{GetParam().threads, GetParam().kind};
};

std::vector<setting> all_settings() {
  std::vector<setting> all;
  for (const std::string_view name : xrx::k_scheme_names) {
    for (const int threads : {1, 2, 3}) all.push_back({xrx::scheme_named(name), threads});
  }
  return all;
}

std::string label(const ::testing::TestParamInfo<setting>& info) {
  return std::string(xrx::name(info.param.kind)) + "_" + std::to_string(info.param.threads);
}

INSTANTIATE_TEST_SUITE_P(every, xrx_model, ::testing::ValuesIn(all_settings()), label);

TEST_P(xrx_model, runs_every_activity_of_nested_finishes) {
  std::atomic<int> sum{0};
  run([&sum] {
    xrx::finish([&sum] {
      for (int i = 0; i < 10; ++i) {
        xrx::async([&sum] {
          xrx::finish([&sum] {
            for (int k = 0; k < 10; ++k) xrx::async([&sum] { ++sum; });
          });
          sum += 100;
        });
      }
    });
    EXPECT_EQ(sum, 1100);
  });
}

TEST_P(xrx_model, keeps_tasks_in_the_same_phase) {
  constexpr std::size_t n = 24;
  constexpr int phases = 8;
  std::vector<int> done(n);  // plain: the clock is all that keeps neighbours apart
  std::atomic<int> wrong{0};
  run([&] {
    xrx::clocked_finish([&](const xrx::clock& c) {
      for (std::size_t i = 0; i < n; ++i) {
        xrx::async(xrx::clocked(c), [&, c, i] {
          for (int p = 1; p <= phases; ++p) {
            done[i] = p;
            c.advance(p % 2 == 0 ? xrx::wake::eager : xrx::wake::lazy);
            if (done[(i + 1) % n] != p) ++wrong;
            c.advance();
          }
        });
      }
    });
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(done, std::vector<int>(n, phases));
  EXPECT_EQ(pool_.counted().advances, n * 2 * phases);
}

TEST_P(xrx_model, registers_a_child_in_the_phase_of_its_parent) {
  std::vector<std::int64_t> begun;
  bool parent_moved = false;
  run([&] {
    xrx::finish([&] {
      const xrx::clock c = xrx::clock::make();
      c.advance();
      xrx::async(xrx::clocked(c), [&, c] {
        begun.push_back(c.phase());
        c.advance();
        begun.push_back(c.phase());
      });
      c.advance();
      parent_moved = c.phase() == 3;
      c.drop();
    });
  });
  EXPECT_EQ(begun, (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(parent_moved);
}

TEST_P(xrx_model, counts_the_child_of_a_resumed_parent_as_resumed) {
  bool other_passed = false;
  run([&] {
    xrx::finish([&] {
      const xrx::clock c = xrx::clock::make();
      xrx::async(xrx::clocked(c), [&, c] {
        c.advance();
        xrx::atomic([&other_passed] { other_passed = true; });
      });
      c.resume();
      // Never resumes in its own name: the inherited resume is what lets the phase end.
      xrx::async(xrx::clocked(c), [&other_passed] { xrx::when([&other_passed] { return other_passed; }, [] {}); });
      c.advance();
      c.drop();
    });
  });
  EXPECT_TRUE(other_passed);
}

TEST_P(xrx_model, lets_the_others_go_on_when_a_task_drops) {
  std::atomic<int> passed{0};
  run([&] {
    xrx::clocked_finish([&](const xrx::clock& c) {
      for (int i = 0; i < 12; ++i) {
        xrx::async(xrx::clocked(c), [&, c, i] {
          for (int k = 0; k < i; ++k) c.advance();  // each leaves one phase after the one before it
          c.drop();
          EXPECT_FALSE(c.is_registered());
          ++passed;
        });
      }
    });
  });
  EXPECT_EQ(passed, 12);
}

TEST_P(xrx_model, advances_on_all_clocks_together) {
  std::vector<int> order(2);
  run([&] {
    xrx::finish([&] {
      const xrx::clock c = xrx::clock::make();
      const xrx::clock d = xrx::clock::make();
      xrx::async(xrx::clocked(c, d), [&] {
        order[0] = 1;
        xrx::advance_all();
        EXPECT_EQ(order[1], 1);
      });
      xrx::async(xrx::clocked(d, c), [&] {
        order[1] = 1;
        xrx::advance_all();
        EXPECT_EQ(order[0], 1);
      });
      xrx::advance_all();
      c.drop();
      d.drop();
    });
  });
}

TEST_P(xrx_model, excludes_atomic_blocks_and_wakes_whom_they_enable) {
  constexpr int n = 20;
  int sum = 0;
  bool full_seen = false;
  run([&] {
    xrx::finish([&] {
      xrx::async([&] { xrx::when([&] { return sum == n; }, [&] { full_seen = true; }); });
      for (int i = 0; i < n; ++i) xrx::async([&] { xrx::atomic([&] { ++sum; }); });
    });
  });
  EXPECT_EQ(sum, n);
  EXPECT_TRUE(full_seen);
}

TEST_P(xrx_model, passes_a_token_through_whens) {
  constexpr int n = 16;
  int turn = 0;
  std::vector<int> order;
  run([&] {
    xrx::finish([&] {
      for (int i = n - 1; i >= 0; --i) {
        xrx::async([&, i] {
          xrx::when([&, i] { return turn == i; },
                    [&] {
                      order.push_back(turn);
                      ++turn;
                    });
        });
      }
    });
  });
  EXPECT_EQ(order.size(), std::size_t{n});
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(xrx_model, rethrows_the_first_exception_when_all_have_ended) {
  std::atomic<int> ended{0};
  EXPECT_THROW(run([&] {
                 xrx::clocked_finish([&](const xrx::clock& c) {
                   for (int i = 0; i < 6; ++i) {
                     xrx::async(xrx::clocked(c), [&, c, i] {
                       c.advance();
                       ++ended;
                       if (i == 3) throw std::range_error("three");
                       c.advance();
                     });
                   }
                 });
               }),
               std::range_error);
  EXPECT_EQ(ended, 6);
}

TEST_P(xrx_model, refuses_a_clock_on_which_the_activity_is_not_registered) {
  run([&] {
    xrx::finish([&] {
      const xrx::clock c = xrx::clock::make();
      xrx::async([c] {
        EXPECT_THROW(c.advance(), xrx::clock_use_error);
        EXPECT_THROW(c.resume(), xrx::clock_use_error);
        EXPECT_THROW(c.drop(), xrx::clock_use_error);
        EXPECT_THROW(xrx::async(xrx::clocked(c), [] {}), xrx::clock_use_error);
      });
      c.drop();
    });
  });
}

TEST_P(xrx_model, makes_no_more_threads_than_can_be_blocked_beside_those_that_run) {
  constexpr std::size_t n = 20;
  xrx::engine engine;
  run([&engine] {
    for (int round = 0; round < 10; ++round) {
      engine.round(n, imsuite::hint::lazy, [](std::size_t) {}, [](std::size_t) {}, [](std::size_t) {});
    }
  });
  EXPECT_LE(pool_.counted().threads, n + 1 + threads()) << "n tasks and the finish, and who replaces them";
}

TEST_P(xrx_model, stops_what_is_beyond_the_cap) {
  std::atomic<int> begun{0};
  const auto stuck = [&begun] {
    xrx::clocked_finish([&begun](const xrx::clock& c) {
      for (int i = 0; i < 8; ++i) {
        xrx::async(xrx::clocked(c), [&begun, c, i] {
          ++begun;
          if (i == 7) xrx::when([] { return false; }, [] {});
          c.advance();
          c.advance();
          ADD_FAILURE() << "passed a barrier at which one is missing";
        });
      }
    });
  };
  try {
    pool_.run(stuck, 0.02);
    ADD_FAILURE() << "ended";
  } catch (const xrx::stopped& e) {
    EXPECT_NE(std::string(e.what()).find("capped"), std::string::npos);
  }
  EXPECT_LE(begun, 8);
  EXPECT_THROW(pool_.run([] {}, k_no_cap), xrx::stopped) << "a stopped pool is of no further use";
}

TEST_P(xrx_model, elects_the_right_leaders) {
  xrx::engine engine;
  imsuite::lcr_state lcr(imsuite::generate<imsuite::lcr_input>({imsuite::family::ring, 12, 3}));
  imsuite::hs_state hs(imsuite::generate<imsuite::hs_input>({imsuite::family::ring, 12, 3}));
  run([&] {
    imsuite::run_lcr(engine, lcr);
    imsuite::run_hs(engine, hs);
  });
  imsuite::verify_lcr(lcr);
  imsuite::verify_hs(hs);
}

TEST_P(xrx_model, keeps_one_set_of_activities_where_a_kernel_asks_for_it) {
  constexpr std::size_t n = 10;
  std::vector<std::size_t> rounds(n);
  xrx::engine engine;
  run([&] {
    engine.persistent(
        n, [&](std::size_t i) { return rounds[i] < i; }, imsuite::hint::eager, [](std::size_t) {},
        [&](std::size_t i) { ++rounds[i]; });
  });
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(rounds[i], i);
  EXPECT_EQ(pool_.counted().activities, n + 1) << "the nodes and the root";
}

// --- what each improvement is for

/// Figure 7: one waits at a clock while another, who has nothing to do with it, runs atomic blocks.
void figure7(xrx::pool& pool, int blocks) {
  xrx::finish([&pool, blocks] {
    const xrx::clock c = xrx::clock::make();
    xrx::async(xrx::clocked(c), [c] { c.advance(); });
    until(pool.counters.clock_waits, 1);
    xrx::finish([blocks] {
      xrx::async([blocks] {
        for (int i = 0; i < blocks; ++i) xrx::atomic([] {});
      });
    });
    c.advance();
    c.drop();
  });
}

class xrx_schemes : public ::testing::TestWithParam<xrx::scheme> {};

std::vector<xrx::scheme> all_schemes() {
  std::vector<xrx::scheme> all;
  for (const std::string_view name : xrx::k_scheme_names) all.push_back(xrx::scheme_named(name));
  return all;
}

std::string scheme_label(const ::testing::TestParamInfo<xrx::scheme>& info) {
  return std::string(xrx::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(every, xrx_schemes, ::testing::ValuesIn(all_schemes()), scheme_label);

TEST_P(xrx_schemes, wake_a_clock_by_atomic_blocks_only_where_they_share_a_lock) {
  xrx::pool pool(2, GetParam());
  pool.run([&pool] { figure7(pool, 100); }, k_no_cap);
  const xrx::counts seen = pool.counted();
  if (GetParam() == xrx::scheme::baseline) {
    EXPECT_GT(seen.clock_wakeups_by_atomic, 0u);
  } else {
    EXPECT_EQ(seen.clock_wakeups_by_atomic, 0u);
  }
}

TEST_P(xrx_schemes, wake_a_when_by_a_clock_only_where_they_share_a_lock) {
  xrx::pool pool(3, GetParam());
  bool open = false;
  std::atomic<bool> looked{false};
  pool.run(
      [&] {
        xrx::finish([&] {
          xrx::async([&] {
            xrx::when(
                [&] {
                  looked = true;
                  return open;
                },
                [] {});
          });
          while (!looked) std::this_thread::yield();
          const xrx::clock c = xrx::clock::make();  // to look was under the lock: the next to hold it finds the waiting
          c.advance();
          c.drop();
          xrx::atomic([&] { open = true; });
        });
      },
      k_no_cap);
  if (GetParam() == xrx::scheme::baseline) {
    EXPECT_GT(pool.counted().when_wakeups_by_clock, 0u);
  } else {
    EXPECT_EQ(pool.counted().when_wakeups_by_clock, 0u);
  }
}

TEST_P(xrx_schemes, run_all_woken_at_once_unless_bounded) {
  constexpr std::size_t n = 30;
  constexpr int threads = 2;
  xrx::pool pool(threads, GetParam());
  xrx::engine engine;
  pool.run(
      [&engine] {
        for (int round = 0; round < 5; ++round) {
          engine.round(n, imsuite::hint::eager, [](std::size_t) {}, [](std::size_t) {}, [](std::size_t) {});
        }
      },
      k_no_cap);
  if (GetParam() == xrx::scheme::baseline || GetParam() == xrx::scheme::opt1) {
    EXPECT_GE(pool.counted().most_running, n);
  } else {
    EXPECT_LE(pool.counted().most_running, std::uint64_t{threads});
  }
}

TEST_P(xrx_schemes, are_as_parallel_as_asked_for) {
  xrx::pool pool(2, GetParam());
  std::atomic<int> here{0};
  pool.run(
      [&here] {
        xrx::clocked_finish([&here](const xrx::clock& c) {
          for (int i = 0; i < 2; ++i) {
            xrx::async(xrx::clocked(c), [&here, c] {
              c.advance();
              ++here;
              while (here < 2) std::this_thread::yield();  // never ends unless the other runs meanwhile
            });
          }
        });
      },
      k_no_cap);
  EXPECT_EQ(here, 2);
}

/// A waits; B resumes, which does not end the phase; the body does. Returns after all that.
void resume_before_the_last(xrx::pool& pool, bool rechecks, xrx::wake how) {
  xrx::finish([&] {
    const xrx::clock c = xrx::clock::make();
    xrx::async(xrx::clocked(c), [c, how] { c.advance(how); });
    until(pool.counters.clock_waits, 1);
    xrx::finish([&] {
      xrx::async(xrx::clocked(c), [c, how] { c.resume(how); });  // and drops, resumed as it is
    });
    if (rechecks) until(pool.counters.clock_vain, 1);
    c.resume(how);
    c.drop();
  });
}

TEST_P(xrx_schemes, wake_before_the_last_resume_only_when_eager) {
  for (const xrx::wake how : {xrx::wake::eager, xrx::wake::lazy}) {
    xrx::pool pool(3, GetParam());
    const bool lazy =
        GetParam() == xrx::scheme::uclocks_lazy || (GetParam() == xrx::scheme::uclocks && how == xrx::wake::lazy);
    pool.run([&] { resume_before_the_last(pool, !lazy, how); }, k_no_cap);
    const xrx::counts seen = pool.counted();
    EXPECT_EQ(seen.clock_waits, 1u);
    if (lazy) {
      EXPECT_EQ(seen.clock_wakeups, 1u);
      EXPECT_EQ(seen.clock_vain, 0u);
    } else {
      EXPECT_GE(seen.clock_wakeups, 2u);
      EXPECT_GE(seen.clock_vain, 1u);
    }
  }
}

TEST(xrx_lazy, wakes_each_parked_activity_once_in_a_phase) {
  for (const xrx::scheme kind : {xrx::scheme::uclocks_lazy, xrx::scheme::uclocks}) {
    xrx::pool pool(2, kind);
    xrx::engine engine;
    pool.run(
        [&engine] {
          for (int round = 0; round < 5; ++round) {
            engine.round(40, imsuite::hint::lazy, [](std::size_t) {}, [](std::size_t) {}, [](std::size_t) {});
          }
        },
        k_no_cap);
    const xrx::counts seen = pool.counted();
    EXPECT_EQ(seen.advances, 400u);
    EXPECT_GT(seen.clock_waits, 0u);
    EXPECT_EQ(seen.clock_wakeups, seen.clock_waits);
    EXPECT_EQ(seen.clock_vain, 0u);
  }
}

TEST(xrx_names, are_those_of_the_schemes) {
  EXPECT_EQ(xrx::scheme_named("opt12"), xrx::scheme::opt12);
  EXPECT_THROW(xrx::scheme_named("opt3"), std::invalid_argument);
}

}  // namespace
