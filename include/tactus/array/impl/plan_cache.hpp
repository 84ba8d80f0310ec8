// SPDX-License-Identifier: Apache-2.0
// Plans of ghosts, shared by arrays that are made alike.
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/array/impl/ghost_plan.hpp>
#include <tactus/array/impl/grid_of_parts.hpp>
#include <tactus/array/impl/patches.hpp>
#include <tactus/array/impl/shift_plan.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Whether arrays of these options, over parts in a grid, are exchanged by shift where their elements allow it: along one axis alone, and
/// without corners, nothing is passed on, and put is the same.
template <std::size_t N>
[[nodiscard]] bool passes_on(const dist<N>& d, const array_options<N>& o, const grid_of_parts<N>& parts) {
  return o.corners && shift_planner<N>(d, o, parts).axes().size() > 1;
}

/// What one place sends and gets of the ghosts of all arrays of one kind.
template <std::size_t N>
class ghost_plans {
public:
  using list = std::vector<neighbour_patches<N>>;

  ghost_plans(const tactus::dist<N>& d, const array_options<N>& o, int here,
              std::shared_ptr<const all_blocks<N>> blocks)
      : blocks_(std::move(blocks)),
        options_(o),
        here_(here),
        forward_(ghost_plan(d, o, here, *blocks_)),
        backward_(turned_round(forward_)) {
    if (o.exchange == ghost_exchange::shift) {
      if (const auto parts = grid_of_parts<N>::of(d); parts && passes_on(d, o, *parts)) {
        shift_ = shift_planner<N>(d, o, *parts).of(here);
      }
    }
  }

  [[nodiscard]] const list& forward() const noexcept { return forward_; }
  [[nodiscard]] const list& backward() const noexcept { return backward_; }
  [[nodiscard]] const std::optional<shift_plan<N>>& shift() const noexcept { return shift_; }

  [[nodiscard]] const std::shared_ptr<const all_blocks<N>>& blocks() const noexcept { return blocks_; }

  [[nodiscard]] bool serves(const tactus::dist<N>& d, const array_options<N>& o, int here) const {
    return here_ == here && options_.ghost == o.ghost && options_.periodic == o.periodic &&
           options_.corners == o.corners && options_.storage == o.storage &&
           (options_.exchange == ghost_exchange::shift) == (o.exchange == ghost_exchange::shift) &&
           blocks_->dist() == d;
  }

private:
  std::shared_ptr<const all_blocks<N>> blocks_;
  array_options<N> options_;
  int here_;
  list forward_;
  list backward_;
  std::optional<shift_plan<N>> shift_;
};

/// Those that some array uses. Any thread.
template <std::size_t N>
class plan_cache {
public:
  [[nodiscard]] static std::shared_ptr<const ghost_plans<N>> plans(const dist<N>& d, const array_options<N>& o,
                                                                   int here) {
    plan_cache& self = all();
    {
      const std::lock_guard lock(self.mutex_);
      if (auto known = self.find(d, o, here)) {
        return known;
      }
    }
    auto made = std::make_shared<const ghost_plans<N>>(d, o, here, self.blocks_of(d));
    const std::lock_guard lock(self.mutex_);
    std::erase_if(self.plans_, [](const auto& p) { return p.expired(); });
    self.plans_.push_back(made);
    return made;
  }

private:
  static plan_cache& all() {
    static plan_cache s_all;
    return s_all;
  }

  [[nodiscard]] std::shared_ptr<const ghost_plans<N>> find(const dist<N>& d, const array_options<N>& o,
                                                           int here) const {
    for (auto p = plans_.rbegin(); p != plans_.rend(); ++p) {  // what was used last is asked for most
      if (auto known = p->lock(); known != nullptr && known->serves(d, o, here)) {
        return known;
      }
    }
    return nullptr;
  }

  // Places of one process make their plans of a distribution at the same time: they look for blocks in the same index.
  [[nodiscard]] std::shared_ptr<const all_blocks<N>> blocks_of(const dist<N>& d) {
    const std::lock_guard lock(blocks_mutex_);
    if (auto known = blocks_.lock(); known != nullptr && known->dist() == d) {
      return known;
    }
    auto made = std::make_shared<const all_blocks<N>>(d);
    blocks_ = made;
    return made;
  }

  std::mutex mutex_;  // protects plans_
  std::vector<std::weak_ptr<const ghost_plans<N>>> plans_;
  std::mutex blocks_mutex_;  // held while an index is made: who wants the same waits
  std::weak_ptr<const all_blocks<N>> blocks_;
};

}  // namespace tactus::detail
