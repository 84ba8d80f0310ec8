// SPDX-License-Identifier: Apache-2.0
// How timelines of several processes become one file; here a thread plays each process.
#include "trace/gathering.hpp"

#include <tactus/base/error.hpp>

#include "place/engine.hpp"
#include "support/caught.hpp"
#include "support/flows.hpp"
#include "support/temporary.hpp"
#include "trace/timeline.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;
using support::count;
using support::flows;
using support::temporary_folder;
using tactus::detail::share_sender;
using tactus::detail::timeline;
using tactus::detail::timeline_gathering;
using tactus::detail::timeline_part;
using tactus::detail::timeline_process;
using tactus::detail::timeline_role;
using event_kind = tactus::detail::trace_event::kind;

// What is told and not heard yet: of each pair of processes, one thing at most.
class wires {
public:
  void tell(int from, int to, std::span<const std::byte> what) {
    std::unique_lock lock(mutex_);
    longest_ = std::max(longest_, what.size());
    changed_.wait(lock, [&] { return !on_it_.contains({from, to}); });
    on_it_.emplace(std::pair(from, to), std::vector<std::byte>(what.begin(), what.end()));
    changed_.notify_all();
  }
  std::vector<std::byte> hear(int from, int to) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return on_it_.contains({from, to}); });
    std::vector<std::byte> what = std::move(on_it_.extract({from, to}).mapped());
    changed_.notify_all();
    return what;
  }
  [[nodiscard]] std::size_t longest() const { return longest_; }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::vector<std::byte>> on_it_;
  std::size_t longest_ = 0;
};

class process final : public tactus::detail::job {
public:
  process(wires& over, int number) : over_(over), number_(number) {}
  void tell(int to, std::span<const std::byte> what) override { over_.tell(number_, to, what); }
  std::vector<std::byte> hear(int from, const char* /*doing*/) override { return over_.hear(from, number_); }
  std::unique_ptr<tactus::detail::engine> make_engine(tactus::detail::run_control& /*run*/) override { return nullptr; }

private:
  wires& over_;
  const int number_;
};

class gathering_test : public testing::Test {
protected:
  static constexpr int k_processes = 3;
  static constexpr std::size_t k_workers = 2;  // of each

  // Each process notes what it likes in its timeline.
  void run(const std::function<void(timeline&, int here)>& note) {
    each([&](process& others, int here) { note(*begin(others, here), here); });
  }

  void each(const std::function<void(process&, int here)>& plays) {
    std::vector<std::thread> all;
    for (int here = 0; here < k_processes; ++here) {
      all.emplace_back([&, here] {
        process one(over_, here);
        plays(one, here);
      });
    }
    for (std::thread& t : all) t.join();
  }

  [[nodiscard]] std::unique_ptr<timeline> begin(process& others, int here) const {
    auto gathering = std::make_unique<timeline_gathering>(others, here, k_processes);
    std::unique_ptr<timeline> own;
    if (here == 0) {
      own = make({timeline_role::first, 0}, here);
      gathering->let_in(k_workers, {});
    } else {
      own = make({timeline_role::other, gathering->enter(k_workers)}, here);
    }
    gathering->compare_clocks();
    own->gather_by(std::move(gathering));
    return own;
  }

  [[nodiscard]] std::unique_ptr<timeline> make(const timeline_process& as, int here) const {
    return std::make_unique<timeline>(file_, std::vector<int>(k_workers, here), as);
  }

  [[nodiscard]] json written() const { return json::parse(support::contents_of(file_)); }

  temporary_folder folder_;
  std::string file_ = folder_ / "timeline.json";
  wires over_;
};

std::multiset<std::pair<int, int>> threads_of(const json& all) {
  std::multiset<std::pair<int, int>> found;
  for (const json& e : all.at("traceEvents")) {
    if (e.value("name", "") == "thread_name") found.emplace(e.at("pid"), e.at("tid"));
  }
  return found;
}

TEST_F(gathering_test, makes_one_file_with_a_process_for_each_place_and_workers_numbered_through) {
  run([](timeline& own, int /*here*/) { own.at(1).note(event_kind::begin, own.at(1).next_number(), "task"); });
  const json all = written();
  EXPECT_EQ(threads_of(all), (std::multiset<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 2}, {1, 3}, {2, 4}, {2, 5}}));
  std::set<std::string> places;
  std::set<std::uint64_t> tasks;
  for (const json& e : all.at("traceEvents")) {
    if (e.at("ph") == "M" && e.at("name") == "process_name") places.insert(e.at("args").at("name"));
    if (e.at("ph") == "B") tasks.insert(e.at("args").at("task").get<std::uint64_t>());
  }
  EXPECT_EQ(places, (std::set<std::string>{"place 0", "place 1", "place 2"}));
  EXPECT_EQ(tasks.size(), 3u);
}

