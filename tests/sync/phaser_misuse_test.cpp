// SPDX-License-Identifier: Apache-2.0
// Every misuse of a phaser throws at once, in the misuser, names the operation and changes nothing: what follows the error goes
// on as if the call had not been made. Misuse of next_single stands in phaser_single_test.cpp.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"
#include "sync/phasers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using phasers::complaint_of;
using phasers::is_refused;
using phasers::k_modes;
using phasers::name_of;
using phasers::phaser_complaint_of;
using support::caught;
using support::config_of;
using support::contains;
using enum ts::phaser_mode;

// An operation, with the word that its complaint must contain.
struct operation {
  const char* name;
  std::function<void(const ts::phaser&)> call;
};

void never() { ADD_FAILURE() << "was run"; }

std::vector<operation> operations_that_need_registration() {
  return {
      {"next", [](const ts::phaser& ph) { ph.next(); }},
      {"next_single", [](const ts::phaser& ph) { ph.next_single(never); }},
      {"signal", [](const ts::phaser& ph) { ph.signal(); }},
      {"wait", [](const ts::phaser& ph) { ph.wait(); }},
      {"drop", [](const ts::phaser& ph) { ph.drop(); }},
      {"phase", [](const ts::phaser& ph) { static_cast<void>(ph.phase()); }},
      {"async", [](const ts::phaser& ph) { ts::async(ts::phased(ph), never); }},
      {"async", [](const ts::phaser& ph) { ts::async(ts::phased(ph.as(wait_only)), never); }},
      {"async", [](const ts::phaser& ph) { ts::async(ts::spawn_policy::work_first, ts::phased(ph), never); }},
      {"async",
       [](const ts::phaser& ph) { ts::async(ts::phased(ph), ts::spawn_policy::help_first, ts::named("x"), never); }},
      {"async_future", [](const ts::phaser& ph) { static_cast<void>(ts::async_future(ts::phased(ph), never)); }},
  };
}

void expect_refused(const ts::phaser& ph) {
  for (const operation& o : operations_that_need_registration()) {
    const std::string text = phaser_complaint_of([&] { o.call(ph); });
    EXPECT_TRUE(contains(text, o.name)) << o.name << ": " << text;
    EXPECT_TRUE(contains(text, "phaser")) << o.name << ": " << text;
  }
}

class phaser_misuse_test : public support::each_setting {};
TACTUS_EACH_SETTING(phaser_misuse_test);

TEST(phaser_use_error_test, is_an_error_of_the_library) {
  EXPECT_THROW(throw ts::phaser_use_error("text"), ts::error);
  EXPECT_STREQ(ts::phaser_use_error("text").what(), "text");
}

// ---- not registered ----

TEST_P(phaser_misuse_test, by_a_task_that_was_never_registered_is_refused) {
  run([] {
    const ts::phaser ph(signal_wait_next);
    ts::finish([&] { ts::async([ph] { expect_refused(ph); }); });
    ph.next();
    EXPECT_EQ(ph.phase(), 1u);
  });
}

TEST_P(phaser_misuse_test, by_a_task_that_is_registered_on_another_phaser_is_refused) {
  run([] {
    const ts::phaser ph;
    const ts::phaser other;
    const ts::clock c = ts::clock::make();
    ts::async(ts::phased(other), ts::clocked(c), [ph, other] {
      expect_refused(ph);
      ts::next();
      EXPECT_EQ(other.phase(), 1u);
    });
    ts::next();
    EXPECT_EQ(ph.phase(), 1u);
    EXPECT_EQ(other.phase(), 1u);
  });
}

TEST_P(phaser_misuse_test, after_drop_is_refused) {
  run([] {
    const ts::phaser ph;
    ts::async(ts::phased(ph), [ph] {
      ph.drop();
      expect_refused(ph);
    });
    ph.next();
    EXPECT_EQ(ph.phase(), 1u);
    ph.drop();
    expect_refused(ph);
  });
}

TEST_P(phaser_misuse_test, by_the_maker_after_the_body_of_its_finish_is_refused) {
  run([] {
    std::vector<ts::phaser> kept;
    ts::finish([&] { kept.push_back(ts::phaser(signal_wait_next)); });
    expect_refused(kept.front());
  });
}

TEST_P(phaser_misuse_test, of_a_phaser_from_an_earlier_run_is_refused) {
  std::vector<ts::phaser> kept;
  run([&] { kept.push_back(ts::phaser()); });
  run([&] { expect_refused(kept.front()); });
}

TEST_P(phaser_misuse_test, by_an_element_of_for_each_is_refused) {
  run([] {
    const ts::phaser ph;
    ts::for_each(0, 4, 2, [ph](int) { expect_refused(ph); });
    ph.next();
    EXPECT_EQ(ph.phase(), 1u);
  });
}

