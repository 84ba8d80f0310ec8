// SPDX-License-Identifier: Apache-2.0
// atomic, when, monitor: blocks that exclude each other, and waiting for what they change.
#pragma once

#include <tactus/sync/impl/atomic_domain.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace tactus {
namespace detail {

/// The domain of atomic and when outside of monitors: of the place where the caller runs. usage_error outside tasks.
TACTUS_ALWAYS_INLINE atomic_domain& place_domain(const char* call) {
  worker* const w = current_worker();
  return *(w != nullptr ? w : any_worker_for(call))->domain;
}

struct atomic_verb {
  template <std::invocable F>
  std::invoke_result_t<F> operator()(F&& f) const {
    return place_domain("atomic").run_block("atomic", std::forward<F>(f));
  }
};

struct when_verb {
  template <std::predicate Cond, std::invocable F>
  std::invoke_result_t<F> operator()(Cond&& cond, F&& f) const {
    return place_domain("when").run_when("when", cond, std::forward<F>(f));
  }
};

}  // namespace detail

/// Runs f while no other atomic block of its place runs, which is the whole run where there is one. Inside another block it is a plain call.
/// Inside f, every operation that
/// spawns, waits, signals, registers or drops throws atomic_use_error.
/// \param f a few lines, called once
/// \return f's value
/// Errors: what f throws, after the block has ended; deadlock_error; usage_error outside a task, in the function with which an
/// accumulator combines and inside of mpi::call; resource_error where the task would have to wait and no stack may be taken.
/// Suspends: may, before f begins, and goes on on any worker; never in f.
/// Visibility: what earlier blocks did happens before f.
/// Cost: about 6 ns where nobody else wants in.
/// Source: uclocks.txt, sections 1 and 4; X10 2.6.
/// \snippet 10_atomic.cpp atomic
/// \ingroup atomic_blocks
#ifdef DOXYGEN
template <class F>
std::invoke_result_t<F> atomic(F&& f);
#else
inline constexpr detail::atomic_verb atomic{};
#endif

/// Waits until cond() holds and runs f as atomic does, without another block in between. A waiting task is looked at again
/// only when an atomic block has ended, in the order in which they began to wait.
/// \param cond may read only what atomic blocks of the place change, and runs under the same rules as f: also in other tasks'
/// place, at the ends of their blocks, but with the calling task's identity. It may not enter a monitor.
/// \param f called once, while cond holds
/// \return f's value
/// Errors: as atomic; what cond throws; atomic_use_error inside an atomic block, and where cond enters a monitor.
/// Suspends: the task, never the worker thread; it goes on on any worker.
/// Visibility: as atomic.
/// Source: uclocks.txt, sections 1 and 4; X10 2.6.
/// \snippet 10_atomic.cpp when
/// \ingroup atomic_blocks
#ifdef DOXYGEN
template <class Cond, class F>
std::invoke_result_t<F> when(Cond&& cond, F&& f);
#else
inline constexpr detail::when_verb when{};
#endif

/// A lock of its own for atomic and when: blocks of unrelated monitors never wait for each other. Monitors may nest, where one task
/// waits for the inner one as for any lock. May be made and destroyed anywhere; no task may wait at it when it is destroyed.
/// One that a task makes is for tasks of its place; one that is made outside of tasks, for those of any runtime, but of one at a time.
/// Errors: those of tactus::atomic and tactus::when; place_error where a task of another place than the maker's has to wait, usage_error
/// where one of another runtime has to.
/// \snippet 10_atomic.cpp monitor
/// \ingroup atomic_blocks
class monitor {
public:
#ifndef DOXYGEN
  using stays_at_its_place = void;
#endif

  /// Nobody is inside.
  monitor() = default;
  monitor(const monitor&) = delete;
  monitor& operator=(const monitor&) = delete;

  /// As tactus::atomic, of this monitor.
  template <std::invocable F>
  std::invoke_result_t<F> atomic(F&& f) {
    return domain_.run_block("monitor::atomic", std::forward<F>(f));
  }

  /// As tactus::when, of this monitor.
  template <std::predicate Cond, std::invocable F>
  std::invoke_result_t<F> when(Cond&& cond, F&& f) {
    return domain_.run_when("monitor::when", cond, std::forward<F>(f));
  }

private:
  detail::atomic_domain domain_{"monitor", detail::home_of_caller()};
};

}  // namespace tactus
