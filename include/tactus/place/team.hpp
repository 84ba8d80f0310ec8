// SPDX-License-Identifier: Apache-2.0
// team: places that do something together.
#pragma once

#include <tactus/place/impl/team_combine.hpp>
#include <tactus/place/impl/team_operation.hpp>
#include <tactus/place/place.hpp>
#include <tactus/task/future.hpp>
#include <tactus/task/loops.hpp>
#include <tactus/wire/impl/travel_check.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {
namespace detail {

[[noreturn]] TACTUS_NOINLINE inline void throw_bad_rank(const char* call, int rank, int size) {
  throw place_error(std::string("tactus::") + call + ": no member has rank " + std::to_string(rank) +
                    "; the team has ranks 0 to " + std::to_string(size - 1));
}
[[noreturn]] TACTUS_NOINLINE inline void throw_bad_count(const char* call, std::size_t given, int size) {
  throw place_error(std::string("tactus::") + call + ": " + std::to_string(given) + " elements were given; it takes " +
                    std::to_string(size) + ", one for each member of the team");
}

}  // namespace detail

/// Places in an order, the *members*, that do something together: wait for each other, hand values round, combine them. Each member has a
/// rank, 0 to size() - 1. A value: trivially copyable, can be captured, travels to members; it lasts until the run ends.
///
/// Each operation is called once by one task at each member, in the same order everywhere, the split forms (`..._async`) included: these
/// return when the operation has begun, which runs in a task of its own, of the caller's innermost finish. At most 16 are under way at a
/// member, none of them begun 64 operations ago; the next call waits. Reductions combine in the order of ranks: an operation has to be
/// associative, need not commute, and gives the same result in each run with as many members.
///
/// Errors: place_error at who calls, before it takes part: for a rank that there is not, while another task of the place is in an operation
/// of the team, at a place that is no member, of a team of an earlier run, which world() of that run is, too. What an operation or a copy
/// of a value throws comes out at every member that waits for what it spoils, and of a reduction at all of them; from other places as
/// remote_exception says. place_error at who receives from a member that has called another operation, or has given a value of another type
/// or another root. Roots that differ may also leave members waiting: deadlock_error, which names the roots of those that wait. Of a
/// broadcast or a scatter nobody is told if each member that takes another one for the root is that itself: it has its own value then. A
/// member that never calls: deadlock_error. After such errors the members no longer agree on what comes next: make a team of other
/// members, or of the same in another order. usage_error outside a task, atomic_use_error in an atomic block.
/// Suspends: all operations; the calling task goes on on any worker of its place.
/// Visibility: what a member did before its call happens before the return of all that wait for it: all of them in a barrier, an allreduce,
/// an alltoall and a split.
/// Source: X10 2.6 (x10.util.Team); MPI 4, chapter 6.
/// \snippet 18_teams.cpp team
/// \ingroup places
class team {
public:
  /// Of no places; every use but assignment and comparison is place_error.
  constexpr team() noexcept = default;

  /// All places of the run, by number. Nothing is sent. usage_error outside a task; resource_error in a run of more than 4,096 places.
  [[nodiscard]] static team world() {
    return team(detail::member_of({detail::team_name::k_world, 0}, "team::world", detail::team_use::question).name());
  }

  /// An operation of all members: those that give the same colour are a team, ranked by key and, of equal keys, by rank here. An equal
  /// split of the same team is the same one.
  /// Errors: resource_error for more than 65,535 different ones in a run, of teams whose rank 0 is at the same place.
  /// Cost: two messages for each member but one.
  [[nodiscard]] team split(int colour, int key) const {
    return team(detail::member_of(name_, "team::split").split(colour, key));
  }

  /// How many members there are.
  [[nodiscard]] int size() const { return detail::member_of(name_, "team::size", detail::team_use::question).size(); }

  /// The calling task's place among them.
  [[nodiscard]] int rank() const { return detail::member_of(name_, "team::rank", detail::team_use::question).rank(); }

  /// Where the member of that rank is. place_error if there is none.
  [[nodiscard]] tactus::place place(int rank) const {
    detail::team_member& m = detail::member_of(name_, "team::place", detail::team_use::question);
    check_rank("team::place", rank, m);
    return m.members()[static_cast<std::size_t>(rank)];
  }

  /// All members, by rank.
  [[nodiscard]] place_group places() const {
    const std::vector<tactus::place>& all =
        detail::member_of(name_, "team::places", detail::team_use::question).members();
    return {all.begin(), all.end()};
  }

  /// Returns when all members have called it.
  /// Cost: log2 of size() messages one after the other.
  void barrier() const {
    detail::team_operation o(detail::member_of(name_, "team::barrier"), detail::team_call::barrier, k_blocking);
    detail::barrier_of(o);
  }

