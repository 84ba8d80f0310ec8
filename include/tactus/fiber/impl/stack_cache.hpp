// SPDX-License-Identifier: Apache-2.0
// What one worker keeps of stacks.
#pragma once

#include <tactus/base/counters.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/fiber/impl/sanitizer.hpp>
#include <tactus/fiber/impl/stack.hpp>
#include <tactus/fiber/impl/stack_pool.hpp>

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

/// Last in, first out, so that the next spawn finds a warm one. Owner only.
class stack_cache {
public:
  static constexpr std::size_t k_most = 384;  ///< what it keeps; clocked tasks come and go by the hundred

  void attach(stack_pool* pool, live_worker_counters* counters) noexcept {
    pool_ = pool;
    counters_ = counters;
  }

  /// Sees to it that the owner can start and that a first wait which cannot be given up finds a stack. Throws
  /// resource_error. Once, before the owner runs; any thread.
  void prepare();

  /// A stack for a computation to start on. Throws resource_error (see stack_pool::take), but does not if it insists. 1
  /// ns from the cache.
  TACTUS_ALWAYS_INLINE stack_top take(stack_pool::at_limit mode = stack_pool::at_limit::refuse) {
    if (count_ == 0) [[unlikely]] {
      refill(mode);
    }
    return warm_[--count_];
  }

  /// Asks for the lines that a computation on the stack after the next will touch first. For who takes many in a row.
  TACTUS_ALWAYS_INLINE void prefetch_after_next() const noexcept {
    if (count_ > 1) {
      for (std::ptrdiff_t line = 1; line <= k_lines_prefetched; ++line) {
        __builtin_prefetch(warm_[count_ - 2] - line * static_cast<std::ptrdiff_t>(k_cache_line), 1);
      }
    }
  }

  /// Whether take() finds one in the cache.
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool ready() const noexcept { return count_ != 0; }

  /// Whether put() keeps one in the cache.
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool has_room() const noexcept { return count_ != most_; }

  /// Gives a stack back, also the one the caller still runs on, if it leaves it before it takes another.
  TACTUS_ALWAYS_INLINE void put(stack_top s) noexcept {
#if TACTUS_ASAN
    const fiber_stack* const whole = control_block(s);
    stack_sanitizer::forget_frames(whole->low, s);
#endif
    if (count_ == most_) [[unlikely]] {
      put_slowly(s);
      return;
    }
    warm_[count_++] = s;
  }

  [[nodiscard]] fiber_stack* control_block(stack_top s) const noexcept {
    return pool_->control_block_around(reinterpret_cast<std::uintptr_t>(s));
  }

  /// Of the stack that an address lies on.
  [[nodiscard]] stack_top top_above(const void* on_stack) const noexcept {
    return control_block(static_cast<stack_top>(const_cast<void*>(on_stack)))->top();
  }

  /// What the sanitizers are told about a computation that starts on `s`.
  [[nodiscard]] context_sanitizer context([[maybe_unused]] stack_top s) const noexcept {
#if TACTUS_TSAN || TACTUS_ASAN
    return control_block(s)->context();
#else
    return {};
#endif
  }

  /// Whether the next take() will find a stack without asking for more memory than there may be.
  [[nodiscard]] TACTUS_API bool try_fill() noexcept;

  /// Gives everything back to the pool.
  void drain() noexcept;

private:
  static constexpr std::size_t k_batch = 128;
  static constexpr std::ptrdiff_t k_lines_prefetched = 6;

  TACTUS_API TACTUS_NOINLINE void refill(stack_pool::at_limit mode);
  TACTUS_API TACTUS_NOINLINE void put_slowly(stack_top s) noexcept;
  void refill_insisting() noexcept;
  void fill(stack_pool::at_limit mode);
  void keep_in_reserve(stack_top s) noexcept;
  void give_back(std::size_t oldest) noexcept;

  std::size_t count_ = 0;
  std::size_t most_ = k_most;    // 0 while the reserve is used up: then the next stack that comes back is the reserve
  stack_top warm_[k_most];       // the first count_; the most recent last
  stack_top reserve_ = nullptr;  // for a wait that cannot be given up, where the pool has none
  stack_pool* pool_ = nullptr;
  live_worker_counters* counters_ = nullptr;
};

}  // namespace tactus::detail
