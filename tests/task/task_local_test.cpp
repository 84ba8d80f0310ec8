// SPDX-License-Identifier: Apache-2.0
// task_local: like thread_local, but of the task.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace ts = tactus;

namespace {

struct counted {
  counted() { ++made; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
  static inline std::atomic<int> made{0};
  static inline std::atomic<int> alive{0};
  int value = (++alive, 0);
};

class task_local_test : public support::each_setting {
protected:
  task_local_test() {
    counted::made = 0;
    counted::alive = 0;
  }
};
TACTUS_EACH_SETTING(task_local_test);

TEST_P(task_local_test, begins_as_a_default_value_in_each_task) {
  ts::task_local<int> number;
  run([&] {
    EXPECT_EQ(*number, 0);
    for (int i = 0; i < 100; ++i) {
      ts::async([&] {
        EXPECT_EQ(*number, 0);
        *number = 1;
      });
    }
  });
}

TEST_P(task_local_test, is_not_inherited_by_children) {
  ts::task_local<int> number;
  run([&] {
    *number = 5;
    ts::finish([&] { ts::async([&] { EXPECT_EQ(*number, 0); }); });
    EXPECT_EQ(*number, 5);
  });
}

TEST_P(task_local_test, follows_its_task_across_suspensions) {
  ts::task_local<int> number;
  run([&] {
    ts::finish([&] {
      for (int i = 1; i <= 50; ++i) {
        ts::async([&number, i] {
          *number = i;
          for (int k = 0; k < 20; ++k) {
            ts::yield();
            ts::finish([] { ts::async([] { ts::yield(); }); });
            ASSERT_EQ(*number, i);
          }
        });
      }
    });
  });
}

TEST_P(task_local_test, follows_the_spawner_across_an_async) {
  ts::task_local<int> number;
  run([&] {
    *number = 9;
    for (int i = 0; i < 500; ++i) {
      ts::async([&] { *number = -1; });
      ASSERT_EQ(*number, 9);
    }
  });
}

TEST_P(task_local_test, is_the_same_in_functions_that_the_task_calls) {
  ts::task_local<std::string> text;
  const auto callee = [&] { *text += "b"; };
  run([&] {
    *text = "a";
    callee();
    ts::finish([&] { callee(); });
    EXPECT_EQ(*text, "abb");
    EXPECT_EQ(text->size(), 3u);
  });
}

TEST_P(task_local_test, several_are_independent) {
  ts::task_local<int> a;
  ts::task_local<int> b;
  run([&] {
    for (int i = 1; i <= 20; ++i) {
      ts::async([&, i] {
        *a = i;
        *b = 2 * i;
        ts::yield();
        EXPECT_EQ(*a, i);
        EXPECT_EQ(*b, 2 * i);
      });
    }
  });
}

TEST_P(task_local_test, is_made_at_first_use) {
  ts::task_local<counted> c;
  run([&] {
    ts::finish([&] {
      for (int i = 0; i < 10; ++i) ts::async([] {});
    });
    EXPECT_EQ(counted::made.load(), 0);
    ts::finish([&] {
      ts::async([&] {
        c->value = 1;
        c->value = 2;
      });
    });
    EXPECT_EQ(counted::made.load(), 1);
  });
}

TEST_P(task_local_test, is_destroyed_before_the_finish_ends) {
  ts::task_local<counted> c;
  run([&] {
    ts::finish([&] {
      for (int i = 0; i < 100; ++i) ts::async([&] { c->value = 1; });
    });
    EXPECT_EQ(counted::alive.load(), 0);
  });
}

TEST_P(task_local_test, of_the_root_task_is_destroyed_before_run_ends) {
  ts::task_local<counted> c;
  run([&] { c->value = 1; });
  EXPECT_EQ(counted::alive.load(), 0);
}

// Nobody else is left then, but what the destructor does belongs to the run.
TEST_P(task_local_test, of_the_root_task_may_spawn_and_throw_at_its_end) {
  struct spawner {
    std::atomic<int>* runs = nullptr;
    ~spawner() {
      if (runs == nullptr) return;
      ts::finish([this] { ts::async([n = runs] { ++*n; }); });
      ts::async([n = runs] {
        ts::yield();
        ts::async([n] {
          ++*n;
          throw std::out_of_range("from the end");
        });
      });
      const ts::place_local<int> also_ends(1);
    }
  };
  ts::task_local<spawner> s;
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> runs{0};
    bool thrown = false;
    try {
      run([&] { s->runs = &runs; });
    } catch (const ts::multiple_exceptions& e) {
      thrown = e.exceptions().size() == 1;
    }
    EXPECT_TRUE(thrown);
    EXPECT_EQ(runs, 2);
  }
}

// It is not of the program, and may be begun by one worker and gone on with by another, whose counters each writes alone.
TEST(task_local_of_root, the_finish_in_which_it_ends_is_not_counted) {
  static std::atomic<bool> runs;
  runs = false;
  struct leaves_a_task {
    bool is_used = false;
    ~leaves_a_task() {
      if (!is_used) return;
      ts::async(ts::spawn_policy::help_first, [] {
        runs = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // until the root has stopped to look for its end
      });
      while (!runs) std::this_thread::yield();  // the other worker has it
    }
  };
  const ts::task_local<leaves_a_task> value;
  ts::runtime rt({.threads = 2, .env = false});
  rt.run([&] { value->is_used = true; });
  std::uint64_t finishes = 0;
  for (const auto& w : rt.stats().workers) {
    EXPECT_LE(w.finishes, 1U);
    finishes += w.finishes;
  }
  EXPECT_EQ(finishes, 1U);  // that of the run
}

// The finish of the root has waited for a task that ran elsewhere, as a rule.
TEST_P(task_local_test, of_the_root_task_may_end_place_locals) {
  ts::task_local<std::optional<ts::place_local<int>>> mine;
  for (int i = 0; i < 10; ++i) {
    std::atomic<bool> runs = false;
    run([&] {
      mine->emplace(1);
      ts::async(ts::spawn_policy::help_first, [&runs] {
        runs = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      });
      for (int looks = 0; looks < 100 && !runs; ++looks) std::this_thread::sleep_for(std::chrono::microseconds(20));
    });
  }
}

TEST_P(task_local_test, of_an_index_of_a_loop_is_destroyed_before_the_loop_ends) {
  ts::task_local<counted> c;
  run([&] {
    ts::for_each(0, 100, 10, [&](int) { c->value = 1; });
    EXPECT_EQ(counted::alive.load(), 0);
  });
}

TEST_P(task_local_test, is_destroyed_when_the_task_throws) {
  ts::task_local<counted> c;
  run([&] {
    EXPECT_THROW(ts::finish([&] {
                   ts::async([&] {
                     c->value = 1;
                     throw 1;
                   });
                 }),
                 ts::multiple_exceptions);
    EXPECT_EQ(counted::alive.load(), 0);
  });
}

TEST_P(task_local_test, of_the_root_task_is_new_in_each_run) {
  ts::task_local<int> number;
  for (int i = 0; i < 3; ++i) {
    run([&] {
      EXPECT_EQ(*number, 0);
      *number = 1;
    });
  }
}

TEST_P(task_local_test, a_new_one_at_an_old_address_begins_anew) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      ts::task_local<int> here;
      ts::finish([&] {
        ts::async([&] {
          *here = 1;
          ts::yield();
          EXPECT_EQ(*here, 1);
        });
        ASSERT_EQ(*here, 0);
        *here = 2;
      });
      EXPECT_EQ(*here, 2);
    }
  });
}

TEST_P(task_local_test, belongs_to_the_task_of_a_future_too) {
  ts::task_local<int> number;
  run([&] {
    *number = 1;
    EXPECT_EQ(ts::async_future([&] { return ++*number; }).get(), 1);
    EXPECT_EQ(*number, 1);
  });
}

}  // namespace
