// SPDX-License-Identifier: Apache-2.0
// One place of the simulated machine.
#pragma once

#include "placement/placement.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace simulator {

using task_number = std::uint32_t;

/// Flexible tasks that wait: the place itself takes the newest.
class ring {
public:
  [[nodiscard]] std::size_t size() const { return tasks_.size() - first_; }
  void push(task_number t) { tasks_.push_back(t); }

  task_number take_newest() {
    const task_number t = tasks_.back();
    tasks_.pop_back();
    if (size() == 0) clear();
    return t;
  }

  /// Up to n, as long as `fits` says so of the next one.
  template <class Fits>
  std::vector<task_number> take(std::size_t n, tactus::detail::placement_action::order pick, Fits fits) {
    const bool each = pick == tactus::detail::placement_action::oldest;
    const std::size_t step = each ? 1 : 2;
    std::vector<task_number> taken;
    std::vector<task_number> kept;
    std::size_t at = first_;
    for (; at < tasks_.size() && taken.size() < n && fits(tasks_[at]); at += step) {
      taken.push_back(tasks_[at]);
      if (!each && at + 1 < tasks_.size()) kept.push_back(tasks_[at + 1]);
    }
    at = at < tasks_.size() ? at : tasks_.size();
    const std::size_t back = at - kept.size();
    for (std::size_t i = 0; i < kept.size(); ++i) tasks_[back + i] = kept[i];
    first_ = back;
    if (size() == 0) clear();
    if (first_ > 64 && 2 * first_ > tasks_.size()) compact();
    return taken;
  }

private:
  void clear() {
    tasks_.clear();
    first_ = 0;
  }
  void compact() {
    tasks_.erase(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

  std::vector<task_number> tasks_;
  std::size_t first_ = 0;
};

struct worker {
  bool runs = false;
  std::int64_t began = 0;
  std::int64_t until = 0;
};

struct place {
  std::unique_ptr<tactus::detail::placement> policy;
  tactus::detail::placement_interest interest;
  ring flexible;
  std::vector<task_number> sensitive;
  std::vector<std::pair<std::uint32_t, task_number>> held;  // by the policy's number
  std::vector<worker> workers;
  int idle = 0;                                      // workers that run nothing
  int starved = 0;                                   // of these, those that have said so
  bool says_it_starves = false;                      // an event for that is under way
  std::int64_t polled_at = tactus::detail::k_never;  // an event for that is under way
  std::int64_t debt = 0;                             // what messages have cost that came or went while all workers ran
  std::int64_t busy = 0;
  std::int64_t last_taken = 0;
  std::int64_t mean_task = 0;
  std::uint32_t ended = 0;  // flexible tasks
  std::uint32_t with_children = 0;
};

}  // namespace simulator
