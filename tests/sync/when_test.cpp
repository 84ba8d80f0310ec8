// SPDX-License-Identifier: Apache-2.0
// when: waits until a condition holds, then runs its body atomically; and what may not be done in condition and body.
#include <tactus/tactus.hpp>

#include "atomic_blocks.hpp"
#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;
using support::contains;

class when_test : public support::each_setting {};
TACTUS_EACH_SETTING(when_test);

TEST_P(when_test, runs_its_body_at_once_if_the_condition_holds) {
  run([] {
    int calls = 0;
    ts::when([] { return true; }, [&] { ++calls; });
    EXPECT_EQ(calls, 1);
  });
}

TEST_P(when_test, waits_until_a_block_has_made_the_condition_true) {
  run([] {
    bool open = false;
    bool passed = false;
    ts::finish([&] {
      ts::async([&] { ts::when([&] { return open; }, [&] { passed = true; }); });
      ts::async([&] {
        ts::yield();
        ts::atomic([&] {
          EXPECT_FALSE(passed);
          open = true;
        });
      });
    });
    EXPECT_TRUE(passed);
  });
}

TEST_P(when_test, finds_its_condition_true_in_its_body) {
  // Many tasks want the same token. Between a condition and its body nobody else may take it.
  const std::size_t n = support::scaled(300, 30);
  int tokens = 1;
  std::size_t taken = 0;
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&] {
        ts::when([&] { return tokens > 0; },
                 [&] {
                   EXPECT_EQ(tokens, 1);
                   --tokens;
                   ++taken;
                 });
        ts::atomic([&] { ++tokens; });
      });
    }
  });
  EXPECT_EQ(taken, n);
  EXPECT_EQ(tokens, 1);
}

TEST_P(when_test, holds_nobody_back_while_it_waits) {
  run([] {
    bool open = false;
    int blocks = 0;
    ts::finish([&] {
      for (int i = 0; i < 20; ++i) {
        ts::async([&] { ts::when([&] { return open; }, [&] { ++blocks; }); });
      }
      for (int i = 0; i < 20; ++i) ts::atomic([&] { ++blocks; });
      ts::finish([&] { ts::async([&] { ts::atomic([&] { ++blocks; }); }); });
      ts::atomic([&] {
        EXPECT_EQ(blocks, 21);
        open = true;
      });
    });
    EXPECT_EQ(blocks, 41);
  });
}

TEST_P(when_test, is_set_free_by_the_body_of_another) {
  // A chain: each body makes the condition of the next one true, whatever order the tasks came in.
  static constexpr int k_links = 60;
  run([] {
    int turn = 0;
    std::vector<int> order;
    ts::finish([&] {
      for (int i = k_links; i-- > 0;) {
        ts::async([&, i] {
          ts::when([&, i] { return turn == i; },
                   [&, i] {
                     order.push_back(i);
                     ++turn;
                   });
        });
      }
    });
    ASSERT_EQ(order.size(), std::size_t{k_links});
    for (int i = 0; i < k_links; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  });
}

TEST_P(when_test, all_whose_condition_became_true_go_on) {
  const std::size_t n = support::scaled(1'000, 50);
  std::size_t passed = 0;
  bool open = false;
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&] { ts::when([&] { return open; }, [&] { ++passed; }); });
    }
    ts::atomic([&] { open = true; });
  });
  EXPECT_EQ(passed, n);
}

TEST_P(when_test, those_whose_condition_is_still_false_do_not_keep_others_back) {
  // The first to wait are those who will be the last to go on.
  run([] {
    int level = 0;
    int passed = 0;
    ts::finish([&] {
      for (int i = 30; i > 0; --i) {
        ts::async([&, i] { ts::when([&, i] { return level >= i; }, [&] { ++passed; }); });
      }
      for (int i = 1; i <= 30; ++i) {
        ts::atomic([&] { level = i; });
        ts::when([&, i] { return passed == i; }, [] {});
      }
    });
    EXPECT_EQ(passed, 30);
  });
}

TEST_P(when_test, looks_again_after_a_block_that_threw) {
  run([] {
    bool open = false;
    bool passed = false;
    ts::finish([&] {
      ts::async([&] { ts::when([&] { return open; }, [&] { passed = true; }); });
      ts::yield();
      EXPECT_TRUE(caught<std::runtime_error>([&] {
        ts::atomic([&] {
          open = true;
          throw std::runtime_error("after the change");
        });
      }));
    });
    EXPECT_TRUE(passed);
  });
}

