// SPDX-License-Identifier: Apache-2.0
// How a task is spawned at a place: as a message, or here as any task.
#pragma once

#include <tactus/base/impl/lesser.hpp>
#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/wired_call.hpp>
#include <tactus/task/async.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// What a call holds besides its own bytes, as far as that can be seen.
template <class Call>
[[nodiscard]] std::size_t held_by(const Call& call) {
  if constexpr (requires { call.held(); }) {
    return call.held();
  } else {
    return 0;
  }
}

/// What such a message takes of the room there: of a very long one, what a header can say.
template <class Call>
[[nodiscard]] std::uint32_t room_for(const Call& call) {
  constexpr std::size_t k_most = std::numeric_limits<std::uint32_t>::max();
  constexpr std::size_t own = sizeof(queued_task) + (fits_queued<arriving<Call>> ? 0 : sizeof(Call));
  return static_cast<std::uint32_t>(lesser(k_most, own + held_by(call)));
}

/// How a task of the calling task's place is queued.
enum class way_here : bool { as_policy, queued };

/// Spawns f as a task at place `to`, where its message takes `room`: the way of all that is not common.
TACTUS_API void spawn_object(int to, way_here how, std::unique_ptr<task_name> name, labelled_closure f,
                             std::uint32_t room);

/// The same of one that is bytes.
TACTUS_API void spawn_bytes(int to, way_here how, std::unique_ptr<task_name> name, wired_call&& call);

/// Spawns `call` as a task at place `to`. Suspends; throws what async_at does.
template <way_here How = way_here::as_policy, class Call>
void spawn_at(int to, std::unique_ptr<task_name> name, Call&& call) {
  using Fn = std::decay_t<Call>;
  if constexpr (std::is_same_v<Fn, wired_call>) {
    spawn_bytes(to, How, std::move(name), std::forward<Call>(call));
  } else {
    worker* const w = current_worker();
    if (name == nullptr && w->timeline == nullptr) [[likely]] {
      if constexpr (fits_queued<Fn>) {
        if (to == w->place) {
          if constexpr (How == way_here::queued) {
            spawn(w, spawn_policy::help_first, std::forward<Call>(call));
          } else {
            spawn(w, std::forward<Call>(call));
          }
          return;
        }
      }
      if constexpr (fits_queued<arriving<Fn>>) {
        if (to != w->place) {
          remote_spawn on_its_way(to, room_for(call));
          on_its_way.send(make_arriving(on_its_way.header(), std::forward<Call>(call)));
          return;
        }
      }
    }
    // before what it says is moved; a call that stays here takes none
    const std::uint32_t room = to == w->place ? 0 : room_for(call);
    spawn_object(to, How, std::move(name), labelled_closure::make(std::forward<Call>(call)), room);
  }
}

}  // namespace tactus::detail
