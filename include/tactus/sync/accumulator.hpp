// SPDX-License-Identifier: Apache-2.0
// accumulator: a reduction that rides on the phases of a phaser or a clock.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/sync/clock.hpp>
#include <tactus/sync/impl/accumulator_state.hpp>
#include <tactus/sync/impl/operator_of.hpp>
#include <tactus/sync/phaser.hpp>
#include <tactus/sync/strategy.hpp>
#include <tactus/task/loops.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace tactus {

namespace detail {

/// What the state of an accumulator<T, Op> combines with.
template <class T, class Op>
struct combiner {
  using type = Op;
};
template <class T>
struct combiner<T, op> {
  using type = operator_of<T>;
};
template <class T, class U, class F>
struct combiner<T, monoid<U, F>> {
  using type = F;
};

/// Where an accumulator belongs, and the number of workers there. By a registered task: phaser_use_error, or clock_use_error.
struct accumulator_home {
  std::shared_ptr<phaser_core> core;
  std::size_t workers;
};
TACTUS_API accumulator_home home_on(const std::shared_ptr<phaser_core>& core);
TACTUS_API accumulator_home home_on_clock(std::uint64_t key);

/// What automatic becomes; counted in the stats.
TACTUS_API strategy choose_strategy(strategy how);

/// The calling task's registration where an accumulator belongs, and what it may do there now.
struct sending_member {
  worker* w;
  membership* m;
  std::uint64_t phase;  ///< the first that it has not signalled
};
TACTUS_API sending_member sender_on(const phaser_core& core);

struct reading_member {
  membership* m;
  std::uint64_t phases;  ///< how many it has waited for
  bool only_waits;
};
TACTUS_API reading_member reader_on(const phaser_core& core, const char* call);

}  // namespace detail

/// A value that tasks of a phaser (or clock) send to in each phase, and that is combined when the phase turns: a send belongs to the
/// first phase that its task has not signalled yet, and result() is the value of the last phase that the task has waited for. So
/// there is no race between what is read and what is being sent.
///
/// An accumulator is a handle; copies name the same one. Whoever makes it has to be registered. Any registered task that may signal
/// may send, as often as it likes, and any that may wait may read. What a task has sent counts also if it leaves before the phase
/// turns. With fixed_lazy, dynamic_lazy and tree, values are combined in the order in which tasks were registered, if one task
/// registers the others: results repeat bit for bit from run to run. The other strategies promise no order.
///
/// The function of a monoid, and operators of a T that is a class, may do nothing but compute: operations of the library throw
/// usage_error in them. A task_local has there, and in copies and ends of a T, the value of the task that sends, or, while a phase
/// turns, one that is gone after it. What such a function throws, or copying or moving a T, leaves send(), or, if it happens while the
/// phase turns, each result() of that phase; later phases know nothing of it.
/// Errors: phaser_use_error, on a clock clock_use_error, at once and before anything has changed; usage_error outside a task.
/// Source: phaser-accumulators.txt, sections 2.2, 3 and 4.
/// \snippet 12_accumulators.cpp accumulator
/// Scans:
/// \snippet 15_scans.cpp scan
/// \ingroup accumulators
template <class T, class Op>
class accumulator {
  using combine = typename detail::combiner<T, Op>::type;
  using state = detail::accumulator_state<T, combine>;

public:
  /// On `home`, a phaser or a clock. phaser_use_error besides for an operator that T does not have. std::bad_alloc.
  accumulator(const phaser& home, op kind, strategy how = strategy::automatic)
    requires std::same_as<Op, op>
      : accumulator(detail::home_on(home.core_), detail::identity_of<T>(kind), combine(kind),
                    detail::runs_users_operator<T>(kind), how) {}
  /// The same on a clock.
  accumulator(clock home, op kind, strategy how = strategy::automatic)
    requires std::same_as<Op, op>
      : accumulator(detail::home_on_clock(home.key_), detail::identity_on_clock<T>(kind), combine(kind),
                    detail::runs_users_operator<T>(kind), how) {}

  /// With any associative function, and what it leaves as it is.
  template <class U, class F>
    requires std::constructible_from<T, U> && std::constructible_from<combine, F>
  accumulator(const phaser& home, monoid<U, F> m, strategy how = strategy::automatic)
      : accumulator(detail::home_on(home.core_), T(std::move(m.identity)), combine(std::move(m.combine)), true, how) {}
  /// The same on a clock.
  template <class U, class F>
    requires std::constructible_from<T, U> && std::constructible_from<combine, F>
  accumulator(clock home, monoid<U, F> m, strategy how = strategy::automatic)
      : accumulator(detail::home_on_clock(home.key_), T(std::move(m.identity)), combine(std::move(m.combine)), true,
                    how) {}

