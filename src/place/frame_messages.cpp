// SPDX-License-Identifier: Apache-2.0
// Messages that are bytes: how they are sent, what is made of them where they come. docs/protocols/frames.md.

#include <tactus/base/impl/assert.hpp>
#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/wired_call.hpp>

#include "base/probe.hpp"
#include "place/arrived_call.hpp"
#include "place/arrived_train.hpp"
#include "place/call_table.hpp"
#include "place/flexible_tasks.hpp"
#include "place/frame.hpp"
#include "place/framed_call.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"
#include "place/spawn_here.hpp"
#include "place/task_values.hpp"
#include "place/wired_wait.hpp"
#include "scheduler/hang.hpp"
#include "scheduler/run_control.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

constexpr const char* k_no_such_place = "it speaks of a place that there is not";
constexpr const char* k_not_for_here = "it is not for a place of this number";
constexpr std::uint64_t k_most_room = std::uint64_t{1} << 62U;  // that lanes can count

frame_ptr frame_of_call(wired_call& call, call_frame what) {
  const worker* const w = current_worker();
  place_node& here = place_node::of(w);
  what.head.from = here.number();
  what.token = token_of(call.entry(), is_alike(what.head.to) ? token_kind::of_build : token_kind::of_name);
  finish_call(call.block(), call.size(), what, here.traces(), here.order());
  return std::move(call.block());
}

// Whether it goes together with others; then it has been spawned.
bool goes_together(int to, wired_call& call) {
  worker* const w = current_worker();
  const wired_type& type = call.entry();
  if (to == w->place || type.together < 0 || call.size() != static_cast<std::size_t>(type.together)) {
    return false;
  }
  place_node& here = place_node::of(w);
  open_trains* const trains = here.trains_of(w);
  return trains != nullptr && trains->add(here, w, to, type, call.data());
}

TACTUS_NOINLINE void spawn_bytes_alone(int to, way_here how, std::unique_ptr<task_name> name, wired_call&& call) {
  if (to == current_worker()->place) {
    spawn_here(how, std::move(name), std::move(call));
    return;
  }
  call_frame what{.head = {.kind = message_kind::task, .to = to}};
  if (name != nullptr) {
    what.name = name->text;
  }
  const bool traces = place_node::of(current_worker()).traces();
  remote_spawn on_its_way(to, room_of(bytes_of_call(what, call.size(), traces) + call.bytes_apart()));
  what.head.object = on_its_way.header().key;
  if (worker* const w = current_worker(); w->timeline != nullptr) [[unlikely]] {
    what.traced = number_of_traced_child(w);
  }
  queued_task* m = nullptr;
  try {
    frame_ptr frame = frame_of_call(call, what);
    m = current_worker()->tasks.take();
    put_frame(m, message_kind::task, current_worker()->place, std::move(frame));
  } catch (...) {
    if (worker* const w = current_worker(); w->timeline != nullptr) [[unlikely]] {
      profile_not_spawned(w, what.traced);
    }
    throw;
  }
  on_its_way.send(m);
}

}  // namespace

void end_damaged(int from, int to, const char* what) noexcept {
  std::fprintf(stderr,
               "tactus: a message from place %d to place %d is damaged: %s; what carries messages has changed it, or a "
               "place of another program has sent it; the program cannot go on\n",
               from, to, what);
  std::terminate();
}

// ---- sending ----

bool is_alike(int to) noexcept {
  const worker* const w = current_worker();
  return to == w->place || place_node::of(w).peer(to).is_alike;
}

bool has_other_processes() noexcept {
  const worker* const w = current_worker();
  return w == nullptr || w->owner->run().processes() != nullptr;
}

void spawn_bytes(int to, way_here how, std::unique_ptr<task_name> name, wired_call&& call) {
  if (name != nullptr || !goes_together(to, call)) {
    spawn_bytes_alone(to, how, std::move(name), std::move(call));
  }
}

void place_node::send_framed_under(finish_scope& under, int to, wired_call&& call) {
  const std::uint64_t key = count_sent(under, to);
  try {
    frame_ptr frame =
        frame_of_call(call, {.head = {.kind = message_kind::task, .flags = k_takes_no_room, .to = to, .object = key}});
    queued_task* const m = current_worker()->tasks.take();
    put_frame(m, message_kind::task, number(), std::move(frame));
    send(to, m);
  } catch (...) {
    take_back_sent(under, to);
    throw;
  }
}

