// SPDX-License-Identifier: Apache-2.0
#include "trace/move_track.hpp"

#include <tactus/base/error.hpp>
#include <tactus/place/impl/flexible_spawn.hpp>

#include "base/probe.hpp"
#include "scheduler/scheduler.hpp"
#include "trace/timeline.hpp"

#include <new>

namespace tactus::detail {

void move_track::note(move_event::kind what, const flexible_call& task, int other) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    const move_event e{timeline_now() - start_, task.traced_as, name_of(task), task.bytes, other, task.moves, what};
    if (noted_ < k_room) {
      events_.push_back(e);
    } else {
      events_[noted_ % k_room] = e;
    }
    ++noted_;
  } catch (const std::bad_alloc& why) {
    end_without_memory("a timeline needs memory", why.what());
  }
}

const char* move_track::name_of(const flexible_call& task) {
  const std::string name = task.name != nullptr ? task.name->text : labels_.of(task.label());
  if (texts_.size() >= k_most_texts && !texts_.contains(name)) {
    return "(one of very many names)";
  }
  return texts_.insert(name).first->c_str();
}

namespace {

void note_for(worker* of, move_event::kind what, const flexible_call& task, int other) noexcept {
  if (move_track* const moves = of->timeline->moves(); moves != nullptr) {
    moves->note(what, task, other);
  }
}

}  // namespace

void trace_departure(worker* of, const flexible_call& task, int to) noexcept {
  note_for(of, move_event::kind::gives, task, to);
}

void trace_arrival(worker* of, const flexible_call& task, int from) noexcept {
  note_for(of, move_event::kind::takes, task, from);
}

}  // namespace tactus::detail
