// SPDX-License-Identifier: Apache-2.0
// Spawns at places where somebody looks at them: labels of a file, which say whether a task moves, or a profile.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/flexible_spawn.hpp>
#include <tactus/place/impl/received_call.hpp>
#include <tactus/place/impl/spawn_at.hpp>
#include <tactus/place/impl/spawn_site.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace tactus::detail {

/// Calls spawn(how, what the labels make of it) for one spawn of the calling task, on a worker with `sites`. May suspend; throws what
/// spawning throws, and config_error for a label that cannot be: nothing was spawned then.
TACTUS_API void spawn_as_labelled(const spawn_facts& facts, void (*spawn)(void*, flexibility), void* how);

/// By a task, or what comes after it at home, on a worker with `sites`: so many bytes of an object that it carries went along, so many
/// of its result go home; or would, were it elsewhere.
TACTUS_API void note_values(std::size_t brought, std::size_t result) noexcept;

/// By a task, on a worker with `sites`: the next task that it spawns, to place `to`, is such a one of the library's.
TACTUS_API void note_library_spawn(library_spawn next, int to) noexcept;

/// spawn_at() of what the library spawns in the name of the calling task.
template <class Call>
void spawn_by_library(library_spawn what, int to, std::unique_ptr<task_name> name, Call&& call) {
  class noted {
  public:
    noted(library_spawn next, int place) noexcept {
      if (current_worker()->sites != nullptr) [[unlikely]] {
        note_library_spawn(next, place);
      }
    }
    ~noted() {
      if (current_worker()->sites != nullptr) [[unlikely]] {
        note_library_spawn(library_spawn::none, 0);
      }
    }
    noted(const noted&) = delete;
    noted& operator=(const noted&) = delete;
  };
  const noted until_it_is_spawned(what, to);
  spawn_at(to, std::move(name), std::forward<Call>(call));
}

/// The common part of the next two, in a frame of its own.
template <class Call>
TACTUS_NOINLINE void spawn_watched(source_line site, spawn_kind kind, int to, std::unique_ptr<task_name> name,
                                   Call&& call) {
  auto spawn = [&](flexibility how) {
    if (kind == spawn_kind::plain && (how == flexibility::stays || !current_worker()->moves_flexible)) {
      spawn_at(to, std::move(name), std::forward<Call>(call));
    } else {
      spawn_flexible(to, how, std::move(name), std::forward<Call>(call));
    }
  };
  using spawner = decltype(spawn);
  spawn_as_labelled(
      {site, kind, to, call.size(), name.get()}, [](void* s, flexibility how) { (*static_cast<spawner*>(s))(how); },
      &spawn);
}

/// spawn_at() of a program's async_at or at_future.
template <class Call>
void spawn_from(source_line site, int to, std::unique_ptr<task_name> name, Call&& call) {
  if (current_worker()->sites != nullptr) [[unlikely]] {
    spawn_watched(site, spawn_kind::plain, to, std::move(name), std::forward<Call>(call));
  } else {
    spawn_at(to, std::move(name), std::forward<Call>(call));
  }
}

/// spawn_flexible() of one.
template <class Call>
void spawn_flexible_from(source_line site, int to, flexibility how, std::unique_ptr<task_name> name, Call&& call) {
  if (current_worker()->sites != nullptr) [[unlikely]] {
    spawn_watched(site, how == flexibility::stays ? spawn_kind::sensitive : spawn_kind::flexible, to, std::move(name),
                  std::forward<Call>(call));
  } else {
    spawn_flexible(to, how, std::move(name), std::forward<Call>(call));
  }
}

}  // namespace tactus::detail
