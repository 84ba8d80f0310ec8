// SPDX-License-Identifier: Apache-2.0
// A program in which nothing can ever run again: found when the last worker goes to sleep, by counting and not by time.

#include <tactus/base/assert.hpp>
#include <tactus/scheduler/scheduler.hpp>

#include <algorithm>
#include <vector>

namespace tactus::detail {

namespace {

constexpr std::size_t k_most_quoted = 10'000;  // more would make the text the larger problem

std::string quoted(const task_frame* task) {
  const char* const name = task != nullptr ? task->name() : nullptr;
  return name != nullptr ? "task '" + std::string(name) + "'" : "an unnamed task";
}

// One task that can be told about, and what it waits for.
struct stuck_task {
  const task_frame* task;
  const wait_point* point;  // null: among the waiters of a barrier
  const barrier* at;        // null: not a matter of members
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
std::string not_arrived(const barrier& b, const std::vector<stuck_task>& stuck,
                        const std::vector<const task_frame*>& tasks) {
  std::vector<const task_frame*> waiters;
  for (const stuck_task& s : stuck) {
    if (s.point != nullptr && s.at == &b) {
      waiters.push_back(s.task);
    }
  }
  b.for_each_waiter([&waiters](const strand* s) { waiters.push_back(s->task); });
  std::sort(waiters.begin(), waiters.end());
  std::string text;
  for (const task_frame* task : tasks) {
    if (has_not_arrived(*task, b) && !std::binary_search(waiters.begin(), waiters.end(), task)) {
      text += (text.empty() ? "" : ", ") + quoted(task);
    }
  }
  return text;
}

std::string text_of(const std::vector<stuck_task>& stuck, const std::vector<const task_frame*>& tasks) {
  std::string text = std::to_string(stuck.size()) + (stuck.size() == 1 ? " task waits" : " tasks wait");
  std::size_t count = 0;
  const barrier* told = nullptr;
  for (const stuck_task& s : stuck) {
    if (count++ == k_most_quoted) {
      text += "\n  and " + std::to_string(stuck.size() - k_most_quoted) + " more";
      break;
    }
    text += "\n  " + quoted(s.task) + " waits for ";
    if (s.point != nullptr) {
      s.point->describe(*s.point, text);
    } else {
      s.at->describe(text, s.at->phase());
    }
    if (s.at == nullptr) {
      continue;
    }
    if (s.at != told) {
      text += "; not arrived: " + not_arrived(*s.at, stuck, tasks);
      told = s.at;
    }
  }
  return text;
}

}  // namespace

struct scheduler::waiting {
  std::vector<stuck_task> stuck;
  std::vector<wait_point*> points;
  std::vector<const task_frame*> tasks;  // all there are: each is on a stack that waits
};

// Only while no worker runs.
scheduler::waiting scheduler::find_waiting() {
  waiting found;
  const auto note = [&found](const task_frame* top) {
    for (const task_frame* f = top; f != nullptr; f = f->below) {
      found.tasks.push_back(f);
    }
  };
  stacks_.for_each_used([&](const fiber_stack& s) {
    if (s.parked == nullptr) {
      return;
    }
    auto* const p = static_cast<wait_point*>(s.parked);
    note(p->task);
    if (p->cancel != nullptr) {
      found.points.push_back(p);
      found.stuck.push_back({p->task, p, p->at});
    }
  });
  for_each_barrier([&](const barrier& b) {
    b.for_each_waiter([&](const strand* s) {
      note(s->task);
      found.stuck.push_back({s->task, nullptr, &b});
    });
  });
  return found;
}

std::string scheduler::waiting_text() {
  const waiting found = find_waiting();
  return "tactus: " + text_of(found.stuck, found.tasks);
}

void scheduler::resolve_deadlock(worker* w) {
  const auto [stuck, points, tasks] = find_waiting();
  TACTUS_ALWAYS_ASSERT(!stuck.empty(),
                       "a run that has not ended, with nothing to run, has a task that waits for something");
  deadlock_text_ = "tactus: deadlock: nothing can run and " + text_of(stuck, tasks);
  deadlocked_.store(true, memory_order_release);  // publishes the text; pairs with deadlocked()
  for (wait_point* p : points) {
    p->cancel(*p);
    p->deadlocked = true;
  }
  std::vector<strand*> ready(points.begin(), points.end());
  for_each_barrier([&ready](barrier& b) { b.cancel(ready); });
  for (strand* s : ready) {
    go_on_here(w, s);
  }
}

}  // namespace tactus::detail
