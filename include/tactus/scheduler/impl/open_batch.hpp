// SPDX-License-Identifier: Apache-2.0
// Small tasks that share an entry of the deque, and the batch that a worker is still putting together.
// docs/protocols/batch.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/scheduler/impl/queued_task.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tactus::detail {

struct worker;

/// Closures of small tasks that one finish counts, each in a slot with the function that runs it. Nobody else sees a batch
/// while it is put together and while its tasks run; what is left of it goes back into a deque as a whole.
struct alignas(k_cache_line) task_batch {
  /// How a slot begins: copies the closure of the slot it is given and runs the copy.
  using runner = void (*)(const void* slot) noexcept;

  static constexpr std::size_t k_bytes = 1024 - k_cache_line - 4 * sizeof(std::uint32_t);
  static constexpr std::uint32_t k_most = 32;

  queued_task head;     ///< what a deque knows of it; while it is free, the next free one stands in `next` of that
  std::uint32_t begun;  ///< so many have begun
  std::uint32_t count;  ///< of so many
  std::uint32_t room;   ///< for so many in all
  std::uint32_t bytes;  ///< of a slot with its closure, which is no larger
  alignas(void*) std::byte slots[k_bytes];

  /// Empty, for slots of that size.
  void begin(void (*run)(queued_task*, worker*), finish_scope* under, std::uint32_t slot_bytes) noexcept;

  [[nodiscard]] TACTUS_ALWAYS_INLINE void* at(std::uint32_t i) noexcept { return slots + std::size_t{i} * bytes; }
};

static_assert(sizeof(task_batch) == 1024);

/// Free batches that workers share, by chains of k_chain.
class batch_depot {
public:
  static constexpr std::uint32_t k_chain = 16;

  batch_depot() = default;
  batch_depot(const batch_depot&) = delete;
  batch_depot& operator=(const batch_depot&) = delete;
  ~batch_depot();

  /// A chain, or null if none was given back.
  task_batch* take() noexcept;

  /// False where there is no memory to remember it: it stays the caller's.
  bool put(task_batch* chain) noexcept;

private:
  std::mutex mutex_;  // protects chains_
  std::vector<task_batch*> chains_;
};

/// What a worker puts together. The owner adds to it without a fence; a thief that found nothing else may take it away.
class open_batch {
public:
  open_batch() = default;
  open_batch(const open_batch&) = delete;
  open_batch& operator=(const open_batch&) = delete;
  ~open_batch();

  void attach(batch_depot* depot, live_worker_counters* counters) noexcept {
    depot_ = depot;
    counters_ = counters;
  }

  // ---- the owner ----

  [[nodiscard]] TACTUS_ALWAYS_INLINE bool is_open() const noexcept {
    return batch_.load(memory_order_relaxed) != nullptr;  // relaxed: others only ever take it away
  }

  /// The open batch, which nobody takes away until end(); null if there is none, or a thief wants it.
  TACTUS_ALWAYS_INLINE task_batch* begin() noexcept {
    busy_.store(true, memory_order_relaxed);    // relaxed: a thief's fence on all processors orders it (batch B1)
    atomic_signal_fence(memory_order_seq_cst);  // before the look at wanted_
    // acquire: a thief that is through has taken the batch away
    return wanted_.load(memory_order_acquire) ? nullptr : batch_.load(memory_order_relaxed);
  }
  TACTUS_ALWAYS_INLINE void end() noexcept {
    busy_.store(false, memory_order_release);   // release: hands on what was added; pairs with take()
    atomic_signal_fence(memory_order_seq_cst);  // before the look at who sleeps (batch B2)
  }

  /// While there is none.
  void open(task_batch* b) noexcept { batch_.store(b, memory_order_release); }  // release: what b says, to a thief

  /// Takes it away, or null.
  task_batch* close() noexcept { return batch_.exchange(nullptr, memory_order_acq_rel); }  // pairs with a thief's

  /// A free one, or null without memory for it.
  task_batch* make() noexcept;
  void free(task_batch* b) noexcept;

  // ---- thieves ----

  /// Takes the batch away; null if there is none, another thief is at it, or its owner is adding to it just then. That one
  /// looks afterwards whether somebody sleeps (batch B2). For a thief outside the idle set only: until it has pushed what it
  /// took, nobody else sees it (B4).
  task_batch* take() noexcept;

private:
  atomic<task_batch*> batch_{nullptr};
  atomic<bool> busy_{false};    // the owner is adding to it; written by the owner
  atomic<bool> wanted_{false};  // a thief is at it: the owner adds nothing; written by that thief
  std::uint32_t spares_ = 0;
  task_batch* spare_ = nullptr;  // free ones
  batch_depot* depot_ = nullptr;
  live_worker_counters* counters_ = nullptr;
};

/// Puts what w has put together, if anything, into its deque.
TACTUS_API void publish_open(worker* w) noexcept;

/// An empty batch of the finish that w holds, which `run` will run, if small tasks are to share entries now; else null.
TACTUS_API task_batch* begin_batch(worker* w, void (*run)(queued_task*, worker*), std::size_t slot_bytes) noexcept;

/// Makes b, which has its first task by now, what w puts together.
TACTUS_API void open_batch_with(worker* w, task_batch* b) noexcept;

/// Gives half of what has not begun to thieves. Without memory for it nothing happens.
void share_batch(worker* w, task_batch* b) noexcept;

}  // namespace tactus::detail
