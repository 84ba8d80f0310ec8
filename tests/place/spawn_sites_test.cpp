// SPDX-License-Identifier: Apache-2.0
// Labels: which tasks may move, as a file says, or a word. What moves is seen by place_stats::flexible_spawned: such tasks only are given to
// the policy.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

// A file of the test's own.
std::string file_of(const std::string& text) {
  const std::string name =
      testing::TempDir() + "labels-" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
  std::ofstream(name) << text;
  return name;
}

ts::config with_labels(const std::string& labels, ts::placement_policy policy = ts::placement_policy::work_dealing) {
  return {.threads = 1, .places = 2, .placement = policy, .env = false, .labels = labels};
}

template <class F>
std::uint64_t may_move(const std::string& labels, F&& body) {
  ts::runtime rt(with_labels(labels));
  rt.run(std::forward<F>(body));
  std::uint64_t all = 0;
  for (const ts::place_stats& p : rt.stats().places) {
    all += p.flexible_spawned;
  }
  return all;
}

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const ts::config_error& e) {
    return e.what();
  }
  return "no config_error";
}

void spawn_cells() {
  ts::async_at(ts::place_flexible.named("cell"), [] {});
  ts::async_at(ts::place_flexible(ts::place(1)).named("edge of it"), [] {});
  ts::async_at(ts::place_flexible.named("kept").sensitive(), [] {});
}

TEST(labels, without_any_tasks_are_as_written) { EXPECT_EQ(may_move("", spawn_cells), 2U); }

TEST(labels, of_a_file_say_for_each_name_whether_its_tasks_may_move) {
  EXPECT_EQ(may_move(file_of("cell sensitive\nedge of it flexible\nkept sensitive\n"), spawn_cells), 1U);
  EXPECT_EQ(may_move(file_of("cell sensitive\nedge of it sensitive\nkept sensitive\n"), spawn_cells), 0U);
}

TEST(labels, move_what_is_written_sensitive) {
  EXPECT_EQ(may_move(file_of("cell sensitive\nedge of it sensitive\nkept flexible"), spawn_cells), 1U);
}

TEST(labels, a_name_that_stands_as_an_attribute_is_one) {
  EXPECT_EQ(may_move(file_of("cell sensitive"), [] { ts::async_at(ts::place_flexible, ts::named("cell"), [] {}); }),
            0U);
}

TEST(labels, comments_and_blanks_say_nothing) {
  EXPECT_EQ(
      may_move(file_of("# of the day\n\n  cell   \t sensitive  # stays\r\n#edge of it sensitive\nkept sensitive\n"),
               spawn_cells),
      1U);
}

// Each kind of call, with the line that it stands in.
struct unnamed {
  void (*spawn)();
  unsigned line;
};

const unnamed k_calls[] = {
    {[] { ts::async_at(ts::place_flexible, [] {}); }, __LINE__},
    {[] { ts::async_at(ts::place_flexible(ts::here()), [] {}); }, __LINE__},
    {[] { ts::async_at(ts::place_flexible.then([] {}), [] {}); }, __LINE__},
    {[] { ts::at_future(ts::place_flexible, [] { return 1; }).get(); }, __LINE__},
    {[] { ts::at_future(ts::place_flexible(ts::here()), [] { return 1; }).get(); }, __LINE__},
};

TEST(labels, what_has_no_name_is_called_by_its_line) {
  const std::string file = __FILE__;
  const std::string last = file.substr(file.rfind('/') + 1);
  for (const unnamed& call : k_calls) {
    for (const std::string& name : {file, last}) {
      const std::string line = name + ':' + std::to_string(call.line);
      EXPECT_EQ(may_move(file_of(line + " sensitive"), call.spawn), 0U) << line;
      EXPECT_EQ(may_move(file_of(line + " flexible"), call.spawn), 1U) << line;
    }
  }
}

TEST(labels, a_name_goes_before_the_line_that_it_stands_in) {
  constexpr unsigned k_line = __LINE__ + 1;
  const auto spawn = [] { ts::async_at(ts::place_flexible.named("cell"), [] {}); };
  const std::string line = "spawn_sites_test.cpp:" + std::to_string(k_line);
  EXPECT_EQ(may_move(file_of(line + " sensitive\n"), spawn), 0U);
  EXPECT_EQ(may_move(file_of("cell flexible\n" + line + " sensitive\n"), spawn), 1U);
  EXPECT_EQ(may_move(file_of(line + " flexible\ncell sensitive\n"), spawn), 0U);
}

