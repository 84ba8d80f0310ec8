// SPDX-License-Identifier: Apache-2.0
// Place-flexible tasks that come from other places, and what the policies there say. docs/protocols/placement.md.
#include "base/probe.hpp"
#include "place/flexible_frames.hpp"
#include "place/flexible_tasks.hpp"
#include "place/framed_call.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

// As it lies in a message, behind the header.
template <class T>
T& said_in(queued_task* m) noexcept {
  return *std::launder(reinterpret_cast<T*>(m->storage + sizeof(message_header)));
}

// Makes m that task.
void make_flexible(queued_task* m, const message_header& header, std::unique_ptr<framed_call> call) noexcept {
  message_header h = header;
  h.framed = false;
  h.flexible = true;
  put_header(m, h);
  ::new (static_cast<void*>(m->storage + sizeof(message_header))) flexible_entry{call.release(), nullptr, nullptr};
  m->run = &run_flexible;
}

}  // namespace

// ---- objects ----

void flexible_tasks::bring_task(worker* w, queued_task* t) {
  const message_header h = header_of(t);
  flexible_call& call = *entry_of(t).call;
  if (call.designated != node_.number()) {
    note_arrival(call, h.from);
    ++counts_.received;
  }
  queue_arrived(w, t, h.key);
  const std::lock_guard lock(lock_);
  decide(w, {.what = placement_event::arrived, .why = move_cause::dealt, .from = h.from, .n = 1});
}

void flexible_tasks::note_arrival(flexible_call& call, int from) noexcept {
  call.has_moved = true;
  if (worker* const here = &scheduler_.at(0); here->timeline != nullptr) [[unlikely]] {
    trace_arrival(here, call, from);
  }
}

void flexible_tasks::queue_arrived(worker* w, queued_task* t, std::uint64_t key) noexcept {
  t->finish = &node_.arrive(w, key, 1);
  put_anywhere(t);
  scheduler_.idle().notify();
}

void flexible_tasks::bring_loot(worker* w, queued_task* m) {
  const placement_loot loot = said_in<placement_loot>(m);
  const int from = header_of(m).from;
  node_.recycle(w, m);
  std::size_t n = 0;
  for (queued_task* t = loot.first; t != nullptr; ++n) {
    queued_task* const next = entry_of(t).newer;
    note_arrival(*entry_of(t).call, from);
    queue_arrived(w, t, header_of(t).key);
    t = next;
  }
  loot_has_come(w, from, loot.why, n);
}

void flexible_tasks::bring_note(worker* w, queued_task* m) {
  const placement_note note = said_in<placement_note>(m);
  const int from = header_of(m).from;
  node_.recycle(w, m);
  hear(w, from, note);
}

// ---- bytes ----

void flexible_tasks::bring_framed(worker* w, queued_task* m, const message_header& arrived,
                                  std::unique_ptr<framed_call> call) {
  make_flexible(m, arrived, std::move(call));
  bring_task(w, m);
}

void flexible_tasks::bring_framed(worker* w, int from, const loot_reason& why, std::vector<arrived_framed> tasks) {
  for (arrived_framed& one : tasks) {
    queued_task* const t = node_.descriptor(w);
    note_arrival(*one.call, from);
    make_flexible(t, {message_kind::task, from, one.key}, std::move(one.call));
    queue_arrived(w, t, one.key);
  }
  loot_has_come(w, from, why, tasks.size());
}

// What wrote it has been looked at, and what it says of its function and its place is.
std::unique_ptr<framed_call> place_node::framed_flexible(frame_ptr frame, const call_frame& call) {
  const bool can_be = (call.head.flags & k_may_move) != 0 && static_cast<std::size_t>(call.designated) < places_ &&
                      has_home(call.head.object);
  if (flexible_ == nullptr || !can_be) {
    end_damaged(call.head.from, number(),
                "it is a task that may move, of or to a place that there is not, or from here");
  }
  if (frame->extra != nullptr) {  // it would not go on with the task
    end_damaged(call.head.from, number(), "it is a task that may move, and long ranges are to follow it");
  }
  return std::make_unique<framed_call>(*this, std::move(frame), call, type_of(call));
}

void place_node::deliver_flexible(worker* w, queued_task* m, const message_header& h, frame_ptr frame) {
  const frame_bytes bytes = frame->frame();
  const peer_place& sender = peer(h.from);
  const auto look = [&](const char* wrong) {
    if (wrong != nullptr) {
      end_damaged(h.from, number(), wrong);
    }
  };
  const auto is_from_there = [&](const frame_head& head) { return head.from == h.from && head.to == number(); };
  recycle(w, m);
  look(flexible_ == nullptr ? "it is of a policy of placement, and this place has none" : nullptr);
  frame_head head;
  if (h.kind == message_kind::placement) {
    placement_note note;
    look(read_placement(bytes, sender.order, head, note));
    look(is_from_there(head) ? nullptr : "it is not what it came as");
    flexible_->hear(w, h.from, note);
    return;
  }
  loot_reason why;
  std::vector<frame_bytes> each;
  look(read_loot(bytes, sender.order, head, why, each));
  look(is_from_there(head) ? nullptr : "it is not what it came as");
  std::vector<arrived_framed> tasks;
  for (const frame_bytes one : each) {
    frame_ptr own = make_block_at_any_rate(one.size());
    own->bytes = one.size();
    std::memcpy(own->data(), one.data(), one.size());
    call_frame call;
    look(read_call(own->frame(), sender.order, traces(), call));
    look(is_from_there(call.head) ? nullptr : "a task in it is not what it came as");
    tasks.push_back({call.head.object, framed_flexible(std::move(own), call)});
  }
  flexible_->bring_framed(w, h.from, why, std::move(tasks));
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of a unique_ptr in a vector
}

// ---- what the policy hears ----

void flexible_tasks::loot_has_come(worker* w, int from, const loot_reason& why, std::size_t n) {
  counts_.received += n;
  const std::lock_guard lock(lock_);
  if (why.run != run_) {
    return;
  }
  if (why.why == move_cause::asked) {
    answered(why.nonce);
  }
  decide(w, {.what = placement_event::arrived, .why = why.why, .from = from, .nonce = why.nonce, .n = n});
}

// A place of another process may be in the next run already. What it says then is said once, so it waits until this place is.
void flexible_tasks::hear(worker* w, int from, const placement_note& note) {
  const std::lock_guard lock(lock_);
  if (note.run == run_) {
    hear_locked(w, from, note);
  } else if (note.run > last_run_) {
    early_.emplace_back(from, note);
  }
}

void flexible_tasks::hear_locked(worker* w, int from, const placement_note& note) noexcept {
  if (note.what == placement_event::refused && note.why == move_cause::asked) {
    ++counts_.steals_failed;
    answered(note.nonce);
  }
  decide(w, {.what = note.what,
             .why = note.why,
             .from = from,
             .nonce = note.nonce,
             .load = {static_cast<std::size_t>(note.surplus), note.idle, note.speed}});
}

}  // namespace tactus::detail
