// SPDX-License-Identifier: Apache-2.0
// What the tests of atomic, when and monitor share: the list of operations that no block may use.
#pragma once

#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace blocks {

/// An operation that spawns, waits, signals, registers or drops, and the word that its complaint must contain.
struct forbidden {
  const char* name;
  std::function<void()> call;
};

/// Handles that the operations need, made outside the block. Nothing that is forbidden would have to wait: it throws all the same.
struct material {
  tactus::clock clock = tactus::clock::make();
  tactus::future<int> ready = tactus::async_future([] { return 1; });
  mutable tactus::monitor other;

  material() { static_cast<void>(ready.get()); }
};

inline std::vector<forbidden> forbidden_operations(const material& m) {
  namespace ts = tactus;
  const auto never = [] { ADD_FAILURE() << "was spawned"; };
  return {
      {"async", [never] { ts::async(never); }},
      {"async", [never] { ts::async(ts::spawn_policy::work_first, never); }},
      {"async", [never] { ts::async(ts::spawn_policy::help_first, never); }},
      {"async", [never] { ts::async(ts::named("x"), never); }},
      {"async", [never, &m] { ts::async(ts::clocked(m.clock), never); }},
      {"async_future", [never] { static_cast<void>(ts::async_future(never)); }},
      {"finish", [never] { ts::finish(never); }},
      {"finish", [] { ts::finish(ts::clocked, [](ts::clock) { ADD_FAILURE() << "was run"; }); }},
      {"for_each", [] { ts::for_each(0, 4, [](int) { ADD_FAILURE() << "was run"; }); }},
      {"for_each", [] { ts::for_each(0, 4, 2, [](int) { ADD_FAILURE() << "was run"; }); }},
      {"reduce",
       [] {
         static_cast<void>(ts::reduce(0, 4, std::plus<>{}, [](int i) {
           ADD_FAILURE() << "was run";
           return i;
         }));
       }},
      {"lockstep", [] { ts::lockstep(0, 4, [] { return false; }, [](int) { ADD_FAILURE() << "was run"; }); }},
      {"get", [&m] { static_cast<void>(m.ready.get()); }},
      {"when", [never] { ts::when([] { return true; }, never); }},
      {"when", [never, &m] { m.other.when([] { return true; }, never); }},
      {"yield", [] { ts::yield(); }},
      {"advance", [&m] { m.clock.advance(); }},
      {"advance", [&m] { m.clock.advance(ts::wait::eager); }},
      {"advance_all", [] { ts::advance_all(); }},
      {"resume", [&m] { m.clock.resume(); }},
      {"resume_all", [] { ts::resume_all(); }},
      {"drop", [&m] { m.clock.drop(); }},
      {"make", [] { static_cast<void>(ts::clock::make()); }},
      {"run", [never] { ts::run(support::config_of(1), never); }},
  };
}

inline void expect_each_forbidden(const material& m) {
  for (const forbidden& o : forbidden_operations(m)) {
    const auto e = support::caught<tactus::atomic_use_error>(o.call);
    ASSERT_TRUE(e) << o.name << " was allowed";
    EXPECT_TRUE(support::contains(e->what(), o.name)) << o.name << ": " << e->what();
  }
}

/// After the refusals everything must be as it was: the clock has not moved, nothing was spawned, every operation works again.
inline void expect_unharmed(const material& m) {
  namespace ts = tactus;
  EXPECT_TRUE(m.clock.registered());
  EXPECT_EQ(m.clock.phase(), 0u);
  int passed = 0;
  ts::async(ts::clocked(m.clock), [&passed, c = m.clock] {
    c.advance();
    passed = 1;
    c.advance();
  });
  m.clock.advance();
  m.clock.advance();
  EXPECT_EQ(passed, 1);
  EXPECT_EQ(m.clock.phase(), 2u);
  EXPECT_EQ(ts::finish([] { return ts::async_future([] { return 5; }); }).get(), 5);
  int blocks = 0;
  ts::atomic([&] { ++blocks; });
  m.other.when([] { return true; }, [&] { ++blocks; });
  EXPECT_EQ(blocks, 2);
}

}  // namespace blocks
