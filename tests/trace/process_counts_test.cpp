// SPDX-License-Identifier: Apache-2.0
// What processes of a job tell each other of their counters: here threads that pass messages by queues.
#include "trace/process_counts.hpp"

#include "base/job.hpp"
#include "place/engine.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;
using namespace ts::detail;

class post {
public:
  void put(std::pair<int, int> way, std::vector<std::byte> what) {
    const std::lock_guard lock(mutex_);
    ways_[way].push(std::move(what));
    ++messages_;
    came_.notify_all();
  }
  std::vector<std::byte> take(std::pair<int, int> way) {
    std::unique_lock lock(mutex_);
    auto& messages = ways_[way];
    came_.wait(lock, [&] { return !messages.empty(); });
    std::vector<std::byte> first = std::move(messages.front());
    messages.pop();
    return first;
  }
  [[nodiscard]] int messages() const { return messages_; }

private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::map<std::pair<int, int>, std::queue<std::vector<std::byte>>> ways_;
  int messages_ = 0;
};

class process final : public job {
public:
  process(post& way, int rank) : way_(way), rank_(rank) {}
  void tell(int to, std::span<const std::byte> what) override { way_.put({rank_, to}, {what.begin(), what.end()}); }
  std::vector<std::byte> hear(int from, const char* /*doing*/) override { return way_.take({from, rank_}); }
  std::unique_ptr<engine> make_engine(run_control& /*run*/) override { return nullptr; }

private:
  post& way_;
  const int rank_;
};

process_counts counts_of(int rank) {
  const auto n = static_cast<std::uint64_t>(rank);
  process_counts c;
  c.place.workers.resize(n % 3 + 1);
  for (ts::worker_counters& w : c.place.workers) {
    w.tasks_run = n + 1;
    w.spawned_remote = 10;
    w.peak_stacks_live = 100 - n;
  }
  c.place.messages = 1000 + n;
  c.place.operations.push_back({"array of place " + std::to_string(rank), "map", n, 8 * n});
  c.place.busy_seconds = 0.5;
  c.place.dealt = n;
  c.place.loads_asked = 7 * n;
  c.place.migrations = 1;
  c.unseen_exceptions = n;
  c.cpu = 1'000'000 * rank;
  return c;
}

TEST(process_counts_test, everybody_hears_of_everybody_in_their_order) {
  for (int ranks = 1; ranks <= 20; ++ranks) {
    post way;
    std::vector<std::vector<process_counts>> heard(static_cast<std::size_t>(ranks));
    {
      std::vector<std::jthread> processes;
      for (int rank = 0; rank < ranks; ++rank) {
        processes.emplace_back([&way, &all = heard[static_cast<std::size_t>(rank)], rank, ranks] {
          process self(way, rank);
          all = gather(self, rank, ranks, counts_of(rank));
        });
      }
    }
    EXPECT_EQ(way.messages(), 2 * (ranks - 1));
    for (const std::vector<process_counts>& all : heard) {
      ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks));
      for (int rank = 0; rank < ranks; ++rank) {
        const process_counts& c = all[static_cast<std::size_t>(rank)];
        const process_counts is = counts_of(rank);
        EXPECT_EQ(c.place.workers, is.place.workers);
        EXPECT_EQ(c.place.totals, ts::sum_of(is.place.workers));
        EXPECT_EQ(c.place.messages, is.place.messages);
        EXPECT_EQ(c.place.dealt, is.place.dealt);
        EXPECT_EQ(c.place.loads_asked, is.place.loads_asked);
        EXPECT_EQ(c.place.busy_seconds, is.place.busy_seconds);
        ASSERT_EQ(c.place.operations.size(), 1U);
        EXPECT_EQ(c.place.operations[0].array, is.place.operations[0].array);
        EXPECT_EQ(c.place.operations[0].bytes, is.place.operations[0].bytes);
        EXPECT_EQ(c.unseen_exceptions, is.unseen_exceptions);
        EXPECT_EQ(c.cpu, is.cpu);
      }
    }
  }
}

// Of rank 0, where rank 1 has told that.
void gather_damaged(const std::vector<std::byte>& said) {
  post way;
  way.put({1, 0}, said);
  process self(way, 0);
  static_cast<void>(gather(self, 0, 2, counts_of(0)));
}

// Of two.
std::vector<std::byte> told_by_1() {
  struct hears_nothing final : job {
    std::vector<std::byte> told;
    void tell(int /*to*/, std::span<const std::byte> what) override { told.assign(what.begin(), what.end()); }
    std::vector<std::byte> hear(int /*from*/, const char* /*doing*/) override { throw std::bad_alloc(); }
    std::unique_ptr<engine> make_engine(run_control& /*run*/) override { return nullptr; }
  } self;
  EXPECT_THROW(static_cast<void>(gather(self, 1, 2, counts_of(1))), std::bad_alloc);
  return self.told;
}

