// SPDX-License-Identifier: Apache-2.0
// phaser: a clock on which a task may only signal, or only wait. phased: the attribute that registers a child.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/sync/clock.hpp>
#include <tactus/sync/impl/phaser_core.hpp>
#include <tactus/task/async.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tactus {

/// How many phases those who signal on a phaser may be ahead of the slowest that waits there; at least 1. A ring through which items
/// go, written before the signal and read after the wait, needs two places more: one is being written and one is being read.
/// Of a stream: how many items are on their way.
/// Errors: phaser_use_error for a negative number, and where a phaser or a stream is made with a bound of 0.
/// \snippet 13_point_to_point.cpp bound
/// \ingroup phasers
struct bound {
  /// Of any integral type.
  template <std::integral I>
  constexpr explicit bound(I most) : phases(static_cast<std::uint64_t>(most)) {
    if constexpr (std::is_signed_v<I>) {
      if (most < 0) {
        throw phaser_use_error("tactus::bound: " + std::to_string(most) + " is negative; the least is 1");
      }
    }
  }

  std::uint64_t phases;  ///< or items; at least 1
};

class phaser;

namespace detail {

/// A phaser and the mode that a child gets on it.
struct phaser_in_mode {
  std::shared_ptr<phaser_core> core;
  std::optional<phaser_mode> mode;  // else the parent's
};

/// A function by reference.
struct body_of_single {
  template <class F>
  explicit body_of_single(F& f) noexcept
      : object(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call([](void* o) { (*static_cast<F*>(o))(); }) {}

  void* object;
  void (*call)(void*);
};

struct phased_verb;

[[noreturn]] TACTUS_API void throw_phaser_not_over_places();

}  // namespace detail

/// Tasks that go from phase to phase, each in a role: a phase turns when all that signal have signalled, and nobody passes it
/// before. Who only signals may run ahead, as far as the bound allows; who only waits holds up nobody else.
///
/// A phaser is a handle; copies name the same phaser, whose state lives as long as a handle or a registration. Holding one gives no
/// right to use it: only a task that is registered may. The task that makes one is registered, other tasks by their parents, when
/// they are spawned with the attribute phased. A task is dropped when it ends, also by an exception, and the maker of a phaser when
/// the body of the finish ends in which it made it.
///
/// Visibility: what a task does before it signals in phase k happens before what any task does after it has waited for phase k. On a
/// bounded phaser, what a task does before it waits happens before what those do whose signal had to wait for that.
/// Errors: phaser_use_error, at once and before anything has changed. usage_error outside a task, atomic_use_error in an atomic
/// block. Waits throw deadlock_error besides; resource_error and std::bad_alloc before they have begun.
/// Source: phaser-accumulators.txt, section 2; next single and bounds: the phasers of Habanero.
/// \snippet 13_point_to_point.cpp neighbours
/// \ingroup phasers
class phaser {
public:
  /// Registers the calling task in `mode`, in phase 0. Never suspends. Cost: two allocations and a lock. std::bad_alloc;
  /// phaser_use_error for a bound of 0.
  TACTUS_API explicit phaser(phaser_mode mode = phaser_mode::signal_wait);

  /// The same with a bound.
  TACTUS_API phaser(phaser_mode mode, bound ahead);

  /// A handle always names a phaser: moving copies.
  phaser(const phaser&) = default;
  phaser& operator=(const phaser&) = default;  ///< names the other one's phaser from now on

  /// For phased: the child gets this mode, which may be no more than its parent has.
  [[nodiscard]] detail::phaser_in_mode as(phaser_mode mode) const { return {core_, mode}; }

  /// Signals, if the task has not, and waits, as far as its mode has it do: who only signals does not wait, who only waits does not
  /// signal. Suspends: may. Cost: that of clock::advance() for tasks that do both; a lock in the other modes.
  void next() const { next(wait::automatic); }

  /// The same with a hint of how to wait.
  TACTUS_API void next(tactus::wait how) const;

  /// next(), and before anybody passes, one of the tasks that come this way runs its own f: which one is unspecified. Nobody else is
  /// between two phases meanwhile, so f may write what all read. It may suspend, but not operate on this phaser, nor register a child
  /// on it; results of accumulators are those of the phase that ends. If it throws, the phase ends for all, and the exception leaves
  /// next_single in the task that ran it. Needs signal_wait_next, and no signal() before in this phase. Suspends: always.
  template <std::invocable F>
  void next_single(F&& f) const {
    auto body = [&f] { static_cast<void>(f()); };
    next_single_with(detail::body_of_single(body));
  }

  /// Says that the task has finished its phase, and does not wait. For tasks that also wait once in a phase: again does nothing. Each
  /// signal of a task that only signals counts. Suspends: only on a bounded phaser. Cost: one or two atomic operations.
  TACTUS_API void signal() const;

  /// Waits until all have signalled: a task that does both for the phase that it has signalled, a task that only waits for the first
  /// phase that it has not waited for yet. Passes where nobody is left who signals. Suspends: may.
  void wait() const { wait(tactus::wait::automatic); }

  /// The same with a hint of how to wait.
  TACTUS_API void wait(tactus::wait how) const;

  /// Leaves the phaser for good. Never suspends.
  TACTUS_API void drop() const;

  /// How many phases the task has waited for; of a task that only signals, how often it has signalled.
  [[nodiscard]] TACTUS_API std::uint64_t phase() const;

  /// Whether the calling task is registered. Never throws phaser_use_error.
  [[nodiscard]] TACTUS_API bool registered() const;