  /// The root's x, at all members. x of the others is not looked at.
  /// \param x it has to travel
  /// \param root a rank
  template <class T>
  [[nodiscard]] T broadcast(T x, int root) const {
    return broadcast_by(begin<T>(detail::team_call::broadcast, k_blocking, root), std::move(x), root);
  }

  /// What `combine` makes of all members' x, in the order of ranks: at the root; T{} elsewhere, of a span of fixed length x.
  /// \param x it has to travel; arrays, vectors and spans of one length are combined element by element, a span in place
  /// \param combine an op, a monoid, or a function of two elements; functions, of monoids too, that can be copied as their bytes
  /// \param root a rank
  /// Errors: place_error at all members where lengths differ; phaser_use_error for an op that the type has not.
  template <class T, class Op>
  T reduce(T x, Op combine, int root) const {
    return reduce_by(begin_combine<T>(detail::team_call::reduce, k_blocking, root), std::move(x), checked<T>(combine),
                     root);
  }

  /// The same at all members.
  template <class T, class Op>
  T allreduce(T x, Op combine) const {
    return allreduce_by(begin_combine<T>(detail::team_call::allreduce, k_blocking), std::move(x), checked<T>(combine));
  }

  /// All members' x by rank, at the root; an empty vector elsewhere.
  template <class T>
  [[nodiscard]] std::vector<T> gather(T x, int root) const {
    return gather_by(begin<T>(detail::team_call::gather, k_blocking, root), std::move(x), root);
  }

  /// The element of the root's v that this member's rank says. v of the others is not looked at.
  /// \param v at the root, size() elements: else place_error at all members
  /// \param root a rank
  template <class T>
  [[nodiscard]] T scatter(std::vector<T> v, int root) const {
    return scatter_by(begin<T>(detail::team_call::scatter, k_blocking, root), std::move(v), root);
  }

  /// Of each member the element that this member's rank says, by rank.
  /// \param v size() elements, one for each member: else place_error at all members
  template <class T>
  [[nodiscard]] std::vector<T> alltoall(std::vector<T> v) const {
    return alltoall_by(begin<T>(detail::team_call::alltoall, k_blocking), std::move(v));
  }

  // ---- the same, split ----

  /// barrier(), split.
  [[nodiscard]] future<void> barrier_async() const {
    return async_future(
        [o = detail::team_operation(detail::member_of(name_, "team::barrier_async"), detail::team_call::barrier,
                                    k_split)]() mutable { detail::barrier_of(o); });
  }

  /// broadcast(), split.
  template <class T>
  [[nodiscard]] future<T> broadcast_async(T x, int root) const {
    return async_future([o = begin<T>(detail::team_call::broadcast, k_split, root), x = std::move(x), root]() mutable {
      return broadcast_by(std::move(o), std::move(x), root);
    });
  }

  /// reduce(), split. A span's elements stay where they are until it has ended.
  template <class T, class Op>
  [[nodiscard]] future<T> reduce_async(T x, Op combine, int root) const {
    const auto f = checked<T>(combine);
    return async_future([o = begin_combine<T>(detail::team_call::reduce, k_split, root), x = std::move(x), f,
                         root]() mutable { return reduce_by(std::move(o), std::move(x), f, root); });
  }

  /// allreduce(), split. A span's elements stay where they are until it has ended.
  template <class T, class Op>
  [[nodiscard]] future<T> allreduce_async(T x, Op combine) const {
    const auto f = checked<T>(combine);
    return async_future([o = begin_combine<T>(detail::team_call::allreduce, k_split), x = std::move(x), f]() mutable {
      return allreduce_by(std::move(o), std::move(x), f);
    });
  }

  /// gather(), split.
  template <class T>
  [[nodiscard]] future<std::vector<T>> gather_async(T x, int root) const {
    return async_future([o = begin<T>(detail::team_call::gather, k_split, root), x = std::move(x), root]() mutable {
      return gather_by(std::move(o), std::move(x), root);
    });
  }

  /// scatter(), split.
  template <class T>
  [[nodiscard]] future<T> scatter_async(std::vector<T> v, int root) const {
    return async_future([o = begin<T>(detail::team_call::scatter, k_split, root), v = std::move(v), root]() mutable {
      return scatter_by(std::move(o), std::move(v), root);
    });
  }

  /// alltoall(), split.
  template <class T>
  [[nodiscard]] future<std::vector<T>> alltoall_async(std::vector<T> v) const {
    return async_future([o = begin<T>(detail::team_call::alltoall, k_split), v = std::move(v)]() mutable {
      return alltoall_by(std::move(o), std::move(v));
    });
  }