received_reply call_by_bytes(int to, wired_call&& call) {
  wired_wait wait;
  wait.to = to;
  begin_visit(wait);
  worker* const w = current_worker();
  place_node& here = place_node::of(w);
  call_frame what{.head = {.kind = message_kind::at_request, .to = to, .object = at_key(w)}};
  const std::vector<std::byte> visit = bytes_of_visit(wait, here.order());
  what.name = {reinterpret_cast<const char*>(visit.data()), visit.size()};
  what.caller = here.callers().add(&wait);
  if (w->timeline != nullptr) [[unlikely]] {
    what.traced = wait.traced_as = number_of_traced_child(w, traced_child::body_elsewhere);
  }
  try {
    frame_ptr frame = frame_of_call(call, what);
    wait.request = current_worker()->tasks.take();
    put_frame(wait.request, message_kind::at_request, here.number(), std::move(frame));
    wait_for_reply(wait);
  } catch (...) {
    static_cast<void>(here.callers().take(what.caller));
    if (wait.request != nullptr) {
      static_cast<void>(take_frame(wait.request));
      current_worker()->tasks.put(wait.request);
    }
    if (worker* const now = current_worker(); now->timeline != nullptr) [[unlikely]] {
      profile_not_visited(now, wait.traced_as);
    }
    throw;
  }
  add_values(wait.elsewhere, wait.values, wait.reply.order, here.places());
  end_visit(wait);
  if (wait.reply.failed && wait.reply.bytes.empty()) {
    throw std::bad_alloc();
  }
  return std::move(wait.reply);
}

void place_node::end_framed_body(worker* w, queued_task* m, framed_end end) noexcept {
  frame_head head{.kind = message_kind::at_reply, .from = number(), .to = end.from, .object = end.caller};
  head.flags = end.failed ? k_throws : std::uint8_t{0};
  if (leave_body(w, *m->finish)) {
    head.flags |= k_entered;
  }
  try {
    finish_reply(end.reply.block, end.reply.size, head, order(), bytes_of_values(end.values, order()));
  } catch (const std::bad_alloc& why) {
    end_without_memory("a message to another place needs memory", why.what());
  }
  put_frame(m, message_kind::at_reply, number(), std::move(end.reply.block));
  send(end.from, m);
}

// ---- what has come ----

const wired_type& place_node::type_of(const call_frame& call) const {
  const int from = call.head.from;
  const wired_type* const type =
      find_call(call.token, peer(from).is_alike ? token_kind::of_build : token_kind::of_name);
  if (type == nullptr) {
    end_damaged(from, number(), "it calls a function that this program does not know");
  }
  return *type;
}

void place_node::deliver_train(worker* w, queued_task* m, frame_ptr frame) {
  message_header arrived = header_of(m);
  train_frame train;
  const char* wrong = read_train(frame->frame(), peer(arrived.from).order, train);
  const frame_head& head = train.head;
  if (wrong == nullptr && (head.from != arrived.from || head.to != number() || head.number != arrived.key)) {
    wrong = "it is not what it came as";
  } else if (wrong == nullptr && !has_home(head.object)) {
    wrong = k_no_such_place;
  }
  if (wrong != nullptr) {
    end_damaged(arrived.from, number(), wrong);
  }
  const wired_type& type = type_of({.head = head, .token = train.token});
  const auto each = static_cast<std::size_t>(type.together);
  if (type.together < 0 || whole_words(each * head.number) != train.calls.size()) {
    end_damaged(arrived.from, number(), "it is a train of what does not go together");
  }
  frame->begin += k_calls_at;
  frame->bytes -= k_calls_at;
  arrived.bytes = bytes_of_one(each);
  finish_scope& under = arrive(w, head.object, head.number);
  make_runnable(m, arrived, std::move(frame), type, head.number);
  queue(w, m, under);
}

