// SPDX-License-Identifier: Apache-2.0
// A program in which nothing can ever run again: found when the last worker goes to sleep, by counting and not by time.

#include <tactus/base/assert.hpp>
#include <tactus/scheduler/scheduler.hpp>

#include <vector>

namespace tactus::detail {

namespace {

constexpr std::size_t k_most_quoted = 10'000;  // more would make the text the larger problem

std::string text_of(const std::vector<wait_point*>& points) {
  std::string text = "tactus: deadlock: nothing can run and " + std::to_string(points.size()) +
                     (points.size() == 1 ? " task waits" : " tasks wait");
  std::size_t quoted = 0;
  for (const wait_point* p : points) {
    if (quoted++ == k_most_quoted) {
      text += "\n  and " + std::to_string(points.size() - k_most_quoted) + " more";
      break;
    }
    const char* const name = p->task->name();
    text += "\n  ";
    text += name != nullptr ? "task '" + std::string(name) + "'" : "an unnamed task";
    text += " waits for ";
    p->describe(*p, text);
  }
  return text;
}

}  // namespace

void scheduler::resolve_deadlock(worker* w) {
  std::vector<wait_point*> waiting;
  stacks_.for_each_used([&waiting](const fiber_stack& s) {
    if (s.parked != nullptr) {
      waiting.push_back(static_cast<wait_point*>(s.parked));
    }
  });
  TACTUS_ALWAYS_ASSERT(!waiting.empty(),
                       "a run that has not ended, with nothing to run, has a task that waits for something");
  deadlock_text_ = text_of(waiting);
  deadlocked_.store(true, memory_order_release);  // publishes the text; pairs with deadlocked()
  for (wait_point* p : waiting) {
    p->cancel(*p);
    p->deadlocked = true;
  }
  for (wait_point* p : waiting) {
    make_ready(w, p);
  }
}

}  // namespace tactus::detail
