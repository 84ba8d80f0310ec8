// SPDX-License-Identifier: Apache-2.0
// at: a call at another place.
#include "place_settings.hpp"

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
namespace ts = tactus;
using at_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, at_test, support::every_place_setting(), support::place_setting_name);

TEST_P(at_test, returns_what_the_function_returns_there) {
  run([] {
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(ts::at(p, [](int n) { return 10 * n + ts::here().id(); }, 7), 70 + p.id());
      EXPECT_EQ(ts::here().id(), 0);
    }
  });
}

TEST_P(at_test, waits_inside_and_nested) {
  run([] {
    for (const ts::place p : ts::places()) {
      const int sum = ts::at(p, [] {
        int s = 0;
        for (const ts::place q : ts::places()) {
          s += ts::at(q, [](ts::place from) { return ts::at(from, [] { return ts::here().id(); }); }, ts::here());
        }
        return s;
      });
      EXPECT_EQ(sum, p.id() * ts::num_places());
    }
  });
}

TEST_P(at_test, tasks_that_it_leaves_are_the_finishs) {
  static std::atomic<int> ran;
  run([] {
    for (int round = 0; round < 10; ++round) {
      ran = 0;
      ts::finish([] {
        for (const ts::place p : ts::places()) {
          ts::at(p, [] {
            ts::async([] { ++ran; });
            ts::async_at(ts::here().next(), [] { ++ran; });
          });
        }
      });
      EXPECT_EQ(ran, 2 * ts::num_places());
    }
  });
}

TEST_P(at_test, rethrows) {
  run([] {
    for (const ts::place p : ts::places()) {
      EXPECT_THROW(ts::at(p, [] { throw std::out_of_range("far"); }), std::out_of_range);
    }
  });
}

TEST_P(at_test, many_at_once) {
  run([] {
    ts::finish([] {
      for (int i = 0; i < 200; ++i) {
        ts::async([i] {
          EXPECT_EQ(ts::at(
                        ts::place(i % ts::num_places()), [](std::string s) { return s + "!"; }, std::to_string(i)),
                    std::to_string(i) + "!");
        });
      }
    });
  });
}

TEST_P(at_test, a_stuck_program_is_found_wherever_it_waits) {
  for (int round = 0; round < 3; ++round) {
    try {
      run([] {
        for (const ts::place p : ts::places()) {
          ts::async_at(p, [] {
            ts::promise<int> never;
            ts::async_at(ts::here().next(), [] {});
            never.get_future().get();
          });
        }
      });
      ADD_FAILURE() << "no deadlock found";
    } catch (const ts::deadlock_error& e) {
      EXPECT_NE(std::string(e.what()).find(std::to_string(GetParam().places) + " task"), std::string::npos) << e.what();
    }
  }
}

TEST_P(at_test, a_body_that_is_stuck_ends_its_caller_too) {
  try {
    run([] {
      ts::at(ts::place(ts::num_places() - 1), [] {
        ts::promise<int> never;
        never.get_future().get();
      });
    });
    ADD_FAILURE() << "no deadlock found";
  } catch (const ts::deadlock_error&) {
  }
}

TEST_P(at_test, at_future_brings_the_result_home) {
  run([] {
    std::vector<ts::future<std::string>> all;
    for (const ts::place p : ts::places()) {
      all.push_back(
          ts::at_future(p, [](std::string s) { return s + std::to_string(ts::here().id()); }, std::string("at ")));
    }
    int expected = 0;
    for (auto& f : all) {
      EXPECT_EQ(f.get(), "at " + std::to_string(expected++));
    }
    ts::future<void> nothing = ts::at_future(ts::here().next(), ts::named("far"), [] { ts::yield(); });
    nothing.get();
    ts::future<int> failed = ts::at_future(ts::here().prev(), []() -> int { throw std::out_of_range("far"); });
    EXPECT_THROW(failed.get(), std::out_of_range);
  });
}

