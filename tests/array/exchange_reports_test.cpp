// SPDX-License-Identifier: Apache-2.0
// What is told of a task that waits for ghosts: of which array, for whom, and what that place did last.
#include <tactus/array/dist_array.hpp>
#include <tactus/array/ghost_group.hpp>
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/temporary.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <regex>
#include <stdexcept>
#include <string>

namespace {
namespace ts = tactus;
using plane = ts::dist_array<double, 2>;
using plane_ref = ts::dist_array_ref<double, 2>;

const ts::box<2> k_plate = ts::range(0, 9) * ts::range(0, 9);  // rows 0 to 2 at place 0, 3 to 5 at place 1
const std::string k_ago = "[0-9]+(\\.[0-9])? m?s ago";

ts::config three_places(ts::copying copies) { return {.threads = 1, .places = 3, .local_copy = copies}; }

// Of a run in which each place does `before`, and all but place 1 do `in_vain` then.
using work = void (*)(const plane_ref&);
std::string text_of_deadlock(const ts::config& c, work before, work in_vain) {
  const auto stuck = support::caught<ts::deadlock_error>([&] {
    ts::run(c, [before, in_vain] {
      plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "u"});
      ts::finish([&] {
        for (const ts::place p : ts::places()) {
          ts::async_at(p, ts::named("relax"), [h = a.ref(), before, in_vain] {
            before(h);
            if (ts::here().id() != 1) {
              in_vain(h);
            }
          });
        }
      });
    });
  });
  return stuck ? stuck->what() : "no deadlock";
}

void do_nothing(const plane_ref&) {}
void update(const plane_ref& h) { h.update_ghosts(); }
void update_twice(const plane_ref& h) {
  h.update_ghosts();
  h.update_ghosts();
}
void wait_for_a_corner(const plane_ref& h) {
  h.send_ghosts();
  h.wait_for_ghosts(ts::range(3, 7) * ts::range(0, 2));
}

void expect_says(const std::string& text, const std::string& pattern) {
  EXPECT_TRUE(std::regex_search(text, std::regex(pattern))) << pattern << "\nis not in\n" << text;
}

TEST(exchange_reports_test, say_what_the_place_that_is_waited_for_did_last) {
  const std::string text = text_of_deadlock(three_places(ts::copying::automatic), update_twice, update);
  const std::string wait =
      "task 'relax' waits for exchange 3 of 'u' for place 1, which has begun 2 \\(last: task 'relax' " + k_ago + "\\)";
  expect_says(text, "place 0: " + wait);
  expect_says(text, "place 2: " + wait);
}

TEST(exchange_reports_test, say_that_a_place_has_begun_none) {
  expect_says(text_of_deadlock(three_places(ts::copying::automatic), do_nothing, update),
              "place 0: task 'relax' waits for exchange 1 of 'u' for place 1, which has begun 0(\n|$)");
  expect_says(text_of_deadlock(three_places(ts::copying::serialize), do_nothing, update),
              "place 0: task 'relax' waits for exchange 1 of 'u' for place 1, from which nothing has come(\n|$)");
}

TEST(exchange_reports_test, say_what_has_come_from_a_place_that_cannot_be_looked_at) {
  expect_says(text_of_deadlock(three_places(ts::copying::serialize), update_twice, update),
              "waits for exchange 3 of 'u' for place 1, from which 2 have come \\(the last " + k_ago + "\\)");
}

TEST(exchange_reports_test, say_which_ghosts_are_waited_for) {
  expect_says(
      text_of_deadlock(three_places(ts::copying::automatic), update, wait_for_a_corner),
      "place 0: task 'relax' waits for exchange 2 of 'u', ghosts in \\[\\(3,0\\),\\(7,2\\)\\), for place 1, which "
      "has begun 1 \\(last: task 'relax' ");
}