TEST_P(when_test, looks_again_after_a_when_whose_body_threw) {
  run([] {
    int level = 0;
    bool passed = false;
    ts::finish([&] {
      ts::async([&] { ts::when([&] { return level == 2; }, [&] { passed = true; }); });
      ts::async([&] {
        EXPECT_TRUE(caught<std::runtime_error>([&] {
          ts::when([&] { return level == 1; },
                   [&] {
                     level = 2;
                     throw std::runtime_error("after the change");
                   });
        }));
      });
      ts::atomic([&] { level = 1; });
    });
    EXPECT_TRUE(passed);
  });
}

TEST_P(when_test, looks_only_when_a_block_of_its_domain_has_ended) {
  // Ten phases of a clock, a thousand blocks of a monitor and as many yields are no reason to look.
  static constexpr int k_waiters = 3;
  run([] {
    std::atomic<int> looks{0};
    bool open = false;
    ts::monitor other;
    ts::finish([&] {
      for (int i = 0; i < k_waiters; ++i) {
        ts::async([&] {
          ts::when(
              [&] {
                ++looks;
                return open;
              },
              [] {});
        });
      }
      while (looks < k_waiters) ts::yield();
      for (int i = 0; i < 1'000; ++i) {
        other.atomic([] {});
        ts::yield();
      }
      ts::finish(ts::clocked, [](ts::clock c) {
        ts::async(ts::clocked(c), [c] {
          for (int k = 0; k < 10; ++k) c.advance();
        });
      });
      ts::atomic([&] { open = true; });
    });
    // Each when looks when it comes, perhaps once more before it waits, and after each of the blocks that end: the one
    // above and those of the others.
    EXPECT_LE(looks.load(), k_waiters * (2 + 1 + k_waiters));
  });
}

TEST_P(when_test, an_exception_in_the_condition_propagates_and_releases_the_lock) {
  run([] {
    bool ran = false;
    EXPECT_TRUE(caught<std::out_of_range>(
        [&] { ts::when([]() -> bool { throw std::out_of_range("condition"); }, [&] { ran = true; }); }));
    EXPECT_FALSE(ran);
    ts::finish([&] { ts::async([&] { ts::atomic([&] { ran = true; }); }); });
    EXPECT_TRUE(ran);
  });
}

TEST_P(when_test, an_exception_in_a_condition_that_is_looked_at_again_leaves_the_task_that_waits) {
  // Whoever ends the block looks, perhaps, but the exception belongs to the task whose condition it is.
  run([] {
    bool broken = false;
    bool passed = false;
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        ts::async([&] {
          ts::when(
              [&] {
                if (broken) throw std::out_of_range("condition");
                return false;
              },
              [] { FAIL() << "the body has run"; });
        });
        ts::async([&] { ts::when([&] { return broken; }, [&] { passed = true; }); });
        ts::yield();
        ts::atomic([&] { broken = true; });
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()), std::vector<std::string>{"condition"});
    EXPECT_TRUE(passed);
  });
}

TEST_P(when_test, an_exception_in_the_body_propagates_and_releases_the_lock) {
  run([] {
    bool ran = false;
    EXPECT_TRUE(
        caught<std::out_of_range>([] { ts::when([] { return true; }, [] { throw std::out_of_range("body"); }); }));
    ts::finish([&] { ts::async([&] { ts::atomic([&] { ran = true; }); }); });
    EXPECT_TRUE(ran);
  });
}

TEST_P(when_test, frees_the_worker_of_a_task_that_waits) {
  // More tasks wait than there are workers, and the one that lets them go is spawned last.
  run([] {
    int waiting = 0;
    bool open = false;
    int passed = 0;
    ts::finish([&] {
      for (int i = 0; i < 50; ++i) {
        ts::async([&] {
          ts::atomic([&] { ++waiting; });
          ts::when([&] { return open; }, [&] { ++passed; });
        });
      }
      ts::async([&] { ts::when([&] { return waiting == 50; }, [&] { open = true; }); });
    });
    EXPECT_EQ(passed, 50);
  });
}

