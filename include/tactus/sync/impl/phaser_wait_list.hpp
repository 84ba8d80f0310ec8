// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for the same thing of a phaser.
#pragma once

#include <tactus/scheduler/impl/suspend.hpp>

#include <cstdint>
#include <utility>

namespace tactus::detail {

/// Where one of them waits. Lives on its stack.
struct phaser_wait_point : wait_point {
  phaser_wait_point(void* what, const worker* w, std::uint64_t which) noexcept : phase(which) {
    object = what;
    finish = w->held;
  }

  const std::uint64_t phase;  ///< that it waits for; of a signaller, how often it has signalled
};

/// Linked by their `next`. With the phaser's lock, or by the only one who knows the list.
class phaser_wait_list {
public:
  phaser_wait_list() = default;

  [[nodiscard]] bool is_empty() const noexcept { return first_ == nullptr; }

  void add(phaser_wait_point& p) noexcept {
    p.next = first_;
    first_ = &p;
  }

  /// Null: there is none.
  [[nodiscard]] phaser_wait_point* take_first() noexcept {
    phaser_wait_point* const p = first_;
    if (p != nullptr) {
      first_ = static_cast<phaser_wait_point*>(p->next);
    }
    return p;
  }

  void clear() noexcept { first_ = nullptr; }

  [[nodiscard]] phaser_wait_list take_all() noexcept { return phaser_wait_list(std::exchange(first_, nullptr)); }

  /// Takes off those for whom ready(point) holds, and counts them.
  template <class F>
  [[nodiscard]] phaser_wait_list take_if(std::uint32_t& count, F&& ready) noexcept {
    phaser_wait_list taken;
    phaser_wait_list all = take_all();
    while (phaser_wait_point* const p = all.take_first()) {
      ++looks_;
      if (ready(std::as_const(*p))) {
        ++count;
        taken.add(*p);
      } else {
        add(*p);
      }
    }
    return taken;
  }

  template <class F>
  void for_each(F&& f) const {
    for (const phaser_wait_point* p = first_; p != nullptr; p = static_cast<const phaser_wait_point*>(p->next)) {
      f(*p);
    }
  }

  /// All go on.
  void free_all() noexcept {
    while (phaser_wait_point* const p = take_first()) {
      make_ready(current_worker(), *p);
    }
  }

  /// At how many tasks it has looked.
  [[nodiscard]] std::uint64_t looks() const noexcept { return looks_; }

private:
  explicit phaser_wait_list(phaser_wait_point* first) noexcept : first_(first) {}

  phaser_wait_point* first_ = nullptr;
  std::uint64_t looks_ = 0;
};

}  // namespace tactus::detail
