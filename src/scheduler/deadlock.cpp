// SPDX-License-Identifier: Apache-2.0
// A program in which nothing can ever run again: found when the last worker goes to sleep, by counting and not by time.

#include <tactus/base/impl/assert.hpp>

#include "scheduler/run_control.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/stuck_waits.hpp"
#include "scheduler/task_names.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

namespace {

constexpr std::size_t k_most_quoted = stuck_waits::k_most_lines;

// One task that can be told about, and what it waits for.
struct stuck_task {
  const task_frame* task;
  const wait_point* point;  // null: among the waiters of a barrier
  const barrier* at;        // null: not a matter of members
  int place;
};

bool has_not_arrived(const task_frame& task, const barrier& at) noexcept {
  for (const local_value* v = task.locals; v != nullptr; v = v->next) {
    if (v->key == at.key()) {
      const phase_hook* const hook = at.hook();
      return hook != nullptr ? hook->is_awaited(*v) : !static_cast<const barrier_member*>(v)->arrived;
    }
  }
  return false;
}

// Members that are not among the waiters. Each is on a stack that waits for something.
std::string not_arrived(const barrier& b, const std::vector<stuck_task>& stuck, const reported_tasks& tasks) {
  std::vector<const task_frame*> waiters;
  for (const stuck_task& s : stuck) {
    if (s.point != nullptr && s.at == &b) {
      waiters.push_back(s.task);
    }
  }
  b.for_each_waiter([&waiters](const continuation* s) { waiters.push_back(s->task); });
  std::sort(waiters.begin(), waiters.end());
  std::string text;
  for (const task_frame* task : tasks.all()) {
    if (has_not_arrived(*task, b) && !std::binary_search(waiters.begin(), waiters.end(), task)) {
      text += (text.empty() ? "" : ", ") + tasks.name(task);
    }
  }
  return text;
}

std::string how_many_wait(std::size_t tasks) {
  return std::to_string(tasks) + (tasks == 1 ? " task waits" : " tasks wait");
}

// Only tasks that wait can be looked at.
const char* others_at(moment when) {
  return when == moment::at_rest ? "" : " (and perhaps tasks that run or are ready)";
}

// A line for each, and one for those that are too many.
std::string told_lines_of(const std::vector<stuck_task>& stuck, const std::vector<const task_frame*>& all, moment when,
                          bool tell_places, std::size_t most) {
  const reported_tasks tasks(all);
  std::string text;
  std::size_t count = 0;
  const barrier* told = nullptr;
  for (const stuck_task& s : stuck) {
    if (count++ == most) {
      text += "\n  and " + std::to_string(stuck.size() - most) + " more";
      break;
    }
    text += "\n  " + (tell_places ? "place " + std::to_string(s.place) + ": " : std::string()) + tasks.name(s.task) +
            " waits for ";
    if (s.point != nullptr) {
      s.point->kind->describe(*s.point, text);
    } else {
      s.at->describe(text, s.at->phase());
    }
    if (s.at == nullptr) {
      continue;
    }
    if (s.at != told) {
      text += "; not arrived: " + not_arrived(*s.at, stuck, tasks) + others_at(when);
      told = s.at;
    }
  }
  return text;
}

// A verdict comes whether or not there is memory to tell of each.
std::string lines_of(const std::vector<stuck_task>& stuck, const std::vector<const task_frame*>& all, moment when,
                     bool tell_places, std::size_t most) {
  try {
    return told_lines_of(stuck, all, when, tell_places, most);
  } catch (const std::bad_alloc&) {
    return "\n  (no memory to tell which)";
  }
}

std::string text_of(const std::vector<stuck_task>& stuck, const std::vector<const task_frame*>& all, moment when,
                    bool tell_places) {
  if (stuck.empty()) {
    return "no task waits, but for the end of a finish";
  }
  return how_many_wait(stuck.size()) + lines_of(stuck, all, when, tell_places, k_most_quoted);
}

enum class waits : std::uint8_t { that_a_deadlock_ends, all };

struct waiting {
  std::vector<stuck_task> stuck;
  std::vector<wait_point*> points;
  std::vector<const task_frame*> tasks;  // all there are: each is on a stack that waits

