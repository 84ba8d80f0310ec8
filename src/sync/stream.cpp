// SPDX-License-Identifier: Apache-2.0

#include <tactus/sync/stream.hpp>

#include "scheduler/home_check.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/task_names.hpp"

#include <string>

namespace tactus::detail {
namespace {

atomic<std::uint32_t> g_last_stream{0};

}  // namespace

/// Where a task waits. Lives on its stack.
struct stream_core::point : wait_point {
  point(stream_core& s, worker* w, stream_node* n) noexcept : node(n) {
    object = &s;
    finish = w->held;
    cancel = stream_core::cancel;
  }

  stream_node* node;     // a producer's; a consumer's once it has one
  bool refused = false;  // a producer's: the stream was closed before it could wait
};

void stream_core::throw_closed() const {
  throw phaser_use_error("tactus::stream: push: stream " + number_.of(g_last_stream) +
                         " is closed; close it when the last producer has pushed its last item");
}

void throw_moved_end() {
  throw phaser_use_error(
      "tactus::stream: push: this end was moved from, and names no stream any more; push to the one that it was moved "
      "to");
}

stream_core::stream_core(std::uint64_t most) : bound_(most), made_in_(any_worker_for("stream")->owner->home_number()) {
  if (most == 0) {
    throw phaser_use_error("tactus::stream: bound 0 would let nothing in; the least is 1");
  }
}

// By who would have to wait: the others need not know.
void stream_core::check_home(const worker* w, const char* call) const {
  if (w->home_number != made_in_) {
    throw_of_another_home(std::string("stream: ") + call, "the stream", made_in_, "",
                          "; between runtimes use promises made with tactus::external");
  }
}

void stream_core::append_locked(stream_node* n) noexcept {
  n->next = nullptr;
  (first_ == nullptr ? first_ : last_->next) = n;
  last_ = n;
  ++count_;
}

// To the consumer that has waited longest, else into the queue; false: neither is possible now.
bool stream_core::put_locked(stream_node* n, point_list& awake) noexcept {
  if (consumers_ != nullptr) {
    awake = std::exchange(consumers_, static_cast<point_list>(consumers_->next));
    awake->next = nullptr;
    awake->node = n;
    return true;
  }
  if (count_ == bound_) {
    return false;
  }
  append_locked(n);
  return true;
}

// The oldest item, whose room the producer gets that has waited longest; or that there will be none. False: neither is known yet.
bool stream_core::take_locked(stream_node*& n, point_list& awake) noexcept {
  n = first_;
  if (n == nullptr) {
    return closed_;
  }
  first_ = n->next;
  --count_;
  if (producers_ != nullptr) {
    awake = std::exchange(producers_, static_cast<point_list>(producers_->next));
    awake->next = nullptr;
    append_locked(awake->node);
  }
  return true;
}

void stream_core::enqueue(point_list& first, point_list& last, point& p) noexcept {
  p.next = nullptr;
  if (first == nullptr) {
    first = &p;
  } else {
    last->next = &p;
  }
  last = &p;
}

void stream_core::wake(point_list points) noexcept {
  while (points != nullptr) {
    point* const p = std::exchange(points, static_cast<point_list>(points->next));
    make_ready_anywhere(*p);
  }
}

void stream_core::push(stream_node* n, const bool& end_closed) {
  worker* const w = worker_for("stream: push");
  point_list awake = nullptr;
  {
    const visit_from_outside visit(made_in_);  // a stranger need not wait, and may wake who does
    bool put = false;
    {
      const std::lock_guard hold(lock_);
      if (closed_ || end_closed) {
        throw_closed();
      }
      put = put_locked(n, awake);
    }
    if (put) {
      wake(awake);
      return;
    }
  }
  check_home(w, "push");
  point here(*this, w, n);
  here.commit = wait_for_room;
  here.kind = &k_room;
  suspend(here);
  if (here.refused) {
    throw_closed();
  }
}

bool stream_core::wait_for_room(wait_point& p) {
  auto& here = static_cast<point&>(p);
  auto& s = *static_cast<stream_core*>(p.object);
  point_list awake = nullptr;
  {
    const std::lock_guard hold(s.lock_);
    if (s.closed_) {
      here.refused = true;
      return false;
    }
    if (!s.put_locked(here.node, awake)) {
      enqueue(s.producers_, s.last_producer_, here);
      return true;
    }
  }
  wake(awake);
  return false;
}

stream_node* stream_core::pop() {
  worker* const w = worker_for("stream: pop");
  point_list awake = nullptr;
  stream_node* n = nullptr;
  {
    const visit_from_outside visit(made_in_);
    bool known = false;
    {
      const std::lock_guard hold(lock_);
      known = take_locked(n, awake);
    }
    if (known) {
      wake(awake);
      return n;
    }
  }
  check_home(w, "pop");
  point here(*this, w, nullptr);
  here.commit = wait_for_item;
  here.kind = &k_item;
  suspend(here);
  return here.node;
}

bool stream_core::wait_for_item(wait_point& p) {
  auto& here = static_cast<point&>(p);
  auto& s = *static_cast<stream_core*>(p.object);
  point_list awake = nullptr;
  {
    const std::lock_guard hold(s.lock_);
    if (!s.take_locked(here.node, awake)) {
      enqueue(s.consumers_, s.last_consumer_, here);
      return true;
    }
  }
  wake(awake);
  return false;
}

stream_core::point_list stream_core::close_if_done_locked() noexcept {
  if (!closing_ || open_ends_ != 0) {
    return nullptr;
  }
  closed_ = true;
  return std::exchange(consumers_, nullptr);  // there is nothing for them, or they would not wait
}

void stream_core::open_end() noexcept {
  const std::lock_guard hold(lock_);
  ++open_ends_;
}

void stream_core::close_end(bool& end_closed) {
  static_cast<void>(worker_for("stream: close"));
  const visit_from_outside visit(made_in_);
  point_list awake = nullptr;
  {
    const std::lock_guard hold(lock_);
    if (std::exchange(end_closed, true)) {
      return;
    }
    closing_ = true;
    --open_ends_;
    awake = close_if_done_locked();
  }
  wake(awake);
}

// Wherever a destructor may run: in an atomic block, whose worker is restricted, and in a thread that is no worker.
void stream_core::leave_end(const bool& end_closed) noexcept {
  const visit_from_outside visit(made_in_);
  point_list awake = nullptr;
  {
    const std::lock_guard hold(lock_);
    if (end_closed) {
      return;
    }
    --open_ends_;
    awake = close_if_done_locked();
  }
  wake(awake);
}

// ---- stuck programs ----

// Takes all waiters off, not one: only while no worker runs.
void stream_core::cancel(wait_point& p) {
  auto& s = *static_cast<stream_core*>(p.object);
  s.producers_ = nullptr;
  s.consumers_ = nullptr;
}

constinit const wait_kind stream_core::k_room{describe_room, "room in stream", offsetof(stream_core, number_)};
constinit const wait_kind stream_core::k_item{describe_item, "an item of stream", offsetof(stream_core, number_)};

void stream_core::describe_room(const wait_point& p, std::string& text) {
  const auto& s = *static_cast<const stream_core*>(p.object);
  text += "room in " + numbered("stream", s.number_, g_last_stream) + " (bound " + std::to_string(s.bound_) + ")";
}

void stream_core::describe_item(const wait_point& p, std::string& text) {
  text += "an item of " + numbered("stream", static_cast<const stream_core*>(p.object)->number_, g_last_stream);
}

}  // namespace tactus::detail