TEST(labels, a_line_that_a_name_has_the_better_of_has_come_up) {
  constexpr unsigned k_line = __LINE__ + 1;
  const auto spawn = [] { ts::async_at(ts::place_flexible.named("cell"), [] {}); };
  const std::string line = "spawn_sites_test.cpp:" + std::to_string(k_line);
  testing::internal::CaptureStderr();
  EXPECT_EQ(may_move(file_of("cell flexible\n" + line + " sensitive\n"), spawn), 1U);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Whichever comes first.
TEST(labels, of_lines_that_spawn_tasks_of_one_name_each_has_its_own) {
  constexpr unsigned k_line = __LINE__ + 1;
  const auto first = [] { ts::async_at(ts::place_flexible.named("cell"), [] {}); };
  const auto second = [] { ts::async_at(ts::place_flexible.named("cell"), [] {}); };
  const auto both = [&] { first(), second(), first(), second(); };
  const auto other_way_round = [&] { second(), first(), second(); };
  const auto label = [&](unsigned line, const std::string& word) {
    return "spawn_sites_test.cpp:" + std::to_string(line) + ' ' + word + '\n';
  };
  const std::string first_stays = label(k_line, "sensitive");
  const std::string second_stays = label(k_line + 1, "sensitive");
  testing::internal::CaptureStderr();
  EXPECT_EQ(may_move(file_of(first_stays), both), 2U);
  EXPECT_EQ(may_move(file_of(first_stays), other_way_round), 2U);
  EXPECT_EQ(may_move(file_of(second_stays), both), 2U);
  EXPECT_EQ(may_move(file_of(second_stays), other_way_round), 1U);
  EXPECT_EQ(may_move(file_of(first_stays + second_stays), both), 0U);
  EXPECT_EQ(may_move(file_of(first_stays + label(k_line + 1, "flexible")), other_way_round), 2U);
  EXPECT_EQ(may_move(file_of(first_stays + second_stays + "cell flexible\n"), both), 4U);  // the name goes before
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");                                   // and all have come up
}

TEST(labels, a_line_of_plain_tasks_with_a_name_is_refused_wherever_that_comes_up_first) {
  constexpr unsigned k_line = __LINE__ + 1;
  const auto spawn = [] { ts::async_at(ts::place(1), ts::named("plain"), [] {}); };
  const std::string name = file_of("spawn_sites_test.cpp:" + std::to_string(k_line) + " flexible\n");
  std::string error;
  ts::run(with_labels(name), [&] {
    ts::async_at(ts::place(1), ts::named("plain"), [] {});
    error = error_of(spawn);
  });
  EXPECT_TRUE(error.starts_with("tactus: " + name + ":1: the line labels 'spawn_sites_test.cpp:")) << error;
}

TEST(labels, an_empty_name_is_none) {
  constexpr unsigned k_line = __LINE__ + 1;
  const auto spawn = [] { ts::async_at(ts::place_flexible.named(""), [] {}); };
  EXPECT_EQ(may_move(file_of("spawn_sites_test.cpp:" + std::to_string(k_line) + " sensitive"), spawn), 0U);
}

// As profiles, and so files that are made of them, have it on one line.
TEST(labels, a_name_of_two_lines_is_known_by_one) {
  EXPECT_EQ(
      may_move(file_of("two lines sensitive"), [] { ts::async_at(ts::place_flexible.named("two\nlines"), [] {}); }),
      0U);
}

TEST(labels, a_line_of_another_file_is_none_of_this_one) {
  for (const std::string other :
       {"other_spawn_sites_test.cpp:", "sites_test.cpp:"}) {  // a longer name, and the end of this one
    testing::internal::CaptureStderr();
    EXPECT_EQ(may_move(file_of(other + std::to_string(k_calls[0].line) + " sensitive"), k_calls[0].spawn), 1U) << other;
    EXPECT_NE(testing::internal::GetCapturedStderr().find("no task was spawned"), std::string::npos) << other;
  }
}

TEST(labels, a_line_for_a_plain_async_at_is_refused_when_that_comes_up) {
  const std::string name = file_of("\nplain flexible\n");
  int ran = 0;
  std::string error;
  ts::run(with_labels(name), [&] {
    const ts::global_ref<int> counter(ran);
    error = error_of(
        [counter] { ts::async_at(ts::place(1), ts::named("plain"), [counter] { counter.at([](int& n) { ++n; }); }); });
  });
  EXPECT_EQ(error, "tactus: " + name +
                       ":2: the line labels 'plain', which is a plain async_at and never moves; leave the line out, or "
                       "write async_at(place_flexible(p), ...) there if the task may run at any place");
  EXPECT_EQ(ran, 0);
}

TEST(labels, lines_that_cannot_be_are_refused_at_the_start) {
  const auto refused = [](const std::string& text) {
    const std::string name = file_of(text);
    std::string error = error_of([&] { ts::runtime rt({.threads = 1, .env = false, .labels = name}); });
    const std::string begin = "tactus: " + name + ":";
    return error.starts_with(begin) ? error.substr(begin.size()) : error;
  };
  EXPECT_EQ(refused("cell flexible\ncell fluid\n"),
            "2: the line ends with 'fluid'; write SITE flexible, or SITE sensitive, and '#' before what is a comment");
  EXPECT_EQ(refused("cell"),
            "1: the line ends with 'cell'; write SITE flexible, or SITE sensitive, and '#' before what is a comment");
  EXPECT_EQ(refused("# x\n  sensitive\n"),
            "2: the line names no site; write the name of a task, or file:line, before 'sensitive'");
  EXPECT_EQ(refused("cell flexible\ncell sensitive\n"),
            "2: the line labels 'cell', as line 1 does; leave one of the two");
}

TEST(labels, a_file_that_cannot_be_read_is_refused_at_the_start) {
  for (const auto& [name, why] :
       {std::pair{testing::TempDir() + "no such folder/labels.txt", ENOENT}, std::pair{testing::TempDir(), EISDIR}}) {
    const std::string error = error_of([&] { ts::runtime rt({.threads = 1, .env = false, .labels = name}); });
    EXPECT_TRUE(error.starts_with("tactus: the file of labels '" + name + "' cannot be read (" +
                                  std::generic_category().message(why) + ")"))
        << error;
    EXPECT_NE(error.find("TACTUS_LABELS"), std::string::npos) << error;
  }
}

TEST(labels, a_site_that_never_came_up_is_told_once) {
  const std::string name = file_of("cell sensitive\nghost flexible\n");
  ts::runtime rt(with_labels(name));
  testing::internal::CaptureStderr();
  rt.run(spawn_cells);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tactus: " + name + ":2: no task was spawned at 'ghost'; look for a misprint, or leave the line out\n");
  testing::internal::CaptureStderr();
  rt.run(spawn_cells);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(labels, none_lets_nothing_move) { EXPECT_EQ(may_move("none", spawn_cells), 0U); }

TEST(labels, all_lets_each_async_at_move) {
  EXPECT_EQ(may_move("all",
                     [] {
                       spawn_cells();
                       ts::async_at(ts::place(1), [] {});
                       ts::async_at(ts::here(), ts::named("plain"), [](int) {}, 3);
                     }),
            5U);
}

// What the library itself sends to places has to be there.
TEST(labels, all_moves_nothing_of_the_library) {
  const std::uint64_t moved = may_move("all", [] {
    const ts::place_local<int> one(7);
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(one.at(p, [](int n) { return n; }), 7);
    }
    ts::at_each(ts::places(), [r = one.ref()] { *r = ts::here().id(); });
    EXPECT_EQ(one.at(ts::place(1), [](int n) { return n; }), 1);
    ts::dist_array<int, 1> a(ts::dist<1>::block(ts::range(0, 10)));
    ts::array<int, 1> given(ts::range(0, 10));
    given.region().each([&given](const ts::point<1>& x) { given[x] = static_cast<int>(x[0]); });
    a.set(given);
    EXPECT_EQ(a.ref().get_future(ts::point<1>(9)).get(), 9);
    EXPECT_EQ(a.get(ts::range(0, 10))[ts::point<1>(5)], 5);
  });
  EXPECT_EQ(moved, 0U);
}

TEST(labels, results_come_home_where_all_may_move) {
  for (const auto policy : {ts::placement_policy::eager_dealing, ts::placement_policy::hybrid}) {
    std::vector<int> at_home(200);
    ts::run(with_labels("all", policy), [&at_home] {
      const ts::global_ref<std::vector<int>> home(at_home);
      ts::finish([home] {
        for (int i = 0; i < 200; ++i) {
          ts::async_at(
              ts::place_flexible.then([home, i](int n) { (*home)[static_cast<std::size_t>(i)] = n; }),
              [](int n) { return n + 1; }, i);
        }
      });
      EXPECT_EQ(ts::at_future(ts::place(1), [] { return 5; }).get(), 5);
    });
    for (int i = 0; i < 200; ++i) {
      EXPECT_EQ(at_home[static_cast<std::size_t>(i)], i + 1);
    }
  }
}

// What is given as the place of an async_at.
struct third {
  operator ts::place() const { return ts::place(2); }  // NOLINT(google-explicit-constructor)
};

TEST(sites, whatever_is_a_place_may_be_given) {
  std::vector<int> where;
  ts::run({.threads = 1, .places = 3, .env = false}, [&where] {
    const ts::global_ref<std::vector<int>> home(where);
    const auto note = [home] {
      home.at([](std::vector<int>& all, int here) { ts::atomic([&] { all.push_back(here); }); }, ts::here().id());
    };
    const ts::place p(1);
    const auto one_after_the_other = [](auto spawn) { ts::finish(spawn); };
    one_after_the_other([&] { ts::async_at(ts::place(2), note); });
    one_after_the_other([&] { ts::async_at(p, note); });
    one_after_the_other([&] { ts::async_at(ts::places()[1], note); });
    one_after_the_other([&] { ts::async_at({}, note); });
    one_after_the_other([&] { ts::async_at(third(), note); });
    one_after_the_other([&] { ts::async_at(p.next(), ts::named("n"), note); });
  });
  EXPECT_EQ(where, (std::vector<int>{2, 1, 1, 0, 2, 2}));
}

}  // namespace
