// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/batched.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactus::detail {
namespace {

// A batch whose tasks run, one after the other. When one of them has to wait, the rest goes back into the deque.
class batch_in_progress : loop_rest {
public:
  explicit batch_in_progress(task_batch* b) noexcept : loop_rest{hand_rest_over}, batch_(b), element_(this) {}

  void run(worker* w) noexcept {
    // A stolen one lies in its owner's caches: all lines at once, not one after the other.
    for (const void *at = batch_->at(batch_->begun), *end = batch_->at(batch_->count); at < end;
         at = static_cast<const std::byte*>(at) + k_cache_line) {
      __builtin_prefetch(at);
    }
    entry_.below = by_itself(w->task);
    element_.below = &entry_;
    w->task = &element_;
    std::uint32_t ran = 0;
    do {
      const void* const slot = batch_->at(batch_->begun++);
      (*static_cast<const task_batch::runner*>(slot))(slot);
      end_task_frame(element_);
      element_.spawned = 0;
      ++ran;
      w = current_worker();  // the task may have gone on elsewhere
      w->count_end();
      if (batch_ == nullptr) {
        break;
      }
      if (w->idle->has_sleepers()) [[unlikely]] {
        share_batch(w, batch_);
      }
    } while (batch_->begun != batch_->count);
    w->task = by_itself(entry_.below);
    w->counters.tasks_run += ran - 1;  // who ran the entry has counted one
    if (batch_ != nullptr) {
      w->open.free(batch_);
    }
  }

private:
  // By the worker that the task which has to wait runs on.
  static void hand_rest_over(loop_rest& rest, worker* w) noexcept {
    task_batch* const b = std::exchange(static_cast<batch_in_progress&>(rest).batch_, nullptr);
    if (b == nullptr) {
      return;
    }
    if (b->begun == b->count) {
      w->open.free(b);
      return;
    }
    w->deque.push(entry::task(&b->head));
    w->idle->notify();
  }

  task_batch* batch_;  // null once handed over
  task_frame entry_;   // an element of anything has a frame below it
  element_frame element_;
};

}  // namespace

void run_batch(queued_task* t, worker* w) {
  batch_in_progress(reinterpret_cast<task_batch*>(t)).run(w);  // the head lies at the begin
}

}  // namespace tactus::detail