void place_node::deliver_frame(worker* w, queued_task* m) {
  const message_header h = header_of(m);
  frame_ptr frame = take_frame(m);
  if (h.several) {
    deliver_train(w, m, std::move(frame));
    return;
  }
  const frame_bytes bytes = frame->frame();
  const peer_place& sender = peer(h.from);
  frame_head head;
  const auto look = [&](const char* wrong) {
    if (wrong == nullptr && (head.from != h.from || head.to != number() || head.kind != h.kind)) {
      wrong = "it is not what it came as";
    }
    if (wrong != nullptr) {
      end_damaged(h.from, number(), wrong);
    }
  };
  const auto are_places = [&](const auto& counts) {
    return std::ranges::all_of(counts, [&](const auto& c) { return static_cast<std::size_t>(c.first) < places_; });
  };
  switch (h.kind) {
    case message_kind::task:
    case message_kind::at_request: {
      call_frame call;
      const char* const wrong = read_call(bytes, sender.order, traces(), call);
      head = call.head;
      look(wrong == nullptr && !has_home(head.object) ? k_no_such_place : wrong);
      message_header arrived = h;
      arrived.bytes = (head.flags & k_takes_no_room) != 0 ? 0 : h.bytes;
      if (h.kind == message_kind::task && (head.flags & k_may_move) != 0) {
        arrived.key = head.object;
        std::unique_ptr<framed_call> moving = framed_flexible(std::move(frame), call);
        flexible_->bring_framed(w, m, arrived, std::move(moving));
        break;
      }
      const wired_type& type = type_of(call);
      finish_scope& under = arrive(w, head.object, h.kind == message_kind::task ? 1 : 0);
      make_runnable(m, arrived, std::move(frame), type);
      queue(w, m, under);
      break;
    }
    case message_kind::report: {
      report_frame report;
      const char* const wrong = read_report(bytes, sender.order, report);
      head = report.head;
      look(wrong == nullptr && !are_places(report.sent) ? k_no_such_place : wrong);
      recycle(w, m);
      apply_report(w, report);
      break;
    }
    case message_kind::at_reply: {
      reply_frame reply;
      const char* const wrong = read_reply(bytes, sender.order, reply);
      head = reply.head;
      look(wrong);
      recycle(w, m);
      wired_wait* const caller = callers_.take(head.object);
      if (caller == nullptr) {
        look("nobody waits for it");
      }
      caller->reply = {std::move(frame), reply.payload, sender.order, (head.flags & k_throws) != 0};
      caller->values = reply.values;
      end_at(w, caller, h.from, (head.flags & k_entered) != 0);
      break;
    }
    case message_kind::note: {
      reply_frame note;
      const char* const wrong = read_note(bytes, sender.order, note);
      head = note.head;
      look(wrong);
      message_header arrived(message_kind::note, h.from, head.object);
      arrived.framed = true;
      arrived.failed = (head.flags & k_throws) != 0;
      arrived.call = (head.flags >> k_call_shift) & 7U;
      put_header(m, arrived);
      put_pointer(m, frame.release());
      bring_note(w, m);
      break;
    }
    case message_kind::channel: {
      reply_frame what;
      const char* const wrong = read_channel(bytes, sender.order, what);
      head = what.head;
      look(wrong);
      recycle(w, m);
      channels_->bring(head.object, {h.from, sender.order, what.payload, std::move(frame), {this, w}});
      break;
    }
    case message_kind::quiet: {
      quiet_frame news;
      const char* const wrong = read_quiet(bytes, sender.order, news);
      head = news.head;
      look(wrong == nullptr && !are_places(news.sent) ? k_no_such_place : wrong);
      look(number() != 0 ? k_not_for_here : nullptr);
      recycle(w, m);
      hear(w, h.from, news);
      break;
    }
    case message_kind::stuck: {
      stuck_frame what;
      const char* const wrong = read_stuck(bytes, sender.order, what);
      head = what.head;
      look(wrong);
      recycle(w, m);
      hear(w, h.from, what);
      break;
    }
    case message_kind::join: {
      const char* const wrong = read_bare(message_kind::join, bytes, sender.order, head);
      look(wrong == nullptr && number() != 0 ? k_not_for_here : wrong);
      recycle(w, m);
      joined_[h.from].fetch_add(1, memory_order_release);  // release: pairs with run_begins()
      break;
    }
    case message_kind::inquiry: {
      const char* const wrong = read_bare(message_kind::inquiry, bytes, sender.order, head);
      look(wrong == nullptr && number() == 0 ? k_not_for_here : wrong);
      recycle(w, m);
      ask_for_report();
      break;
    }
    case message_kind::end: {
      end_frame end;
      const char* const wrong = read_end(bytes, sender.order, end);
      head = end.head;
      look(wrong == nullptr && number() == 0 ? k_not_for_here : wrong);
      recycle(w, m);
      hear_end(w, std::move(frame));
      break;
    }
    case message_kind::credit: {
      credit_frame credit;
      const char* wrong = read_credit(bytes, sender.order, credit);
      if (wrong == nullptr && credit.bytes > k_most_room) {
        wrong = "it gives back more room than there is";
      }
      head = credit.head;
      look(wrong);
      recycle(w, m);
      take_credit(w, h.from, credit.bytes);
      break;
    }
    case message_kind::loot:
    case message_kind::placement: deliver_flexible(w, m, h, std::move(frame)); break;
  }
}

}  // namespace tactus::detail
