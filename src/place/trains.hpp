// SPDX-License-Identifier: Apache-2.0
// Small tasks that a worker sends to a place of another process go together: a train. docs/protocols/messages.md, "Trains".
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/place/impl/frame_block.hpp>
#include <tactus/place/impl/wired_type.hpp>
#include <tactus/scheduler/impl/queued_task.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <sched.h>

namespace tactus::detail {

class finish_scope;
class place_node;
struct worker;

/// Tasks of one type and one finish, for one place. With all that it needs to leave, so that this cannot fail.
struct departing_train {
  frame_ptr block;
  queued_task* message = nullptr;
  const wired_type* type = nullptr;  // null: there is none
  finish_scope* under = nullptr;     // one task of it, until the train leaves
  std::uint64_t key = 0;             // of that
  std::uint64_t token = 0;           // of the type
  std::uint32_t count = 0;
  std::uint32_t most = 0;  // for so many there is memory, and room at their place
};

/// Those that one worker puts together, one for each place.
class alignas(k_cache_line) open_trains {
public:
  /// Adds a call of `type`, as a task of the calling task's finish for place `to`, another one. False: it has to go alone; nothing has
  /// happened. By the owner, `w`. std::bad_alloc: likewise.
  bool add(place_node& here, worker* w, int to, const wired_type& type, const std::byte* call);

  /// All leave. By the owner.
  void let_all_go(place_node& here, worker* w) noexcept;

  /// All leave if nobody has added anything since the last look. Any thread; `w`: its worker, or null.
  enum class look : std::uint8_t { none_is_open, stay, have_left };
  look let_idle_go(place_node& here, worker* w) noexcept;

private:
  static constexpr std::uint32_t k_first = 16;  // tasks, in a train that nothing is known of

  struct train : departing_train {
    std::uint32_t next_most = k_first;
  };

  /// For a few lines, none of which waits.
  class few_lines {
  public:
    bool try_lock() noexcept {
      return !held_.exchange(true, memory_order_acquire);  // acquire: what the last one did; pairs with unlock()
    }
    void lock() noexcept {
      while (!try_lock()) {
        ::sched_yield();
      }
    }
    void unlock() noexcept { held_.store(false, memory_order_release); }  // release: pairs with try_lock()

  private:
    atomic<bool> held_{false};
  };

  bool open(place_node& here, worker* w, int to, const wired_type& type, const std::byte* call);
  [[nodiscard]] departing_train detach(int to) noexcept;
  void let_go(place_node& here, worker* w, std::unique_lock<few_lines>& lock) noexcept;

  few_lines lock_;                  // protects all but added_
  atomic<std::uint64_t> added_{0};  // by the owner: how many tasks
  std::uint64_t seen_ = 0;          // of these, at the last look
  std::vector<train> to_;           // by place; none before the first
  std::vector<int> open_;           // where there is one
};

}  // namespace tactus::detail
