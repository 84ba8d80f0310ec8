// SPDX-License-Identifier: Apache-2.0
// A serialize that throws: at the sender it leaves the call, and nothing was sent; at the receiver it is the task's exception.
#include "place_settings.hpp"

#include "../support/caught.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;
using support::caught;

// As bytes, also within a process; with room for a few messages only.
class serialize_throws_test : public support::each_place_setting {
protected:
  template <class Body>
  static auto run(Body&& body) {
    ts::config as_bytes = support::config_of(GetParam());
    as_bytes.local_copy = ts::copying::serialize;
    as_bytes.message_bytes = 256;
    return ts::run(as_bytes, std::forward<Body>(body));
  }
};

INSTANTIATE_TEST_SUITE_P(places, serialize_throws_test, support::every_place_setting(), support::place_setting_name);

std::atomic<int> g_ran;

// Cannot be written if it is 12, nor read if it is 13.
struct choosy {
  int number = 0;

  template <class Ar>
  void serialize(Ar& ar) {
    if constexpr (!Ar::loading) {
      if (number == 12) throw std::domain_error("12 is not for writing");
    }
    ar & number;
    if constexpr (Ar::loading) {
      if (number == 13) throw std::range_error("13 is not for reading");
    }
  }
};

void take(const choosy& c) { g_ran += c.number; }

choosy give(int n) {
  ++g_ran;
  return choosy{n};
}

std::uint64_t messages() {
  std::uint64_t all = 0;
  for (const ts::place_stats& p : ts::stats().places) {
    all += p.messages;
  }
  return all;
}

// That exception, as `list` has it once, among nothing else.
template <class Error>
void expect_single(const std::vector<std::exception_ptr>& list, const std::string& text) {
  ASSERT_EQ(list.size(), 1U);
  const auto e = caught<Error>([&] { std::rethrow_exception(list.front()); });
  ASSERT_TRUE(e);
  EXPECT_EQ(std::string(e->what()), text);
}

template <class Body>
std::vector<std::exception_ptr> escaped_from_finish(Body&& body) {
  const auto all = caught<ts::multiple_exceptions>([&] { ts::finish(std::forward<Body>(body)); });
  return all ? all->exceptions() : std::vector<std::exception_ptr>();
}

// The counts of messages and of room are as before: as many as ever fit.
void expect_all_as_before() {
  for (const ts::place p : ts::places()) {
    g_ran = 0;
    ts::finish([p] {
      for (int i = 0; i < 20; ++i) {
        ts::async_at(p, take, choosy{1});
      }
    });
    EXPECT_EQ(g_ran, 20);
    EXPECT_EQ(ts::at(p, give, 5).number, 5);
  }
}

// ---- at the sender ----

TEST_P(serialize_throws_test, at_the_sender_it_leaves_the_call_and_nothing_was_sent) {
  run([] {
    ts::at_each(ts::places(), [] {});  // so that all are under way
    for (const ts::place p : ts::places()) {
      g_ran = 0;
      const std::uint64_t before = messages();
      ts::finish([p] {
        for (int i = 0; i < 50; ++i) {  // more than there is room for
          EXPECT_TRUE(caught<std::domain_error>([p] { ts::async_at(p, take, choosy{12}); }));
          EXPECT_TRUE(caught<std::domain_error>([p] { ts::async_at(p, ts::named("x"), take, choosy{12}); }));
          EXPECT_TRUE(caught<std::domain_error>([p] { ts::at(p, take, choosy{12}); }));
          EXPECT_TRUE(caught<std::domain_error>([p] { static_cast<void>(ts::at_future(p, take, choosy{12})); }));
        }
      });
      EXPECT_EQ(messages(), before);
      EXPECT_EQ(g_ran, 0);
    }
    expect_all_as_before();
  });
}

// The same among arguments that can be sent.
TEST_P(serialize_throws_test, of_several_arguments_one_is_enough) {
  static std::atomic<int> calls;
  calls = 0;
  run([] {
    const auto take_all = [](const std::string&, const std::vector<choosy>&, const std::string&) { ++calls; };
    const std::vector<choosy> some{{1}, {2}, {12}};
    for (const ts::place p : ts::places()) {
      const std::uint64_t before = messages();
      ts::finish([&] {
        EXPECT_TRUE(
            caught<std::domain_error>([&] { ts::async_at(p, take_all, std::string("a"), some, std::string()); }));
        EXPECT_TRUE(caught<std::domain_error>([&] { ts::at(p, take_all, std::string("a"), some, std::string()); }));
      });
      EXPECT_EQ(messages(), before);
    }
  });
  EXPECT_EQ(calls, 0);
}

// Which has run: what cannot be written is its result.
TEST_P(serialize_throws_test, at_the_sender_of_a_result_it_is_thrown_by_who_waits_for_that) {
  run([] {
    for (const ts::place p : ts::places()) {
      g_ran = 0;
      ts::finish([p] {
        const auto e = caught<std::domain_error>([p] { static_cast<void>(ts::at(p, give, 12)); });
        ASSERT_TRUE(e);
        EXPECT_EQ(std::string(e->what()), "12 is not for writing");
        const ts::future<choosy> f = ts::at_future(p, give, 12);
        EXPECT_TRUE(caught<std::domain_error>([&f] { static_cast<void>(f.get()); }));
      });
      EXPECT_EQ(g_ran, 2);
    }
    expect_all_as_before();
  });
}

// ---- at the receiver ----

