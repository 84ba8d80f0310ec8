// SPDX-License-Identifier: Apache-2.0
// Stacks for tasks: carved from large no-reserve mappings, committed by touch, guarded, cached per worker.
//
// A stack takes `stride` bytes of address space, a power of two, and is aligned to that, so the free room below any
// stack pointer is a mask away. From below: the guard; what a task may use, stack_bytes at least, and more for those
// below it that wait while it runs on top of them; the control block, the fiber_stack, in the page that every use
// touches anyway.
#pragma once

#include <tactus/base/atomic.hpp>
#include <tactus/base/cache_line.hpp>
#include <tactus/base/counters.hpp>
#include <tactus/base/platform.hpp>
#include <tactus/fiber/sanitizer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tactus::detail {

/// Where a stack begins: 16-byte aligned, grows downwards. This is what names a stack on hot paths, because it can be had
/// without touching the control block: those lie at equal offsets of their pages and compete for the same cache set.
using stack_top = std::byte*;

/// Control block of one stack. All fields belong to whoever owns the stack: a cache, the worker that runs on it, or the
/// continuation that is parked on it.
struct alignas(64) fiber_stack {
  std::byte* low = nullptr;  ///< lowest usable address; below it the guard
  atomic<void*> parked{
      nullptr};  ///< the waiting continuation, for reports; null while it runs (docs/protocols/hang.md)
  stack_sanitizer sanitizer;

  [[nodiscard]] stack_top top() noexcept { return reinterpret_cast<std::byte*>(this); }

  /// What the sanitizers are told about a computation that starts here.
  [[nodiscard]] context_sanitizer context() noexcept { return context_sanitizer::on(sanitizer, low, this); }
};

/// How the lowest pages of a stack are kept from being used.
enum class guard_kind : std::uint8_t {
  marked,      ///< MADV_GUARD_INSTALL: no mapping is split
  protected_,  ///< mprotect, while the process has mappings to spare
  canary,      ///< a word that is looked at when the stack is given back
};

/// The stacks of one runtime. Some `most_warm` of those in the pool keep their memory. Every member may be called from
/// any of its workers.
class stack_pool {
public:
  static constexpr std::size_t k_most_warm = 65'536;

  /// How many stacks at rest may stay warm where resident memory is limited to so much: as many as keep a quarter of
  /// it. They are used before fresh ones are, so what they keep never makes the limit refuse one; the rest is the
  /// program's own. 0: no limit.
  static constexpr std::size_t warm_within(std::size_t memory_limit_bytes) noexcept {
    return memory_limit_bytes == 0 ? k_most_warm : memory_limit_bytes / 4 / k_kept_bytes;
  }

  /// A task can rely on `stack_bytes`. New stacks are refused while the process's resident memory exceeds
  /// `memory_limit_bytes` (0: never).
  stack_pool(std::size_t stack_bytes, std::size_t memory_limit_bytes, std::size_t most_warm = k_most_warm);
  ~stack_pool();
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;

  /// What take() does where there is none to be had.
  enum class at_limit : std::uint8_t {
    refuse,  ///< throw resource_error
    exceed,  ///< the same, but go on at the memory limit
    /// The caller can neither give up nor wait (the end of a finish): go on at the memory limit, take what a cache has in
    /// reserve, and end the process if that is used up, too.
    insist,
  };

  /// Takes up to `wanted` stacks (at least one) into `out`; returns how many. Throws resource_error at the memory
  /// limit, unless `mode` says otherwise, or when the system has no address space left, and std::bad_alloc.
  std::size_t take(stack_top* out, std::size_t wanted, at_limit mode, live_worker_counters& counters);

  /// Takes back `n` stacks. Keeps some warm and gives the memory of the rest back to the system.
  void put(const stack_top* stacks, std::size_t n) noexcept;

  /// A stack of its own size, for the root task: `bytes`, or stack_bytes if that is more. Lives as long as the pool.
  fiber_stack* make_single(std::size_t bytes);

  /// Bytes of address space from one stack to the next: a power of two.
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }

  /// Offset in its stack above which an address has so much below it that one more task may begin there: stack_bytes,
  /// and what the library needs.
  [[nodiscard]] std::size_t room_to_begin() const noexcept { return room_to_begin_; }

  /// The control block of the stack, not one made by make_single(), that an address lies on.
  [[nodiscard]] fiber_stack* control_block_around(std::uintptr_t address) const noexcept {
    return reinterpret_cast<fiber_stack*>((address | (stride_ - 1)) + 1 - sizeof(fiber_stack) -
                                          colour(address >> stride_shift_));
  }

  [[nodiscard]] guard_kind guard() const noexcept { return guard_; }

  /// Stacks outside this pool: in use, or in the caches of workers.
  [[nodiscard]] std::size_t outstanding() const noexcept {
    return outstanding_.load(memory_order_relaxed);  // a hint for the adaptive policy; orders nothing
  }

  /// Calls f(fiber_stack&) for every stack that was ever used and still has its memory. Only while no worker runs.
  template <class F>
  void for_each_used(F&& f) {
    const std::lock_guard lock(mutex_);
    for (fiber_stack* stack : singles_) {
      f(*stack);
    }
    std::sort(cold_.begin(), cold_.end());  // in place: a program that is stuck for lack of memory is told about, too
    for (const slab& piece : slabs_) {
      for (std::size_t i = 0; i < piece.carved; ++i) {
        std::byte* const base = piece.base + i * stride_;
        if (!std::binary_search(cold_.begin(), cold_.end(), base)) {
          f(*control_block(base));
        }
      }
    }
  }

  /// Whether `address` lies in the guard of one of the stacks of any pool. Async-signal-safe.
  static bool is_guard(const void* address) noexcept;

