// SPDX-License-Identifier: Apache-2.0
// place_local: one object at each place, under one name.
#include "place_settings.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {
namespace ts = tactus;
using place_local_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, place_local_test, support::every_place_setting(), support::place_setting_name);

static_assert(std::is_trivially_copyable_v<ts::place_local_ref<std::string>>);

std::atomic<int> g_alive;

struct counted {
  counted() : counted(0) {}
  explicit counted(int first) : number(first + ts::here().id()) { ++g_alive; }
  ~counted() { --g_alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  int number;
};

TEST_P(place_local_test, has_one_object_at_each_place) {
  g_alive = 0;
  run([] {
    const ts::place_local<counted> s(100);
    EXPECT_EQ(g_alive, ts::num_places());
    EXPECT_EQ(s->number, 100);
    const auto name = s.ref();
    ts::at_each(ts::places(), [name] {
      EXPECT_EQ(name->number, 100 + ts::here().id());
      name->number = -ts::here().id();
    });
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(s.at(p, [](const counted& c, int more) { return c.number + more; }, 1), 1 - p.id());
    }
  });
  EXPECT_EQ(g_alive, 0);
}

TEST_P(place_local_test, its_objects_end_before_the_run_and_before_the_next_is_made) {
  g_alive = 0;
  run([] {
    for (int i = 0; i < 10; ++i) {
      const ts::place_local<counted> s;
      EXPECT_EQ(g_alive, ts::num_places());
      const ts::place_local<std::vector<int>> other(3);
      EXPECT_EQ(other->size(), 3u);
    }
  });
  EXPECT_EQ(g_alive, 0);
}

TEST_P(place_local_test, may_be_made_and_end_at_any_place) {
  g_alive = 0;
  run([] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(p, [] {
          const ts::place_local<std::string> s(std::string("text"));
          EXPECT_EQ(s.at(ts::here().next(), [](std::string& t) { return t += "!"; }), "text!");
        });
      }
    });
  });
}

// The tasks that end objects wait for no room, so they give none back either: with assertions on, room that nobody took is found.
TEST_P(place_local_test, its_ends_take_no_room_and_give_none_back) {
  ts::config small = config_of(GetParam());
  small.message_bytes = 256;
  small.local_copy = ts::copying::serialize;
  g_alive = 0;
  ts::run(small, [] {
    for (int i = 0; i < 50; ++i) {
      const ts::place_local<counted> s;
      ts::async_at(ts::here().next(), [] {});
    }
  });
  EXPECT_EQ(g_alive, 0);
}

struct refuses {
  refuses() {
    if (ts::here().id() == ts::num_places() - 1) {
      throw std::runtime_error("not here");
    }
    ++g_alive;
  }
  ~refuses() { --g_alive; }
  refuses(const refuses&) = delete;
  refuses& operator=(const refuses&) = delete;
};

TEST_P(place_local_test, is_not_made_at_all_where_one_cannot_be) {
  g_alive = 0;
  run([] {
    EXPECT_THROW(ts::place_local<refuses>(), ts::multiple_exceptions);
    const ts::place_local<counted> next;  // waits for the ends
    EXPECT_EQ(g_alive, ts::num_places());
  });
  EXPECT_EQ(g_alive, 0);
}

TEST_P(place_local_test, a_ref_of_one_that_has_gone_is_refused) {
  run([] {
    ts::place_local_ref<counted> gone;
    EXPECT_THROW(static_cast<void>(*gone), ts::place_error);
    {
      const ts::place_local<counted> s;
      gone = s.ref();
    }
    EXPECT_THROW(static_cast<void>(*gone), ts::place_error);  // at once, though its objects may not have ended
    const ts::place_local<counted> next;
    EXPECT_NE(next.ref(), gone);
    EXPECT_THROW(static_cast<void>(*gone), ts::place_error);
  });
}

