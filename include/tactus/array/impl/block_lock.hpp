// SPDX-License-Identifier: Apache-2.0
// The lock of a block whose cells are combined with others.
#pragma once

#include <tactus/sync/atomic.hpp>

#include <utility>

namespace tactus::detail {

/// Of tasks of one place. Who waits for it suspends; who holds it may suspend, since what it runs is the program's.
class block_lock {
public:
  /// Runs f while no other task holds the lock. Throws what f does, and what monitor::when does.
  template <class F>
  void hold(F&& f) {
    monitor_.when([this] { return !is_held_; }, [this] { is_held_ = true; });
    try {
      std::forward<F>(f)();
    } catch (...) {
      let_go();
      throw;
    }
    let_go();
  }

private:
  void let_go() {
    monitor_.atomic([this] { is_held_ = false; });
  }

  monitor monitor_;
  bool is_held_ = false;  // written and read inside
};

}  // namespace tactus::detail
