// SPDX-License-Identifier: Apache-2.0
// A task that has not started: 64 bytes, closure included; and the memory that they come from.
#pragma once

#include <tactus/base/counters.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/platform.hpp>

#include <cstddef>
#include <mutex>
#include <vector>

namespace tactus::detail {

class finish_scope;
struct worker;

/// What a help-first async leaves behind. A stack is bound only when it starts.
struct alignas(k_cache_line) queued_task {
  static constexpr std::size_t k_inline_bytes = k_cache_line - 2 * sizeof(void*);

  /// Runs the closure with an identity of its own, destroys it, gives the descriptor back and counts the end.
  void (*run)(queued_task*, worker*);
  union {
    finish_scope* finish;  // while it is a task
    queued_task* next;     // while it is free
  };
  std::byte storage[k_inline_bytes];  // the closure, or a pointer to it on the heap
};

static_assert(sizeof(queued_task) == k_cache_line);

/// Memory of descriptors that workers share: full batches go in and out.
class task_depot {
public:
  static constexpr std::size_t k_batch = 256;
  static constexpr std::size_t k_chunk = 1024;

  task_depot() = default;
  ~task_depot();
  task_depot(const task_depot&) = delete;
  task_depot& operator=(const task_depot&) = delete;

  /// A batch of k_batch free descriptors, or null if none was returned.
  queued_task* take_batch() noexcept;
  void put_batch(queued_task* batch) noexcept;

  /// k_chunk fresh descriptors in a row.
  queued_task* make_chunk();

private:
  std::mutex mutex_;  // protects both
  std::vector<queued_task*> batches_;
  std::vector<queued_task*> chunks_;
};

/// One worker's descriptors. Owner only. A descriptor may be freed by another worker than made it: it joins that worker's
/// list, and whatever exceeds two batches goes to the depot, so a producer and a consumer exchange them 256 at a time.
class task_cache {
public:
  void attach(task_depot* depot, live_worker_counters* counters) noexcept {
    depot_ = depot;
    counters_ = counters;
  }

  TACTUS_ALWAYS_INLINE queued_task* take() {
    queued_task* const t = take_ready();
    return t != nullptr ? t : refill();
  }

  /// take() without the rare case: null then, and nothing has changed.
  TACTUS_ALWAYS_INLINE queued_task* take_ready() noexcept {
    queued_task* const t = free_;
    if (t != nullptr) [[likely]] {
      free_ = t->next;
      ++room_;
    }
    return t;
  }

  /// take(), for what has to be queued: without memory for it the process ends.
  TACTUS_API queued_task* take_or_end() noexcept;

  TACTUS_ALWAYS_INLINE void put(queued_task* t) noexcept {
    t->next = free_;
    free_ = t;
    if (--room_ < 0) [[unlikely]] {
      spill();
    }
  }

private:
  static constexpr std::ptrdiff_t k_most = 2 * std::ptrdiff_t{task_depot::k_batch};

  TACTUS_API TACTUS_NOINLINE queued_task* refill();
  TACTUS_API TACTUS_NOINLINE void spill() noexcept;

  queued_task* free_ = nullptr;
  std::ptrdiff_t room_ = k_most;  // for so many more
  queued_task* fresh_ = nullptr;  // never used ones of the current chunk
  queued_task* fresh_end_ = nullptr;
  task_depot* depot_ = nullptr;
  live_worker_counters* counters_ = nullptr;
};

}  // namespace tactus::detail