TEST_P(phaser_misuse_test, does_not_count_as_a_signal) {
  std::atomic<bool> arrived{false};
  run([&] {
    const ts::promise<void> tried;
    const ts::phaser ph;
    ts::async(ts::phased(ph), [&arrived, ph, opened = tried.get_future()] {
      opened.get();
      arrived = true;
      ph.next();
    });
    ts::async([ph, tried] {
      for (int i = 0; i < 10; ++i) expect_refused(ph);
      tried.set_value();
    });
    ph.next();
    EXPECT_TRUE(arrived);
  });
}

TEST_P(phaser_misuse_test, in_a_task_is_an_exception_like_any_other) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        const ts::phaser ph;
        ts::async([ph] { ph.signal(); });
      });
    });
    ASSERT_TRUE(e);
    ASSERT_EQ(e->exceptions().size(), 1u);
    EXPECT_THROW(std::rethrow_exception(e->exceptions().front()), ts::phaser_use_error);
  });
}

// ---- against the mode ----

TEST_P(phaser_misuse_test, by_a_wait_of_a_signal_only_task_is_refused) {
  run([] {
    const ts::phaser ph(signal_only);
    ph.signal();
    EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.wait(); }), "wait"));
    EXPECT_EQ(ph.phase(), 1u);
    ph.signal();
    EXPECT_EQ(ph.phase(), 2u);
  });
}

TEST_P(phaser_misuse_test, by_a_signal_of_a_wait_only_task_is_refused) {
  run([] {
    const ts::phaser ph(wait_only);
    EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.signal(); }), "signal"));
    ph.wait();
    EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.signal(); }), "signal"));
    EXPECT_EQ(ph.phase(), 1u);
  });
}

TEST_P(phaser_misuse_test, by_a_wait_before_ones_own_signal_is_refused) {
  run([] {
    for (const ts::phaser_mode mode : {signal_wait, signal_wait_next}) {
      const ts::phaser ph(mode);
      EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.wait(); }), "wait")) << name_of(mode);
      EXPECT_EQ(ph.phase(), 0u);
      ph.signal();
      ph.wait();
      EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.wait(); }), "wait")) << name_of(mode);
      EXPECT_EQ(ph.phase(), 1u);
      ph.next();
      EXPECT_EQ(ph.phase(), 2u);
    }
  });
}

// ---- what a child may not get ----

// Tries a spawn that must be refused, and goes through a phase: a child that had been counted would hold it.
template <class Spawn>
void expect_spawn_refused(const ts::phaser& ph, const std::string& what, Spawn spawn) {
  const std::string text = phaser_complaint_of(spawn);
  EXPECT_TRUE(contains(text, "async")) << what << ": " << text;
  const auto before = ph.phase();
  ph.next();
  EXPECT_EQ(ph.phase(), before + 1) << what;
}

TEST_P(phaser_misuse_test, by_giving_a_child_more_than_the_parent_has_is_refused) {
  run([] {
    for (const ts::phaser_mode of_parent : k_modes) {
      for (const ts::phaser_mode of_child : k_modes) {
        if (phasers::may_hand_on(of_parent, of_child)) continue;
        const ts::phaser ph(of_parent);
        expect_spawn_refused(ph, std::string(name_of(of_parent)) + " to " + name_of(of_child),
                             [&] { ts::async(ts::phased(ph.as(of_child)), never); });
      }
    }
  });
}

TEST_P(phaser_misuse_test, by_naming_a_phaser_twice_with_two_modes_is_refused) {
  run([] {
    const ts::phaser ph;
    expect_spawn_refused(ph, "two that are named",
                         [&] { ts::async(ts::phased(ph.as(wait_only), ph.as(signal_only)), never); });
    expect_spawn_refused(ph, "the parent's and a lower one",
                         [&] { ts::async(ts::phased(ph, ph.as(signal_only)), never); });
    expect_spawn_refused(ph, "a lower one and the parent's",
                         [&] { ts::async(ts::phased(ph.as(wait_only), ph), never); });
    expect_spawn_refused(ph, "in two attributes",
                         [&] { ts::async(ts::phased(ph), ts::phased(ph.as(signal_only)), never); });
  });
}

