// SPDX-License-Identifier: Apache-2.0
#include "place/arrived_call.hpp"

#include <tactus/place/impl/exception_bytes.hpp>
#include <tactus/place/impl/wired_call.hpp>
#include <tactus/task/impl/help_first.hpp>

#include "place/place_node.hpp"
#include "place/task_values.hpp"

#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tactus::detail {

call_frame arrived_call::said() const noexcept {
  call_frame said;
  const worker* const w = current_worker();
  static_cast<void>(
      read_call(frame_->frame(), place_node::of(w).peer(header_.from).order, place_node::of(w).traces(), said));
  return said;
}

void arrived_call::run(reply_bytes* reply) {
  const call_frame call = said();
  if (!call.name.empty() && call.head.kind == message_kind::task) {
    current_worker()->task->locals = new task_name(std::string(call.name));
  }
  struct bound {
    const wired_type* type;
    arrived_bytes in;
    reply_bytes* reply;
  };
  const peer_place& peer = place_node::of(current_worker()).peer(header_.from);
  bound body{type_, {call.payload, header_.from, peer.order, peer.is_alike, &frame_}, reply};
  if (current_worker()->timeline != nullptr) [[unlikely]] {
    run_traced(
        type_->label(),
        [](void* b) {
          const bound& self = *static_cast<bound*>(b);
          self.type->run(self.in, self.reply);
        },
        &body, call.traced);
  } else {
    type_->run(body.in, reply);
  }
}

namespace {

struct arrived_task : arrived_call {
  using arrived_call::arrived_call;

  void operator()() {
    if (header().bytes != 0) {
      give_room_back(header());
    }
    run(nullptr);
  }
};

// What it throws comes back as bytes; where there is no memory for these, as none, which stands for std::bad_alloc.
bool run_for_reply(arrived_call& body, reply_bytes& reply) noexcept {
  try {
    body.run(&reply);
    return true;
  } catch (...) {
    reply = {};
    try {
      const std::vector<std::byte> bytes =
          exception_to_bytes(std::current_exception(), place(place::unchecked{current_worker()->place}));
      std::memcpy(reply.make(bytes.size()), bytes.data(), bytes.size());
    } catch (...) {
      reply = {};
    }
    return false;
  }
}

// As run_at_body(), of bytes.
void run_arrived_body(queued_task* m, worker* w) {
  task_frame frame;
  begin_queued(w, frame);
  auto* const body = std::launder(reinterpret_cast<arrived_call*>(m->storage));
  const call_frame said = body->said();
  const std::uint64_t caller = said.caller;
  const int from = body->header().from;
  const place_node& here = place_node::of(w);
  task_visit visit = visit_of(said, here.peer(from).order, here.places());
  body_values values(visit.origin, visit.elsewhere.release(), visit.name.empty() ? nullptr : visit.name.c_str(),
                     visit.designated);
  frame.locals = &values;
  reply_bytes reply;
  reply.ranges_go_apart = ranges_go_apart(from);
  const bool is_fine = run_for_reply(*body, reply);
  std::destroy_at(body);
  end_task_frame(frame);
  const std::unique_ptr<values_elsewhere> elsewhere(values.elsewhere);
  w = current_worker();  // the body may have gone on elsewhere
  w->task = by_itself(frame.below);
  ++w->counters.bodies_for_others;
  place_node::of(w).end_framed_body(w, m, {from, caller, std::move(reply), !is_fine, elsewhere.get()});
}

}  // namespace

void make_runnable(queued_task* m, const message_header& header, frame_ptr frame, const wired_type& type) noexcept {
  if (header.kind == message_kind::task) {
    ::new (static_cast<void*>(m->storage)) arrived_task(header, std::move(frame), type);
    m->run = run_queued<arrived_task>;
  } else {
    ::new (static_cast<void*>(m->storage)) arrived_call(header, std::move(frame), type);
    m->run = run_arrived_body;
  }
}

}  // namespace tactus::detail
