// SPDX-License-Identifier: Apache-2.0
// What belongs to the place where it was made: who would have to wait at it elsewhere is told so.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <string>

namespace ts = tactus;

namespace {

// Places of one process share what is global: that is how such an object can be reached from elsewhere at all.
const ts::stream<int>::consumer_end* g_out = nullptr;
const ts::stream<int>::producer_end* g_in = nullptr;
ts::monitor* g_monitor = nullptr;
ts::monitor g_of_all;

ts::config places_of_one_worker(int places) {
  return {.threads = 1, .places = places, .watchdog_seconds = 0, .env = false};
}

template <class F>
void expect_refused(F f, const std::string& object) {
  try {
    ts::at(ts::place(1), f);
    ADD_FAILURE() << object << " was used at another place";
  } catch (const ts::place_error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find(object), std::string::npos) << text;
    EXPECT_NE(text.find("of place 0 was used at place 1"), std::string::npos) << text;
  }
}

TEST(place_bound, streams_are_waited_for_at_their_place_only) {
  ts::run(places_of_one_worker(2), [] {
    ts::stream<int> line(ts::bound{1});
    const auto in = line.in();
    const auto out = line.out();
    g_in = &in;
    g_out = &out;
    expect_refused([] { static_cast<void>(g_out->pop()); }, "the stream");
    in.push(1);
    expect_refused([] { g_in->push(2); }, "the stream");
    EXPECT_EQ(out.pop(), 1) << "nothing has changed";
    in.push(3);
    EXPECT_EQ(out.pop(), 3);
    in.close();
  });
}

TEST(place_bound, monitors_are_waited_for_at_their_place_only) {
  ts::run(places_of_one_worker(2), [] {
    ts::monitor m;
    g_monitor = &m;
    expect_refused([] { g_monitor->when([] { return false; }, [] {}); }, "the monitor");
    bool was_inside = false;
    m.atomic([&] { was_inside = true; });
    EXPECT_TRUE(was_inside) << "the lock is free again";

    static std::atomic<bool> refused{false};
    refused = false;
    ts::finish([&] {
      ts::async_at(ts::place(1), [] {
        try {
          while (!refused) g_monitor->atomic([] {});  // until somebody else is inside
        } catch (const ts::place_error&) {
          refused = true;
        }
      });
      m.atomic([] {
        while (!refused) {
        }
      });
    });
    EXPECT_TRUE(refused);
  });
}

TEST(place_bound, a_monitor_made_outside_of_tasks_serves_one_runtime_after_another) {
  for (int round = 0; round < 3; ++round) {
    ts::run(places_of_one_worker(2), [] {
      bool there = false;
      ts::finish([&] {
        ts::async([&] { g_of_all.when([&] { return there; }, [] {}); });
        ts::async([&] { g_of_all.atomic([&] { there = true; }); });
      });
    });
  }
}

TEST(place_bound, futures_are_waited_for_at_their_place_only) {
  ts::run(places_of_one_worker(2), [] {
    static ts::future<int>* waited_for = nullptr;
    ts::promise<int> p;
    ts::future<int> f = p.get_future();
    waited_for = &f;
    expect_refused([] { static_cast<void>(waited_for->get()); }, "the future or promise");
    p.set_value(4);
    EXPECT_EQ(f.get(), 4);
  });
}

TEST(place_bound, promises_are_fulfilled_at_their_place_only) {
  ts::run(places_of_one_worker(2), [] {
    static const ts::promise<int>* promised = nullptr;
    const ts::promise<int> p;
    promised = &p;
    expect_refused([] { promised->set_value(1); }, "the future or promise");
    expect_refused([] { promised->set_exception(std::make_exception_ptr(2)); }, "the future or promise");
    EXPECT_FALSE(p.get_future().ready());
    p.set_value(3);
    EXPECT_EQ(p.get_future().get(), 3) << "nothing has changed";
  });
}

TEST(place_bound, external_promises_are_fulfilled_anywhere) {
  ts::run(places_of_one_worker(2), [] {
    static const ts::promise<int>* promised = nullptr;
    const ts::promise<int> p(ts::external);
    promised = &p;
    ts::async_at(ts::place(1), [] { promised->set_value(4); });
    EXPECT_EQ(p.get_future().get(), 4);
  });
}

}  // namespace