  /// Whether both name the same phaser.
  friend bool operator==(const phaser& a, const phaser& b) noexcept { return a.core_ == b.core_; }

#ifndef DOXYGEN
  // As an argument of a task at another place that is to be registered on it. Phasers do not reach over places yet.
  [[noreturn]] static void refuse_elsewhere() { detail::throw_phaser_not_over_places(); }
  template <class Ar>
  [[noreturn]] void serialize(Ar&) {
    refuse_elsewhere();
  }
  template <class Ar>
  static phaser load(Ar&) {
    refuse_elsewhere();
  }
#endif

private:
  friend struct detail::phased_verb;
  template <class T, class Op>
  friend class accumulator;

  void next_otherwise(tactus::wait how) const;
  TACTUS_API void next_single_with(detail::body_of_single body) const;

  std::shared_ptr<detail::phaser_core> core_;
  std::uint64_t key_;  // the core's: on the short way it is all that is needed of it
};

namespace detail {

TACTUS_API void register_on_phasers(spawn_attributes& all, const phaser_in_mode* phasers, std::size_t n);
TACTUS_API void register_on_all(spawn_attributes& all);
TACTUS_API void next_single_of_all(body_of_single body);
/// Attribute of async: the child is registered on these phasers.
template <std::size_t N>
class phased_attribute {
public:
  explicit phased_attribute(std::array<phaser_in_mode, N> phasers) noexcept : phasers_(std::move(phasers)) {}

  /// Registers the child to be spawned.
  void register_at(spawn_attributes& all) const { register_on_phasers(all, phasers_.data(), N); }

  /// At the spawn of a child at a place.
  [[noreturn]] void refuse_elsewhere() const { throw_phaser_not_over_places(); }

private:
  std::array<phaser_in_mode, N> phasers_;
};

struct phased_all_attribute {
  void register_at(spawn_attributes& all) const { all.at_last = register_on_all; }
  [[noreturn]] void refuse_elsewhere() const { throw_phaser_not_over_places(); }
};

template <class P>
concept phaser_argument =
    std::same_as<std::remove_cvref_t<P>, phaser> || std::same_as<std::remove_cvref_t<P>, phaser_in_mode>;

struct phased_verb {
  template <phaser_argument... Phasers>
    requires(sizeof...(Phasers) > 0)
  auto operator()(Phasers&&... phasers) const {
    return phased_attribute<sizeof...(Phasers)>({in_mode(std::forward<Phasers>(phasers))...});
  }

private:
  static phaser_in_mode in_mode(const phaser& p) { return {p.core_, std::nullopt}; }
  static phaser_in_mode in_mode(phaser_in_mode p) noexcept { return p; }
};

struct next_verb {
  void operator()(wait how = wait::automatic) const { advance_all(how); }
};

struct next_single_verb {
  template <std::invocable F>
  void operator()(F&& f) const {
    auto body = [&f] { static_cast<void>(f()); };
    next_single_of_all(body_of_single(body));
  }
};

}  // namespace detail

/// Attribute of async, as in async(phased(ph, pc.as(phaser_mode::wait_only)), f): the child is registered on ph in its parent's
/// mode and on pc as said, in its parent's phase, and counts as having signalled where its parent has.
/// \param phasers one or more; naming one twice counts once
/// Errors: at the spawn, and then nothing was spawned: phaser_use_error where the parent is not registered or has less than the
/// mode, where one is named with two modes, and where the child would be joined by another finish than the one in which the
/// phaser was made: that finish could wait for ever.
/// Cost: above that of async, an allocation and a lock for each.
/// Source: phaser-accumulators.txt, section 2.
/// \snippet 13_point_to_point.cpp neighbours
/// \ingroup phasers
#ifdef DOXYGEN
attribute phased(phaser... phasers);
#else
inline constexpr detail::phased_verb phased{};
#endif

/// Attribute of async: the child is registered on every phaser and clock of its parent that may be handed to it (those made in the
/// finish that joins the child), in its parent's modes.
/// Errors: none of its own; a parent without any spawns a plain child.
/// Cost: as phased and clocked.
/// Source: phaser-accumulators.txt, section 2.
/// \snippet reference.cpp next_single
/// \ingroup phasers
#ifdef DOXYGEN
attribute phased_all;
#else
inline constexpr detail::phased_all_attribute phased_all{};
#endif

/// phaser::next on every phaser and clock of the calling task: all signals, then all waits. The same as advance_all. Does nothing
/// without any. Deadlock cannot come of it, in whatever order tasks hold their phasers.
/// \param how a hint of how to wait
/// Errors: as phaser::next; none for a task without phasers and clocks.
/// Suspends: may, and goes on on any worker.
/// Visibility: as phaser.
/// Cost: that of phaser::next on each.
/// Source: phaser-accumulators.txt, section 2.
/// \snippet 13_point_to_point.cpp neighbours
/// \ingroup phasers
#ifdef DOXYGEN
void next(wait how = wait::automatic);
#else
inline constexpr detail::next_verb next{};
#endif

/// next(), with phaser::next_single on the one phaser of the task on which it may: there has to be exactly one. All signals come
/// first; where the body throws, the other waits still come before the exception leaves.
/// \param f run by one of the tasks that come this way, before any of them passes
/// Errors: as phaser::next_single; phaser_use_error where there is no such phaser, or more than one.
/// Suspends: always, and goes on on any worker.
/// Visibility: as phaser; what f did happens before what any task does in the next phase.
/// Source: phaser-accumulators.txt, section 2; next single: the phasers of Habanero.
/// \snippet reference.cpp next_single
/// \ingroup phasers
#ifdef DOXYGEN
template <class F>
void next_single(F&& f);
#else
inline constexpr detail::next_single_verb next_single{};
#endif

}  // namespace tactus
