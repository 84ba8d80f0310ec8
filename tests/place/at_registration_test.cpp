// SPDX-License-Identifier: Apache-2.0
// The body of an at() is registered on nothing, wherever it runs: what its caller is registered on is refused to it, and stays as it was.
#include "place_settings.hpp"

#include "../support/caught.hpp"

#include <functional>
#include <string>
#include <typeinfo>
#include <vector>

namespace {
namespace ts = tactus;
using support::contains;
using at_registration_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, at_registration_test, support::every_place_setting(), support::place_setting_name);

// Handles of place 0, where all places of one process reach them.
const ts::clock* g_clock = nullptr;
const ts::phaser* g_phaser = nullptr;
const ts::accumulator<int>* g_sum = nullptr;

struct operation {
  const char* name;
  std::function<void()> call;
};

template <class Error>
void expect_refused(const std::vector<operation>& all) {
  for (const operation& o : all) {
    try {
      o.call();
      ADD_FAILURE() << o.name << " was allowed at " << ts::to_string(ts::here());
    } catch (const std::exception& e) {
      EXPECT_STREQ(typeid(e).name(), typeid(Error).name()) << e.what();
      EXPECT_TRUE(contains(e.what(), o.name)) << o.name << ": " << e.what();
      EXPECT_TRUE(contains(e.what(), "not registered")) << o.name << ": " << e.what();
    }
  }
}

void never() { ADD_FAILURE() << "was spawned"; }

void try_clock() {
  const ts::clock c = *g_clock;
  EXPECT_FALSE(c.registered());
  EXPECT_TRUE(c.dropped());
  expect_refused<ts::clock_use_error>({
      {"resume", [c] { c.resume(); }},
      {"advance", [c] { c.advance(); }},
      {"drop", [c] { c.drop(); }},
      {"phase", [c] { static_cast<void>(c.phase()); }},
      {"clocked", [c] { ts::async(ts::clocked(c), never); }},
  });
  ts::advance_all();  // of nothing
  ts::resume_all();
}

void try_phaser() {
  const ts::phaser& ph = *g_phaser;
  EXPECT_FALSE(ph.registered());
  expect_refused<ts::phaser_use_error>({
      {"next", [&ph] { ph.next(); }},
      {"next_single", [&ph] { ph.next_single(never); }},
      {"signal", [&ph] { ph.signal(); }},
      {"wait", [&ph] { ph.wait(); }},
      {"drop", [&ph] { ph.drop(); }},
      {"phase", [&ph] { static_cast<void>(ph.phase()); }},
      {"phased", [&ph] { ts::async(ts::phased(ph), never); }},
      {"send", [] { g_sum->send(1000); }},
      {"result", [] { static_cast<void>(g_sum->result()); }},
  });
  ts::next();  // of nothing
}

TEST_P(at_registration_test, the_callers_clock_is_refused_to_the_body) {
  run([] {
    ts::finish([] {
      const ts::clock c = ts::clock::make();
      g_clock = &c;
      c.advance();
      for (const ts::place p : ts::places()) {
        ts::at(p, try_clock);
        EXPECT_TRUE(c.registered());
        EXPECT_EQ(c.phase(), 1U);
      }
      c.advance();
      EXPECT_EQ(c.phase(), 2U);
    });
  });
}

TEST_P(at_registration_test, the_callers_phaser_and_its_accumulator_are_refused_to_the_body) {
  run([] {
    ts::finish([] {
      const ts::phaser ph(ts::phaser_mode::signal_wait_next);
      const ts::accumulator<int> sum(ph, ts::op::sum);
      g_phaser = &ph;
      g_sum = &sum;
      sum.send(3);
      for (const ts::place p : ts::places()) {
        ts::at(p, try_phaser);
        EXPECT_TRUE(ph.registered());
        EXPECT_EQ(ph.phase(), 0U);
      }
      ph.next();
      EXPECT_EQ(ph.phase(), 1U);
      EXPECT_EQ(sum.result(), 3);
    });
  });
}

TEST_P(at_registration_test, a_clock_is_refused_to_tasks_elsewhere) {
  run([] {
    ts::finish([] {
      const ts::clock c = ts::clock::make();
      g_clock = &c;
      ts::finish([] {
        for (const ts::place p : ts::places()) {
          ts::async_at(p, try_clock);
        }
      });
      EXPECT_EQ(c.phase(), 0U);
      c.advance();
      EXPECT_EQ(c.phase(), 1U);
    });
  });
}

TEST_P(at_registration_test, a_phaser_is_refused_to_tasks_elsewhere) {
  run([] {
    ts::finish([] {
      const ts::phaser ph(ts::phaser_mode::signal_wait_next);
      const ts::accumulator<int> sum(ph, ts::op::sum);
      g_phaser = &ph;
      g_sum = &sum;
      ts::finish([] {
        for (const ts::place p : ts::places()) {
          ts::async_at(p, try_phaser);
        }
      });
      ph.next();
      EXPECT_EQ(ph.phase(), 1U);
    });
  });
}

// What the body makes is its own, and gone with it: else the caller's next step would wait for ever.
TEST_P(at_registration_test, what_the_body_is_registered_on_ends_with_it) {
  run([] {
    for (const ts::place p : ts::places()) {
      ts::at(p, [] {
        const ts::clock c = ts::clock::make();
        const ts::phaser ph;
        g_clock = &c;
        c.advance();
        ph.next();
        EXPECT_EQ(c.phase(), 1U);
        ts::at(ts::here(), [] { EXPECT_FALSE(g_clock->registered()); });
      });
      ts::advance_all();
      ts::next();
    }
  });
}

}  // namespace
