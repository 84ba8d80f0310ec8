// SPDX-License-Identifier: Apache-2.0
// async_at: spawns a task at a place.
#pragma once

#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/received_call.hpp>
#include <tactus/place/place.hpp>
#include <tactus/place/unlooked.hpp>
#include <tactus/task/async.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
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

/// What such a message takes of the room there.
template <class Call>
inline constexpr std::uint32_t k_room_of =
    sizeof(queued_task) + (fits_queued<arriving<Call>> ? 0U : static_cast<std::uint32_t>(sizeof(Call)));

/// Sends `call` as a task to place `to`, another one.
template <class Call>
void send_to(int to, std::unique_ptr<task_name> name, Call&& call) {
  remote_spawn on_its_way(to, k_room_of<std::decay_t<Call>>);
  on_its_way.send(make_message(on_its_way.header(), std::move(name), std::forward<Call>(call)));
}
template <class Fn>
void send_to(int to, std::unique_ptr<task_name> name, wired_call_of<Fn>&& call) {
  spawn_by_bytes(to, std::move(name), std::move(call));
}

/// Spawns `call` as a task at place `to`.
template <class Call>
void spawn_at(int to, std::unique_ptr<task_name> name, Call&& call) {
  if (to != current_worker()->place) {
    send_to(to, std::move(name), std::forward<Call>(call));
  } else if (name != nullptr) {
    async(named(std::move(name->text)), std::forward<Call>(call));
  } else {
    async(std::forward<Call>(call));
  }
}

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
  void operator()(place where, Rest&&... rest) const {
    check_target(worker_for("async_at"), where.id(), "async_at");
    remote_attributes attributes;
    apply_remote_attributes(
        attributes,
        [&]<class F, class... Args>(F&& f, Args&&... args) {
          with_sent_call(
              "async_at", attributes.how, where.id(),
              [&]<class Call>(Call&& call) {
                spawn_at(where.id(), std::move(attributes.name), std::forward<Call>(call));
              },
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
/// them so, else as lvalues
/// Errors: before anything was sent: place_error for a place that there is not, and for a closure that names the caller's stack; what
/// copying and serialize throw; resource_error, deadlock_error where it has to wait for room; atomic_use_error inside an atomic block;
/// usage_error outside a task. What f throws comes out of the finish; from another place as remote_exception says.
/// Suspends: where too much of what this place has sent there has not begun yet (config::message_bytes), until there is room.
/// Visibility: what the caller did before happens before the task; nothing is promised of the order of two tasks.
/// Cost: some 100 ns to another place of this process.
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
