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

/// Sends `call` as a task to place `to`, another one.
template <class Call>
void send_to(int to, std::unique_ptr<task_name> name, Call&& call) {
  remote_spawn on_its_way(to, room_for(call));
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

}  // namespace tactus::detail
