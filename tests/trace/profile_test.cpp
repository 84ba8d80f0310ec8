// SPDX-License-Identifier: Apache-2.0
// What a profile says of the sites of a run.
#include "profile_file.hpp"
#include "support/no_default_memory.hpp"

#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {
namespace ts = tactus;

using profile_file::read;
using profile_file::row;
using profile_file::seen;
using profile_file::site;

struct setting {
  const char* name;
  int places;
  int workers;
  ts::placement_policy policy = ts::placement_policy::none;
  ts::copying copy = ts::copying::automatic;
  std::uint64_t seed = 0;
};

std::ostream& operator<<(std::ostream& out, const setting& s) { return out << s.name; }

class profile_test : public testing::TestWithParam<setting> {
protected:
  [[nodiscard]] static std::string file() {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    for (char& c : name) {
      c = c == '/' ? '-' : c;
    }
    return testing::TempDir() + "profile-" + name + ".tpp";
  }

  template <class F>
  static seen profile_of(F&& body) {
    const setting& s = GetParam();
    ts::run({.threads = s.workers,
             .places = s.places,
             .placement = s.policy,
             .seed = s.seed,
             .env = false,
             .local_copy = s.copy,
             .profile = file()},
            body);
    return read(file());
  }
};

INSTANTIATE_TEST_SUITE_P(
    runs, profile_test,
    testing::Values(setting{"one_place", 1, 2}, setting{"no_policy", 2, 1},
                    setting{"serialize", 3, 1, ts::placement_policy::none, ts::copying::serialize},
                    setting{"hybrid", 3, 2, ts::placement_policy::hybrid},
                    setting{"dealing", 2, 2, ts::placement_policy::eager_dealing, ts::copying::serialize},
                    setting{"seeded", 2, 2, ts::placement_policy::hybrid, ts::copying::automatic, 5}),
    testing::PrintToStringParamName());

// Work of at least so long, as the task itself sees it; returns how long it was.
std::int64_t work(std::chrono::nanoseconds at_least) {
  const auto begin = std::chrono::steady_clock::now();
  auto now = begin;
  while (now - begin < at_least) {
    now = std::chrono::steady_clock::now();
  }
  return std::chrono::nanoseconds(now - begin).count();
}

