// SPDX-License-Identifier: Apache-2.0
// A closure that names the stack of any task of the process is refused, at every target.
#include "place_settings.hpp"

#include "../support/caught.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {
namespace ts = tactus;
using support::contains;
using stack_look_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, stack_look_test, support::every_place_setting(), support::place_setting_name);

std::atomic<int> g_looks;  // closures that all calls have refused

template <class Call>
void expect_refused(const char* name, Call call) {
  try {
    call();
    ADD_FAILURE() << name << " was allowed";
  } catch (const ts::place_error& e) {
    EXPECT_TRUE(contains(e.what(), std::string(name) + ": the closure captures a reference to the stack")) << e.what();
  }
}

// By whichever task it is that names the stack.
template <class F>
void expect_refused_everywhere(F closure) {
  for (const ts::place p : ts::places()) {
    expect_refused("async_at", [&] { ts::async_at(p, closure); });
    expect_refused("async_at", [&] { ts::async_at(p, ts::named("x"), closure); });
    expect_refused("at", [&] { ts::at(p, closure); });
    expect_refused("at_future", [&] { static_cast<void>(ts::at_future(p, closure)); });
    expect_refused("at_each", [&] { ts::at_each(std::vector{p}, closure); });
  }
  ++g_looks;
}

void look_at_own_stack() {
  int mine = 0;
  expect_refused_everywhere([&mine] { ++mine; });
  expect_refused_everywhere([at = &mine, more = 1L] { *at += static_cast<int>(more); });
  EXPECT_EQ(mine, 0);
}

TEST_P(stack_look_test, sees_the_stack_of_each_kind_of_task) {
  g_looks = 0;
  run([] {
    ts::finish([] {
      for (int i = 0; i < 4; ++i) {
        ts::async([] {
          look_at_own_stack();
          ts::yield();
          look_at_own_stack();  // perhaps by another worker
        });
        ts::async(ts::spawn_policy::help_first, look_at_own_stack);
      }
    });
    EXPECT_EQ(g_looks, 24);
    ts::async_future(look_at_own_stack).get();
    ts::for_each(0, 3, [](int) { look_at_own_stack(); });
    EXPECT_EQ(g_looks, 32);
  });
}

TEST_P(stack_look_test, sees_the_stacks_of_tasks_at_every_place) {
  g_looks = 0;
  run([] {
    ts::at_each(ts::places(), look_at_own_stack);
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(p, [] {
          look_at_own_stack();
          ts::finish([] { ts::async(look_at_own_stack); });
        });
        ts::at(p, look_at_own_stack);
      }
    });
    EXPECT_EQ(g_looks, 8 * ts::num_places());
  });
}

std::uintptr_t g_frames[8];  // of tasks that wait, one at each place, complemented

// Where AddressSanitizer keeps locals elsewhere, a frame still is on the stack.
void wait_with_a_frame() {
  g_frames[ts::here().id()] = ~reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  ++g_looks;
  while (g_looks >= 0) {
    ts::yield();
  }
}

TEST_P(stack_look_test, sees_the_stacks_of_others_at_any_place) {
  g_looks = 0;
  run([] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(p, wait_with_a_frame);
      }
      while (g_looks != ts::num_places()) {
        ts::yield();
      }
      const int looks = g_looks;
      ts::at_each(ts::places(), [] {
        for (int p = 0; p < ts::num_places(); ++p) {
          const auto* const there = reinterpret_cast<const char*>(~g_frames[p]);
          expect_refused_everywhere([there] { ADD_FAILURE() << *there; });
        }
      });
      EXPECT_EQ(g_looks, looks + ts::num_places() * ts::num_places());
      g_looks = -1;
    });
  });
}

int g_global = 0;

TEST_P(stack_look_test, sees_no_stack_in_what_lies_elsewhere) {
  run([] {
    const auto heap = std::make_unique<std::atomic<int>>(0);
    g_global = 5;
    ts::finish([&heap] {
      for (const ts::place p : ts::places()) {
        ts::async([at = heap.get(), of_all = &g_global, p] {
          const auto add = [at, of_all] { *at += *of_all; };
          ts::async_at(p, add);
          ts::at(p, add);
          ts::at_future(p, add).get();
          ts::at_each(std::vector{p}, add);
        });
      }
    });
    EXPECT_EQ(*heap, 20 * ts::num_places());
  });
}

}  // namespace
