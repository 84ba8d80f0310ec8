// SPDX-License-Identifier: Apache-2.0
// A task on its way to another place.

#include <tactus/place/impl/closure_check.hpp>
#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/received_call.hpp>

#include <tactus/base/error.hpp>
#include <tactus/base/impl/platform.hpp>

#include "base/probe.hpp"
#include "fiber/guarded_ranges.hpp"
#include "place/place_node.hpp"
#include "place/spawn_here.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#if TACTUS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace tactus::detail {
namespace {

void describe_room(const wait_point& p, std::string& text) {
  text += "room at place " + std::to_string(static_cast<const lane::waiter&>(p).to);
}

// Its credit is a message under way, so no verdict finds it.
constinit const wait_kind k_room{describe_room, "room at another place", wait_kind::k_none, wait_kind::k_none,
                                 [](const wait_point&) { return true; }};

bool wait_in_lane(wait_point& p) {
  auto& waiter = static_cast<lane::waiter&>(p);
  return waiter.from->take_or_wait(waiter);
}

void take_room(int to, std::uint32_t bytes) {
  place_node& here = place_node::of(current_worker());
  lane& way = here.lane_to(to);
  const std::uint32_t room = here.room_taken_by(bytes);
  if (way.try_take(room)) [[likely]] {
    return;
  }
  lane::waiter waiter;
  waiter.commit = wait_in_lane;
  waiter.kind = &k_room;
  waiter.object = &way;
  waiter.from = &way;
  waiter.to = to;
  waiter.bytes = room;
  suspend(waiter);
}

queued_task* message_named(message_header h, std::unique_ptr<task_name> name, any_closure f) {
  queued_task* const m = make_arriving(h, named_closure(name.get(), std::move(f)));
  static_cast<void>(name.release());  // the task's, once it runs
  return m;  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the descriptor has the closure, in its storage
}

queued_task* message_of(message_header h, std::unique_ptr<task_name> name, labelled_closure f) {
  if (current_worker()->timeline == nullptr) {
    return name == nullptr ? make_arriving(h, std::move(f))
                           : message_named(h, std::move(name), std::move(f).function());
  }
  traced_closure traced = traced_closure::make(std::move(f));
  traced.note_spawn(current_worker());
  const std::uint64_t number = traced.number();
  try {
    return name == nullptr ? make_arriving(h, boxed<traced_closure>(std::in_place, std::move(traced)))
                           : message_named(h, std::move(name), any_closure::make(std::move(traced)));
  } catch (...) {
    profile_not_spawned(current_worker(), number);
    throw;
  }
}

}  // namespace

void check_target(const worker* w, int to, const char* call) {
  if (to < 0 || to >= w->places_of_run) {
    throw place_error(std::string("tactus::") + call + ": there is no place " + std::to_string(to) +
                      "; the run has places 0 to " + std::to_string(w->places_of_run - 1) +
                      " (config.places, TACTUS_PLACES)");
  }
}

remote_spawn::remote_spawn(int to, std::uint32_t bytes)
    : to_(to), header_(message_kind::task, current_worker()->place) {
  take_room(to, bytes);
  const worker* const w = current_worker();
  place_node& here = place_node::of(w);
  header_.bytes = bytes;
  try {
    header_.key = here.count_sent(*w->held, to);
  } catch (...) {
    here.return_room(to, bytes);
    throw;
  }
}

remote_spawn::~remote_spawn() {
  if (!sent_) {
    const worker* const w = current_worker();
    place_node& here = place_node::of(w);
    here.take_back_sent(*w->held, to_);
    here.return_room(to_, header_.bytes);
  }
}

void remote_spawn::send(queued_task* m) noexcept {
  sent_ = true;
  worker* const w = current_worker();
  ++w->counters.spawned_remote;
  place_node::of(w).send(to_, m);
}

void spawn_object(int to, way_here how, std::unique_ptr<task_name> name, labelled_closure f, std::uint32_t room) {
  if (to == current_worker()->place) {
    spawn_here(how, std::move(name), std::move(f));
    return;
  }
  remote_spawn on_its_way(to, room);
  on_its_way.send(message_of(on_its_way.header(), std::move(name), std::move(f)));
}

void throw_names_a_stack(const char* call) {
  throw place_error(
      std::string(call) +
      ": the closure captures a reference to the stack of a task, and what lies there is not at the other place; "
      "capture a "
      "copy, or a global_ref. Captures that are unset (an empty optional, a variant) may hold any bytes: give them as "
      "arguments. unlooked before the closure leaves out this look");
}

bool lies_on_a_stack(std::uintptr_t address) noexcept {
#if TACTUS_ASAN
  // Where AddressSanitizer looks for uses after return, as clang's does, locals lie in memory of its own.
  if (void* const beside = __asan_get_current_fake_stack(); beside != nullptr) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a word of a closure
    auto* const at = reinterpret_cast<void*>(address);
    if (__asan_addr_is_in_fake_stack(beside, at, nullptr, nullptr) != nullptr) {
      return true;
    }
  }
#endif
  return guarded_ranges::is_stack(address);
}

void give_room_back(const message_header& header) noexcept {
  if (header.bytes == 0) {
    return;  // of the library, and nobody has waited for room for it
  }
  worker* const w = current_worker();
  place_node::of(w).give_back(w, header.from, header.bytes);
}

}  // namespace tactus::detail