constexpr std::chrono::nanoseconds k_some{200'000};

TEST_P(profile_test, says_how_many_tasks_a_site_has_spawned_and_what_they_took_along) {
  const seen all = profile_of([] {
    ts::finish([] {
      for (int i = 0; i < 5; ++i) {
        ts::async_at(ts::place_flexible.named("cell"), [](const std::vector<double>&) {}, std::vector<double>(100));
      }
      ts::async_at(ts::here(), ts::named("plain"), [](int) {}, 1);
      ts::async_at(ts::place_flexible.named("kept").sensitive(), [] {});
    });
  });
  EXPECT_EQ(all.first, "tactus-profile 1");
  EXPECT_EQ(all.run, "run " + std::to_string(GetParam().places) + ' ' + std::to_string(GetParam().workers));
  EXPECT_EQ(all.end, "end 7 7");
  ASSERT_EQ(all.sites.size(), 3U);
  const site& cell = all.sites.at("cell");
  EXPECT_EQ(cell.kind, "flexible");
  EXPECT_EQ(cell.spawned, 5U);
  EXPECT_GE(cell.bytes, 5 * 800U);
  EXPECT_LE(cell.bytes, 5 * 900U);
  EXPECT_EQ(cell.result_bytes, 0U);
  EXPECT_EQ(cell.accesses, 0U);
  EXPECT_EQ(cell.uses, 0U);
  EXPECT_EQ(all.sites.at("plain").kind, "plain");
  EXPECT_EQ(all.sites.at("plain").spawned, 1U);
  EXPECT_EQ(all.sites.at("kept").kind, "sensitive");
}

TEST_P(profile_test, takes_no_memory_of_the_programs_default_resource) {
  const support::no_default_memory none;
  const seen all = profile_of([] {
    for (int i = 0; i < 100; ++i) {
      ts::async_at(ts::place_flexible.named("cell"), [] {});
    }
  });
  EXPECT_EQ(all.end, "end 100 100");
}

TEST_P(profile_test, adds_the_time_of_all_that_a_task_has_spawned) {
  std::int64_t in_body = 0;
  std::int64_t in_rest = 0;
  const seen all = profile_of([&] {
    const ts::global_ref<std::int64_t> body(in_body);
    const ts::global_ref<std::int64_t> rest(in_rest);
    const auto add = [](ts::global_ref<std::int64_t> to, std::int64_t n) {
      to.at([](std::int64_t& sum, std::int64_t more) { ts::atomic([&] { sum += more; }); }, n);
    };
    ts::finish([=] {
      ts::async_at(ts::place_flexible.named("outer"), [=] {
        add(body, work(k_some));
        ts::async([=] { add(rest, work(k_some)); });
        ts::for_each(0, 8, [=](int) { add(rest, work(k_some)); });
        add(rest, ts::reduce(0, 4, std::plus<>(), [](int) { return work(k_some); }));
        ts::async_at(ts::here(), ts::named("inner"), [=] { add(rest, work(k_some)); });
      });
    });
  });
  const site& outer = all.sites.at("outer");
  EXPECT_GE(outer.body, in_body);
  EXPECT_GE(outer.inclusive, in_body + in_rest);
  EXPECT_GE(in_rest, 14 * k_some.count());
  const site& inner = all.sites.at("inner");
  EXPECT_GE(inner.inclusive, k_some.count());
  EXPECT_LE(inner.inclusive, outer.inclusive);
}

TEST_P(profile_test, what_a_result_does_at_home_is_after_its_task) {
  const seen all = profile_of([] {
    int last = 0;
    const ts::global_ref<int> home(last);
    ts::finish([home] {
      ts::async_at(ts::place_flexible.named("cell").then([home](const std::vector<int>& v) {
        work(k_some);
        *home = static_cast<int>(v.size());
      }),
                   [] { return std::vector<int>(50); });
    });
    EXPECT_EQ(last, 50);
  });
  const site& cell = all.sites.at("cell");
  EXPECT_GE(cell.after, k_some.count());
  EXPECT_LT(cell.inclusive, cell.after);
  EXPECT_GE(cell.result_bytes, 200U);
  EXPECT_EQ(cell.uses, 0U);
  EXPECT_EQ(all.end, "end 1 1");
}

TEST_P(profile_test, of_a_future_the_value_is_a_result) {
  const seen all = profile_of([] {
    EXPECT_EQ(ts::at_future(ts::place_flexible.named("value"), [] { return std::vector<int>(50); }).get().size(), 50U);
  });
  EXPECT_GE(all.sites.at("value").result_bytes, 200U);
  EXPECT_EQ(all.sites.at("value").accesses, 0U);
}

TEST_P(profile_test, an_object_that_is_carried_goes_both_ways_and_is_no_access) {
  const seen all = profile_of([] {
    std::vector<int> cell(50);
    const ts::global_ref<std::vector<int>> r(cell);
    ts::finish([r] {
      for (int i = 0; i < 10; ++i) {
        ts::async_at(ts::place_flexible(r.home()).named("carrier").carrying(r),
                     [](std::vector<int>& c) { c.push_back(1); });
      }
    });
    EXPECT_EQ(cell.size(), 60U);
  });
  const site& carrier = all.sites.at("carrier");
  EXPECT_EQ(carrier.accesses, 0U);
  EXPECT_EQ(carrier.uses, 0U);
  EXPECT_GE(carrier.bytes, 2000U);
  EXPECT_GE(carrier.result_bytes, 2000U);
}

TEST_P(profile_test, counts_what_tasks_reach_at_other_places) {
  const seen all = profile_of([] {
    const ts::place_local<int> there(3);
    ts::finish([&there] {
      ts::async_at(ts::here(), ts::named("reaching"), [r = there.ref()] {
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(r.at(ts::here().next(), [](int n) { return n; }), 3);
        }
      });
    });
  });
  const site& reaching = all.sites.at("reaching");
  EXPECT_EQ(reaching.accesses, GetParam().places == 1 ? 0U : 3U);
  EXPECT_EQ(reaching.uses, GetParam().places == 1 ? 3U : 0U);  // its own is what is at the next of one place
}

TEST_P(profile_test, counts_what_tasks_use_of_their_place) {
  const seen all = profile_of([] {
    const ts::place_local<int> mine(3);
    int n = 0;
    const ts::global_ref<int> home(n);
    ts::dist_array<int, 1> cells(ts::dist<1>::block(ts::range(0, 12)), {.name = "cells"});
    ts::finish([&, r = mine.ref(), h = cells.ref()] {
      ts::async_at(ts::here(), ts::named("by name"), [r] { ++*r; });
      ts::async_at(ts::here(), ts::named("by reference"), [home] { ++*home; });
      ts::async_at(ts::here(), ts::named("in a block"), [] { ts::atomic([] {}); });
      ts::async_at(ts::here(), ts::named("in an array"), [h] { h(0) = 1; });
      ts::async_at(ts::here(), ts::named("for itself"), [] { work(k_some); });
    });
  });
  for (const char* name : {"by name", "by reference", "in a block", "in an array"}) {
    EXPECT_GE(all.sites.at(name).uses, 1U) << name;
  }
  EXPECT_EQ(all.sites.at("for itself").uses, 0U);
}

void tree(int depth) {
  if (depth > 0) {
    for (int i = 0; i < 2; ++i) {
      ts::async_at(ts::place_flexible.named("node"), tree, depth - 1);
    }
  }
}

