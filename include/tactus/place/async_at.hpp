// SPDX-License-Identifier: Apache-2.0
// async_at: spawns a task at a place.
#pragma once

#include <tactus/place/impl/received_call.hpp>
#include <tactus/place/impl/spawn_site.hpp>
#include <tactus/place/impl/watched_spawn.hpp>
#include <tactus/place/place.hpp>
#include <tactus/place/unlooked.hpp>
#include <tactus/task/async.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace tactus {
namespace detail {

/// What an async_at asks for besides place, function and arguments.
struct remote_attributes {
  std::unique_ptr<task_name> name;
  look how = look::into_closure;

  void apply(named n) { name = std::make_unique<task_name>(std::move(n.name)); }
  void apply(unlooked_tag) noexcept { how = look::none; }
  template <registering_attribute A>
  void apply(const A& a) {
    a.refuse_elsewhere();
  }
};

template <class A>
concept remote_attribute = requires(remote_attributes& all, A&& a) { all.apply(std::forward<A>(a)); };

/// Calls then(attributes, f, args...) of a list of attributes, function and arguments.
template <class Then, class First, class... Rest>
decltype(auto) apply_remote_attributes(remote_attributes& attributes, Then&& then, First&& first, Rest&&... rest) {
  if constexpr (remote_attribute<First>) {
    attributes.apply(std::forward<First>(first));
    return apply_remote_attributes(attributes, std::forward<Then>(then), std::forward<Rest>(rest)...);
  } else {
    return then(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
}

/// What is told in place of a place where a task may move: place/placement.hpp.
template <class A>
concept targets_flexibly = requires { typename std::remove_cvref_t<A>::is_flexible_target; };

struct async_at_verb {
  template <targets_flexibly A, class... Rest>
  void operator()(const A& how, Rest&&... rest) const {
    how.spawn(std::forward<Rest>(rest)...);
  }

  template <class... Rest>
  void operator()(sited_flexible here, Rest&&... rest) const {
    spawn_here_flexibly(here, std::forward<Rest>(rest)...);
  }

  template <class... Rest>
  void operator()(sited_place to, Rest&&... rest) const {
    spawn_to(to, std::forward<Rest>(rest)...);
  }

  template <class... Rest>
  void operator()(library_place to, Rest&&... rest) const {
    spawn_to(to, std::forward<Rest>(rest)...);
  }

private:
  template <class Target, class... Rest>
  static void spawn_to(const Target& to, Rest&&... rest) {
    check_target(worker_for("async_at"), to.where.id(), "async_at");
    remote_attributes attributes;
    apply_remote_attributes(
        attributes,
        [&]<class F, class... Args>(F&& f, Args&&... args) {
          with_sent_call<answer::none, way::straight>(
              "async_at", attributes.how, to.where.id(),
              [&]<class Call>(Call&& call) { to.spawn(std::move(attributes.name), std::forward<Call>(call)); },
              std::forward<F>(f), std::forward<Args>(args)...);
        },
        std::forward<Rest>(rest)...);
  }
};

}  // namespace detail

/// Spawns f(args...) as a task at place p, also at this one. The innermost finish around the call joins it, wherever that is, with all
/// that it spawns.
/// \param p any place of the run
/// \param attributes named("text"), unlooked
/// \param f a function, or a closure that can be copied as its bytes: what it needs besides comes as arguments
/// \param args copied, or moved from rvalues, before the call returns; they have to travel (travels), and arrive as rvalues if f takes
/// them so, else as lvalues. With vectors or strings of 64 KiB or more they are kept, on their way to another process, until these have left,
/// and destroyed then, on any thread: their destructors and allocators may call nothing of Tactus but mpi::call
/// Errors: before anything was sent: place_error for a place that there is not, and for a closure that is seen to name the caller's stack
/// (unlooked says which are looked at); clock_use_error for clocked, phaser_use_error for phased and phased_all and, where p is not the
/// caller's place, for a phaser or an accumulator among args: these do not reach over places yet; what copying and serialize throw;
/// resource_error for more bytes than memory_bytes allows; that or deadlock_error in a wait for room; atomic_use_error in atomic blocks;
/// config_error where config::labels names a file that labels this call; usage_error outside a task. What f throws comes out of the finish; from another place as remote_exception says.
/// Suspends: where too much of what this place has sent there has not begun yet (config::message_bytes), until there is room.
/// Visibility: what the caller did before happens before the task; nothing is promised of the order of two tasks.
/// Cost: some 100 ns to another place of this process; to one of another process some 200 instructions here and 80 there where function and arguments are sent as they lie in memory, with 32 bytes at most, since such tasks go together.
/// Source: ghost-regions.txt, section III; X10 2.6.
/// \snippet 17_places.cpp async_at
/// \ingroup places
#ifdef DOXYGEN
template <class... Attributes, class F, class... Args>
void async_at(place p, Attributes&&... attributes, F&& f, Args&&... args);
#else
inline constexpr detail::async_at_verb async_at{};
#endif

}  // namespace tactus
