// SPDX-License-Identifier: Apache-2.0
// What a place keeps of a finish that is at home elsewhere. docs/protocols/remote_finish.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/scheduler/impl/finish_scope.hpp>
#include <tactus/scheduler/impl/queued_task.hpp>

#include "place/key_table.hpp"

#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace tactus::detail {

/// How many tasks went where.
using sent_counts = std::vector<std::pair<int, std::uint64_t>>;

/// One for each finish and place, while something of it is there. All but its word is protected by the lock of its table.
class part : public finish_scope {
public:
  explicit part(std::uint64_t of) noexcept : finish_scope(of_part{of}), key(of) {}

  const std::uint64_t key;
  part* next = nullptr;  // in the table

  std::uint64_t arrived = 0;  // tasks, since it was made
  sent_counts sent;           // by tasks of it

  queued_task report{};  // the message that it becomes when it is cut

  using finish_scope::has_failures;
  using finish_scope::has_one_task_only;
  using finish_scope::is_idle;
  using finish_scope::take_oldest_first;
  using finish_scope::uncount_of_part;

  /// Whether nothing of its finish has been here but bodies of at().
  [[nodiscard]] bool is_blank() const noexcept { return arrived == 0 && sent.empty() && !has_failures(); }

  /// std::bad_alloc, where none has gone there yet.
  void count_sent(int to, std::uint64_t tasks = 1) {
    for (auto& [where, count] : sent) {
      if (where == to) {
        count += tasks;
        return;
      }
    }
    if (tasks != 0) {
      sent.emplace_back(to, tasks);
    }
  }

  /// One that was counted did not go.
  void uncount_sent(int to) noexcept {
    for (auto& one : sent) {
      if (one.first == to && --one.second == 0) {
        std::swap(one, sent.back());
        sent.pop_back();
        return;
      }
    }
  }
};

/// Memory of the parts of one place. They are made there and end at the homes of their finishes, by other threads: memory that went back to
/// the system's allocator would go through its locks each time.
class part_pool {
public:
  part_pool() = default;
  part_pool(const part_pool&) = delete;
  part_pool& operator=(const part_pool&) = delete;
  ~part_pool() {
    free_all(spare_);
    free_all(given_.load(memory_order_acquire));  // acquire: pairs with give()
  }

  /// By who holds the mailbox of the place. std::bad_alloc.
  [[nodiscard]] part* take(std::uint64_t key) {
    if (spare_ == nullptr) {
      spare_ = given_.exchange(nullptr, memory_order_acquire);  // acquire: what was there before is over
    }
    void* memory = spare_;
    if (memory == nullptr) {
      memory = ::operator new(sizeof(part), std::align_val_t{alignof(part)});
    } else {
      spare_ = spare_->next;
    }
    return ::new (memory) part(key);
  }

  /// Any thread.
  void give(part* p) noexcept {
    p->~part();
    auto* const s = ::new (static_cast<void*>(p)) spare{given_.load(memory_order_relaxed)};  // relaxed: compared below
    // release: the part is over; pairs with take(). Taken as a whole, so nobody sees one come back meanwhile
    while (!given_.compare_exchange_weak(s->next, s, memory_order_release, memory_order_relaxed)) {
    }
  }

private:
  struct spare {
    spare* next;
  };

  static void free_all(spare* s) noexcept {
    while (s != nullptr) {
      ::operator delete(std::exchange(s, s->next), std::align_val_t{alignof(part)});
    }
  }

  spare* spare_ = nullptr;         // of who holds the mailbox
  atomic<spare*> given_{nullptr};  // by anybody
};

}  // namespace tactus::detail
