// SPDX-License-Identifier: Apache-2.0
// The work-stealing deque: one owner pushes and pops at the bottom, any number of thieves take from the top. Growable.
//
// Protocol, invariants and the interleaving behind each order: docs/protocols/deque.md. It is the dynamic circular deque of
// Chase and Lev (work-stealing.txt, section 4.3, builds on it), with every store of the owner to bottom_ a release, because
// under C++20 a relaxed one would end the release sequence of an earlier push.
#pragma once

#include <tactus/base/assert.hpp>
#include <tactus/base/atomic.hpp>
#include <tactus/base/cache_line.hpp>
#include <tactus/base/platform.hpp>

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

/// One word of work. Zero is no work; the lowest bit tells a saved continuation from a queued task.
class entry {
public:
  constexpr entry() noexcept = default;
  static entry task(void* descriptor) noexcept { return entry(reinterpret_cast<std::uintptr_t>(descriptor)); }
  static entry continuation(void* strand) noexcept { return entry(reinterpret_cast<std::uintptr_t>(strand) | 1); }

  explicit operator bool() const noexcept { return word_ != 0; }
  [[nodiscard]] bool is_continuation() const noexcept { return (word_ & 1) != 0; }
  [[nodiscard]] void* pointer() const noexcept { return reinterpret_cast<void*>(word_ & ~std::uintptr_t{1}); }
  friend bool operator==(entry, entry) = default;

private:
  friend class work_deque;
  explicit entry(std::uintptr_t word) noexcept : word_(word) {}
  std::uintptr_t word_ = 0;
};

/// How an attempt to steal ended.
enum class steal_outcome : std::uint8_t { won, empty, lost };

class work_deque {
public:
  explicit work_deque(std::size_t capacity = k_first_capacity);
  ~work_deque();
  work_deque(const work_deque&) = delete;
  work_deque& operator=(const work_deque&) = delete;

  // ---- owner ----

  /// Adds an entry. What the owner wrote before is visible to whoever takes it. Grows when full (std::bad_alloc if it cannot).
  TACTUS_ALWAYS_INLINE void push(entry e) {
    const std::int64_t b = bottom_.load(memory_order_relaxed);  // relaxed: only the owner writes bottom_ (D1)
    if (b - top_seen_ > mask_) [[unlikely]] {
      make_room(b);
    }
    slots_[b & mask_].store(e.word_, memory_order_relaxed);  // relaxed: published by the next line
    bottom_.store(b + 1, memory_order_release);  // publishes the slot and the work; pairs with bottom_ in steal() (D2)
  }

  /// Takes the entry pushed last; none if the deque is empty or a thief was faster.
  TACTUS_ALWAYS_INLINE entry pop() {
    return pop_unless([](entry) { return false; });
  }

  /// The same, but leaves a continuation where it is.
  TACTUS_ALWAYS_INLINE entry pop_task() {
    return pop_unless([](entry e) { return e.is_continuation(); });
  }

  /// How many entries there are at most: a thief may be taking some.
  [[nodiscard]] std::int64_t size_seen_by_owner() noexcept {
    top_seen_ = top_.load(memory_order_relaxed);            // relaxed: a lower bound is all that is needed (D3)
    return bottom_.load(memory_order_relaxed) - top_seen_;  // relaxed: only the owner writes bottom_ (D1)
  }

  /// Whether the top, as size_seen_by_owner() found it, has moved since this was asked last: thieves have taken something, or
  /// the owner the very last entry.
  [[nodiscard]] bool taken_by_others_since_last_look() noexcept {
    const bool moved = top_seen_ != top_at_last_look_;
    top_at_last_look_ = top_seen_;
    return moved;
  }

  /// At least as large as size_seen_by_owner(), without reading what thieves write.
  [[nodiscard]] TACTUS_ALWAYS_INLINE std::int64_t size_at_most() const noexcept {
    return bottom_.load(memory_order_relaxed) - top_seen_;  // relaxed: only the owner writes bottom_ (D1)
  }

  // ---- thieves ----

  /// Takes the oldest entry.
  steal_outcome steal(entry& out) noexcept;

  /// Takes up to `most` of the oldest entries into `out`, at most half of what is there, one compare-and-swap each. A
  /// continuation is taken only as the first one, and then alone. Returns how many.
  std::size_t steal_batch(entry* out, std::size_t most) noexcept;

  /// Whether there seems to be work. Exact when the owner rests and memory is quiet.
  [[nodiscard]] bool looks_empty() const noexcept {
    // acquire: orders a later steal after it; bottom_ pairs with push()
    return top_.load(memory_order_acquire) >= bottom_.load(memory_order_acquire);
  }

private:
  template <class Refuse>
  TACTUS_ALWAYS_INLINE entry pop_unless(Refuse refuse) {
    const std::int64_t b = bottom_.load(memory_order_relaxed) - 1;  // relaxed: only the owner writes bottom_ (D1)
    if (top_.load(memory_order_relaxed) > b) {  // relaxed: top_ only grows, so empty stays empty (D3)
      return {};
    }
    const entry e(slots_[b & mask_].load(memory_order_relaxed));  // relaxed: the owner wrote it
    if (refuse(e)) {
      return {};
    }
    // seq_cst, both: the claim of b must be visible before top_ is read, or a thief and the owner take the same entry (D4);
    // pairs with the seq_cst loads in steal().
    bottom_.store(b, memory_order_seq_cst);
    const std::int64_t t = top_.load(memory_order_seq_cst);
    if (t < b) [[likely]] {
      return e;
    }
    return pop_last(b, t);
  }

  struct ring;
  static constexpr std::size_t k_first_capacity = 256;

  TACTUS_NOINLINE void make_room(std::int64_t b);
  TACTUS_NOINLINE entry pop_last(std::int64_t b, std::int64_t t) noexcept;
  void adopt(ring* r) noexcept;

  // Written by thieves, and by the owner for the last entry.
  alignas(k_cache_line) atomic<std::int64_t> top_{0};

  // Written by the owner, read by thieves.
  alignas(k_cache_line) atomic<std::int64_t> bottom_{0};
  atomic<ring*> ring_{nullptr};

  // The owner's own: copies of what is in *ring_, and a lower bound of top_.
  atomic<std::uintptr_t>* slots_ = nullptr;
  std::int64_t mask_ = 0;
  std::int64_t top_seen_ = 0;
  std::int64_t top_at_last_look_ = 0;
};

}  // namespace tactus::detail
