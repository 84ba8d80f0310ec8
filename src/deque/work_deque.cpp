// SPDX-License-Identifier: Apache-2.0

#include <tactus/deque/impl/work_deque.hpp>

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include <sys/mman.h>

namespace tactus::detail {

// A ring of slots in a mapping of its own. A ring that was outgrown stays readable until the deque ends, since a thief may
// have loaded its address; its pages go back to the system at once, so such a thief may read zero, which is no entry.
struct work_deque::ring {
  std::size_t capacity;
  std::size_t mapped_bytes;
  ring* outgrown;

  static constexpr std::size_t k_header = 64;
  static constexpr std::size_t k_page = 4096;

  [[nodiscard]] atomic<std::uintptr_t>* slots() noexcept {
    return reinterpret_cast<atomic<std::uintptr_t>*>(reinterpret_cast<std::byte*>(this) + k_header);
  }

  static ring* make(std::size_t capacity, ring* outgrown) {
    const std::size_t bytes = (k_header + capacity * sizeof(std::uintptr_t) + k_page - 1) / k_page * k_page;
    void* const p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
      throw resource_error("tactus: no memory for the queue of a worker: mmap of " + std::to_string(bytes >> 10) +
                           " KiB failed (" + std::strerror(errno) +
                           "); raise the limit on virtual memory (ulimit -v), or let fewer tasks wait in queues");
    }
    return new (p) ring{capacity, bytes, outgrown};  // slots: zero-filled pages are valid zero words
  }

  void give_pages_back() noexcept {
    if (mapped_bytes > k_page) {
      ::madvise(reinterpret_cast<std::byte*>(this) + k_page, mapped_bytes - k_page, MADV_DONTNEED);
    }
  }
};

work_deque::work_deque(std::size_t capacity) { adopt(ring::make(std::bit_ceil(capacity), nullptr)); }

work_deque::~work_deque() {
  for (ring* r = ring_.load(memory_order_relaxed); r != nullptr;) {  // relaxed: no thief is left
    ring* const outgrown = r->outgrown;
    ::munmap(r, r->mapped_bytes);
    r = outgrown;
  }
}

void work_deque::adopt(ring* r) noexcept {
  slots_ = r->slots();
  mask_ = static_cast<std::int64_t>(r->capacity) - 1;
  set_ends();
  ring_.store(r, memory_order_release);  // publishes the copied slots; pairs with the acquire in steal() (D5)
}

void work_deque::push_or_throw(entry e) {
  const position p = next_position();
  if (!has_room(p)) {
    look_at_top();
    if (!has_room(p)) {
      grow(p.bottom_);
    }
  }
  push_at(p, e);
}

void work_deque::push_growing(entry e) noexcept {
  try {
    push_or_throw(e);
  } catch (const std::exception& why) {
    end_without_memory("the queue of a worker needs more memory", why.what());
  }
}

void work_deque::grow(std::int64_t b) {
  ring* const old = ring_.load(memory_order_relaxed);  // relaxed: only the owner writes ring_
  ring* const larger = ring::make(old->capacity * 2, old);
  const std::int64_t larger_mask = static_cast<std::int64_t>(larger->capacity) - 1;
  for (std::int64_t i = top_seen_; i < b; ++i) {
    // relaxed: published by adopt(); a slot that a thief takes meanwhile is copied in vain
    larger->slots()[i & larger_mask].store(slots_[i & mask_].load(memory_order_relaxed), memory_order_relaxed);
  }
  adopt(larger);
  old->give_pages_back();
}

entry work_deque::pop_last(std::int64_t b, std::int64_t t) noexcept {
  entry e;
  if (t == b) {
    e = entry(slots_[b & mask_].load(memory_order_relaxed));  // relaxed: the owner wrote it
    // seq_cst: the last entry goes to whoever moves top_ (D4)
    if (!top_.compare_exchange_strong(t, t + 1, memory_order_seq_cst, memory_order_relaxed)) {
      e = {};
    }
  }
  bottom_.store(b + 1, memory_order_release);  // release, not relaxed: a later thief must still see earlier pushes (D2)
  look_at_top();
  return e;
}

steal_outcome work_deque::steal(entry& out) noexcept {
  std::int64_t t = top_.load(memory_order_seq_cst);  // seq_cst, with the next: pairs with the claim in pop() (D4)
  const std::int64_t b = bottom_.load(memory_order_seq_cst);
  if (t >= b) {
    return steal_outcome::empty;
  }
  ring* const r = ring_.load(memory_order_acquire);  // acquire: pairs with adopt() (D5)
  // relaxed: the word counts only if top_ is still t below, and was published by the bottom_ that was read (D2)
  const std::uintptr_t word = r->slots()[t & (static_cast<std::int64_t>(r->capacity) - 1)].load(memory_order_relaxed);
  if (word == 0) {
    return steal_outcome::lost;  // the ring was outgrown and given back
  }
  // seq_cst: whoever moves top_ has the entry (D4); release is part of it: the slot was read before the owner reuses it (D6)
  if (!top_.compare_exchange_strong(t, t + 1, memory_order_seq_cst, memory_order_relaxed)) {
    return steal_outcome::lost;
  }
  out = entry(word);
  return steal_outcome::won;
}

std::size_t work_deque::steal_batch(entry* out, std::size_t most) noexcept {
  if (steal(out[0]) != steal_outcome::won) {
    return 0;
  }
  std::size_t n = 1;
  if (out[0].is_continuation()) {
    return n;
  }
  // Half of what is left now; each further entry is claimed by itself, because the owner pops inside any range that is not.
  const std::int64_t left =
      bottom_.load(memory_order_acquire) - top_.load(memory_order_acquire);  // acquire: a hint, as looks_empty()
  most = std::min(most, left <= 0 ? 0 : static_cast<std::size_t>((left + 1) / 2));
  while (n < most) {
    std::int64_t t = top_.load(memory_order_seq_cst);  // all orders as in steal()
    const std::int64_t b = bottom_.load(memory_order_seq_cst);
    if (t >= b) {
      break;
    }
    ring* const r = ring_.load(memory_order_acquire);
    const std::uintptr_t word = r->slots()[t & (static_cast<std::int64_t>(r->capacity) - 1)].load(memory_order_relaxed);
    if (word == 0 || entry(word).is_continuation()) {
      break;
    }
    if (!top_.compare_exchange_strong(t, t + 1, memory_order_seq_cst, memory_order_relaxed)) {
      break;
    }
    out[n++] = entry(word);
  }
  return n;
}

}  // namespace tactus::detail