TEST_F(gathering_test, joins_arrows_whose_ends_are_at_two_processes) {
  std::mutex mutex;
  std::condition_variable sent;
  std::uint64_t task = 0;
  std::uint64_t body = 0;
  int ended = 0;
  run([&](timeline& own, int here) {
    timeline_part& w = own.at(0);
    std::unique_lock lock(mutex);
    if (here == 0) {
      const std::uint64_t root = w.next_number();
      w.note(event_kind::begin, root, "root");
      task = w.next_number();
      w.note(event_kind::spawn, task, "");
      body = w.next_number_of_body();
      w.note(event_kind::spawn, body, "");
      w.note(event_kind::stop, root, "the body");
      sent.notify_all();
      sent.wait(lock, [&] { return ended == 2; });
      w.note(event_kind::go_on, root, "root");
      w.note(event_kind::result, body, "");
    } else {
      sent.wait(lock, [&] { return body != 0; });
      w.note(event_kind::begin, here == 1 ? task : body, here == 1 ? "task" : "body");
      w.note(event_kind::end, here == 1 ? task : body, here == 1 ? "task" : "body");
      ++ended;
      sent.notify_all();
    }
  });
  const flows all(written());
  EXPECT_EQ(all.arrows().size(), 3u);
  EXPECT_EQ(count(all.arrows(), "spawn", "root", "task"), 1u);
  EXPECT_EQ(count(all.arrows(), "spawn", "root", "body"), 1u);
  EXPECT_EQ(count(all.arrows(), "result", "body", "root"), 1u);
}

TEST_F(gathering_test, sends_long_shares_in_pieces_and_says_what_is_lost) {
  static constexpr std::size_t k_tasks = 40'000;
  run([](timeline& own, int here) {
    for (std::size_t i = 0; i < k_tasks && here == 2; ++i) {
      const std::uint64_t number = own.at(0).next_number();
      own.at(0).note(event_kind::begin, number, "a task of many");
      own.at(0).note(event_kind::end, number, "a task of many");
    }
    for (std::size_t i = 0; i < timeline_part::k_room + 5 && here == 1; ++i)
      own.at(1).note(event_kind::steal, 1, "", 0);
  });
  EXPECT_EQ(over_.longest(), share_sender::k_piece + 1);  // the share was cut
  const json all = written();
  EXPECT_EQ(all.at("otherData").at("events_lost"), 5);
  std::size_t begun = 0;
  std::size_t stolen = 0;
  for (const json& e : all.at("traceEvents")) {
    begun += e.at("ph") == "B" && e.at("name") == "a task of many" ? 1U : 0U;
    if (e.at("ph") == "i") {
      ++stolen;
      EXPECT_EQ(e.at("args").at("from"), 2);  // worker 0 of process 1
    }
  }
  EXPECT_EQ(begun, k_tasks);
  EXPECT_EQ(stolen, timeline_part::k_room);
}

TEST_F(gathering_test, does_without_a_share_that_breaks_off) {
  testing::internal::CaptureStderr();
  each([&](process& others, int here) {
    if (here != 1) {
      static_cast<void>(begin(others, here));
      return;
    }
    timeline_gathering gathering(others, here, k_processes);
    static_cast<void>(gathering.enter(k_workers));
    gathering.compare_clocks();
    static_cast<void>(gathering.hear_time(0));
    share_sender half(others);
    const std::string text(share_sender::k_piece + 10, 'x');
    std::fputs(text.c_str(), half.file());
    std::fflush(half.file());
    gathering.give_up();
  });
  EXPECT_NE(testing::internal::GetCapturedStderr().find("without place 1"), std::string::npos);
  EXPECT_EQ(threads_of(written()), (std::multiset<std::pair<int, int>>{{0, 0}, {0, 1}, {2, 4}, {2, 5}}));
}

TEST_F(gathering_test, tells_everybody_that_there_is_no_timeline) {
  std::mutex mutex;
  std::multiset<std::string> told;
  each([&](process& others, int here) {
    timeline_gathering gathering(others, here, k_processes);
    if (here == 0) {
      gathering.let_in(k_workers, "it cannot be written");
      return;
    }
    const auto e = support::caught<tactus::config_error>([&] { static_cast<void>(gathering.enter(k_workers)); });
    const std::lock_guard lock(mutex);
    told.insert(e ? e->what() : "nothing");
  });
  EXPECT_EQ(told, (std::multiset<std::string>{"it cannot be written", "it cannot be written"}));
}

TEST_F(gathering_test, is_left_out_where_nothing_has_run) {
  each([&](process& others, int here) {
    const std::unique_ptr<timeline> own = begin(others, here);
    own->keep_to_itself();
  });
  EXPECT_EQ(threads_of(written()), (std::multiset<std::pair<int, int>>{{0, 0}, {0, 1}}));
}

}  // namespace