// Its length, the least byte first whatever the machine.
TEST(process_counts_test, each_is_told_behind_its_length_in_an_order_of_bytes_that_is_the_same_everywhere) {
  const std::vector<std::byte> told = told_by_1();
  ASSERT_GT(told.size(), 8U);
  std::uint64_t n = 0;
  for (unsigned i = 0; i < 8; ++i) n |= std::to_integer<std::uint64_t>(told[i]) << 8 * i;
  EXPECT_EQ(n, told.size() - 8);
}

TEST(process_counts_death_test, what_is_damaged_ends_the_process_with_the_reason) {
  constexpr const char* k_reason = "a message from place 1 to place 0 is damaged";
  const std::vector<std::byte> told = told_by_1();
  for (const std::size_t length : {std::size_t{0}, std::size_t{3}, std::size_t{8}, told.size() - 1}) {
    EXPECT_DEATH(gather_damaged({told.begin(), told.begin() + static_cast<std::ptrdiff_t>(length)}), k_reason);
  }
  std::vector<std::byte> longer = told;
  longer[7] = std::byte{0xff};
  EXPECT_DEATH(gather_damaged(longer), k_reason);
  std::vector<std::byte> shorter = told;
  shorter[0] = static_cast<std::byte>(std::to_integer<unsigned>(shorter[0]) - 1);
  EXPECT_DEATH(gather_damaged(shorter), k_reason);
  std::vector<std::byte> wrong = told;
  wrong[8 + 7] = std::byte{0xff};  // how many workers there are
  EXPECT_DEATH(gather_damaged(wrong), k_reason);
}

// All fields of a place travel: one that is forgotten would be 0 here.
TEST(process_counts_test, nothing_that_a_place_counts_is_left_behind) {
  ts::place_stats p;
  std::uint64_t* const numbers[] = {&p.messages,
                                    &p.bytes,
                                    &p.messages_taken,
                                    &p.flexible_spawned,
                                    &p.kept,
                                    &p.dealt,
                                    &p.given,
                                    &p.migrated,
                                    &p.received,
                                    &p.migrated_bytes,
                                    &p.migrations,
                                    &p.results_home,
                                    &p.results_home_bytes,
                                    &p.starvations,
                                    &p.remote_steals_tried,
                                    &p.remote_steals_failed,
                                    &p.lifeline_requests,
                                    &p.relays,
                                    &p.loads_asked};
  static_assert(sizeof(ts::place_stats) == 2 * sizeof(std::vector<int>) + sizeof(ts::worker_counters) +
                                               std::size(numbers) * sizeof(std::uint64_t) + sizeof(double),
                "a field more: put it here and into process_counts::serialize");
  std::uint64_t next = 1;
  for (std::uint64_t* const n : numbers) {
    *n = next++;
  }
  post way;
  process self(way, 0);
  const std::vector<process_counts> all = gather(self, 0, 1, {p, 0, 0});
  ts::runtime_stats own;
  own.places.push_back(p);
  EXPECT_EQ(ts::to_json(joined(ts::runtime_stats{}, all)).substr(ts::to_json(joined({}, all)).find("\"places\"")),
            [&own] {
              const std::string text = ts::to_json(own);
              return text.substr(text.find("\"places\""));
            }());
}

TEST(process_counts_test, sums_are_of_all) {
  std::vector<process_counts> all;
  for (int rank = 0; rank < 4; ++rank) {
    all.push_back(counts_of(rank));
    all.back().place.totals = ts::sum_of(all.back().place.workers);
  }
  ts::runtime_stats own;
  own.wall = std::chrono::seconds(1);
  own.cpu = std::chrono::seconds(5);
  const ts::runtime_stats s = joined(own, all);
  EXPECT_EQ(s.wall, std::chrono::seconds(1));
  EXPECT_EQ(s.cpu, std::chrono::milliseconds(6));
  EXPECT_EQ(s.places.size(), 4U);
  EXPECT_EQ(s.workers.size(), 1U + 2U + 3U + 1U);
  EXPECT_EQ(s.totals.tasks_run, 1U + 2 * 2U + 3 * 3U + 4U);
  EXPECT_EQ(s.totals.peak_stacks_live, 100U);
  EXPECT_EQ(s.totals.unseen_exceptions, 6U);
  EXPECT_EQ(s.moves, 6U);
  EXPECT_EQ(s.migrations, 4U);
  EXPECT_DOUBLE_EQ(s.migration_ratio, 4.0 / 70);
  EXPECT_DOUBLE_EQ(s.utilisation_mean, (50 + 25 + 50 / 3.0 + 50) / 4);
}

}  // namespace