TEST(exchange_reports_test, name_who_began_the_last_one_and_nobody_who_did_so_before) {
  expect_says(
      text_of_deadlock(
          three_places(ts::copying::automatic),
          [](const plane_ref& h) {
            for (const std::string name :
                 {"first", "a name that is much longer than all that there is room for in an exchange", "second"}) {
              ts::finish([&] { ts::async(ts::named(name), [&] { h.update_ghosts(); }); });
            }
          },
          update),
      "for place 1, which has begun 3 \\(last: task 'second' ");
  expect_says(text_of_deadlock(
                  three_places(ts::copying::automatic),
                  [](const plane_ref& h) {
                    h.update_ghosts();
                    ts::finish([&] { ts::async([&] { h.update_ghosts(); }); });
                  },
                  update),
              "for place 1, which has begun 2 \\(last: an unnamed task ");
}

TEST(exchange_reports_test, tell_the_same_of_a_group) {
  const auto stuck = support::caught<ts::deadlock_error>([] {
    ts::run(three_places(ts::copying::automatic), [] {
      plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "u"});
      plane b(a.dist(), {.ghost = 1, .name = "v"});
      ts::ghost_group g(a, b);
      ts::at_each(ts::places(), [k = g.ref()] {
        k.update_ghosts();
        if (ts::here().id() != 1) {
          k.send_ghosts();
          k.wait_for_ghosts(ts::range(3, 4) * ts::range(0, 9));
        }
      });
    });
  });
  ASSERT_TRUE(stuck);
  expect_says(
      stuck->what(),
      "exchange 2 of the group of 'u', 'v', ghosts in \\[\\(3,0\\),\\(4,9\\)\\), for place 1, which has begun 1");
}

TEST(exchange_reports_test, repeat_under_a_seed) {
  ts::config c = three_places(ts::copying::automatic);
  c.seed = 7;
  const std::string text = text_of_deadlock(c, update, update);
  expect_says(text, "for place 1, which has begun 1 \\(last: task 'relax'\\)");
  EXPECT_EQ(text_of_deadlock(c, update, update), text);
}

// ---- an array that ends while a task waits ----

struct way_to_wait {
  const char* call;
  std::function<void(const plane_ref&)> wait;
};

// As where the body of a finish throws: what is local to it ends before its tasks have.
void wait_until_its_end(const ts::config& c, const way_to_wait& how) {
  const auto thrown = support::caught<ts::multiple_exceptions>([&] {
    ts::run(c, [&how] {
      ts::finish([&how] {
        plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "u"});
        std::atomic<bool> waits = false;
        ts::async(ts::named("relax"), [h = a.ref(), &how, &waits] {
          h.send_ghosts();
          waits = true;
          how.wait(h);
        });
        while (!waits) {
          ts::yield();
        }
        throw std::runtime_error("the body");
      });
    });
  });
  ASSERT_TRUE(thrown);
  expect_says(thrown->what(),
              std::string("tactus: ") + how.call +
                  ": 'u' has ended at place 0 while a task waited for its exchange 1; it has to outlive the "
                  "finish of the tasks that use it");
  expect_says(thrown->what(), "the body");
}

TEST(array_that_ends, tells_a_task_that_waits_for_its_ghosts) {
  const way_to_wait ways[] = {
      {"wait_for_ghosts", [](const plane_ref& h) { h.wait_for_ghosts(); }},
      {"wait_for_ghosts", [](const plane_ref& h) { h.wait_for_ghosts(ts::range(3, 7) * ts::range(0, 2)); }},
      {"wait_for_ghosts", [](const plane_ref& h) {
         while (h.wait_for_any_ghosts()) {
         }
       }}};
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{5}}) {
      ts::config c = three_places(copies);  // of one worker: the task sleeps when another one runs
      c.seed = seed;
      for (const way_to_wait& how : ways) {
        wait_until_its_end(c, how);
      }
    }
  }
}

// A timeline sums up waits by what they are for.
TEST(exchange_reports_test, call_all_exchanges_of_an_array_one_thing_in_a_timeline) {
  const support::temporary_folder folder;
  ts::config c = three_places(ts::copying::automatic);
  c.trace = folder / "exchanges.json";
  ts::run(c, [] {
    plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "u"});
    for (int i = 0; i < 3; ++i) {
      a.update_ghosts();
    }
  });
  const std::string text = support::contents_of(c.trace);
  expect_says(text, "an exchange of 'u'");
  EXPECT_FALSE(std::regex_search(text, std::regex("exchange [0-9]+ of"))) << text;
}

}  // namespace