TEST_P(at_test, a_type_that_nobody_knows_arrives_as_remote_exception) {
  struct unheard_of : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  run([] {
    const ts::place last(ts::num_places() - 1);
    try {
      ts::at(last, [] { throw unheard_of("what it says"); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ts::remote_exception& e) {
      EXPECT_NE(last, ts::here());
      EXPECT_EQ(e.place(), last);
      EXPECT_EQ(std::string(e.what()), "what it says");
      EXPECT_NE(e.type_name().find("unheard_of"), std::string::npos);
    } catch (const unheard_of&) {
      EXPECT_EQ(last, ts::here());
    }
  });
}

// Reads more than it has written.
struct lopsided : std::exception {
  int number = 0;
  template <class Ar>
  void serialize(Ar& ar) {
    ar & number;
    if constexpr (Ar::loading) ar & number;
  }
};
const ts::register_exception<lopsided> k_lopsided;

TEST_P(at_test, an_exception_that_cannot_be_read_takes_no_other_along) {
  if (GetParam().places == 1) return;  // nothing is read
  run([] {
    std::vector<std::exception_ptr> all;
    try {
      ts::finish([] {
        ts::async_at(ts::place(1), [] { throw lopsided(); });
        ts::async_at(ts::place(1), [] { throw std::out_of_range("one"); });
        ts::async_at(ts::place(1), [] { throw std::out_of_range("two"); });
      });
    } catch (const ts::multiple_exceptions& e) {
      all = e.exceptions();
    }
    EXPECT_EQ(all.size(), 3u);
    int others = 0;
    for (const std::exception_ptr& e : all) {
      try {
        std::rethrow_exception(e);
      } catch (const std::out_of_range&) {
        ++others;
      } catch (const ts::place_error&) {
      }
    }
    EXPECT_EQ(others, 2);
  });
}

TEST_P(at_test, a_future_whose_exception_cannot_be_read_says_so) {
  if (GetParam().places == 1) return;  // as above
  run([] {
    const auto f = ts::at_future(ts::place(1), []() -> int { throw lopsided(); });
    EXPECT_THROW(static_cast<void>(f.get()), ts::place_error);
  });
}

// Can be read unless it is 13.
struct choosy {
  int number = 0;

  template <class Ar>
  void serialize(Ar& ar) {
    ar & number;
    if constexpr (Ar::loading) {
      if (number == 13) throw std::range_error("13 is not for reading");
    }
  }
};

// Who waits for the future hears of it, and not the finish.
TEST_P(at_test, a_future_whose_call_or_value_cannot_be_read_says_so) {
  ts::config settings = support::config_of(GetParam());
  settings.local_copy = ts::copying::serialize;
  ts::run(settings, [] {
    for (const ts::place p : ts::places()) {
      ts::finish([p] {
        const auto number_of = [](const choosy& c) { return c.number; };
        EXPECT_EQ(ts::at_future(p, number_of, choosy{12}).get(), 12);
        EXPECT_THROW(static_cast<void>(ts::at_future(p, number_of, choosy{13}).get()), std::range_error);
        EXPECT_THROW(ts::at_future(p, [](const choosy&) {}, choosy{13}).get(), std::range_error);
        const auto choosy_of = [](int n) { return choosy{n}; };
        EXPECT_EQ(ts::at_future(p, choosy_of, 14).get().number, 14);
        EXPECT_THROW(static_cast<void>(ts::at_future(p, choosy_of, 13).get()), std::range_error);
      });
    }
  });
}

TEST_P(at_test, a_closure_that_refers_to_the_stack_is_refused) {
  run([] {
    int n = 0;
    for (const ts::place p : ts::places()) {
      EXPECT_THROW(ts::at(p, [&n] { ++n; }), ts::place_error);
      EXPECT_THROW(ts::async_at(p, [&n] { ++n; }), ts::place_error);
      EXPECT_THROW(ts::at_future(p, [&n] { ++n; }), ts::place_error);
    }
    ts::finish([&n] { ts::async_at(ts::here(), ts::unlooked, [&n] { n = 5; }); });
    EXPECT_EQ(n, 5);
  });
}

// It is the calling task, wherever it runs.
TEST_P(at_test, the_body_has_the_name_of_its_task) {
  for (int there = 0; there < GetParam().places; ++there) {
    try {
      run([there] {
        ts::finish([there] {
          ts::async(ts::named("traveller"), [there] {
            ts::at(ts::place(there), [] { ts::at(ts::here().next(), [] { ts::promise<int>().get_future().get(); }); });
          });
        });
      });
      ADD_FAILURE() << "it was not stuck";
    } catch (const ts::deadlock_error& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("task 'traveller'"), std::string::npos) << text;
      EXPECT_EQ(text.find("unnamed"), std::string::npos) << text;
    }
  }
}

// What does not leave its place stays what it is.
TEST_P(at_test, at_future_of_the_callers_place_keeps_an_exception_as_it_is) {
  struct of_my_own {
    int n;
  };
  run([] {
    const ts::future<int> f = ts::at_future(ts::here(), []() -> int { throw of_my_own{7}; });
    try {
      static_cast<void>(f.get());
      ADD_FAILURE() << "it was lost";
    } catch (const of_my_own& e) {
      EXPECT_EQ(e.n, 7);
    }
    EXPECT_THROW(ts::at_future(ts::place_flexible(ts::here()), [] { throw 5; }).get(), int);
  });
}

}  // namespace
