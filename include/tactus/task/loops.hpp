// SPDX-License-Identifier: Apache-2.0
// for_each and reduce: parallel loops over integers.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/lesser.hpp>
#include <tactus/scheduler/impl/exceptions_aside.hpp>
#include <tactus/task/finish.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace tactus {

/// An associative operation with its neutral element, for reduce and for accumulators.
/// Errors: what the operation throws, where it is used.
/// \snippet reference.cpp monoid
/// \ingroup loops
template <class T, class Combine>
struct monoid {
  T identity;       ///< combined with anything it leaves that as it is; the result where there is nothing to combine
  Combine combine;  ///< combine(a, b), associative

  /// combine(a, b).
  template <class A, class B>
  decltype(auto) operator()(A&& a, B&& b) const {
    static_assert(std::invocable<const Combine&, A, B>,
                  "a monoid's function is called by several workers at once: it has to take these as const, so no "
                  "lambda that is mutable");
    return combine(std::forward<A>(a), std::forward<B>(b));
  }
};
#ifndef DOXYGEN
template <class T, class Combine>
monoid(T, Combine) -> monoid<T, Combine>;
#endif

namespace detail {

template <class Index>
concept loop_index =
    std::integral<Index> && sizeof(Index) <= sizeof(std::int64_t) && !std::same_as<std::remove_cv_t<Index>, bool>;

template <class First, class Last>
using index_of = std::common_type_t<First, Last>;

/// The number that an index stands for, as a type that std::cmp_less takes: it refuses those of characters.
template <loop_index Index>
constexpr auto number_of(Index i) noexcept {
  if constexpr (std::is_signed_v<Index>) {
    return static_cast<std::int64_t>(i);
  } else {
    return static_cast<std::uint64_t>(i);
  }
}

/// Elements in [first, last); 0 if last lies before first.
template <loop_index First, loop_index Last>
constexpr std::uint64_t count_between(First first, Last last) noexcept {
  return std::cmp_less(number_of(first), number_of(last))
             ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)
             : 0;
}

/// first + offset without overflow on the way.
template <class Index, class First>
constexpr Index index_at(First first, std::uint64_t offset) noexcept {
  return static_cast<Index>(static_cast<std::uint64_t>(first) + offset);
}

template <loop_index Grain>
std::uint64_t checked_grain(const char* call, Grain of_any_type) {
  const auto grain = number_of(of_any_type);
  if (std::cmp_less(grain, 1)) {
    throw usage_error(std::string("tactus::") + call + ": grain is " + std::to_string(grain) +
                      "; it must be at least 1");
  }
  return static_cast<std::uint64_t>(grain);
}

/// Whether there is so much of the caller's stack left that an element of a loop, which is a task to the program, may
/// begin on it.
TACTUS_API bool has_room_to_begin() noexcept;

/// Shares of a for_each: enough of them that thieves find some, however many workers there are.
TACTUS_API std::uint64_t default_loop_grain(std::uint64_t elements, int workers) noexcept;

/// Leaves of a reduce depend on the number of elements alone, so that results repeat.
TACTUS_API std::uint64_t default_reduce_grain(std::uint64_t elements) noexcept;

/// One share of a for_each: consecutive elements, each a task of its own to the program.
template <class Index, class First, class F>
class loop_share : loop_rest {
public:
  static void split(finish_scope* all, First first, F& f, std::uint64_t low, std::uint64_t high, std::uint64_t grain) {
    while (high - low > grain) {
      const std::uint64_t middle = low + (high - low) / 2;
      spawn_share("share of for_each", [=, &f] { split(all, first, f, middle, high, grain); });
      high = middle;
    }
    loop_share(all, first, f, low, high).run();
  }

private:
  loop_share(finish_scope* all, First first, F& f, std::uint64_t low, std::uint64_t high) noexcept
      : loop_rest{hand_rest_over}, all_(all), first_(first), f_(f), next_(low), high_(high) {}

