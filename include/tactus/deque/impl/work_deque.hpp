// SPDX-License-Identifier: Apache-2.0
// The work-stealing deque: one owner pushes and pops at the bottom, any number of thieves take from the top. Growable.
//
// Protocol, invariants and the interleaving behind each order: docs/protocols/deque.md. It is the dynamic circular deque of
// Chase and Lev (work-stealing.txt, section 4.3, builds on it), with every store of the owner to bottom_ a release, because
// under C++20 a relaxed one would end the release sequence of an earlier push.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/lesser.hpp>
#include <tactus/base/impl/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tactus::detail {

/// One word of work. Zero is no work; the lowest bit tells a saved continuation from a queued task, the next one a task whose
/// closure begins with the barrier that it is a member of, and both a continuation that does not stand in a deque: of such a member.
class entry {
public:
  constexpr entry() noexcept = default;
  static entry task(void* descriptor) noexcept { return entry(reinterpret_cast<std::uintptr_t>(descriptor)); }
  static entry continuation(void* continuation) noexcept {
    return entry(reinterpret_cast<std::uintptr_t>(continuation) + 1);
  }

  static entry released(void* continuation) noexcept {
    return entry(reinterpret_cast<std::uintptr_t>(continuation) + 3);
  }
  static entry member(void* descriptor) noexcept { return entry(reinterpret_cast<std::uintptr_t>(descriptor) + 2); }

  explicit operator bool() const noexcept { return word_ != 0; }
  [[nodiscard]] bool is_continuation() const noexcept { return (word_ & 1) != 0; }
  [[nodiscard]] bool is_member() const noexcept { return (word_ & 2) != 0; }
  [[nodiscard]] bool is_plain_task() const noexcept { return (word_ & 3) == 0; }
  [[nodiscard]] void* pointer() const noexcept { return reinterpret_cast<void*>(word_ & ~std::uintptr_t{3}); }
  [[nodiscard]] void* task_pointer() const noexcept { return reinterpret_cast<void*>(word_); }  ///< of a plain task
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

  /// Adds an entry. What the owner wrote before is visible to whoever takes it. Grows when full, and ends the process
  /// if it cannot: what is ready may not be lost.
  TACTUS_ALWAYS_INLINE void push(entry e) noexcept {
    const position p = next_position();
    if (has_room(p)) [[likely]] {
      push_at(p, e);
    } else {
      push_growing(e);
    }
  }

  /// Where the next entry goes. push() in steps, for callers that decide by what they find, or that must not keep anything
  /// across the call that grows the deque. Good until the owner does something else here.
  class position {
    friend class work_deque;
    std::int64_t bottom_;
    explicit position(std::int64_t b) noexcept : bottom_(b) {}
  };
  [[nodiscard]] TACTUS_ALWAYS_INLINE position next_position() const noexcept {
    return position(bottom_.load(memory_order_relaxed));  // relaxed: only the owner writes bottom_ (D1)
  }
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool has_room(position p) const noexcept { return p.bottom_ < room_end_; }

  /// Whether it has room and is no longer than be_patient_for() said, by what is known of the thieves.
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool is_short(position p) const noexcept { return p.bottom_ < short_end_; }

  /// Calls the next `entries` positions short, too, until the deque is found empty or somebody looks at the top.
  void widen(std::int64_t entries) noexcept {
    // relaxed: only the owner writes bottom_ (D1)
    short_end_ = lesser(room_end_, greater(short_end_, bottom_.load(memory_order_relaxed) + entries));
  }

  /// Only where has_room().
  TACTUS_ALWAYS_INLINE void push_at(position p, entry e) noexcept {
    slots_[p.bottom_ & mask_].store(e.word_, memory_order_relaxed);  // relaxed: published by the next line
    bottom_.store(p.bottom_ + 1, memory_order_release);  // publishes slot and work; pairs with bottom_ in steal() (D2)
  }
  TACTUS_API TACTUS_NOINLINE void push_growing(entry e) noexcept;

  /// push() for callers that can give up: resource_error if it cannot grow, and nothing has happened.
  void push_or_throw(entry e);

  /// How many entries are few, for is_short(); none if negative.
  void be_patient_for(std::int64_t entries) noexcept {
    patience_ = entries;
    set_ends();
  }

  /// Takes the entry pushed last; none if the deque is empty or a thief was faster.
  TACTUS_ALWAYS_INLINE entry pop() {
    return pop_unless([](entry) { return false; });
  }

  /// The same, but leaves a continuation where it is.
  TACTUS_ALWAYS_INLINE entry pop_task() {
    return pop_unless([](entry e) { return e.is_continuation(); });
  }

  /// pop() in steps, without its look whether the deque is empty: what is claimed is the owner's if no thief can have reached
  /// it; else finish_pop() has to decide.
  class claim {
  public:
    [[nodiscard]] bool won() const noexcept { return top_ < bottom_; }