TEST_P(phaser_misuse_test, at_one_phaser_of_a_list_registers_the_child_on_none) {
  run([] {
    const ts::phaser mine;
    const ts::phaser left;
    const ts::clock c = ts::clock::make();
    left.drop();
    expect_spawn_refused(mine, "the second of a list", [&] { ts::async(ts::phased(mine, left), never); });
    expect_spawn_refused(mine, "another attribute",
                         [&] { ts::async(ts::clocked(c), ts::phased(mine), ts::phased(left), never); });
    expect_spawn_refused(mine, "for its mode",
                         [&] { ts::async(ts::phased(mine.as(signal_wait_next)), ts::clocked(c), never); });
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

// ---- a child joined by another finish than that in which the phaser was made ----

TEST_P(phaser_misuse_test, by_a_spawn_in_a_finish_inside_that_of_the_phaser_is_refused) {
  run([] {
    const ts::phaser ph;
    ts::finish([&] {
      const auto refused = [&](const std::string& what, auto spawn) {
        const std::string text = phaser_complaint_of(spawn);
        EXPECT_TRUE(contains(text, "async")) << what << ": " << text;
        EXPECT_TRUE(contains(text, "finish")) << what << ": " << text;
      };
      refused("plain", [&] { ts::async(ts::phased(ph), never); });
      refused("with less", [&] { ts::async(ts::phased(ph.as(wait_only)), never); });
      refused("future", [&] { static_cast<void>(ts::async_future(ts::phased(ph), never)); });
      ts::finish([&] { refused("two deep", [&] { ts::async(ts::phased(ph), never); }); });
      ph.next();
    });
    ts::async(ts::phased(ph), [ph] { ph.next(); });
    ph.next();
    EXPECT_EQ(ph.phase(), 2u);
  });
}

TEST_P(phaser_misuse_test, by_a_spawn_in_a_finish_of_a_task_that_was_registered_outside_it_is_refused) {
  run([] {
    const ts::phaser ph;
    ts::async(ts::phased(ph), [ph] {
      ts::finish([&] { EXPECT_TRUE(is_refused([&] { ts::async(ts::phased(ph), never); })); });
      ph.next();
      EXPECT_EQ(ph.phase(), 1u);
    });
    ph.next();
  });
}

TEST_P(phaser_misuse_test, is_no_misuse_for_tasks_of_the_same_finish_at_any_depth_of_spawning) {
  std::atomic<int> passed{0};
  run([&] {
    const ts::phaser outer;
    ts::finish([&] {
      const ts::phaser inner;
      ts::async(ts::phased(inner), [&passed, inner] {
        ts::async(ts::phased(inner), [&passed, inner] {
          ts::async(ts::phased(inner), [&passed, inner] {
            inner.next();
            ++passed;
          });
          inner.next();
        });
        inner.next();
      });
    });
    outer.next();
    EXPECT_EQ(outer.phase(), 1u);
  });
  EXPECT_EQ(passed.load(), 1);
}

// ---- where no phaser can be, or none can be used ----

TEST(bound_test, is_of_any_integral_type_and_not_negative) {
  const int two = 2;
  EXPECT_EQ(ts::bound{two}.phases, 2u);
  EXPECT_EQ(ts::bound{std::size_t{3}}.phases, 3u);
  int below = -two;
  const auto refused = caught<ts::phaser_use_error>([below] { static_cast<void>(ts::bound{below}); });
  ASSERT_TRUE(refused);
  EXPECT_STREQ(refused->what(), "tactus::bound: -2 is negative; the least is 1");
}

TEST_P(phaser_misuse_test, by_a_bound_of_0_is_refused) {
  run([] { EXPECT_TRUE(caught<ts::error>([] { static_cast<void>(ts::phaser(signal_wait, ts::bound{0})); })); });
}

std::vector<operation> operations_of_the_task() {
  return {
      {"phaser", [](const ts::phaser&) { static_cast<void>(ts::phaser()); }},
      {"phaser", [](const ts::phaser&) { static_cast<void>(ts::phaser(signal_only)); }},
      {"next", [](const ts::phaser&) { ts::next(); }},
      {"next_single", [](const ts::phaser&) { ts::next_single(never); }},
      {"async", [](const ts::phaser&) { ts::async(ts::phased_all, never); }},
  };
}

TEST_P(phaser_misuse_test, inside_an_atomic_block_is_an_atomic_use_error_and_changes_nothing) {
  run([] {
    const ts::phaser ph(signal_wait_next);
    std::vector<operation> all = operations_that_need_registration();
    for (const operation& o : operations_of_the_task()) all.push_back(o);
    for (const operation& o : all) {
      if (std::string(o.name) == "phase") continue;  // neither spawns, waits, signals, registers nor drops
      const std::string text = complaint_of<ts::atomic_use_error>([&] { ts::atomic([&] { o.call(ph); }); });
      EXPECT_TRUE(contains(text, o.name)) << o.name << ": " << text;
    }
    EXPECT_EQ(ph.phase(), 0u);
    ph.next();
    EXPECT_EQ(ph.phase(), 1u);
  });
}

void expect_usage_errors(const ts::phaser& ph) {
  std::vector<operation> all = operations_that_need_registration();
  for (const operation& o : operations_of_the_task()) all.push_back(o);
  for (const operation& o : all) {
    const std::string text = complaint_of<ts::usage_error>([&] { o.call(ph); });
    EXPECT_TRUE(contains(text, o.name)) << o.name << ": " << text;
  }
}

TEST(phaser_outside_tasks_test, every_operation_throws_usage_error_outside_a_run) {
  std::vector<ts::phaser> kept;
  ts::run(config_of(1), [&] { kept.push_back(ts::phaser()); });
  expect_usage_errors(kept.front());
}

TEST_P(phaser_misuse_test, from_a_foreign_thread_is_a_usage_error_and_changes_nothing) {
  run([] {
    const ts::phaser ph;
    std::thread([&] { expect_usage_errors(ph); }).join();
    EXPECT_EQ(ph.phase(), 0u);
    ph.next();
    EXPECT_EQ(ph.phase(), 1u);
  });
}

}  // namespace