TEST_P(when_test, makes_a_bounded_buffer) {
  static constexpr std::size_t k_room = 3;
  const int n = static_cast<int>(support::scaled(300, 30));
  std::vector<int> buffer;
  std::size_t most = 0;
  long sum = 0;
  run([&] {
    for (int producer = 0; producer < 3; ++producer) {
      ts::async([&] {
        for (int i = 1; i <= n; ++i) {
          ts::when([&] { return buffer.size() < k_room; },
                   [&] {
                     buffer.push_back(i);
                     if (buffer.size() > most) most = buffer.size();
                   });
        }
      });
      ts::async([&] {
        for (int i = 1; i <= n; ++i) {
          ts::when([&] { return !buffer.empty(); },
                   [&] {
                     sum += buffer.back();
                     buffer.pop_back();
                   });
        }
      });
    }
  });
  EXPECT_LE(most, k_room);
  EXPECT_EQ(sum, 3L * n * (n + 1) / 2);
}

TEST_P(when_test, feeds_five_philosophers) {
  std::array<bool, 5> fork_taken{};
  std::array<int, 5> meals{};
  run([&] {
    for (std::size_t i = 0; i < 5; ++i) {
      ts::async([&, left = i, right = (i + 1) % 5] {
        for (int k = 0; k < 40; ++k) {
          ts::when([&] { return !fork_taken[left] && !fork_taken[right]; },
                   [&] { fork_taken[left] = fork_taken[right] = true; });
          ++meals[left];
          ts::yield();
          ts::atomic([&] { fork_taken[left] = fork_taken[right] = false; });
        }
      });
    }
  });
  for (const int m : meals) EXPECT_EQ(m, 40);
}

TEST_P(when_test, nobody_starves_while_others_take_the_token_again_and_again) {
  static constexpr int k_most_rounds = 2'000'000;  // would take seconds; some hundred are usual
  int tokens = 1;
  int rounds = 0;
  std::atomic<bool> served{false};
  std::atomic<bool> given_up{false};
  run([&] {
    for (int i = 0; i < GetParam().workers + 1; ++i) {
      ts::async([&] {
        while (!served && !given_up) {
          ts::when([&] { return tokens > 0; },
                   [&] {
                     --tokens;
                     if (++rounds == k_most_rounds) given_up = true;
                   });
          ts::yield();
          ts::atomic([&] { ++tokens; });
          ts::yield();
        }
      });
    }
    ts::async([&] {
      for (int k = 0; k < 20; ++k) {
        ts::when([&] { return tokens > 0; }, [&] { --tokens; });
        ts::atomic([&] { ++tokens; });
      }
      served = true;
    });
  });
  EXPECT_EQ(tokens, 1);
  EXPECT_FALSE(given_up);
}

TEST_P(when_test, takes_functions_that_can_only_be_moved) {
  run([] {
    int got = 0;
    ts::when([limit = std::make_unique<int>(3)] { return *limit == 3; },
             [value = std::make_unique<int>(7), &got] { got = *value; });
    EXPECT_EQ(got, 7);
  });
}

TEST_P(when_test, inside_catch_keeps_the_exception) {
  run([] {
    int turn = 0;
    ts::finish([&] {
      for (int i = 20; i-- > 0;) {
        ts::async([&turn, i] {
          const std::string mine = "exception " + std::to_string(i);
          try {
            throw std::runtime_error(mine);
          } catch (const std::runtime_error& e) {
            ts::when([&, i] { return turn == i; },
                     [&] {
                       EXPECT_EQ(std::uncaught_exceptions(), 0);
                       ++turn;
                     });
            EXPECT_EQ(e.what(), mine);
            EXPECT_EQ(support::message(std::current_exception()), mine);
          }
        });
      }
    });
  });
}

// ---- misuse ----

TEST_P(when_test, body_may_not_spawn_wait_signal_register_or_drop) {
  run([] {
    const blocks::material m;
    ts::when([] { return true; }, [&] { blocks::expect_each_forbidden(m); });
    blocks::expect_unharmed(m);
  });
}

TEST_P(when_test, condition_may_not_spawn_wait_signal_register_or_drop) {
  run([] {
    const blocks::material m;
    bool body_ran = false;
    ts::when(
        [&] {
          blocks::expect_each_forbidden(m);
          return true;
        },
        [&] { body_ran = true; });
    EXPECT_TRUE(body_ran);
    blocks::expect_unharmed(m);
  });
}