  void note_tasks(const task_frame* top) {
    for (const task_frame* f = top; f != nullptr; f = f->below) {
      tasks.push_back(f);
    }
  }
};

// What a report tells of a wait that a deadlock does not end.
bool waits_for_another_place(const wait_point& p) {
  return p.kind != nullptr && p.kind->is_for_another_place != nullptr && p.kind->is_for_another_place(p);
}

void add_waiting_at(scheduler& place, waits which, waiting& found) {
  place.stacks().for_each_used([&](const fiber_stack& s) {
    // acquire: what the point says; pairs with suspend()
    auto* const p = static_cast<wait_point*>(s.parked.load(memory_order_acquire));
    if (p == nullptr) {
      return;
    }
    found.note_tasks(p->task);
    if (p->cancel != nullptr) {
      found.points.push_back(p);
      found.stuck.push_back({p->task, p, p->at, place.place()});
    } else if (which == waits::all && waits_for_another_place(*p)) {
      found.stuck.push_back({p->task, p, nullptr, place.place()});
    }
  });
  place.for_each_barrier([&](const barrier& b) {
    b.for_each_waiter([&](const continuation* s) {
      sanitizer_look_at(s);
      found.note_tasks(s->task);
      found.stuck.push_back({s->task, nullptr, &b, place.place()});
    });
  });
}

// While no worker runs, or with the report gate raised.
waiting find_waiting(const std::vector<std::unique_ptr<scheduler>>& places, waits which) {
  waiting found;
  for (const auto& p : places) {
    add_waiting_at(*p, which, found);
  }
  return found;
}

}  // namespace

std::string run_control::waiting_text(moment when) {
  const waiting found = find_waiting(places_, waits::all);
  return text_of(found.stuck, found.tasks, when, places_.size() > 1);
}

void run_control::resolve_deadlock(worker* w) noexcept {
  try {
    try_to_resolve_deadlock(w);
  } catch (const std::bad_alloc& why) {
    end_without_memory("a verdict of deadlock needs memory to reach those who wait", why.what());
  }
}

void run_control::try_to_resolve_deadlock(worker* w) {
  const waiting found = find_waiting(places_, waits::that_a_deadlock_ends);
  set_deadlock_text(number(), found.stuck.size(),
                    lines_of(found.stuck, found.tasks, moment::at_rest, places_.size() > 1, k_most_quoted));
  for (const auto& p : places_) {
    p->set_deadlocked(true);  // publishes the text
  }
  std::vector<stuck_waits> waits(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    waits[i].cancel(*places_[i]);
  }
  for (stuck_waits& of_place : waits) {
    of_place.go_on(w);
  }
}

void run_control::set_deadlock_text(std::uint32_t run, std::size_t tasks, const std::string& lines) {
  TACTUS_ALWAYS_ASSERT(tasks != 0,
                       "a run that has not ended, with nothing to run, has a task that waits for something");
  const std::lock_guard lock(verdict_mutex_);
  if (run != number()) {
    return;
  }
  deadlock_text_ = "tactus: deadlock: nothing can run and " + how_many_wait(tasks) + lines;
}

// ---- of one place ----

std::string stuck_waits::lines(scheduler& place, std::size_t most, std::size_t& tasks) {
  waiting found;
  add_waiting_at(place, waits::that_a_deadlock_ends, found);
  tasks = found.stuck.size();
  return lines_of(found.stuck, found.tasks, moment::at_rest, true, most);
}

void stuck_waits::cancel(scheduler& place) {
  place_ = &place;
  waiting found;
  add_waiting_at(place, waits::that_a_deadlock_ends, found);
  for (wait_point* p : found.points) {
    p->cancel(*p);
    p->deadlocked = true;
  }
  ready_.assign(found.points.begin(), found.points.end());
  place.for_each_barrier([this](barrier& b) { b.cancel(ready_); });
}

void stuck_waits::go_on(worker* w) noexcept {
  for (continuation* const s : std::exchange(ready_, {})) {
    if (w != nullptr) {
      place_->go_on(w, s);
    } else {
      place_->send(s);
    }
  }
}

}  // namespace tactus::detail
