// SPDX-License-Identifier: Apache-2.0
// Every documented misuse of the operations of places ends in its documented error, which names the call and says where it was made, and
// has sent nothing.
#include "place_settings.hpp"

#include "../support/caught.hpp"
#include "../support/restricted_spots.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

namespace {
namespace ts = tactus;
using support::contains;
using place_misuse_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, place_misuse_test, support::every_place_setting(), support::place_setting_name);

std::atomic<int> g_ran;
void note() { ++g_ran; }

struct noted {
  noted() { note(); }
};

// A call, and how its complaints begin.
struct operation {
  std::string name;
  std::function<void()> call;
};

std::vector<operation> operations_to(ts::place p) {
  return {
      {"tactus::async_at", [p] { ts::async_at(p, note); }},
      {"tactus::async_at", [p] { ts::async_at(p, ts::named("x"), note); }},
      {"tactus::at", [p] { ts::at(p, note); }},
      {"tactus::at_future", [p] { static_cast<void>(ts::at_future(p, note)); }},
      {"tactus::at_future", [p] { static_cast<void>(ts::at_future(p, ts::named("x"), note)); }},
      {"tactus::at_each", [p] { ts::at_each(std::vector{ts::place(), p}, note); }},
      {"tactus::at_each", [p] { ts::at_each(ts::place_group{p}, note); }},
  };
}

std::vector<operation> operations_that_send(ts::place p) {
  std::vector<operation> all = operations_to(p);
  all.push_back({"tactus::at_each", [] { ts::at_each(ts::place_group(), note); }});
  all.push_back({"tactus::place_local", [] { const ts::place_local<noted> made; }});
  return all;
}

// Refused with exactly this class of error.
template <class Error>
void expect_refused(const operation& o, const std::string& goes_on, const std::string& why) {
  try {
    o.call();
    ADD_FAILURE() << o.name << " was allowed";
  } catch (const std::exception& e) {
    const std::string text = e.what();
    EXPECT_STREQ(typeid(e).name(), typeid(Error).name()) << text;
    EXPECT_EQ(text.rfind(o.name + goes_on, 0), 0U) << o.name << ": " << text;
    EXPECT_TRUE(contains(text, why)) << o.name << ": " << text;
  }
}

// All that send, at a spot where they may not, to each place.
template <class Error>
void expect_all_refused(const support::restricted_spot& spot, const std::string& why) {
  g_ran = 0;
  int refused = 0;
  int all = 0;
  ts::finish([&] {
    for (const ts::place p : ts::places()) {
      for (const operation& o : operations_that_send(p)) {
        ++all;
        spot.carry_out([&] {
          expect_refused<Error>(o, " was called ", why);
          ++refused;
        });
      }
    }
  });
  EXPECT_EQ(refused, all) << spot;
  EXPECT_EQ(g_ran, 0) << "something was sent all the same: " << spot;
  EXPECT_FALSE(testing::Test::HasFailure()) << spot;  // a trace would be of the thread, not of the task
}

TEST_P(place_misuse_test, what_sends_is_refused_in_blocks_and_conditions) {
  run([] {
    for (const support::restricted_spot& spot : support::k_blocks) {
      expect_all_refused<ts::atomic_use_error>(spot, "inside an atomic block or its condition");
    }
  });
}

TEST_P(place_misuse_test, what_sends_is_refused_in_steps_of_lockstep) {
  run([] { expect_all_refused<ts::usage_error>(support::k_step, "in a step of lockstep"); });
}

TEST_P(place_misuse_test, what_sends_is_refused_in_functions_that_combine) {
  run([] { expect_all_refused<ts::usage_error>(support::k_combine, "with which an accumulator combines"); });
}

// The task is named where it has a name.
TEST_P(place_misuse_test, complaints_name_the_task) {
  run([] {
    ts::finish([] {
      ts::async_at(ts::place(ts::num_places() - 1), ts::named("careless"), [] {
        for (const operation& o : operations_that_send(ts::place())) {
          ts::atomic(
              [&o] { expect_refused<ts::atomic_use_error>(o, " was called by task 'careless' inside", "block"); });
        }
      });
    });
  });
}

int g_number;