TEST_P(profile_test, lists_each_task_with_its_parent) {
  const seen all = profile_of([] { tree(5); });
  const site& node = all.sites.at("node");
  EXPECT_EQ(node.spawned, 62U);
  EXPECT_EQ(node.flexible_parents, 30U);
  ASSERT_EQ(all.rows.size(), 62U);
  std::map<std::uint64_t, int> children;
  for (const row& r : all.rows) {
    ++children[r.parent];
    EXPECT_EQ(r.site, node.number);
    EXPECT_EQ(r.kind, "flexible");
    EXPECT_LT(r.place, GetParam().places);
  }
  EXPECT_EQ(children.size(), 31U);  // those that have some, and 0, which stands for the root task
  for (const auto& [parent, n] : children) {
    EXPECT_EQ(n, 2) << parent;
  }
}

TEST_P(profile_test, is_of_all_runs_of_its_runtime) {
  const setting& s = GetParam();
  ts::runtime rt({.threads = s.workers, .places = s.places, .env = false, .profile = file()});
  for (std::uint64_t n = 1; n <= 3; ++n) {
    rt.run([] { ts::async_at(ts::here(), ts::named("task"), [] {}); });
    EXPECT_EQ(read(file()).sites.at("task").spawned, n);
  }
}

TEST(profile, that_cannot_be_written_is_refused_at_the_start) {
  const std::string name = testing::TempDir() + "no such folder/run.tpp";
  try {
    ts::runtime rt({.threads = 1, .env = false, .profile = name});
    FAIL();
  } catch (const ts::config_error& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("tactus: the profile '" + name + "' cannot be written ("))
        << e.what();
  }
}

// Each on top of the one before, until there is no stack for one.
void nest(int n, bool& refused) {
  if (n == 0) {
    return;
  }
  try {
    ts::async(ts::spawn_policy::work_first, [n, &refused] { nest(n - 1, refused); });
  } catch (const ts::resource_error&) {
    refused = true;
  }
}

TEST(profile, lists_tasks_whose_spawns_were_refused) {
  const std::string file = testing::TempDir() + "profile-refused.tpp";
  bool refused = false;
  // Every process has more than a MiB, so there are no stacks but those that its worker keeps.
  ts::run({.threads = 1, .env = false, .memory_bytes = 1 << 20, .profile = file}, [&] {
    ts::async_at(ts::here(), ts::named("outer"), [r = ts::global_ref<bool>(refused)] {
      ts::async_at(ts::here(), ts::named("inner"), [] {});
      nest(100, *r);
    });
  });
  EXPECT_TRUE(refused);
  const seen all = read(file);
  EXPECT_EQ(all.rows.size(), 2U);
  EXPECT_EQ(all.end, "end 2 2");
  EXPECT_GT(all.sites.at("outer").inclusive, 0);
}

TEST(profile, counts_no_access_by_a_call_that_was_not_sent) {
  for (const ts::copying copy : {ts::copying::construct, ts::copying::serialize}) {
    const std::string file = testing::TempDir() + "profile-not-sent-" + std::to_string(static_cast<int>(copy)) + ".tpp";
    bool told = false;
    const auto root = [&told] {
      ts::async_at(ts::here(), ts::named("stuck"), [r = ts::global_ref<bool>(told)] {
        const ts::promise<int> never;
        try {
          never.get_future().get();
        } catch (const ts::deadlock_error&) {
          try {
            ts::at(ts::here().next(), [] {});
          } catch (const ts::deadlock_error&) {
            *r = true;
          }
        }
      });
    };
    EXPECT_THROW(ts::run({.threads = 1, .places = 2, .env = false, .local_copy = copy, .profile = file}, root),
                 ts::deadlock_error);
    EXPECT_TRUE(told);
    const seen all = read(file);
    EXPECT_EQ(all.rows.size(), 1U);
    EXPECT_EQ(all.sites.at("stuck").accesses, 0U);
  }
}

TEST(profile, and_timeline_go_together) {
  const std::string profile = testing::TempDir() + "profile-both.tpp";
  const std::string timeline = testing::TempDir() + "profile-both.json";
  ts::run({.threads = 2, .trace = timeline, .env = false, .profile = profile},
          [] { ts::async_at(ts::here(), ts::named("in both"), [] {}); });
  EXPECT_EQ(read(profile).sites.at("in both").spawned, 1U);
  std::stringstream text;
  text << std::ifstream(timeline).rdbuf();
  EXPECT_NE(text.str().find("in both"), std::string::npos);
}

TEST(profile, goes_with_labels_of_a_file) {
  const std::string labels = testing::TempDir() + "profile-labels.txt";
  const std::string profile = testing::TempDir() + "profile-labels.tpp";
  std::ofstream(labels) << "cell sensitive\n";
  ts::run({.threads = 1, .env = false, .labels = labels, .profile = profile},
          [] { ts::async_at(ts::place_flexible.named("cell"), [] {}); });
  const seen all = read(profile);
  EXPECT_EQ(all.sites.at("cell").kind, "flexible");
  ASSERT_EQ(all.rows.size(), 1U);
  EXPECT_EQ(all.rows.front().kind, "sensitive");
}

}  // namespace
