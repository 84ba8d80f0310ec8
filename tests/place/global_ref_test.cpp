// SPDX-License-Identifier: Apache-2.0
// global_ref: the name of an object at its place.
#include "place_settings.hpp"

#include <string>
#include <type_traits>

namespace {
namespace ts = tactus;

static_assert(std::is_trivially_copyable_v<ts::global_ref<int>>);

ts::config config_of_places(int places) { return {.threads = 1, .places = places, .env = false}; }

TEST(global_ref_test, leads_to_its_object_at_home) {
  ts::run(config_of_places(2), [] {
    int n = 3;
    const ts::global_ref<int> g(n);
    EXPECT_EQ(g.home(), ts::here());
    EXPECT_EQ(&*g, &n);
    std::string text = "abc";
    EXPECT_EQ(ts::global_ref<std::string>(text)->size(), 3u);
  });
}

TEST(global_ref_test, takes_a_function_home_from_anywhere) {
  ts::run(config_of_places(3), [] {
    int n = 0;
    ts::finish([&n] {
      const ts::global_ref<int> g(n);
      for (const ts::place p : ts::places()) {
        ts::async_at(p, [g] {
          EXPECT_EQ(g.at(
                        [](int& at_home, int more) {
                          EXPECT_EQ(ts::here(), ts::place(0));
                          at_home += more;
                          return more;
                        },
                        5),
                    5);
        });
      }
    });
    EXPECT_EQ(n, 15);
  });
}

TEST(global_ref_test, is_refused_elsewhere_by_both_places) {
  ts::run(config_of_places(3), [] {
    int n = 0;
    const ts::global_ref<int> g(n);
    const std::string text = ts::at(ts::place(2), [g] {
      try {
        ++*g;
      } catch (const ts::place_error& e) {
        return std::string(e.what());
      }
      return std::string("no error");
    });
    EXPECT_NE(text.find("is at place 0"), std::string::npos) << text;
    EXPECT_NE(text.find("used at place 2"), std::string::npos) << text;
    EXPECT_EQ(n, 0);
    EXPECT_THROW(*ts::global_ref<int>(), ts::place_error);
  });
}

TEST(global_ref, of_no_object_has_no_home) {
  const ts::global_ref<int> none;
  EXPECT_THROW(static_cast<void>(none.home()), ts::place_error);
  ts::run(config_of_places(2), [none] {
    EXPECT_THROW(static_cast<void>(none.home()), ts::place_error);
    EXPECT_THROW(none.at([](int&) { ADD_FAILURE() << "of what?"; }), ts::place_error);
  });
}

}  // namespace
