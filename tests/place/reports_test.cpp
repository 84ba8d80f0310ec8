// SPDX-License-Identifier: Apache-2.0
// What is told of a program over several places: who waits for what elsewhere, in hang reports and deadlocks, and the timeline.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/errors_caught.hpp"
#include "support/temporary.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <regex>
#include <sstream>
#include <string>
#include <thread>

#include <unistd.h>

namespace ts = tactus;

namespace {

using support::contains;
using support::errors_caught;

ts::config three_places() { return {.threads = 1, .places = 3, .env = false}; }

// Of the test that runs; it goes to every place as it is.
const errors_caught* g_errors = nullptr;

class reports_of_places : public testing::Test {
protected:
  reports_of_places() { g_errors = &errors_; }

  errors_caught errors_;
};

// A task that waits until a report has said `text`.
void wait_until_told(const std::string& text) {
  const ts::promise<bool> told(ts::external);
  std::thread outside([told, &text] {
    told.set_value(g_errors->wait_for(text, [] {
      ::kill(::getpid(), SIGUSR1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }));
  });
  EXPECT_TRUE(told.get_future().get()) << g_errors->text();
  outside.join();
}

// In one report: an earlier one may have found the body before it waits.
TEST_F(reports_of_places, tell_of_a_task_that_waits_for_a_body_elsewhere) {
  ts::run(three_places(), [] {
    ts::at(ts::place(2), wait_until_told,
           std::string("\n  place 0: task 'root' waits for the body of at() at place 2"
                       "\n  place 2: task 'root' waits for future "));
  });
}

TEST_F(reports_of_places, tell_what_a_finish_waits_for_at_each_place) {
  ts::run(three_places(), [] {
    const std::string text = "waits for the tasks of a finish (place 1: 2 tasks, place 2: 1 task)";
    ts::finish([&text] {
      ts::async_at(ts::place(1), ts::named("first"), wait_until_told, text);
      ts::async_at(ts::place(1), ts::named("second"), wait_until_told, text);
      ts::async_at(ts::place(2), ts::named("third"), wait_until_told, text);
    });
  });
}

// ---- of a program that is stuck ----

// Futures of the process are numbered: which numbers they have depends on what ran before.
std::string text_of_deadlock(ts::copying copies, void (*body)()) {
  ts::config c = three_places();
  c.local_copy = copies;
  const auto stuck = support::caught<ts::deadlock_error>([&] { ts::run(c, body); });
  return stuck ? std::regex_replace(stuck->what(), std::regex("future [0-9]+"), "future N") : "no deadlock";
}

void wait_in_vain() { ts::promise<int>().get_future().get(); }

class deadlock_of_places : public testing::TestWithParam<ts::copying> {};
INSTANTIATE_TEST_SUITE_P(copies, deadlock_of_places, testing::Values(ts::copying::automatic, ts::copying::serialize));

TEST_P(deadlock_of_places, is_told_place_by_place) {
  const std::string text = text_of_deadlock(GetParam(), [] {
    ts::async_at(ts::place(2), ts::named("third"), wait_in_vain);
    ts::async_at(ts::place(1), ts::named("second"), wait_in_vain);
    ts::async(ts::named("first"), wait_in_vain);
  });
  EXPECT_EQ(text,
            "tactus: deadlock: nothing can run and 3 tasks wait\n"
            "  place 0: task 'first' waits for future N of a promise\n"
            "  place 1: task 'second' waits for future N of a promise\n"
            "  place 2: task 'third' waits for future N of a promise");
}

TEST_P(deadlock_of_places, tells_of_the_body_of_at_and_not_of_its_caller) {
  EXPECT_EQ(text_of_deadlock(GetParam(), [] { ts::at(ts::place(2), wait_in_vain); }),
            "tactus: deadlock: nothing can run and 1 task waits\n"
            "  place 2: task 'root' waits for future N of a promise");
}

// Whether a task of that name begins there.
bool begins(const std::string& timeline, const std::string& where, const std::string& name) {
  std::istringstream lines(timeline);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(R"({"ph":"B",)" + where) && contains(line, R"("name":")" + name + '"')) return true;
  }
  return false;
}

TEST(timeline_of_places, shows_each_place_as_a_process_and_arrows_between_them) {
  const support::temporary_folder folder;
  ts::config c = three_places();
  c.trace = folder / "places.json";
  ts::run(c, [] {
    ts::finish([] { ts::async_at(ts::place(2), ts::named("far task"), [] {}); });
    ts::at(ts::place(1), [] {});
  });
  const std::string text = support::contents_of(c.trace);
  for (int place = 0; place < 3; ++place) {
    const std::string pid = "\"pid\":" + std::to_string(place) + ",";
    EXPECT_TRUE(contains(text, R"({"ph":"M",)" + pid + R"("name":"process_name","args":{"name":"place )" +
                                   std::to_string(place) + R"("}})"))
        << text;
    EXPECT_TRUE(
        contains(text, R"({"ph":"M",)" + pid + "\"tid\":" + std::to_string(place) + ",\"name\":\"thread_name\""))
        << text;
  }
  EXPECT_TRUE(begins(text, R"("pid":2,"tid":2,)", "far task")) << text;
  EXPECT_TRUE(contains(text, R"({"ph":"s","pid":0,"tid":0,)")) << text;
  EXPECT_TRUE(contains(text, R"({"ph":"f","pid":2,"tid":2,)")) << text;
  EXPECT_TRUE(contains(text, R"({"ph":"B","pid":1,"tid":1,)")) << text;  // the body of at()
  EXPECT_TRUE(contains(text, R"({"ph":"f","pid":1,"tid":1,)")) << text;
  EXPECT_FALSE(contains(text, "packed_call")) << text;
}

}  // namespace
