// SPDX-License-Identifier: Apache-2.0
// What the attributes of one async register a child on, clocks and phasers alike, from the spawn to its start.
#pragma once

#include <tactus/sync/impl/membership.hpp>

#include "scheduler/scheduler.hpp"

#include <memory>
#include <utility>

namespace tactus::detail {

class child_memberships final : public registration {
public:
  child_memberships() = default;
  child_memberships(const child_memberships&) = delete;
  child_memberships& operator=(const child_memberships&) = delete;

  ~child_memberships() override {
    while (first_ != nullptr) {  // the child was not spawned
      local_value* const m = std::exchange(first_, first_->next);
      m->destroy(m);
    }
  }

  /// Those of one async. std::bad_alloc.
  static child_memberships& in(spawn_attributes& all) {
    if (all.registered == nullptr) {
      all.registered = std::make_unique<child_memberships>();
    }
    return static_cast<child_memberships&>(*all.registered);
  }

  [[nodiscard]] membership* find(std::uint64_t key) const noexcept {
    for (local_value* v = first_; v != nullptr; v = v->next) {
      if (v->key == key) {
        return static_cast<membership*>(v);
      }
    }
    return nullptr;
  }

  /// Takes it over; it lies on the heap.
  void add(membership* m) noexcept {
    m->next = first_;
    first_ = m;
  }

  void begin(task_frame& child) noexcept override {
    worker* const w = current_worker();
    while (first_ != nullptr) {
      auto* const m = static_cast<membership*>(std::exchange(first_, first_->next));
      m->begin(w, child);
    }
  }

private:
  local_value* first_ = nullptr;
};

}  // namespace tactus::detail