  void run() noexcept {
    worker* const w = current_worker();
    task_frame* const mine = w->task;
    // The caller runs the first share itself, perhaps inside a catch block, which is not the elements' business.
    // By hand: exceptions_aside would fetch the worker once more for each share.
    const exception_state handled = *w->exceptions;
    *w->exceptions = {};
    element_frame element(this);
    element.below = mine;
    w->task = &element;
    while (next_ < high_) {
      const std::uint64_t offset = next_++;
      try {
        f_(index_at<Index>(first_, offset));
      } catch (...) {
        keep_failure();
      }
      end_task_frame(element);
      element.spawned = 0;
    }
    worker* const now = current_worker();
    now->task = mine;
    *now->exceptions = handled;
  }

  // The element that runs has to wait: what is left becomes a task of the loop's own finish, whatever finish is innermost now.
  static void hand_rest_over(loop_rest& rest, worker* w) noexcept {
    auto& self = static_cast<loop_share&>(rest);
    if (self.next_ == self.high_) {
      return;
    }
    const std::uint64_t low = std::exchange(self.next_, self.high_);
    queue_under(w, self.all_, [all = self.all_, first = self.first_, &f = self.f_, low, high = self.high_] {
      run_share("share of for_each", [=, &f] { loop_share(all, first, f, low, high).run(); });
    });
  }

  finish_scope* const all_;
  const First first_;
  F& f_;
  std::uint64_t next_;
  std::uint64_t high_;
};

/// How to go over what is not integers: specialised where that is.
template <class Space>
struct loop_over;

template <class Space>
concept loop_space = requires { loop_over<Space>::rank; };

struct for_each_verb {
  template <loop_space Space, class F>
  void operator()(const Space& space, F&& f) const {
    worker* const w = worker_for("for_each");
    const std::uint64_t points = space.size();
    loop_over<Space>::each(loop_over<Space>::boxes(space), points,
                           greater<std::uint64_t>(default_loop_grain(points, w->workers_of_place), 1), f);
  }

  template <loop_space Space, loop_index Grain, class F>
  void operator()(const Space& space, Grain grain, F&& f) const {
    static_cast<void>(worker_for("for_each"));
    loop_over<Space>::each(loop_over<Space>::boxes(space), space.size(), checked_grain("for_each", grain), f);
  }

  template <loop_index First, loop_index Last, class F>
    requires std::invocable<F&, index_of<First, Last>>
  void operator()(First first, Last last, F&& f) const {
    worker* const w = worker_for("for_each");
    const std::uint64_t n = count_between(first, last);
    run(first, n, default_loop_grain(n, w->workers_of_place), f, std::type_identity<index_of<First, Last>>{});
  }

  template <loop_index First, loop_index Last, loop_index Grain, class F>
    requires std::invocable<F&, index_of<First, Last>>
  void operator()(First first, Last last, Grain grain, F&& f) const {
    static_cast<void>(worker_for("for_each"));
    run(first, count_between(first, last), checked_grain("for_each", grain), f,
        std::type_identity<index_of<First, Last>>{});
  }

private:
  template <class First, class F, class Index>
  static void run(First first, std::uint64_t n, std::uint64_t grain, F& f, std::type_identity<Index>) {
    if (n == 0) {
      return;
    }
    finish_scope all;
    all.open(current_worker());
    const auto begin = [&all, first, &f, n, grain] { loop_share<Index, First, F>::split(&all, first, f, 0, n, grain); };
    try {
      if (has_room_to_begin()) [[likely]] {
        begin();
      } else {
        spawn_share("share of for_each", [&begin] { begin(); });
      }
    } catch (...) {
      all.add_failure(std::current_exception());  // a share that could not be queued
    }
    all.close_and_throw();
  }
};

/// A reduce in progress.
template <class T, class Index, class First, class Op, class F>
class reduction {
public:
  reduction(First first, std::uint64_t grain, Op& op, F& f) noexcept : first_(first), grain_(grain), op_(op), f_(f) {}