  private:
    friend class work_deque;
    std::int64_t bottom_;
    std::int64_t top_;
    claim(std::int64_t b, std::int64_t t) noexcept : bottom_(b), top_(t) {}
  };
  [[nodiscard]] TACTUS_ALWAYS_INLINE claim begin_pop() noexcept {
    const std::int64_t b = bottom_.load(memory_order_relaxed) - 1;  // relaxed: only the owner writes bottom_ (D1)
    // seq_cst, both: the claim of b must be visible before top_ is read, or a thief and the owner take the same entry (D4);
    // pairs with the seq_cst loads in steal().
    bottom_.store(b, memory_order_seq_cst);
    return {b, top_.load(memory_order_seq_cst)};
  }

  /// The entry of a claim that was won.
  [[nodiscard]] TACTUS_ALWAYS_INLINE entry claimed(claim c) const noexcept {
    return entry(slots_[c.bottom_ & mask_].load(memory_order_relaxed));  // relaxed: the owner wrote it
  }

  /// What pop() returns after this claim.
  entry finish_pop(claim c) noexcept { return c.won() ? claimed(c) : pop_last(c.bottom_, c.top_); }

  /// The entry pushed last, if the deque is not empty; anything that it has held before otherwise.
  [[nodiscard]] TACTUS_ALWAYS_INLINE entry newest() const noexcept {
    // relaxed: the owner wrote both
    return entry(slots_[(bottom_.load(memory_order_relaxed) - 1) & mask_].load(memory_order_relaxed));
  }

  /// Exchanges the entry pushed last with the one that was pushed so many before it. Only while there is no thief.
  void swap_newest_with(std::int64_t before) noexcept {
    // relaxed, all: there is one thread
    const std::int64_t newest = bottom_.load(memory_order_relaxed) - 1;
    atomic<std::uintptr_t>& a = slots_[newest & mask_];
    atomic<std::uintptr_t>& b = slots_[(newest - before) & mask_];
    const std::uintptr_t kept = a.load(memory_order_relaxed);
    a.store(b.load(memory_order_relaxed), memory_order_relaxed);
    b.store(kept, memory_order_relaxed);
  }

  /// Asked by the owner; a thief may be taking what there is.
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool is_empty() const noexcept {
    // relaxed, both: only the owner writes bottom_ (D1), and top_ only grows, so empty stays empty (D3)
    return top_.load(memory_order_relaxed) >= bottom_.load(memory_order_relaxed);
  }

  /// How many entries there are at most: a thief may be taking some.
  [[nodiscard]] std::int64_t size_seen_by_owner() noexcept {
    look_at_top();
    return bottom_.load(memory_order_relaxed) - top_seen_;  // relaxed: only the owner writes bottom_ (D1)
  }

  /// Whether the top, as size_seen_by_owner() found it, has moved since this was asked last: thieves have taken something, or
  /// the owner the very last entry.
  [[nodiscard]] bool taken_by_others_since_last_look() noexcept {
    const bool moved = top_seen_ != top_at_last_look_;
    top_at_last_look_ = top_seen_;
    return moved;
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

  /// How many entries there seem to be: an estimate, since owner and thieves go on meanwhile.
  [[nodiscard]] std::size_t looks_size() const noexcept {
    const std::int64_t top = top_.load(memory_order_acquire);        // acquire: as above
    const std::int64_t bottom = bottom_.load(memory_order_acquire);  // acquire: as above
    return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
  }

private:
  friend struct debugger_layout;

  template <class Refuse>
  TACTUS_ALWAYS_INLINE entry pop_unless(Refuse refuse) {
    const std::int64_t b = bottom_.load(memory_order_relaxed) - 1;  // relaxed: only the owner writes bottom_ (D1)
    if (top_.load(memory_order_relaxed) > b) {  // relaxed: top_ only grows, so empty stays empty (D3)
      look_at_top();
      return {};
    }
    if (refuse(newest())) {
      return {};
    }
    return finish_pop(begin_pop());
  }

  struct ring;
  static constexpr std::size_t k_first_capacity = 256;

  void look_at_top() noexcept {
    top_seen_ =
        top_.load(memory_order_acquire);  // acquire: its thieves have read the slots below, which push may reuse (D6)
    set_ends();
  }
  void set_ends() noexcept {
    room_end_ = top_seen_ + mask_ + 1;
    short_end_ = top_seen_ + lesser(patience_, mask_ + 1);
  }
  void grow(std::int64_t b);
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
  std::int64_t room_end_ = 0;   // positions below have a slot
  std::int64_t short_end_ = 0;  // and below this one it is short
  std::int64_t top_seen_ = 0;
  std::int64_t top_at_last_look_ = 0;
  std::int64_t patience_ = std::numeric_limits<std::int32_t>::max();
};

}  // namespace tactus::detail
