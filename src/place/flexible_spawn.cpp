// SPDX-License-Identifier: Apache-2.0
// The life of a task that may move: its spawn, what its policy makes of that, and its run.
#include <tactus/place/impl/flexible_spawn.hpp>

#include "base/probe.hpp"
#include "place/flexible_tasks.hpp"
#include "place/framed_call.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"
#include "place/running_flexible.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace tactus::detail {
namespace {

// While nobody else knows of the task.
class not_yet_spawned {
public:
  explicit not_yet_spawned(queued_task* t) noexcept : task_(t) {}
  ~not_yet_spawned() {
    if (task_ != nullptr) {
      delete entry_of(task_).call;  // runs user code, which may suspend
      current_worker()->tasks.put(task_);
    }
  }
  not_yet_spawned(const not_yet_spawned&) = delete;
  not_yet_spawned& operator=(const not_yet_spawned&) = delete;

  [[nodiscard]] queued_task* get() const noexcept { return task_; }
  [[nodiscard]] queued_task* release() noexcept { return std::exchange(task_, nullptr); }

private:
  queued_task* task_;
};

// Of what has its number, where the run notes tasks.
void spawn_noted(int to, std::unique_ptr<flexible_call> call) {
  const std::uint64_t number = call->traced_as;
  try {
    place_node::of(current_worker()).flexible()->spawn(to, std::move(call));
  } catch (...) {
    if (worker* const w = current_worker(); w->timeline != nullptr) [[unlikely]] {
      profile_not_spawned(w, number);
    }
    throw;
  }
}

}  // namespace

void spawn_movable(int to, std::unique_ptr<flexible_call> call) {
  worker* const w = current_worker();
  if (w->timeline != nullptr) [[unlikely]] {
    call->traced_as = number_of_traced_child(w);
  }
  spawn_noted(to, std::move(call));
}

void spawn_movable(int to, std::unique_ptr<task_name> name, wired_call&& call) {
  place_node& here = place_node::of(current_worker());
  spawn_noted(to, std::make_unique<framed_call>(here, to, std::move(name), call));
}

void note_result_home(std::size_t bytes) noexcept {
  if (flexible_tasks* const here = place_node::of(current_worker()).flexible(); here != nullptr) {
    here->count_result_home(bytes);
  }
}

void flexible_tasks::spawn(int to, std::unique_ptr<flexible_call> call) {
  worker* const w = current_worker();
  call->designated = to;
  if (running_flexible* const parent = running_flexible::of(w->task); parent != nullptr) {
    parent->has_flexible_children = true;
  }
  not_yet_spawned task(w->tasks.take());
  queued_task* const t = task.get();
  message_header h(message_kind::task, node_.number());
  h.flexible = true;
  put_header(t, h);
  ::new (static_cast<void*>(t->storage + sizeof(message_header))) flexible_entry{call.release(), nullptr, nullptr};
  t->run = &run_flexible;
  ++seat_of(w).spawned;
  placement_action fate{.what = placement_action::keep};
  if (wants_spawns_.load(memory_order_relaxed) &&
      (flags_ == nullptr || flags_->any())) {  // relaxed: see look_at_interest()
    const std::lock_guard lock(lock_);
    spawned_ = t;
    fate_ = fate;
    decide(w, {.what = placement_event::spawned, .designated = to});
    spawned_ = nullptr;
    fate = fate_;
  }
  if (fate.what == placement_action::hold) {
    static_cast<void>(task.release());
    return;
  }
  flexible_call& sent = *entry_of(t).call;
  const int goes_to = fate.what == placement_action::deal && may_go(sent, fate.to) ? fate.to : to;
  if (goes_to == node_.number()) {
    queue_here(task.release());
    return;
  }
  remote_spawn on_its_way(goes_to, room_of(sent.is_framed ? sent.bytes : sizeof(queued_task) + sent.bytes));
  message_header on_it = on_its_way.header();
  on_it.flexible = true;
  put_header(t, on_it);
  if (goes_to != to) {
    ++counts_.dealt;
    note_departure(sent, goes_to);
  }
  if (sent.is_framed) {
    frame_ptr frame = static_cast<framed_call&>(sent).leave(node_, goes_to, on_it.key, 0);
    delete &sent;
    put_frame(t, message_kind::task, node_.number(), std::move(frame));
  }
  on_its_way.send(task.release());
}

void flexible_tasks::queue_here(queued_task* t) noexcept {
  worker* const w = current_worker();
  t->finish = w->held;
  w->count_spawn();  // before others can see it: who takes the task counts its end
  ++w->counters.spawned_help_first;
  put(static_cast<std::size_t>(w->id), t);
  scheduler_.idle().notify();
  tell_if_wanted(w, placement_event::spawned);
}

// ---- tasks that are held ----

void flexible_tasks::hold(worker* w, const placement_action& action) {
  if (spawned_ == nullptr) {
    return;
  }
  held_.emplace_back(action.nonce, spawned_);
  held_count_.fetch_add(1, memory_order_release);  // release: pairs with in_sight()
  spawned_->finish = w->held;
  w->count_spawn();
  ++w->counters.spawned_help_first;
  fate_ = action;
}

void flexible_tasks::settle_held(worker* w, const placement_action& action) {
  const auto found = std::ranges::find(held_, action.nonce, &std::pair<std::uint32_t, queued_task*>::first);
  if (found == held_.end()) {
    return;
  }
  queued_task* const t = found->second;
  flexible_call& call = *entry_of(t).call;
  const bool is_dealt = action.what == placement_action::deal && action.to != call.designated;
  const int to = action.what == placement_action::deal ? action.to : call.designated;
  if (to == node_.number() || !depart(w, t, to)) {
    put_anywhere(t);
    scheduler_.idle().notify();
  } else {
    if (is_dealt) {
      ++counts_.dealt;
      note_departure(call, to);
    }
    send_departed(t, to);
  }
  held_.erase(found);
  held_count_.fetch_sub(1, memory_order_release);  // release: what became of it is there; pairs with in_sight()
}

// ---- its run ----

void run_flexible(queued_task* t, worker* w) {
  task_frame frame;
  begin_queued(w, frame);
  flexible_tasks& begins_at = *place_node::of(w).flexible();
  if (const message_header h = header_of(t); h.bytes != 0) {
    give_room_back(h);
  }
  flexible_call* const call = entry_of(t).call;
  running_flexible self(call->designated, call->label());
  self.next = call->name.release();
  frame.locals = &self;
  const std::int64_t began = begins_at.begins(w, t, call->has_moved);
  if (w->timeline != nullptr) [[unlikely]] {
    auto traced = [call] {
      run_traced(call->label(), [](void* c) { (*static_cast<flexible_call*>(c))(); }, call, call->traced_as);
    };
    run_task_body(traced);
  } else {
    run_task_body(*call);
  }
  delete call;
  end_task_frame(frame);
  w = current_worker();  // the task may have gone on elsewhere
  const bool had_flexible_children = self.has_flexible_children;
  end_queued(w, frame, t);
  place_node::of(w).flexible()->ends(w, began, had_flexible_children);
}

}  // namespace tactus::detail
