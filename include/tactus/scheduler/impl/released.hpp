// SPDX-License-Identifier: Apache-2.0
// Bulk release: continuations that became ready together, as ranges of an array. A worker goes on with its own from the front, block by
// block; thieves take from the end. Nothing is queued one by one.
//
// Protocol, invariants and models: docs/protocols/clock.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/lesser.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/deque/impl/mailbox.hpp>
#include <tactus/scheduler/impl/continuation.hpp>

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

class barrier;
struct worker;

/// Strands in a row, all ready. The array outlives them: it belongs to the barrier that they waited at.
struct released_range {
  continuation** entries = nullptr;
  std::size_t count = 0;
  const barrier* of = nullptr;     // that they waited at
  worker* target = nullptr;        // whose waiters they were
  released_range* next = nullptr;  // in a mailbox
};

/// What one worker still has to go on with. Its memory lives as long as the scheduler, so that a thief that comes too late reads
/// nothing that is gone.
class released_work {
public:
  static constexpr std::size_t k_most = (std::size_t{1} << 20) - 1;  // in one range; longer ones are cut

  struct block {
    continuation** first = nullptr;
    continuation** last = nullptr;
    const barrier* of = nullptr;
  };

  // ---- owner ----

  /// Takes the next continuations from the front; where thieves may come, at most `most`. A share that is nearly through is not cut into
  /// ever smaller parts, each of which would cost a claim.
  block take(std::size_t most, bool alone) noexcept {
    // relaxed: only the owner makes it longer, and a failed exchange looks again
    std::uint64_t seen = claim_.load(memory_order_relaxed);
    for (;;) {
      const std::size_t next = next_of(seen);
      const std::size_t left = end_of(seen) - next;
      if (left == 0) {
        return {};
      }
      const std::size_t n = alone ? left : lesser(left, most);
      // acq_rel: pairs with thieves' claims, so that each entry goes to one of us (C6)
      if (claim_.compare_exchange_weak(seen, seen + (std::uint64_t{n} << k_next_shift), memory_order_acq_rel,
                                       memory_order_relaxed)) {
        continuation** const first = entries_.load(memory_order_relaxed) + next;  // relaxed: the owner wrote both
        return {first, first + n, of_.load(memory_order_relaxed)};
      }
    }
  }

  /// Makes a range what take() takes from. Only while that is empty. What exceeds k_most stays in `range`; true if that is
  /// anything. Else `range` is not touched once the entries may be taken: when all of them have been, its barrier may use it
  /// again (C8).
  bool put(released_range& range) noexcept {
    const std::size_t n = lesser(range.count, k_most);
    continuation** const entries = range.entries;
    range.entries += n;
    range.count -= n;
    const bool has_more = range.count != 0;
    const std::uint64_t version = (claim_.load(memory_order_relaxed) >> k_version_shift) + 1;  // relaxed: the owner's
    entries_.store(entries, memory_order_relaxed);  // relaxed, both: published by the claim
    of_.store(range.of, memory_order_relaxed);
    // release: publishes the entries; no thief can have a claim in flight that succeeds, for the version is new (C6)
    claim_.store(version << k_version_shift | n, memory_order_release);
    return has_more;
  }

  // ---- anybody ----

  /// Takes about half from the end.
  block steal() noexcept {
    std::uint64_t seen = claim_.load(memory_order_acquire);  // acquire: pairs with put()
    for (;;) {
      const std::size_t next = next_of(seen);
      const std::size_t end = end_of(seen);
      if (next == end) {
        return {};
      }
      continuation** const entries = entries_.load(memory_order_relaxed);  // relaxed, both: good if the version is (C6)
      const barrier* const of = of_.load(memory_order_relaxed);
      const std::size_t n = (end - next + 1) / 2;
      if (claim_.compare_exchange_weak(seen, seen - n, memory_order_acq_rel, memory_order_acquire)) {  // as in take()
        return {entries + end - n, entries + end, of};
      }
    }
  }

  [[nodiscard]] bool looks_empty() const noexcept {
    const std::uint64_t seen =
        claim_.load(memory_order_acquire);  // acquire: orders what the caller reads next after it
    return next_of(seen) == end_of(seen) && more.looks_empty();
  }

  [[nodiscard]] std::size_t left() const noexcept {
    const std::uint64_t seen = claim_.load(memory_order_relaxed);  // relaxed: a hint
    return end_of(seen) - next_of(seen);
  }

  mailbox<released_range> more;  ///< ranges that others released for this worker; whoever empties it goes on with them

private:
  friend struct debugger_layout;

  static constexpr int k_next_shift = 20;
  static constexpr int k_version_shift = 40;

  static std::size_t next_of(std::uint64_t claim) noexcept { return claim >> k_next_shift & k_most; }
  static std::size_t end_of(std::uint64_t claim) noexcept { return claim & k_most; }

  alignas(k_cache_line) atomic<std::uint64_t> claim_{
      0};                                    // {version, next, end}: the owner moves next, thieves move end
  atomic<continuation**> entries_{nullptr};  // both written by the owner, before the version that they go with
  atomic<const barrier*> of_{nullptr};
};

/// How many released continuations a worker takes at once. What lies in a block is its alone, so blocks grow only while it is through
/// with them soon. The worker's own.
class block_length {
public:
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

  /// Before a block is taken.
  void adapt() noexcept;

private:
  std::size_t length_ = 1;
  std::uint64_t since_ = 0;  // when the last one was taken, in ticks
};

}  // namespace tactus::detail