TEST(place_locals_of_two_runtimes, are_not_mixed) {
  ts::runtime first({.threads = 1, .places = 2});
  ts::runtime second({.threads = 1, .places = 2});
  first.run([&second] {
    const ts::place_local<counted> s(100);
    std::string said;
    std::thread([&said, &second, name = s.ref()] {
      second.run([&said, name] {
        try {
          ++name->number;
        } catch (const ts::usage_error& e) {
          said = e.what();
        }
        EXPECT_THROW(ts::at(ts::place(1), [](ts::place_local_ref<counted> n) { ++n->number; }, name), ts::usage_error);
      });
    }).join();
    EXPECT_NE(said.find("another runtime"), std::string::npos) << said;
    EXPECT_EQ(s->number, 100);
  });
}

TEST_P(place_local_test, one_that_has_gone_is_not_found_at_the_other_places_either) {
  static std::atomic<bool> has_gone;
  static std::atomic<int> told;
  has_gone = false;
  told = 0;
  g_alive = 0;
  run([] {
    ts::finish([] {
      std::optional<ts::place_local<counted>> s;
      s.emplace(7);
      for (const ts::place p : ts::places()) {
        ts::async_at(p, [name = s->ref()] {
          EXPECT_EQ(name->number, 7 + ts::here().id());
          ++told;
          while (!has_gone) {
            ts::yield();
          }
          EXPECT_THROW(static_cast<void>(*name), ts::place_error);
        });
      }
      while (told != ts::num_places()) {
        ts::yield();
      }
      s.reset();
      has_gone = true;
    });
  });
  EXPECT_EQ(g_alive, 0);
}

TEST_P(place_local_test, what_an_end_spawns_belongs_to_the_run) {
  static std::atomic<int> ended;
  ended = 0;
  struct spawns {
    ~spawns() {
      ts::async([] {
        ts::yield();
        ++ended;
      });
    }
  };
  run([] { const ts::place_local<spawns> s; });
  EXPECT_EQ(ended, GetParam().places);
}

TEST_P(place_local_test, its_ends_are_tasks_of_the_run_in_a_stuck_program_too) {
  static std::atomic<int> ended;
  struct tells_where {
    ~tells_where() { ended += 1 << ts::here().id(); }  // here() throws outside of tasks
  };
  for (int p = 0; p < GetParam().places; ++p) {
    ended = 0;
    EXPECT_THROW(run([p] {
                   ts::at(ts::place(p), [] {
                     const ts::place_local<tells_where> s;
                     const ts::promise<int> never;
                     static_cast<void>(never.get_future().get());
                   });
                 }),
                 ts::deadlock_error);
    EXPECT_EQ(ended, (1 << GetParam().places) - 1);
  }
}

TEST_P(place_local_test, may_end_in_an_atomic_block) {
  g_alive = 0;
  run([] {
    std::optional<ts::place_local<counted>> s;
    s.emplace();
    ts::atomic([&s] { s.reset(); });
  });
  EXPECT_EQ(g_alive, 0);
}

TEST_P(place_local_test, is_refused_in_an_atomic_block) {
  run([] {
    EXPECT_THROW(ts::atomic([] { const ts::place_local<counted> s; }), ts::atomic_use_error);
    EXPECT_THROW(ts::atomic([] { ts::async_at(ts::place(), [] {}); }), ts::atomic_use_error);
    EXPECT_THROW(ts::atomic([] { ts::at(ts::place(), [] {}); }), ts::atomic_use_error);
    EXPECT_THROW(ts::atomic([] { ts::at_each(ts::places(), [] {}); }), ts::atomic_use_error);
    EXPECT_THROW(ts::atomic([] { ts::at_future(ts::place(), [] {}); }), ts::atomic_use_error);
  });
}

TEST_P(place_local_test, may_be_made_of_what_cannot_be_copied) {
  struct holder {
    explicit holder(std::unique_ptr<int> p) : number(*p) {}
    int number;
  };
  run([] {
    const ts::place_local<holder> s(std::make_unique<int>(6));
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(s.at(p, [](const holder& h) { return h.number; }), 6);
    }
  });
}

TEST_P(place_local_test, may_be_of_what_nobody_changes) {
  run([] {
    const ts::place_local<const std::string> text(std::string("the same"));
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(text.at(p, [](const std::string& s) { return s + ts::to_string(ts::here()); }),
                "the same" + ts::to_string(p));
    }
  });
}

}  // namespace
