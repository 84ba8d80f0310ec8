// SPDX-License-Identifier: Apache-2.0
// What one place has of a distributed array.
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/array/impl/array_cells.hpp>
#include <tactus/array/impl/block_lock.hpp>
#include <tactus/array/impl/cell_memory.hpp>
#include <tactus/array/impl/exchange.hpp>
#include <tactus/array/impl/ghost_checks.hpp>
#include <tactus/array/impl/ghost_shape.hpp>
#include <tactus/array/impl/idle_exchanges.hpp>
#include <tactus/array/impl/operation_counts.hpp>
#include <tactus/array/impl/patches.hpp>
#include <tactus/array/impl/plan_cache.hpp>
#include <tactus/array/impl/shift_cells.hpp>
#include <tactus/array/view.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/place/impl/loan.hpp>
#include <tactus/place/impl/place_objects.hpp>
#include <tactus/place/place_local.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

/// How many bytes, for errors; 0 where nobody can say.
[[nodiscard]] inline std::size_t bytes_or_most(std::size_t cells, std::size_t each) noexcept {
  return cells > static_cast<std::size_t>(-1) / 2 / each ? static_cast<std::size_t>(-1) / 2 : cells * each;
}

/// Throws resource_error, with the exception being handled as its reason.
[[noreturn]] inline void throw_no_room_for(const std::string& name, int where, std::size_t bytes) {
  throw resource_error("tactus: '" + name + "' needs " + std::to_string(bytes) + " bytes at " +
                       to_string(place(place::unchecked{where})) +
                       ", and there is no memory for them; use more places or a smaller array");
}

template <class T, std::size_t N>
class array_part {
public:
  using cells_type = array_cells<T, N>;
  using plan_type = typename cells_type::plan_type;

  array_part(const dist<N>& d, const array_options<N>& o, std::uint64_t key)
      : dist_(d), options_(o), here_(place(place::unchecked{current_worker()->place})) {
    const place_group& on = d.group();
    is_member_ = std::find(on.begin(), on.end(), here_) != on.end();
    around_ = d.region().bounding_box();
    boxes_ = d.blocks(here_);
    std::size_t cells = 0;
    try {
      make_blocks(cells, key);
    } catch (const std::bad_alloc&) {
      throw_no_room_for(o.name, here_.id(), bytes_or_most(cells, sizeof(T)));
    }
    is_box_ = d.region().is_box();
    is_complete_ = is_box_ && (options_.corners || N == 1);
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      locks_.push_back(std::make_unique<block_lock>());
    }
    if (is_member_ && has_ghosts()) {
      make_exchanges(key);
    }
  }

  [[nodiscard]] const tactus::dist<N>& dist() const noexcept { return dist_; }
  [[nodiscard]] const array_options<N>& options() const noexcept { return options_; }
  [[nodiscard]] bool is_member() const noexcept { return is_member_; }
  [[nodiscard]] place here() const noexcept { return here_; }
  [[nodiscard]] const std::vector<view<T, N>>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const view<T, N>& whole() const noexcept { return whole_; }  // of storage in one box
  [[nodiscard]] block_lock& lock_of(std::size_t block) noexcept { return *locks_[block]; }
  [[nodiscard]] bool has_ghosts() const noexcept {
    for (std::size_t d = 0; d < N; ++d) {
      if (options_.ghost[d] != width()) {
        return true;
      }
    }
    return false;
  }

  /// Null: there is nothing to exchange, and idle() is told instead.
  [[nodiscard]] exchange* forward() const noexcept { return forward_; }
  [[nodiscard]] exchange* backward() const noexcept { return backward_; }
  [[nodiscard]] cells_type* forward_cells() const noexcept { return forward_cells_.get(); }
  [[nodiscard]] cells_type* backward_cells() const noexcept { return backward_cells_.get(); }
  [[nodiscard]] std::shared_ptr<const plan_type> put_plan() const { return plan_of(plans_->forward()); }
  [[nodiscard]] idle_exchanges& idle() noexcept { return idle_; }
  [[nodiscard]] const idle_exchanges& idle() const noexcept { return idle_; }

  /// The cell where it is a block's own, else among the ghosts of one, or the program's beyond an edge; null: it is not here.
  [[nodiscard]] T* find(const point<N>& p) const noexcept {
    for (const view<T, N>& u : blocks_) {
      if (u.resident().contains(p)) {
        return &u[p];
      }
    }
    if (!is_complete_) [[unlikely]] {
      return find_kept_up(p);
    }
    for (const view<T, N>& u : blocks_) {
      if (u.stored().contains(p)) {
        return &u[p];
      }
    }
    return nullptr;
  }

  /// Only in a program with TACTUS_CHECKED these look at anything.
  [[nodiscard]] ghost_checks<T, N>& checks() noexcept { return checks_; }
  void check_before_send(const char* call, ghost_source promised) {
    look_before_send(call);
    note_open(promised, forward_cells_->plan());
  }
  /// What the program's elements throw passes through, and nothing has been changed.
  void send_forward(ghost_source promised) {
    try {
      forward_->send(0, promised);
    } catch (...) {
      checks_.has_not_opened(forward_cells_->plan());
      throw;
    }
  }
  void check_after_wait(const char* call) { check_after_wait(call, forward_cells_->plan()); }
  /// In a group, whose plans are its own: all members are looked at before one of them is open.
  void look_before_send(const char* call) const { checks_.before_send(call, plans_->forward(), forward_->count()); }
  void note_open(ghost_source promised, const plan_type& plan) { checks_.opens(plan, promised); }
  void note_not_open(const plan_type& plan) noexcept { checks_.has_not_opened(plan); }
  void check_after_wait(const char* call, const plan_type& plan) {
    checks_.closed(call, plan, plans_->forward(), forward_->count());
  }

  /// What its operations send.
  [[nodiscard]] operation_counts& counts() const noexcept { return *counts_; }

  /// usage_error: an exchange is open.
  void check_closed(const char* call) const {
    if (forward_ != nullptr) {
      forward_->check_closed(call);
      backward_->check_closed(call);
    } else {
      idle_.check_closed(call);
    }
  }