TEST_P(serialize_throws_test, at_the_receiver_it_comes_out_of_the_finish_of_an_async_at) {
  run([] {
    for (const ts::place p : ts::places()) {
      g_ran = 0;
      expect_single<std::range_error>(escaped_from_finish([p] {
                                        ts::async_at(p, take, choosy{1});
                                        ts::async_at(p, take, choosy{13});
                                        ts::async_at(p, take, choosy{1});
                                      }),
                                      "13 is not for reading");
      EXPECT_EQ(g_ran, 2) << "those that could be read have run";
    }
    expect_all_as_before();
  });
}

TEST_P(serialize_throws_test, at_the_receiver_at_throws_it) {
  run([] {
    for (const ts::place p : ts::places()) {
      g_ran = 0;
      const auto of_argument = caught<std::range_error>([p] { ts::at(p, take, choosy{13}); });
      ASSERT_TRUE(of_argument);
      EXPECT_EQ(std::string(of_argument->what()), "13 is not for reading");
      EXPECT_EQ(g_ran, 0);
      EXPECT_TRUE(caught<std::range_error>([p] { static_cast<void>(ts::at(p, give, 13)); }));
      EXPECT_EQ(g_ran, 1) << "it was its result that could not be read";
    }
    expect_all_as_before();
  });
}

// Also where a function comes after it at home: the future would wait for that one.
TEST_P(serialize_throws_test, at_the_receiver_it_is_the_futures_of_a_task_that_may_move) {
  run([] {
    for (const ts::place p : ts::places()) {
      g_ran = 0;
      const auto expect_failed = [](const ts::future<int>& f) {
        const auto e = caught<std::range_error>([&f] { static_cast<void>(f.get()); });
        ASSERT_TRUE(e);
        EXPECT_EQ(std::string(e->what()), "13 is not for reading");
      };
      const auto number_of = [](const choosy& c) {
        ++g_ran;
        return c.number;
      };
      ts::finish([&] {
        expect_failed(ts::at_future(p, number_of, choosy{13}));
        expect_failed(ts::at_future(ts::place_flexible(p), number_of, choosy{13}));
        expect_failed(ts::at_future(ts::place_flexible(p).then(number_of), give, 13));
        expect_failed(ts::at_future(ts::place_flexible(p).then([](int n) { return n; }), number_of, choosy{13}));
        const ts::future<void> nothing = ts::at_future(ts::place_flexible(p).then([] { ++g_ran; }), take, choosy{13});
        EXPECT_TRUE(caught<std::range_error>([&nothing] { nothing.get(); }));
      });
      EXPECT_EQ(g_ran, 1) << "give() has";
      EXPECT_EQ(ts::at_future(ts::place_flexible(p).then([](int n) { return n + 1; }), number_of, choosy{1}).get(), 2);
    }
    expect_all_as_before();
  });
}

// ---- at_each ----

TEST_P(serialize_throws_test, at_each_throws_what_could_not_be_written_and_has_sent_nothing) {
  run([] {
    g_ran = 0;
    const std::uint64_t before = messages();
    const auto e = caught<std::domain_error>([] { ts::at_each(ts::places(), take, choosy{12}); });
    EXPECT_EQ(messages(), before);
    ASSERT_TRUE(e);
    EXPECT_EQ(std::string(e->what()), "12 is not for writing");
    EXPECT_EQ(g_ran, 0);
    expect_all_as_before();
  });
}

// Each by itself, however deep in the tree it is.
TEST_P(serialize_throws_test, at_each_throws_what_each_place_could_not_read) {
  run([] {
    g_ran = 0;
    const auto all = caught<ts::multiple_exceptions>([] { ts::at_each(ts::places(), take, choosy{13}); });
    EXPECT_EQ(g_ran, 0);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->exceptions().size(), static_cast<std::size_t>(ts::num_places()));
    for (const std::exception_ptr& e : all->exceptions()) {
      EXPECT_TRUE(caught<std::range_error>([&e] { std::rethrow_exception(e); }));
    }
    expect_all_as_before();
  });
}

// Cannot be read at one place.
struct choosy_about_places {
  int refused = -1;
  std::string text;

  template <class Ar>
  void serialize(Ar& ar) {
    ar & refused & text;
    if constexpr (Ar::loading) {
      if (ts::here().id() == refused) throw std::range_error("not for reading at " + std::to_string(refused));
    }
  }
};

TEST_P(serialize_throws_test, a_place_that_cannot_read_keeps_no_other_one_from_being_called) {
  run([] {
    for (int refused = 0; refused < ts::num_places(); ++refused) {
      g_ran = 0;
      const auto all = caught<ts::multiple_exceptions>([refused] {
        ts::at_each(
            ts::places(), [](const choosy_about_places& c) { g_ran += static_cast<int>(c.text.size()); },
            choosy_about_places{refused, "three"});
      });
      EXPECT_EQ(g_ran, 5 * (ts::num_places() - 1));
      ASSERT_TRUE(all);
      expect_single<std::range_error>(all->exceptions(), "not for reading at " + std::to_string(refused));
    }
  });
}

// With the caller's place left out there is a tree all the same.
TEST_P(serialize_throws_test, nor_do_two_of_them_among_other_places) {
  run([] {
    std::vector<ts::place> others;
    for (const ts::place p : ts::places()) {
      if (p != ts::here()) {
        others.push_back(p);
        others.push_back(p);
      }
    }
    g_ran = 0;
    const auto all = caught<ts::multiple_exceptions>(
        [&others] { ts::at_each(others, [](const choosy_about_places&) { ++g_ran; }, choosy_about_places{1, ""}); });
    if (others.empty()) {
      EXPECT_FALSE(all);
    } else {
      EXPECT_EQ(g_ran, static_cast<int>(others.size()) - 2);
      ASSERT_TRUE(all);
      EXPECT_EQ(all->exceptions().size(), 2U);
    }
  });
}

}  // namespace