  friend bool operator==(team, team) noexcept = default;  ///< the same members, by the same splits, in one run

  /// Both ways, between machines of either byte order.
  template <class Ar>
  friend void serialize(Ar& ar, team& t) {
    ar & t.name_.id & t.name_.run;
  }

private:
  static constexpr detail::team_form k_blocking = detail::team_form::blocking;
  static constexpr detail::team_form k_split = detail::team_form::split;

  explicit team(detail::team_name name) noexcept : name_(name) {}

  static void check_rank(const char* call, int rank, const detail::team_member& m) {
    if (rank < 0 || rank >= m.size()) {
      detail::throw_bad_rank(call, rank, m.size());
    }
  }

  // Rank 0 where the operation has no root.
  template <class T>
  [[nodiscard]] detail::team_operation begin(detail::team_call call, detail::team_form form, int root = 0) const {
    detail::check_value_travels<T>();
    constexpr const char* names[] = {"team::barrier", "team::broadcast", "team::reduce",   "team::allreduce",
                                     "team::gather",  "team::scatter",   "team::alltoall", "team::split"};
    const char* const name = names[static_cast<std::size_t>(call)];
    detail::team_member& m = detail::member_of(name_, name);
    check_rank(name, root, m);
    return {m, call, form, root};
  }
  template <class T>
  [[nodiscard]] detail::team_operation begin_combine(detail::team_call call, detail::team_form form,
                                                     int root = 0) const {
    return begin<typename detail::team_data<T>::type>(call, form, root);
  }

  template <class T, class Op>
  static detail::team_combine<T, Op> checked(Op combine) {
    return detail::team_combine<T, Op>(combine);
  }
  // Nobody needs the identity, which may own memory.
  template <class T, class I, class F>
  static detail::team_combine<T, F> checked(const monoid<I, F>& m) {
    return detail::team_combine<T, F>(m.combine);
  }

  template <class T>
  static detail::member_value<T> valued(T&& x) noexcept {
    detail::member_value<T> v;
    detail::fill(v, [&]() -> T&& { return std::forward<T>(x); });
    return v;
  }
  // One for each member, or none of them.
  template <class T>
  static detail::member_value<std::vector<T>> counted(const char* call, const detail::team_operation& o,
                                                      std::vector<T>&& given) noexcept {
    detail::member_value<std::vector<T>> v;
    detail::fill(v, [&]() -> std::vector<T>&& {
      if (given.size() != static_cast<std::size_t>(o.size())) {
        detail::throw_bad_count(call, given.size(), o.size());
      }
      return std::move(given);
    });
    return v;
  }

  template <class T>
  static T broadcast_by(detail::team_operation o, T x, int root) {
    detail::member_value<T> v = valued(std::move(x));
    detail::broadcast_of(o, v, root, detail::k_step_to);
    return v.take();
  }

  template <class T, class Combine>
  static T reduce_by(detail::team_operation o, T x, const Combine& combine, int root) {
    using data = detail::team_data<T>;
    detail::member_value<typename data::type> v;
    detail::fill(v, [&] { return data::of(std::move(x)); });
    v = detail::reduce_of(o, std::move(v), combine, root);
    if (v.error == nullptr && o.rank() != root) {
      return data::nothing(x);
    }
    return data::result(v.take(), x);
  }

  template <class T, class Combine>
  static T allreduce_by(detail::team_operation o, T x, const Combine& combine) {
    using data = detail::team_data<T>;
    const bool is_long = !data::has_fixed_length && detail::bytes_in(x) >= detail::k_long_range;
    detail::member_value<typename data::type> v;
    detail::fill(v, [&] { return data::of(std::move(x)); });
    v = detail::allreduce_of(o, std::move(v), combine, is_long);
    return data::result(v.take(), x);
  }

  template <class T>
  static std::vector<T> gather_by(detail::team_operation o, T x, int root) {
    return detail::gather_of(o, std::move(x), root, detail::k_step_to).take();
  }

  template <class T>
  static T scatter_by(detail::team_operation o, std::vector<T> v, int root) {
    detail::member_value<std::vector<T>> all;
    if (o.rank() == root) {
      all = counted("team::scatter", o, std::move(v));
    }
    return detail::scatter_of(o, std::move(all), root, detail::k_step_to).take();
  }

  template <class T>
  static std::vector<T> alltoall_by(detail::team_operation o, std::vector<T> v) {
    return detail::alltoall_of(o, counted("team::alltoall", o, std::move(v))).take();
  }

  detail::team_name name_;
};

}  // namespace tactus
