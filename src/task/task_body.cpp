// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/impl/task_body.hpp>

#include <tactus/task/task_local.hpp>

#include "base/probe.hpp"
#include "scheduler/scheduler.hpp"

#include <exception>
#include <utility>

namespace tactus::detail {

void keep_failure() noexcept { keep_failure(std::current_exception()); }

// What leaves the place becomes bytes here, in the task that let it escape: that runs user code.
void keep_failure(std::exception_ptr e) noexcept {
  const worker* const w = current_worker();
  if (!w->held->is_part()) {
    w->held->add_failure(std::move(e));
    return;
  }
  failure* const packed = w->owner->remote()->pack(e, finish_scope::where_from());
  current_worker()->held->add_failure(packed);
}

namespace {

// From the begin of a traced task to its end.
class traced_stretch {
public:
  traced_stretch(const char* label, std::uint64_t number) : self_(label, number) {
    worker* const w = current_worker();
    trace_begin(w, self_);
    self_.next = w->task->locals;
    w->task->locals = &self_;
  }
  ~traced_stretch() {
    worker* const w = current_worker();
    if (self_.is_listed) {
      unlink_local(*w->task, &self_);
    }
    trace_end(w, self_);
  }
  traced_stretch(const traced_stretch&) = delete;
  traced_stretch& operator=(const traced_stretch&) = delete;

private:
  traced_task self_;
};

}  // namespace

void run_traced(const char* label, void (*body)(void*), void* argument, std::uint64_t number) {
  const traced_stretch stretch(label, number);
  body(argument);
}

void traced_closure::operator()() {
  run_traced(label_, [](void* f) { (*static_cast<any_closure*>(f))(); }, &function_, number_);
}

std::uint64_t number_of_traced_child(worker* w, traced_child kind) noexcept {
  return kind == traced_child::task ? trace_spawn(w) : kind == traced_child::share ? profile_share(w) : trace_visit(w);
}

}  // namespace tactus::detail
