// SPDX-License-Identifier: Apache-2.0
// The memory of long messages is kept for the next ones: what a program sends at all it sends often, and from the kernel memory comes page
// by page, at a price of its own for each.
#include <tactus/place/impl/frame_block.hpp>

#include <tactus/base/error.hpp>
#include <tactus/base/impl/cpus.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/scheduler/impl/worker.hpp>

#include "place/frame.hpp"
#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>

namespace tactus::detail {
namespace {

constexpr std::size_t k_most_kept = std::size_t{16} << 20U;  // bytes
constexpr std::size_t k_most_wasted = 2;  // of a block: it is at most so many times as long as was asked for

class kept_blocks {
public:
  /// The last one that was put and is long enough, but not too long; null: there is none.
  frame_block* take(std::size_t capacity) noexcept {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = count_; i > 0; --i) {
      frame_block* const b = blocks_[i - 1];
      if (b->capacity >= capacity && b->capacity / k_most_wasted <= capacity) {
        remove(i - 1);
        return b;
      }
    }
    return nullptr;
  }

  /// Keeps it, and lets those go that were put first where there are too many.
  void put(frame_block* b) noexcept {
    std::array<frame_block*, k_most_blocks> let_go;
    std::size_t n = 0;
    {
      const std::lock_guard lock(mutex_);
      while (count_ > 0 && (count_ == k_most_blocks || bytes_ + b->capacity > k_most_kept)) {
        let_go[n++] = blocks_[0];
        remove(0);
      }
      blocks_[count_++] = b;
      bytes_ += b->capacity;
    }
    std::for_each(let_go.data(), let_go.data() + n, [](frame_block* old) { ::operator delete(old); });
  }

  void let_all_go() noexcept {
    const std::lock_guard lock(mutex_);
    while (count_ > 0) {
      frame_block* const last = blocks_[count_ - 1];
      remove(count_ - 1);
      ::operator delete(last);
    }
  }

private:
  static constexpr std::size_t k_most_blocks = 64;

  void remove(std::size_t i) noexcept {
    bytes_ -= blocks_[i]->capacity;
    std::copy(&blocks_[i] + 1, blocks_.data() + count_, &blocks_[i]);
    --count_;
  }

  std::mutex mutex_;                                  // protects all of it
  std::array<frame_block*, k_most_blocks> blocks_{};  // in the order in which they were put
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

constinit kept_blocks g_kept;  // what is in it at the end of the process stays

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

constinit thread_local bool t_at_any_rate = false;

// Before memory that nobody has touched yet is taken: with overcommitment the kernel would end the process where it is written.
void refuse_above_limit(std::size_t bytes) {
  constexpr std::size_t k_small = std::size_t{1} << 20U;  // to ask what is resident takes longer than to copy less
  const worker* const w = current_worker();
  if (bytes < k_small || w == nullptr || t_at_any_rate) {
    return;
  }
  const std::uint64_t limit = w->owner->options().memory_bytes;
  const std::uint64_t used = resident_memory();
  if (used < limit && bytes <= limit - used) {
    return;
  }
  g_kept.let_all_go();
  throw resource_error("tactus: there is no memory for a message of " + mebibytes(bytes) + ": " + mebibytes(used) +
                       " resident, limit " + mebibytes(limit) +
                       "; raise memory_bytes (TACTUS_MEMORY_BYTES), or send it in parts");
}

frame_block* new_block(std::size_t capacity) {
  if (capacity > PTRDIFF_MAX - sizeof(frame_block)) {
    throw std::bad_alloc();
  }
  const std::size_t bytes = sizeof(frame_block) + capacity;
  void* memory = ::operator new(bytes, std::nothrow);
  if (memory == nullptr) {
    g_kept.let_all_go();
    memory = ::operator new(bytes);
  }
  return ::new (memory) frame_block{capacity, 0, 0, nullptr};
}

frame_block* kept_block(std::size_t capacity) noexcept {
  frame_block* const kept = TACTUS_ASAN ? nullptr : g_kept.take(capacity);
  if (kept == nullptr) {
    return nullptr;
  }
  // Read before: clang fills the new one with zeros, and only then looks what is to be in it.
  const std::size_t its_own = kept->capacity;
  return ::new (static_cast<void*>(kept)) frame_block{its_own, 0, 0, nullptr};
}

}  // namespace

frame_block* take_long_block(std::size_t capacity) {
  if (frame_block* const kept = kept_block(capacity); kept != nullptr) {
    return kept;
  }
  refuse_above_limit(capacity);
  return new_block(capacity);
}

// Not inlined: which thread it is has to be asked each time.
TACTUS_NOINLINE blocks_at_any_rate::blocks_at_any_rate() noexcept { t_at_any_rate = true; }
TACTUS_NOINLINE blocks_at_any_rate::~blocks_at_any_rate() { t_at_any_rate = false; }

frame_ptr make_block_at_any_rate(std::size_t capacity) {
  if (capacity < k_long_block) {
    return make_frame_block(capacity);
  }
  frame_block* const kept = kept_block(capacity);
  return frame_ptr(kept != nullptr ? kept : new_block(capacity));
}

void put_long_block(frame_block* b) noexcept {
  if (TACTUS_ASAN || b->capacity > k_most_kept) {
    ::operator delete(b);
  } else {
    g_kept.put(b);
  }
}

}  // namespace tactus::detail