  /// Makes the fold over [low, high); none if something threw, which failures() collects. `into` is empty.
  void fold(std::optional<T>& into, std::uint64_t low, std::uint64_t high) noexcept {
    if (high - low <= grain_) {
      fold_leaf(into, low, high);
      return;
    }
    // The tree depends on nothing but the bounds and the grain.
    const std::uint64_t leaves = (high - low + grain_ - 1) / grain_;
    const std::uint64_t middle = low + (leaves + 1) / 2 * grain_;
    std::optional<T> right;
    finish_scope both;
    both.open(current_worker());
    try {
      spawn_share("share of reduce", [this, &right, middle, high] { fold(right, middle, high); });
      if (has_room_to_begin()) [[likely]] {
        fold(into, low, middle);
      } else {  // each level takes room for a T or two
        spawn_share("share of reduce", [this, &into, low, middle] { fold(into, low, middle); });
      }
    } catch (...) {
      both.add_failure(std::current_exception());
    }
    both.close();
    failures_.add_failures_of(both);
    if (!into || !right) {
      into.reset();
      return;
    }
    try {
      T both_values(op_(*std::move(into), *std::move(right)));  // by itself: op may return one of its arguments
      into.emplace(std::move(both_values));
    } catch (...) {
      failures_.add_failure(std::current_exception());
      into.reset();
    }
  }

  /// The finish around it all, which collects what threw anywhere.
  finish_scope& failures() noexcept { return failures_; }

private:
  // A task of its own, as an element of a for_each is.
  void fold_leaf(std::optional<T>& into, std::uint64_t low, std::uint64_t high) noexcept {
    worker* const w = current_worker();
    const exceptions_aside aside(w);
    task_frame leaf;
    leaf.below = w->task;
    w->task = &leaf;
    try {
      T sum(f_(index_at<Index>(first_, low)));
      for (std::uint64_t i = low + 1; i < high; ++i) {
        sum = op_(std::move(sum), f_(index_at<Index>(first_, i)));
      }
      into.emplace(std::move(sum));
    } catch (...) {
      failures_.add_failure(std::current_exception());
    }
    end_task_frame(leaf);
    current_worker()->task = leaf.below;  // it may have gone on elsewhere
  }

  const First first_;
  const std::uint64_t grain_;
  Op& op_;
  F& f_;
  finish_scope failures_;
};

/// What values of T are combined by where that is named: for names of later rooms.
template <class T, class Name>
struct named_reduction;

struct reduce_verb {
  template <loop_space Space, class Op, class F>
  auto operator()(const Space& space, Op&& op, F&& f) const {
    static_cast<void>(worker_for("reduce"));
    const std::uint64_t points = space.size();
    return loop_over<Space>::folded(loop_over<Space>::boxes(space), points,
                                    greater<std::uint64_t>(default_reduce_grain(points), 1), op, f);
  }

  template <loop_space Space, loop_index Grain, class Op, class F>
  auto operator()(const Space& space, Grain grain, Op&& op, F&& f) const {
    static_cast<void>(worker_for("reduce"));
    return loop_over<Space>::folded(loop_over<Space>::boxes(space), space.size(), checked_grain("reduce", grain), op,
                                    f);
  }

  template <loop_index First, loop_index Last, class Op, class F>
    requires std::invocable<F&, index_of<First, Last>>
  auto operator()(First first, Last last, Op&& op, F&& f) const {
    static_cast<void>(worker_for("reduce"));
    const std::uint64_t n = count_between(first, last);
    return run(first, n, default_reduce_grain(n), op, f, std::type_identity<index_of<First, Last>>{});
  }

  template <loop_index First, loop_index Last, loop_index Grain, class Op, class F>
    requires std::invocable<F&, index_of<First, Last>>
  auto operator()(First first, Last last, Grain grain, Op&& op, F&& f) const {
    static_cast<void>(worker_for("reduce"));
    return run(first, count_between(first, last), checked_grain("reduce", grain), op, f,
               std::type_identity<index_of<First, Last>>{});
  }

private:
  template <class First, class Op, class F, class Index>
  static auto run(First first, std::uint64_t n, std::uint64_t grain, Op& op, F& f, std::type_identity<Index>) {
    using T = std::decay_t<std::invoke_result_t<F&, Index>>;
    if constexpr (std::is_enum_v<Op>) {
      auto named = named_reduction<T, std::remove_cv_t<Op>>::of(op);
      return run(first, n, grain, named, f, std::type_identity<Index>{});
    } else {
      return run_by(first, n, grain, op, f, std::type_identity<Index>{});
    }
  }

