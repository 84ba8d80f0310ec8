// SPDX-License-Identifier: Apache-2.0
// Problem memory, in two shapes.
//   queued  n tasks are spawned while one worker is busy spawning: resident bytes per task that waits to start
//   steady  ten equal finishes: resident bytes after each, which must not go on growing. How many tasks are queued
//           at once would depend on the thieves; they are kept occupied until all are queued.
// Suspended tasks are the problem census, live stacks the problem live_stacks.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "support/marks.hpp"
#include "support/resident.hpp"

namespace bench {

class memory_problem : public marks {
public:
  static constexpr std::uint64_t k_default_size = 1'000'000;
  static constexpr int k_finishes = 10;

  explicit memory_problem(const options& o)
      : marks(o.size == 0 ? k_default_size : o.size), shape_(o.shape), threads_(o.threads) {
    if (shape_ != "queued" && shape_ != "steady") {
      throw std::invalid_argument("memory: --shape is queued or steady, not '" + shape_ + "'");
    }
    if (shape_ == "queued" && o.threads != 1) throw std::invalid_argument("memory: the shape queued needs --threads 1");
  }

  [[nodiscard]] int other_workers() const { return threads_ - 1; }
  [[nodiscard]] bool steady() const { return shape_ == "steady"; }

  void reset() {
    marks::reset();
    after_.clear();
  }

  /// Around the spawn loop of the shape queued, in the task that spawns: with one worker nothing starts meanwhile.
  void nothing_queued() { resident_before_ = resident_bytes(); }
  void all_queued() { resident_queued_ = resident_bytes(); }

  /// A task of the shape queued; one that started before all were queued would make the figure too good.
  void run_queued(std::uint64_t i) {
    if (resident_queued_ == 0) ++started_early_;
    set(i);
  }

  /// Shape steady, in this order: nobody_occupied(); as many tasks as there are other workers, each of which calls
  /// occupy(); await_occupants(); all other tasks are spawned; release_occupants().
  void nobody_occupied() {
    occupied_.store(0, std::memory_order_relaxed);      // relaxed: no occupant exists yet
    released_.store(false, std::memory_order_relaxed);  // relaxed: as above
  }

  void occupy() {
    occupied_.fetch_add(1, std::memory_order_relaxed);  // relaxed: only the count matters
    // relaxed: nothing is read that the releasing worker wrote
    while (!released_.load(std::memory_order_relaxed)) std::this_thread::yield();
  }

  void await_occupants() const {
    while (occupied_.load(std::memory_order_relaxed) < threads_ - 1) {  // relaxed: only the count matters
      std::this_thread::yield();
    }
  }

  void release_occupants() { released_.store(true, std::memory_order_relaxed); }  // relaxed: publishes nothing

  /// After each finish of the shape steady. The next one counts anew.
  void finished_one() {
    after_.push_back(resident_bytes());
    if (after_.size() < k_finishes) {
      verify();
      marks::reset();
    }
  }

  [[nodiscard]] std::uint64_t operations() const { return size() * (steady() ? k_finishes : 1); }

  void report(nlohmann::json& line) {
    line["size"] = size();
    line["shape"] = shape_;
    if (steady()) {
      line["resident_after"] = after_;
    } else {
      line["started_early"] = started_early_;
      // Descriptors of the first pass are used again by the next: only the first one shows their cost.
      if (line["rep"] == 1 && line["passes"] == 1) {
        line["bytes_per_queued"] = (static_cast<double>(resident_queued_) - static_cast<double>(resident_before_)) /
                                   static_cast<double>(size());
      }
    }
    resident_queued_ = 0;
    started_early_ = 0;
  }

private:
  std::string shape_;
  int threads_;
  std::atomic<int> occupied_{0};
  std::atomic<bool> released_{false};
  std::uint64_t resident_before_ = 0;
  std::uint64_t resident_queued_ = 0;
  std::uint64_t started_early_ = 0;
  std::vector<std::uint64_t> after_;
};

}  // namespace bench