TEST_P(place_misuse_test, places_of_a_larger_run_are_refused) {
  ts::config larger = support::config_of(GetParam());
  ++larger.places;
  const auto last = ts::run(larger, [] { return ts::places()[ts::places().size() - 1]; });
  const auto far = ts::run(larger, [] {
    return ts::at(ts::places()[ts::places().size() - 1], [] { return ts::global_ref<int>(g_number); });
  });
  EXPECT_EQ(last.id(), GetParam().places);
  EXPECT_EQ(far.home(), last);
  g_ran = 0;
  run([last, far] {
    const ts::place_local<int> mine(1);
    std::vector<operation> all = operations_to(last);
    all.push_back({"tactus::at", [far] { far.at([](int&) { note(); }); }});
    all.push_back({"tactus::at", [&mine, last] { mine.at(last, [](int&) { note(); }); }});
    const std::string no_place = ": there is no place " + std::to_string(last.id());
    ts::finish([&] {
      for (const operation& o : all) {
        expect_refused<ts::place_error>(o, no_place, "0 to " + std::to_string(ts::num_places() - 1));
      }
    });
    EXPECT_EQ(*mine, 1);
  });
  EXPECT_EQ(g_ran, 0) << "something was sent all the same";
}

// ---- outside of tasks ----

struct handles {
  ts::global_ref<int> ref;
  ts::place_local_ref<int> local;
};

std::vector<operation> operations_that_need_a_task(const handles& h) {
  std::vector<operation> all = operations_that_send(ts::place());
  const std::vector<operation> others = {
      {"tactus::here", [] { static_cast<void>(ts::here()); }},
      {"tactus::num_places", [] { static_cast<void>(ts::num_places()); }},
      {"tactus::places", [] { static_cast<void>(ts::places()); }},
      {"tactus::place", [] { static_cast<void>(ts::place(0)); }},
      {"tactus::place::next", [] { static_cast<void>(ts::place().next()); }},
      {"tactus::place::prev", [] { static_cast<void>(ts::place().prev()); }},
      {"tactus::global_ref", [] { const ts::global_ref<int> made(g_number); }},
      {"tactus::global_ref::operator*", [h] { ++*h.ref; }},
      {"tactus::global_ref::operator*", [h] { static_cast<void>(h.ref.operator->()); }},
      {"tactus::at", [h] { h.ref.at([](int&) { note(); }); }},
      {"tactus::place_local", [h] { ++*h.local; }},
      {"tactus::place_local", [h] { static_cast<void>(h.local.operator->()); }},
      {"tactus::at", [h] { h.local.at(ts::place(), [](int&) { note(); }); }},
  };
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

void expect_all_refused_outside(const handles& h) {
  g_ran = 0;
  g_number = 7;
  for (const operation& o : operations_that_need_a_task(h)) {
    expect_refused<ts::usage_error>(o, " was called from a thread that runs no task", "call it inside tactus::run");
  }
  EXPECT_EQ(g_number, 7);
  EXPECT_EQ(g_ran, 0);
}

TEST_P(place_misuse_test, outside_of_tasks_all_are_refused) {
  expect_all_refused_outside({});
  const auto h = run([] {
    const ts::place_local<int> mine(1);
    const handles of_run{ts::global_ref<int>(g_number), mine.ref()};
    std::thread([&of_run] { expect_all_refused_outside(of_run); }).join();
    EXPECT_EQ(*mine, 1);
    return of_run;
  });
  expect_all_refused_outside(h);
}

// ---- attributes that register ----

TEST_P(place_misuse_test, nothing_is_registered_on_clocks_and_phasers_over_places_yet) {
  g_ran = 0;
  run([] {
    ts::finish([] {
      const ts::clock c = ts::clock::make();
      const ts::phaser ph;
      for (const ts::place p : ts::places()) {
        const std::string why = "over places yet";
        const operation clocked[] = {
            {"tactus", [p, c] { ts::async_at(p, ts::clocked(c), note); }},
            {"tactus", [p, c] { static_cast<void>(ts::at_future(p, ts::clocked(c), note)); }},
            {"tactus", [p, c] { static_cast<void>(ts::at_future(p, ts::named("x"), ts::clocked(c), note)); }},
        };
        for (const operation& o : clocked) expect_refused<ts::clock_use_error>(o, ": clocks", why);
        const operation phased[] = {
            {"tactus", [p, &ph] { ts::async_at(p, ts::phased(ph), note); }},
            {"tactus", [p] { ts::async_at(p, ts::phased_all, note); }},
            {"tactus", [p, &ph] { static_cast<void>(ts::at_future(p, ts::phased(ph), note)); }},
            {"tactus", [p] { static_cast<void>(ts::at_future(p, ts::phased_all, note)); }},
        };
        for (const operation& o : phased) expect_refused<ts::phaser_use_error>(o, ": phasers", why);
      }
      c.advance();  // nobody else is registered
      ph.next();
      EXPECT_EQ(c.phase(), 1U);
      EXPECT_EQ(ph.phase(), 1U);
    });
  });
  EXPECT_EQ(g_ran, 0);
}

}  // namespace
