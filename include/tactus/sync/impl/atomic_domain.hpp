// SPDX-License-Identifier: Apache-2.0
// One lock of atomic blocks, with the tasks that wait for it and those that wait for a condition.
//
// Whoever ends a block looks at the conditions that wait, in order, and gives the lock to the first that holds. Else it frees the lock
// and wakes the task that has waited longest for it; while that one is on its way others may take the lock, but if it finds it
// taken, it is given the lock next. So a lock in demand never waits for a task to be switched to, and nobody starves.
// docs/protocols/atomic.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/report_number.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/sync/impl/domain_queue.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace tactus::detail {

class atomic_domain {
public:
  /// `home`: of the place whose tasks it is for; 0: of all.
  constexpr explicit atomic_domain(const char* name, std::uint64_t home = 0) noexcept : name_(name), home_(home) {}
  atomic_domain(const atomic_domain&) = delete;
  atomic_domain& operator=(const atomic_domain&) = delete;

  template <class F>
  std::invoke_result_t<F> run_block(const char* call, F&& f) {
    if (worker* const w = current_worker(); w != nullptr) [[likely]] {
      if (w->with_care || !try_lock()) [[unlikely]] {
        lock(w, call);
      }
      const outer_block inside(this);
      return std::forward<F>(f)();
    }
    if (!lock(nullptr, call)) {
      return std::forward<F>(f)();  // inside a block of this domain already
    }
    const block inside(this);
    return std::forward<F>(f)();
  }

  template <class Cond, class F>
  std::invoke_result_t<F> run_when(const char* call, Cond& cond, F&& f) {
    worker* const w = worker_for(call);
    lock(w, call);
    auto holds = [&cond] { return static_cast<bool>(cond()); };
    wait_until([](void* h) { return (*static_cast<decltype(holds)*>(h))(); }, &holds);
    const outer_block inside(this);
    return std::forward<F>(f)();
  }

private:
  using waiter = domain_waiter;
  using queue = domain_queue;

  /// From lock to unlock: the worker is restricted, and the holder known.
  class block {
  public:
    TACTUS_API explicit block(atomic_domain* d) noexcept;
    TACTUS_API ~block();
    block(const block&) = delete;
    block& operator=(const block&) = delete;

  private:
    atomic_domain* const domain_;
    const restricted_scope restricted_;
  };

  /// The same for a task that is in no other one, and in no step of lockstep.
  class outer_block {
  public:
    explicit outer_block(atomic_domain* d) noexcept : domain_(d) {
      worker* const w = current_worker();
      d->holder_.store(w->task, memory_order_relaxed);  // relaxed: read by its own task only
      restrict_worker(w, restriction::in_block);
    }
    ~outer_block() {
      domain_->unlock();
      unrestrict_worker();
    }
    outer_block(const outer_block&) = delete;
    outer_block& operator=(const outer_block&) = delete;

  private:
    atomic_domain* const domain_;
  };

  static constexpr std::uintptr_t k_free = 0;
  static constexpr std::uintptr_t k_held = 1;
  static constexpr std::uintptr_t k_woken =
      2;  // a task has been woken for the lock and has not had it, nor queued again
  static constexpr std::uintptr_t k_bits = k_held | k_woken;

  [[nodiscard]] bool is_mine(const worker* w) const noexcept {
    return holder_.load(memory_order_relaxed) == w->task;  // relaxed: equal only if this task wrote it
  }
  [[nodiscard]] bool try_lock() noexcept { return try_lock(0); }
  /// Takes a mark away with it.
  [[nodiscard]] bool try_lock(std::uintptr_t mark) noexcept {
    std::uintptr_t seen = state_.load(memory_order_relaxed);  // relaxed: checked by the exchange
    // acquire: what earlier blocks did; pairs with the releases in unlock() and hand_over()
    return (seen & k_held) == 0 &&
           state_.compare_exchange_strong(seen, (seen | k_held) & ~mark, memory_order_acquire, memory_order_relaxed);
  }
  [[nodiscard]] bool spin_for_lock(const worker* w, std::uintptr_t mark) noexcept;
  /// False: the calling task is inside a block of this domain already. `w`: the calling worker; null: it is restricted, or there is
  /// none. usage_error, atomic_use_error.
  TACTUS_API bool lock(worker* w, const char* call);
  void lock_slowly(worker* w, const char* call);
  void check_home(const worker* w, const char* call) const;
  void wait_for_lock();
  TACTUS_API void unlock() noexcept;
  void hand_over() noexcept;
  TACTUS_API void wait_until(bool (*holds)(void*), void* condition);
  void take_newcomers() noexcept;
  waiter* first_that_holds() noexcept;
  [[nodiscard]] bool free_lock() noexcept;
  static void give_lock(waiter* p) noexcept;
  static bool enlist(wait_point& p);
  static bool wait_for_condition(wait_point& p);
  static void cancel(wait_point& p);
  static void describe(const wait_point& p, std::string& text);
  static const wait_kind k_lock;
  static const wait_kind k_condition;

  alignas(k_cache_line) atomic<std::uintptr_t> state_{k_free};  // bits, with the list of newcomers above them
  atomic<const task_frame*> holder_{nullptr};                   // written by the holder

  // The holder's.
  queue for_lock_;
  queue for_condition_;
  bool condition_was_last_ = false;
  bool unasked_ = false;  // a block has ended since every condition was asked

  report_number number_;  // of a monitor
  const char* const name_;
  const std::uint64_t home_;
};

/// Of the place of the calling task; 0 outside of tasks, and inside of atomic blocks.
[[nodiscard]] constexpr std::uint64_t home_of_caller() noexcept {
  if (std::is_constant_evaluated()) {
    return 0;
  }
  const worker* const w = current_worker();
  return w != nullptr ? w->home_number : 0;
}

}  // namespace tactus::detail