private:
  struct slab {
    std::byte* base;
    std::size_t stacks;
    std::size_t carved;
  };

  // What the signal handler walks: never freed, so that it can be read without a lock.
  struct guarded_range;

  [[nodiscard]] fiber_stack* control_block(std::byte* base) const noexcept {
    return control_block_around(reinterpret_cast<std::uintptr_t>(base));
  }

  // Bytes left free at the upper end of a stack. Stacks lie at multiples of a large power of two: without this, equal frames of many
  // stacks would share few cache sets and few entries of the translation buffer. By page, and by line over half a page: a task
  // that waits needs the other half, and with it one page in all.
  [[nodiscard]] std::size_t colour(std::uintptr_t number) const noexcept {
    return number % page_colours_ * k_page_bytes + number / page_colours_ % k_line_colours * k_line_colour_bytes;
  }
  void refuse_above_limit() const;
  void map_slab();
  void add_slab(std::byte* base, std::size_t stacks);
  std::size_t carve(stack_top* out, std::size_t wanted, live_worker_counters& counters);
  fiber_stack* revive(std::byte* base);
  void install_guard(std::byte* base);
  void install_guards(std::byte* first, std::size_t n);
  void chill_newest() noexcept;
  void trim(stack_top stack) noexcept;
  [[nodiscard]] std::byte* base_of(stack_top s) const noexcept {
    return s - (reinterpret_cast<std::uintptr_t>(s) & (stride_ - 1));
  }
  [[nodiscard]] std::uint64_t* strip_of(stack_top s) const noexcept;

  static constexpr std::size_t k_page_bytes = 4096;
  static constexpr std::size_t k_kept_bytes =
      9 * std::size_t{1024};  // of one at rest: two pages, and of tables of pages
  static constexpr std::size_t k_chilled_at_once = 512;
  static constexpr std::size_t k_line_colours = 12;
  static constexpr std::size_t k_line_colour_bytes = 192;

  // Address space, most of it: nothing of it is touched. A frame of which only the lower part is written steps over
  // what is smaller, where the program is compiled without -fstack-clash-protection; with it, on AArch64, compilers
  // count on just this.
  static constexpr std::size_t k_guard_bytes = 64 * std::size_t{1024};

  // What may lie on a stack besides the frames of its task: those of the library, of a signal's handler, and of the
  // functions that run in other tasks' names, which are conditions of when and combine functions.
  static constexpr std::size_t k_library_bytes = 16 * std::size_t{1024};

  const std::size_t page_colours_;  // a power of two; at most a sixteenth of stack_bytes stays free
  const std::size_t room_to_begin_;
  const std::size_t stride_;
  const int stride_shift_;
  const std::size_t slab_stacks_;
  const std::size_t memory_limit_;
  const std::size_t most_warm_;
  guard_kind guard_ = guard_kind::marked;
  std::size_t protected_count_ = 0;
  bool many_guards_at_once_ = true;  // until the kernel refuses

  std::mutex mutex_;  // protects everything below but outstanding_
  std::vector<slab> slabs_;
  std::size_t mapped_stacks_ = 0;  // of all slabs
  std::vector<fiber_stack*> singles_;
  std::vector<std::size_t> single_bytes_;
  // Not a list through the stacks: to walk along it would cost a cache miss for each. At most k_chilled_at_once above
  // most_warm_.
  std::vector<stack_top> warm_;
  std::uint32_t puts_ = 0;
  std::vector<std::byte*> cold_;        // bases of stacks whose memory, control block included, was given back
  atomic<std::size_t> outstanding_{0};  // written under mutex_, read by anyone
};

/// One worker's stacks: last in, first out, so that the next spawn finds a warm one. Owner only.
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
  [[nodiscard]] bool try_fill() noexcept;

  /// Gives everything back to the pool.
  void drain() noexcept;

private:
  static constexpr std::size_t k_batch = 128;
  static constexpr std::ptrdiff_t k_lines_prefetched = 6;

  TACTUS_NOINLINE void refill(stack_pool::at_limit mode);
  TACTUS_NOINLINE void put_slowly(stack_top s) noexcept;
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
