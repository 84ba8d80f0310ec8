// SPDX-License-Identifier: Apache-2.0
// What tasks without a name are called: closures of one function can be told apart. Compiled with and without type information.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/errors_caught.hpp"
#include "support/settings.hpp"
#include "support/temporary.hpp"
#include "trace/labels.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <set>
#include <string>
#include <thread>

#include <unistd.h>

namespace ts = tactus;

namespace {

using support::contains;
using tactus::detail::closure_in;
using tactus::detail::closure_labels;

// Types are spelled by the C++ runtime library. LLVM's spells closures in another way; but who builds with it has clang, whose labels are
// signatures and no names of types.
#ifdef _LIBCPP_VERSION
#define TACTUS_TEST_NEEDS_GNU_NAMES() GTEST_SKIP() << "the names of types are spelled by libc++abi"
#else
#define TACTUS_TEST_NEEDS_GNU_NAMES() static_cast<void>(0)
#endif

TEST(labels_test, names_of_types_are_spelled_as_the_program_spells_them) {
  TACTUS_TEST_NEEDS_GNU_NAMES();
  EXPECT_EQ(closure_in("Z4mainEUlvE0_"), "main::{lambda()#2}");
  EXPECT_EQ(closure_in("Z1fIiEvT_EUliE0_"), "f<int>(int)::{lambda(int)#2}");
  EXPECT_EQ(closure_in("7functor"), "functor");
  EXPECT_EQ(closure_in("share of for_each"), "share of for_each");
}

TEST(labels_test, a_closure_in_another_one_is_named_without_the_call_of_that) {
  TACTUS_TEST_NEEDS_GNU_NAMES();
  EXPECT_EQ(closure_in("ZZ4mainENKUlvE3_clEvEUlvE_"), "main::{lambda()#5}::{lambda()#1}");
  EXPECT_EQ(closure_in("ZZZ4mainENKUlvE_clEvENKUlPFiiEE_clES1_EUlvE_"),
            "main::{lambda()#1}::{lambda(int (*)(int))#1}::{lambda()#1}");
}

TEST(labels_test, what_the_library_wraps_around_the_name_of_a_type_is_left_out) {
  TACTUS_TEST_NEEDS_GNU_NAMES();
  EXPECT_EQ(closure_in("N6tactus6detail7wrappedIiZ1fiiEUliE_EE"), "f(int, int)::{lambda(int)#1}");
}

TEST(labels_test, what_the_library_wraps_around_a_closure_is_left_out) {
  EXPECT_EQ(closure_in("static const char* label_of() [with Closure = main()::<lambda()>]"), "main()::<lambda()>");
  EXPECT_EQ(closure_in("static const char *label_of() [Closure = (lambda at a.cpp:3:5)]"), "(lambda at a.cpp:3:5)");
  EXPECT_EQ(closure_in("x [with Closure = tactus::detail::wrapped<int, f(a, b)::<lambda(int, int)> >]"),
            "f(a, b)::<lambda(int, int)>");
  EXPECT_EQ(closure_in("x [with Closure = tactus::detail::a<tactus::detail::b<std::pair<int, char> > >]"),
            "std::pair<int, char>");
}

TEST(labels_test, closures_that_are_called_the_same_get_numbers) {
  const char first[] = "x [with Closure = main()::<lambda()>]";
  const char second[] = "x [with Closure = main()::<lambda()>]";
  const char third[] = "x [with Closure = tactus::detail::wrapped<main()::<lambda()> >]";
  closure_labels labels;
  EXPECT_EQ(labels.of(first), "main()::<lambda()>");
  EXPECT_EQ(labels.of(second), "main()::<lambda()> #2");
  EXPECT_EQ(labels.of(third), "main()::<lambda()> #3");
  EXPECT_EQ(labels.of(first), "main()::<lambda()>");
}

TEST(labels_test, types_that_have_one_name_have_one_label) {
  const char here[] = "7functor";
  const char there[] = "7functor";  // as another library of the same program has it
  closure_labels labels;
  EXPECT_EQ(labels.of(here), labels.of(there));
}

// What the slices of a timeline are called, of which `names` looks at those that have these words in them.
std::multiset<std::string> names_with(const std::string& words, const std::string& timeline) {
  static const std::string k_before = R"("cat":"task","name":")";
  std::multiset<std::string> names;
  for (std::size_t at = 0; (at = timeline.find(k_before, at)) != std::string::npos;) {
    at += k_before.size();
    const std::string name = timeline.substr(at, timeline.find('"', at) - at);
    if (contains(name, words)) names.insert(name);
  }
  return names;
}

class timeline_labels_test : public support::each_setting {
protected:
  template <class Body>
  std::string traced(Body body) {
    ts::config c = support::config_of(GetParam().workers, GetParam().policy);
    c.trace = folder_ / "timeline.json";
    ts::run(c, std::move(body));
    return support::contents_of(c.trace);
  }

  support::temporary_folder folder_;
};
TACTUS_EACH_SETTING(timeline_labels_test);

TEST_P(timeline_labels_test, each_closure_of_a_function_has_one_of_its_own) {
  int spawned_in = 0;
  const std::string timeline = traced([&] {
    for (int i = 0; i < 4; ++i) {
      ts::async([] {});
      spawned_in = __LINE__ - 1;
      static_cast<void>(ts::async_future([i] { return i; }));
      ts::finish(ts::clocked, [i](ts::clock c) { ts::async(ts::clocked(c), [i] { EXPECT_LT(i, 4); }); });
    }
  });
  const auto names = names_with("lambda", timeline);
  const std::set<std::string> different(names.begin(), names.end());
  EXPECT_EQ(names.size(), 12u);
  EXPECT_EQ(different.size(), 3u) << testing::PrintToString(different);
#if defined(__GXX_RTTI) && !defined(__clang__)
  EXPECT_EQ(names_with("::{lambda()#2}", timeline).size(), 4u);
#elif defined(__clang__)
  EXPECT_EQ(names_with("labels_test.cpp:" + std::to_string(spawned_in) + ":", timeline).size(), 4u);
#endif
}

TEST_P(timeline_labels_test, reports_of_a_traced_run_have_them) {
  const auto e = support::caught<ts::deadlock_error>([&] {
    traced([] {
      const ts::promise<void> never;
      ts::finish([f = never.get_future()] {
        ts::async([f] { f.get(); });
        ts::async(ts::named("with a name"), [f] { f.get(); });
        ts::async([f] { f.get(); });
      });
    });
  });
  const std::string report = e ? e->what() : "no deadlock_error";
  EXPECT_TRUE(contains(report, "unnamed task 1 (")) << report;
  EXPECT_TRUE(contains(report, "unnamed task 2 (")) << report;
  EXPECT_TRUE(contains(report, "lambda")) << report;
  EXPECT_TRUE(contains(report, "task 'with a name' waits")) << report;
}

TEST_P(timeline_labels_test, hang_reports_of_a_traced_run_have_them) {
  const support::errors_caught errors;
  bool is_told = false;
  traced([&] {
    ts::async([&] {
      is_told = errors.wait_for(" runs an unnamed task (", [] {
        ::kill(::getpid(), SIGUSR1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    });
  });
  EXPECT_TRUE(is_told) << errors.text();
  const std::string text = errors.text();
  const std::size_t at = text.find(" runs an unnamed task (");
  EXPECT_TRUE(contains(text.substr(at, text.find('\n', at) - at), "lambda")) << text;
}

}  // namespace
