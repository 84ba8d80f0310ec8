// SPDX-License-Identifier: Apache-2.0
// The hooks of src/base/probe.hpp that tell what happens to tasks: for a timeline, for a profile.
#include "base/probe.hpp"

#include "scheduler/scheduler.hpp"
#include "scheduler/task_names.hpp"
#include "trace/profile.hpp"
#include "trace/timeline.hpp"

#include <new>
#include <string>

namespace tactus::detail {
namespace {

using kind = trace_event::kind;

// The traced task that `top` belongs to: elements of parallel loops run on top of it.
const traced_task* traced_at(const task_frame* top) noexcept {
  for (const task_frame* f = top; f != nullptr; f = f->below) {
    if (const traced_task* const t = f->traced(); t != nullptr) {
      return t;
    }
  }
  return nullptr;
}

// Of the running task, which alone changes what it says of its children.
traced_task* own_at(const worker* w) noexcept {
  return const_cast<traced_task*>(traced_at(w->task));  // NOLINT(cppcoreguidelines-pro-type-const-cast): see above
}

// That a profile counts something for.
traced_task* counted_at(const worker* w) noexcept {
  traced_task* const t = w->timeline->whole_profile() != nullptr ? own_at(w) : nullptr;
  return t != nullptr && t->counts_for != nullptr ? t : nullptr;
}

std::uint64_t spawned_as(worker* w, traced_task::role as) noexcept {
  timeline_part& own = *w->timeline;
  const std::uint64_t child = as == traced_task::role::visit ? own.next_number_of_body() : own.next_number();
  w->timeline->note(kind::spawn, child, "");
  if (profile* const all = w->timeline->whole_profile(); all != nullptr) {
    if (traced_task* const parent = own_at(w); parent != nullptr) {
      all->spawned(child, *parent, as);
    }
  }
  return child;
}

void note_go_on(worker* w, const task_frame* top) noexcept {
  if (const traced_task* const t = traced_at(top); t != nullptr && t->number != w->timeline->running()) {
    w->timeline->note(kind::go_on, t->number, t->label);
    if (profile_part* const own = w->timeline->own_profile(); own != nullptr) {
      own->turn_to(*t);
    }
  }
}

// What a text is in the timeline whose memory there is none for: a task goes its way whether that can be told or not.
constexpr const char* k_no_memory = "(no memory for its name)";

const char* kept_label(const worker* w, const char* made_from) noexcept {
  const char* const name = w->task->name();
  try {
    return name != nullptr ? w->timeline->keep(name) : w->timeline->label_of_closure(made_from);
  } catch (const std::bad_alloc&) {
    return k_no_memory;
  }
}

const char* kept_reason(timeline_part& own, const wait_point& point) noexcept {
  try {
    std::string reason;
    if (point.kind != nullptr) {
      const without_numbers kinds;
      point.kind->describe(point, reason);
    } else {
      reason = "what is ready before it";
    }
    return own.keep(reason);
  } catch (const std::bad_alloc&) {
    return k_no_memory;
  }
}

}  // namespace

std::uint64_t trace_spawn(worker* w) noexcept { return spawned_as(w, traced_task::role::sub_task); }

std::uint64_t trace_visit(worker* w) noexcept {
  profile_access(w, 1);
  return spawned_as(w, traced_task::role::visit);
}

void trace_begin(worker* w, traced_task& task) noexcept {
  task.label = kept_label(w, task.label);
  const std::uint64_t since_spawn = task.number;
  if (task.number == 0) {
    task.number = w->timeline->next_number();
  }
  w->timeline->note(kind::begin, task.number, task.label);
  if (profile* const all = w->timeline->whole_profile(); all != nullptr) {
    all->begins(task, since_spawn, traced_at(w->task->below));
    w->timeline->own_profile()->turn_to(task);
  }
}

void trace_end(worker* w, const traced_task& task) noexcept {
  w->timeline->note(kind::end, task.number, task.label);
  if (profile* const all = w->timeline->whole_profile(); all != nullptr) {
    w->timeline->own_profile()->stop();
    all->ends(task);
  }
  note_go_on(w, w->task->below);  // whom it ran on top of
}

void trace_stop(worker* w, const wait_point& point) noexcept {
  const traced_task* const t = traced_at(w->task);
  if (t == nullptr) {
    return;
  }
  const auto barrier_number =
      point.kind == &barrier::k_wait ? static_cast<std::uint32_t>(static_cast<const barrier*>(point.object)->key()) : 0;
  w->timeline->note(kind::stop, t->number, kept_reason(*w->timeline, point), barrier_number);
  if (profile_part* const own = w->timeline->own_profile(); own != nullptr) {
    own->stop();
  }
}

void trace_wake(worker* w, const wait_point& point) noexcept {
  if (const traced_task* const t = traced_at(point.task); t != nullptr) {
    w->timeline->note(kind::wake, t->number, "");
  }
}

void trace_go_on(worker* w) noexcept { note_go_on(w, w->task); }

void trace_steal(worker* w, const worker* victim, std::size_t entries) noexcept {
  w->timeline->note(kind::steal, entries, "", static_cast<std::uint32_t>(victim->seat));
}

void trace_result(worker* w, std::uint64_t body) noexcept { w->timeline->note(kind::result, body, ""); }

std::uint64_t profile_share(worker* w) noexcept {
  traced_task* const t = counted_at(w);
  if (t == nullptr) {
    return 0;
  }
  const std::uint64_t number = w->timeline->next_number();
  w->timeline->whole_profile()->spawned(number, *t, traced_task::role::sub_task);
  return number;
}

void profile_not_spawned(worker* w, std::uint64_t number) noexcept {
  if (profile* const all = w->timeline->whole_profile(); all != nullptr && number != 0) {
    all->not_spawned(number);
  }
}

void profile_not_visited(worker* w, std::uint64_t number) noexcept {
  profile_access(w, -1);
  profile_not_spawned(w, number);
}

void profile_site(worker* w, const profiled_spawn* next) noexcept {
  if (traced_task* const t = w->timeline->whole_profile() != nullptr ? own_at(w) : nullptr; t != nullptr) {
    t->spawns = next;
  }
}

// Of what comes after a task, at home, neither counts; at another place it uses what it has gone there for.
void profile_access(worker* w, int uses) noexcept {
  if (const traced_task* const t = counted_at(w); t != nullptr && t->counts_as != traced_task::role::after) {
    t->counts_for->accesses.fetch_add(uses, memory_order_relaxed);  // relaxed: a count, as the next ones
  }
}

void profile_use(worker* w) noexcept {
  if (const traced_task* const t = counted_at(w); t != nullptr && t->counts_as <= traced_task::role::sub_task) {
    t->counts_for->uses.fetch_add(1, memory_order_relaxed);
  }
}

void profile_values(worker* w, std::size_t brought, std::size_t result) noexcept {
  if (const traced_task* const t = counted_at(w); t != nullptr) {
    t->counts_for->brought.fetch_add(brought, memory_order_relaxed);
    t->counts_for->result_bytes.fetch_add(result, memory_order_relaxed);
  }
}

void trace_phase(worker* w, bool of_clock, std::uint64_t key, std::uint64_t phase) noexcept {
  w->timeline->note(kind::phase, phase, of_clock ? "clock" : "phaser", static_cast<std::uint32_t>(key));
}

}  // namespace tactus::detail