  /// A handle always names an accumulator: moving copies.
  accumulator(const accumulator&) = default;
  accumulator& operator=(const accumulator&) = default;  ///< names the other one's accumulator from now on

  /// Adds x to the phase. Never suspends. Cost: less than that of clock::advance(); a lock for tasks that run ahead of the phase.
  /// phaser_use_error where the task may not signal.
  void send(const T& x) const {
    detail::worker* const w = detail::current_worker();
    detail::membership* const m = w != nullptr ? detail::find_member(*w->task, key_) : nullptr;
    if (m == nullptr || !m->goes_plainly || m->arrived || !state_->send_at_once(w, *m, x)) [[unlikely]] {
      send_otherwise(x);  // the last thing here
    }
  }

  /// The value of the last phase that the task has waited for; the identity where nobody sent, and before the first. In the body of a
  /// next_single that of the phase which ends. Never suspends. phaser_use_error where the task may not wait.
  [[nodiscard]] T result() const {
    const detail::worker* const w = detail::current_worker();
    const detail::membership* const m = w != nullptr ? detail::find_member(*w->task, key_) : nullptr;
    if (m != nullptr && m->goes_plainly && !m->arrived) [[likely]] {
      return state_->value_before(m->of->phase());
    }
    const detail::reading_member r = detail::reader_on(*core_, "accumulator::result");
    return r.phases == 0 ? state_->identity() : state_->value_of(r.phases - 1, r.only_waits);
  }

  /// The fold over what those have sent in that phase who were registered before the calling task. Cost: a binary search; whoever
  /// asks first in a phase folds all once more.
  [[nodiscard]] T scan() const { return scan(false); }

  /// The same, with what the calling task has sent.
  [[nodiscard]] T scan_inclusive() const { return scan(true); }

  /// What the strategy automatic has become; else the strategy given.
  [[nodiscard]] strategy chosen() const noexcept { return state_->how(); }

#ifndef DOXYGEN
  // As of a phaser.
  [[noreturn]] static void refuse_elsewhere() { detail::throw_phaser_not_over_places(); }
  template <class Ar>
  [[noreturn]] void serialize(Ar&) {
    refuse_elsewhere();
  }
  template <class Ar>
  static accumulator load(Ar&) {
    refuse_elsewhere();
  }
#endif

private:
  accumulator(detail::accumulator_home home, T identity, combine c, bool of_user, strategy how)
      : core_(std::move(home.core)),
        key_(core_->key()),
        state_(std::make_shared<state>(core_, home.workers, std::move(identity), std::move(c), of_user,
                                       detail::choose_strategy(how))) {
    core_->add(state_);
  }

  TACTUS_NOINLINE void send_otherwise(const T& x) const {
    const detail::sending_member s = detail::sender_on(*core_);
    state_->send(s.w, *s.m, s.phase, x);
  }

  [[nodiscard]] T scan(bool inclusive) const {
    const detail::reading_member r =
        detail::reader_on(*core_, inclusive ? "accumulator::scan_inclusive" : "accumulator::scan");
    return r.phases == 0 ? state_->identity() : state_->scan_of(r.phases - 1, r.m->ordinal, inclusive);
  }

  std::shared_ptr<detail::phaser_core> core_;
  std::uint64_t key_;  // the core's
  std::shared_ptr<state> state_;
};

#ifndef DOXYGEN
template <class U, class F>
accumulator(const phaser&, monoid<U, F>) -> accumulator<U, F>;
template <class U, class F>
accumulator(const phaser&, monoid<U, F>, strategy) -> accumulator<U, F>;
template <class U, class F>
accumulator(clock, monoid<U, F>) -> accumulator<U, F>;
template <class U, class F>
accumulator(clock, monoid<U, F>, strategy) -> accumulator<U, F>;
#endif

#ifdef TACTUS_STATIC
// Of the usual numbers the library has them (accumulator_instances.cpp): about a second less for each of them in a file.
// A shared one has not: they would be half of all that it shows.
namespace detail {
extern template class accumulator_state<int, operator_of<int>>;
extern template class accumulator_state<unsigned, operator_of<unsigned>>;
extern template class accumulator_state<long, operator_of<long>>;
extern template class accumulator_state<unsigned long, operator_of<unsigned long>>;
extern template class accumulator_state<float, operator_of<float>>;
extern template class accumulator_state<double, operator_of<double>>;
}  // namespace detail
#endif

}  // namespace tactus
