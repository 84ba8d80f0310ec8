// SPDX-License-Identifier: Apache-2.0
// How a task is spawned at a place: as a message, or here as any task.
#pragma once

#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/wired_call.hpp>
#include <tactus/task/async.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tactus::detail {

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

}  // namespace tactus::detail
