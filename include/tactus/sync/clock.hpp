// SPDX-License-Identifier: Apache-2.0
// clock: tasks in lock step. clocked: the attribute that registers a task, and the finish that makes a clock.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/sync/impl/membership.hpp>
#include <tactus/sync/operators.hpp>
#include <tactus/task/async.hpp>
#include <tactus/task/finish.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tactus {

namespace detail {
struct clocked_verb;
}

/// How a task that has to wait at a clock spends its first moments. The meaning of the program is the same.
/// Errors: none, it is a hint.
/// \snippet reference.cpp advance_all
/// \ingroup clocks
enum class wait : std::uint8_t {
  eager,      ///< looks for up to 2 us whether the phase has turned, if the missing tasks may be running right now
  lazy,       ///< stops at once, and goes on when the last task has arrived
  automatic,  ///< eager where it has paid off: no more tasks than workers, and short phases
};

/// Tasks that are registered on a clock go from phase to phase together: nobody enters phase k + 1 before everybody has finished
/// phase k. Phases count from 0. A registered task resumes (it has finished the phase), advances (it waits until all have) or drops.
///
/// A clock is a handle, as small as a number; copies name the same clock. Holding one gives no right to use it: only a task that
/// is registered may. A task is registered by make(), or by its parent, when it is spawned with the attribute clocked; so no
/// phase can pass before a new task counts. It is dropped when it ends, also by an exception, and the maker of a clock is dropped
/// when the body of the finish ends in which it made it.
///
/// Visibility: what a task does before it resumes in phase k happens before what any task does after it has advanced into k + 1.
/// Errors: clock_use_error, at once and before anything has changed, for an operation by a task that is not registered.
/// usage_error outside a task.
/// Source: uclocks.txt, sections 2 to 4; X10 2.6.
/// \snippet 11_split_phase.cpp split_phase
/// \ingroup clocks
class TACTUS_API clock {
public:
  /// A new clock, on which the calling task is registered, in phase 0. Never suspends. Cost: an allocation and a lock. std::bad_alloc.
  static clock make();

  /// Says that the calling task has finished the phase, and does not wait. Once in a phase; again does nothing. Never suspends.
  /// The hint is there for symmetry: who waits decides how. Cost: one atomic operation.
  void resume() const;

  /// As resume().
  void resume(wait) const { resume(); }

  /// Resumes if that has not been done, and returns when every registered task has resumed: the task is in the next phase then.
  /// Errors: deadlock_error besides; resource_error and std::bad_alloc, and then nothing has happened.
  /// Suspends: may, and goes on on any worker.
  /// Cost: 10 to 20 ns per task and phase up to some thousands of tasks, about 100 ns at 65,536, where stacks no longer fit
  /// into the caches.
  void advance() const { advance(wait::automatic); }

  /// As advance(), with a hint of how to wait.
  void advance(wait how) const;

  /// Leaves the clock for good; the others do not wait for this task any more. Never suspends.
  void drop() const;

  /// Whether the calling task is registered. Never throws clock_use_error.
  [[nodiscard]] bool registered() const;

  /// Whether it is not, or not any more. Never throws clock_use_error.
  [[nodiscard]] bool dropped() const;

  /// The calling task's own phase: moves at advance, not at resume.
  [[nodiscard]] std::uint64_t phase() const;

  /// Whether both name the same clock.
  friend bool operator==(clock, clock) = default;

private:
  friend struct detail::clocked_verb;
  template <class T, class Op>
  friend class accumulator;

  explicit clock(std::uint64_t key) noexcept : key_(key) {}

  std::uint64_t key_;  // of the barrier, while it has members
};

namespace detail {

TACTUS_API void register_children(spawn_attributes& all, const std::uint64_t* keys, std::size_t n);
[[noreturn]] TACTUS_API void throw_not_over_places();

/// Attribute of async: the child is registered on these clocks.
template <std::size_t N>
class clocked_attribute {
public:
  explicit clocked_attribute(const std::array<std::uint64_t, N>& keys) noexcept : keys_(keys) {}

  /// Registers the child to be spawned.
  void register_at(spawn_attributes& all) const { register_children(all, keys_.data(), N); }

  /// At the spawn of a child at a place.
  [[noreturn]] void refuse_elsewhere() const { throw_not_over_places(); }

  /// The common spawn: one clock and nothing else.
  template <task_function F>
    requires(N == 1)
  void spawn(F&& f) const {
    spawn_member(keys_[0], std::forward<F>(f));
  }

private:
  std::array<std::uint64_t, N> keys_;
};

struct clocked_verb {
  template <std::same_as<clock>... Clocks>
    requires(sizeof...(Clocks) > 0)
  auto operator()(Clocks... clocks) const noexcept {
    return clocked_attribute<sizeof...(Clocks)>({clocks.key_...});
  }

  template <std::invocable<clock> Body>
  std::invoke_result_t<Body, clock> in_finish(Body&& body) const {
    return finish([&]() -> std::invoke_result_t<Body, clock> { return std::forward<Body>(body)(clock::make()); });
  }
};

struct advance_all_verb {
  TACTUS_API void operator()(wait how = wait::automatic) const;
};

struct resume_all_verb {
  TACTUS_API void operator()() const;
  void operator()(wait) const { (*this)(); }
};

}  // namespace detail

/// Attribute of async, as in async(clocked(c, d), f): the child is registered on c and d, in the phase of its parent, and counts
/// as resumed where the parent has resumed. Without arguments, in finish(clocked, body), it has the finish make a clock.
/// \param clocks one or more; naming one twice counts once
/// Errors: at the spawn, and then nothing was spawned: clock_use_error where the parent is not registered, and where it is but
/// spawns inside a finish that lies within the registration: that finish could wait for ever.
/// Cost: above that of async, a subtraction on one clock; an allocation per clock where there are several, or other attributes.
/// Source: uclocks.txt, section 2.
/// \snippet 08_clocks.cpp clocked
/// \ingroup clocks
#ifdef DOXYGEN
attribute clocked(clock... clocks);
#else
inline constexpr detail::clocked_verb clocked{};
#endif

/// Advances on every clock of the calling task: resumes on all, then waits for each. Does nothing without any.
/// \param how a hint of how to wait
/// Errors: as clock::advance; none for a task without clocks.
/// Suspends: may, and goes on on any worker.
/// Visibility: as clock.
/// Cost: that of clock::advance on each.
/// Source: uclocks.txt, section 2.
/// \snippet reference.cpp advance_all
/// \ingroup clocks
#ifdef DOXYGEN
void advance_all(wait how = wait::automatic);
#else
inline constexpr detail::advance_all_verb advance_all{};
#endif

/// Resumes on every clock of the calling task, not on its phasers, which may be bounded: signalling them may suspend. Does nothing
/// without any. Never suspends.
/// Errors: usage_error outside a task, atomic_use_error in an atomic block.
/// Cost: that of clock::resume on each.
/// Source: uclocks.txt, section 2.
/// \snippet reference.cpp advance_all
/// \ingroup clocks
#ifdef DOXYGEN
void resume_all();
#else
inline constexpr detail::resume_all_verb resume_all{};
#endif

}  // namespace tactus