  template <class First, class Op, class F, class Index>
  static auto run_by(First first, std::uint64_t n, std::uint64_t grain, Op& op, F& f, std::type_identity<Index>) {
    using T = std::decay_t<std::invoke_result_t<F&, Index>>;
    if (n == 0) {
      if constexpr (requires { T(op.identity); }) {
        return T(op.identity);
      } else {
        return T{};
      }
    }
    reduction<T, Index, First, Op, F> r(first, grain, op, f);
    finish_scope& all = r.failures();
    all.open(current_worker());
    std::optional<T> result;
    try {
      if (has_room_to_begin()) [[likely]] {
        r.fold(result, 0, n);
      } else {
        spawn_share("share of reduce", [&r, &result, n] { r.fold(result, 0, n); });
      }
    } catch (...) {
      all.add_failure(std::current_exception());  // a result that could not be moved, or a share not queued
    }
    all.close_and_throw();
    return T(*std::move(result));
  }
};

}  // namespace detail

/// Calls f(i) for every i of [first, last), in parallel, and returns when all calls and all tasks that they spawned have ended.
/// Each call behaves as a task of its own: it has its own task_local values, and when it waits, the others go on.
/// \param first, last integers of any type of at most 64 bits; there is nothing to do where last is not above first
/// \param f called with an integer of the common type of first and last
/// Errors: every exception is collected, none keeps other elements from running; multiple_exceptions at the end.
/// usage_error outside a task.
/// Suspends: may, and goes on on any worker.
/// Visibility: as if each call were a task and the loop a finish.
/// Cost: about 20 ns per share, a few ns per element.
/// \snippet 06_loops.cpp loops
/// \ingroup loops
#ifdef DOXYGEN
template <std::integral First, std::integral Last, class F>
void for_each(First first, Last last, F&& f);

/// The same, in shares of so many elements.
/// \param first, last the bounds
/// \param grain the number of consecutive elements that one worker takes at once
/// \param f called with each index
/// Errors: usage_error also for a grain below 1.
/// \ingroup loops
template <std::integral First, std::integral Last, std::integral Grain, class F>
void for_each(First first, Last last, Grain grain, F&& f);
#else
inline constexpr detail::for_each_verb for_each{};
#endif

/// Combines f(i) over [first, last) by op, in index order, in a tree that depends only on the bounds and the grain: the result
/// repeats bit for bit over runs, workers and policies. op must be associative for the result to be the sequential one.
/// The calls of one leaf of the tree, one after the other, are a task of their own, as those of for_each are: neither the caller's
/// task_local values nor its clocks are theirs.
/// \param first, last integers of any type of at most 64 bits
/// \param op called with two values, for example std::plus<>{}; a monoid carries its identity along; or a name, as op::sum
/// \param f called with an integer of the common type of first and last
/// \return the combined value, whose type T is that of what f returns, without reference; of an empty range T{}, or the
/// identity of the monoid
/// Errors: as for_each; then there is no result. usage_error for a name of an operator that T does not have.
/// Suspends: may, and goes on on any worker.
/// Cost: a finish and a queued task per inner node of the tree.
/// \snippet 06_loops.cpp loops
/// \ingroup loops
#ifdef DOXYGEN
template <std::integral First, std::integral Last, class Op, class F>
T reduce(First first, Last last, Op&& op, F&& f);

/// The same, in leaves of so many elements.
/// \param first, last the bounds
/// \param grain the number of consecutive elements that are combined one after the other; it shapes the tree
/// \param op combines two values
/// \param f called with each index
/// \return the combined value
/// Errors: usage_error also for a grain below 1.
/// \ingroup loops
template <std::integral First, std::integral Last, std::integral Grain, class Op, class F>
T reduce(First first, Last last, Grain grain, Op&& op, F&& f);
#else
inline constexpr detail::reduce_verb reduce{};
#endif

}  // namespace tactus