TEST_P(when_test, condition_and_body_may_not_do_so_either_after_a_wait) {
  run([] {
    bool open = false;
    ts::finish([&] {
      const blocks::material m;
      ts::async([&] {
        const blocks::material mine;
        ts::when(
            [&] {
              blocks::expect_each_forbidden(mine);
              return open;
            },
            [&] { blocks::expect_each_forbidden(mine); });
        blocks::expect_unharmed(mine);
      });
      ts::yield();
      ts::atomic([&] { open = true; });
      blocks::expect_unharmed(m);  // nor is anything forbidden to the task that ended the block
    });
  });
}

TEST_P(when_test, a_misuse_that_escapes_from_a_condition_releases_the_lock) {
  run([] {
    const blocks::material m;
    EXPECT_TRUE(caught<ts::atomic_use_error>([] {
      ts::when(
          [] {
            ts::yield();
            return true;
          },
          [] { FAIL() << "the body has run"; });
    }));
    blocks::expect_unharmed(m);
  });
}

TEST(when_outside_tasks_test, throws_usage_error_and_runs_neither_condition_nor_body) {
  bool ran = false;
  const auto expect_refused = [&] {
    const auto e = caught<ts::usage_error>([&] { ts::when([&] { return ran = true; }, [&] { ran = true; }); });
    ASSERT_TRUE(e);
    EXPECT_TRUE(contains(e->what(), "when")) << e->what();
  };
  expect_refused();
  ts::run(support::config_of(2), [&] { std::thread(expect_refused).join(); });
  EXPECT_FALSE(ran);
}

// ---- deadlock ----

TEST_P(when_test, whose_condition_nobody_makes_true_is_a_deadlock_that_names_task_and_when) {
  bool ran = false;
  const auto e = caught<ts::deadlock_error>([&] {
    run([&] {
      ts::finish([&] {
        for (int i = 0; i < 5; ++i) {
          ts::async(ts::named("hopeful-" + std::to_string(i)),
                    [&] { ts::when([] { return false; }, [&] { ran = true; }); });
        }
      });
    });
  });
  ASSERT_TRUE(e);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(contains(e->what(), "hopeful-" + std::to_string(i))) << e->what();
  EXPECT_TRUE(contains(e->what(), "when")) << e->what();
  EXPECT_FALSE(ran);
}

TEST_P(when_test, deadlock_is_thrown_from_every_wait_and_leaves_the_lock_free) {
  std::atomic<int> thrown{0};
  int blocks = 0;
  EXPECT_TRUE(caught<ts::deadlock_error>([&] {
    run([&] {
      ts::finish([&] {
        for (int i = 0; i < 10; ++i) {
          ts::async([&] {
            if (caught<ts::deadlock_error>([&] { ts::when([] { return false; }, [] {}); })) ++thrown;
            ts::atomic([&] { ++blocks; });
            ts::when([] { return true; }, [&] { ++blocks; });
          });
        }
      });
    });
  }));
  EXPECT_EQ(thrown.load(), 10);
  EXPECT_EQ(blocks, 20);
}

TEST_P(when_test, after_a_deadlock_the_next_run_finds_the_place_unlocked) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(caught<ts::deadlock_error>([] { run([] { ts::when([] { return false; }, [] {}); }); }));
    bool ran = false;
    run([&] { ts::when([] { return true; }, [&] { ran = true; }); });
    EXPECT_TRUE(ran);
  }
}

TEST_P(when_test, that_an_external_promise_will_set_free_is_no_deadlock) {
  const ts::promise<void> p(ts::external);
  std::atomic<bool> waiting{false};
  std::thread outside([&] {
    while (!waiting) std::this_thread::yield();
    p.set_value();
  });
  bool passed = false;
  run([&] {
    bool open = false;
    ts::finish([&] {
      ts::async([&] { ts::when([&] { return open; }, [&] { passed = true; }); });
      waiting = true;
      p.get_future().get();
      ts::atomic([&] { open = true; });
    });
  });
  outside.join();
  EXPECT_TRUE(passed);
}

TEST(when_seeded_test, no_wake_up_is_lost_under_any_of_300_seeds) {
  for (std::uint64_t seed = 1; seed <= support::scaled(300, 20); ++seed) {
    int turn = 0;
    ts::run(support::seeded_config_of(seed, 3), [&] {
      for (int i = 0; i < 4; ++i) {
        ts::async([&turn, i] {
          for (int k = 0; k < 3; ++k) ts::when([&] { return turn % 4 == i; }, [&] { ++turn; });
        });
      }
    });
    ASSERT_EQ(turn, 12) << "seed " << seed;
  }
}

}  // namespace