private:
  // Where there are stored cells that nobody keeps up: another block may have the one that an exchange brings.
  [[nodiscard]] TACTUS_NOINLINE T* find_kept_up(const point<N>& p) const noexcept {
    for (const view<T, N>& u : blocks_) {
      if (u.stored().contains(p) && is_kept_up(u.resident(), p)) {
        return &u[p];
      }
    }
    return nullptr;
  }

  // Whether an exchange brings a stored cell to the block with these cells, or it is the program's own, beyond an edge. Corners of an array
  // without them are neither, nor is what no place has.
  [[nodiscard]] bool is_kept_up(const box<N>& resident, const point<N>& p) const noexcept {
    std::size_t axes_beyond = 0;
    for (std::size_t d = 0; d < N; ++d) {
      axes_beyond += p[d] < resident.lo[d] || p[d] >= resident.hi[d] ? 1U : 0U;
    }
    if ((options_.corners || axes_beyond == 1) && (is_box_ || dist_.region().contains(owned(p)))) {
      return true;
    }
    for (std::size_t d = 0; d < N; ++d) {
      if (!options_.periodic[d] && (p[d] < around_.lo[d] || p[d] >= around_.hi[d])) {
        return true;
      }
    }
    return false;
  }
  // Of a ghost across a periodic edge, the cell that it is.
  [[nodiscard]] point<N> owned(point<N> p) const noexcept {
    for (std::size_t d = 0; d < N; ++d) {
      if (options_.periodic[d]) {
        const index_t rest = (p[d] - around_.lo[d]) % around_.extent(d);
        p[d] = around_.lo[d] + rest + (rest < 0 ? around_.extent(d) : 0);
      }
    }
    return p;
  }

  void make_blocks(std::size_t& cells, std::uint64_t key) {
    const ghost_shape<N> shape(dist_, options_);
    if (options_.storage == block_storage::bounding_box && !boxes_.empty()) {
      box<N> around = boxes_.front();
      box<N> stored = shape.stored(boxes_.front());
      for (const box<N>& b : boxes_) {
        const box<N> s = shape.stored(b);
        for (std::size_t d = 0; d < N; ++d) {
          around.lo[d] = std::min(around.lo[d], b.lo[d]);
          around.hi[d] = std::max(around.hi[d], b.hi[d]);
          stored.lo[d] = std::min(stored.lo[d], s.lo[d]);
          stored.hi[d] = std::max(stored.hi[d], s.hi[d]);
        }
      }
      cells = stored.size();
      memory_.emplace_back(cells, key);
      checks_.knows(memory_.back().data(), cells);
      whole_ = view<T, N>(memory_.back().data(), stored, around,
                          boxes_.size() == 1 ? shape.interior(around) : around & box<N>());
      for (const box<N>& b : boxes_) {
        blocks_.push_back(view<T, N>(whole_, shape.stored(b), b, shape.interior(b), blocks_.size()));
      }
      return;
    }
    for (const box<N>& b : boxes_) {
      const box<N> stored = shape.stored(b);
      cells = stored.size();
      memory_.emplace_back(cells, key);
      checks_.knows(memory_.back().data(), cells);
      blocks_.push_back(view<T, N>(memory_.back().data(), stored, b, shape.interior(b), blocks_.size()));
    }
  }

  void make_exchanges(std::uint64_t key) {
    plans_ = plan_cache<N>::plans(dist_, options_, here_.id());
    exchange_manner manner;
    if (passes_on()) {
      if constexpr (cells_type::is_bytes) {
        const std::shared_ptr<const shift_plan<N>> plan(plans_, &*plans_->shift());
        manner.stages = plan->stages;
        forward_cells_ = std::make_unique<shift_cells<T, N>>(blocks_, plan);
      }
    } else {
      forward_cells_ = std::make_unique<cells_type>(blocks_, blocks_, put_plan());
    }
    backward_cells_ = std::make_unique<cells_type>(blocks_, blocks_, plan_of(plans_->backward()));
    manner.of = "'" + options_.name + "'";
    manner.send = "send_ghosts";
    manner.wait = "wait_for_ghosts";
    manner.meets_all = options_.sync == ghost_sync::barrier || options_.exchange == ghost_exchange::barrier;
    if (manner.meets_all) {
      for (const place p : dist_.group()) {
        if (!dist_.blocks(p).empty()) {
          manner.members.push_back(p.id());
        }
      }
    }
    exchanges_ = make_exchange_set(key);
    forward_ = &exchanges_->add(forward_cells_->places(), *forward_cells_, manner);
    manner.send = "send_contributions";
    manner.wait = "wait_for_contributions";
    manner.stages.clear();
    backward_ = &exchanges_->add(backward_cells_->places(), *backward_cells_, manner);
    exchanges_->open();
  }

  // All members say the same: a place that is unlike one of the others is so to some member wherever it is asked.
  [[nodiscard]] bool passes_on() const {
    return cells_type::is_bytes && plans_->shift().has_value() &&
           std::all_of(dist_.group().begin(), dist_.group().end(), [](place p) { return is_alike(p.id()); });
  }
  [[nodiscard]] std::shared_ptr<const plan_type> plan_of(const plan_type& one) const { return {plans_, &one}; }

  tactus::dist<N> dist_;
  array_options<N> options_;
  place here_;
  idle_exchanges idle_{options_.name, here_};
  bool is_member_ = false;
  bool is_box_ = false;  // all of the array
  box<N> around_;
  std::vector<box<N>> boxes_;
  std::vector<cell_memory<T>> memory_;
  view<T, N> whole_;
  std::vector<view<T, N>> blocks_;
  bool is_complete_ = false;  // whether all that they store is kept up
  std::vector<std::unique_ptr<block_lock>> locks_;
  std::shared_ptr<const ghost_plans<N>> plans_;
  std::shared_ptr<operation_counts> counts_ = register_operations(options_.name);
  ghost_checks<T, N> checks_{blocks_, options_.name, here_.id()};
  std::unique_ptr<cells_type> forward_cells_;
  std::unique_ptr<cells_type> backward_cells_;
  exchange* forward_ = nullptr;
  exchange* backward_ = nullptr;
  std::unique_ptr<exchange_set> exchanges_;  // goes first
};

/// The calling task's place's part of the array of that name. usage_error: it has gone.
[[noreturn]] TACTUS_API void throw_no_array(const char* call);

template <class Part>
TACTUS_ALWAYS_INLINE Part& part_of(place_object_name name, const char* call) {
  const worker* w = current_worker();
  if (w == nullptr) [[unlikely]] {
    w = any_worker_for(call);
  }
  void* const object = w->objects->find(name);
  if (object == nullptr) [[unlikely]] {
    throw_no_array(call);
  }
  return *static_cast<Part*>(object);
}

}  // namespace tactus::detail
