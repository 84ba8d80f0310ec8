// SPDX-License-Identifier: Apache-2.0
// The stacks of one runtime: carved from large no-reserve mappings, committed by touch, guarded.
//
// A stack takes `stride` bytes of address space, a power of two, and is aligned to that, so the free room below any
// stack pointer is a mask away.
#pragma once

#include <tactus/base/counters.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/fiber/impl/stack.hpp>
#include <tactus/fiber/impl/stack_guards.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tactus::detail {

/// Some `most_warm` of the stacks in it keep their memory. Every member may be called from
/// any of its workers.
class stack_pool {
public:
  static constexpr std::size_t k_most_warm = 65'536;

  /// How many stacks at rest may stay warm where resident memory is limited to so much: as many as keep a quarter of
  /// it. They are used before fresh ones are, so what they keep never makes the limit refuse one; the rest is the
  /// program's own. 0: no limit.
  static std::size_t warm_within(std::size_t memory_limit_bytes) noexcept;

  /// A task can rely on `stack_bytes`. New stacks are refused while the process's resident memory exceeds
  /// `memory_limit_bytes` (0: never).
  /// \param page_bytes the system's, or more of them
  stack_pool(std::size_t stack_bytes, std::size_t memory_limit_bytes, std::size_t most_warm = k_most_warm,
             std::size_t page_bytes = system_page_bytes());
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

  [[nodiscard]] guard_kind guard() const noexcept { return guards_.kind(); }

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
    sort_cold();
    for (const slab& piece : slabs_) {
      for (std::size_t i = 0; i < piece.carved; ++i) {
        std::byte* const base = piece.base + i * stride_;
        if (!is_cold_when_sorted(base)) {
          f(*control_block(base));
        }
      }
    }
  }

private:
  friend struct debugger_layout;

  struct slab {
    std::byte* base;
    std::size_t stacks;
    std::size_t carved;
  };

  [[nodiscard]] fiber_stack* control_block(std::byte* base) const noexcept {
    return control_block_around(reinterpret_cast<std::uintptr_t>(base));
  }

  // Bytes left free at the upper end of a stack. Stacks lie at multiples of a large power of two: without this, equal frames of many
  // stacks would share few cache sets and few entries of the translation buffer. By page, and by line over half a page: a task
  // that waits needs the other half, and with it one page in all.
  [[nodiscard]] std::size_t colour(std::uintptr_t number) const noexcept {
    return number % page_colours_ * k_page_bytes + number / page_colours_ % k_line_colours * k_line_colour_bytes;
  }
  [[nodiscard]] static std::size_t system_page_bytes() noexcept;
  void refuse_above_limit() const;
  void map_slab();
  void add_slab(std::byte* base, std::size_t stacks);
  std::size_t carve(stack_top* out, std::size_t wanted, live_worker_counters& counters);
  fiber_stack* revive(std::byte* base);
  void chill_newest() noexcept;
  void trim(stack_top stack) noexcept;
  [[nodiscard]] std::byte* base_of(stack_top s) const noexcept {
    return s - (reinterpret_cast<std::uintptr_t>(s) & (stride_ - 1));
  }
  void sort_cold() noexcept;
  [[nodiscard]] bool is_cold_when_sorted(const std::byte* base) const noexcept;
  [[nodiscard]] std::uint64_t* strip_of(stack_top s) const noexcept;

  static constexpr std::size_t k_page_bytes = 4096;
  static constexpr std::size_t k_chilled_at_once = 512;
  static constexpr std::size_t k_line_colours = 12;
  static constexpr std::size_t k_line_colour_bytes = 192;

  // What may lie on a stack besides the frames of its task: those of the library, of a signal's handler, and of the
  // functions that run in other tasks' names, which are conditions of when and combine functions.
  static constexpr std::size_t k_library_bytes = 16 * std::size_t{1024};

  const std::size_t page_colours_;  // a power of two; at most a sixteenth of stack_bytes stays free
  const std::size_t room_to_begin_;
  const std::size_t stride_;
  const int stride_shift_;
  const std::uint32_t page_bytes_;  // in which memory is given back: 4 KiB, or 16 or 64 on some AArch64
  const std::size_t slab_stacks_;
  const std::size_t memory_limit_;
  const std::size_t most_warm_;

  std::mutex mutex_;  // protects everything below but outstanding_
  stack_guards guards_;
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

}  // namespace tactus::detail
