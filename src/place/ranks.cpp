// SPDX-License-Identifier: Apache-2.0
// Places of several processes: how they meet, and how a run of theirs begins and ends. docs/protocols/processes.md.

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/place/impl/exception_bytes.hpp>

#include "base/job.hpp"
#include "place/frame.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/worker_visit.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

constexpr std::chrono::seconds k_until_told{10};
constexpr std::chrono::microseconds k_between_looks{20};

constinit const wait_kind k_end_of_run{
    [](const wait_point&, std::string& text) { text += "the end of the run at place 0"; },
    "the end of the run at place 0"};

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace

// ---- meeting ----

// Everybody tells the first one, which compares, and tells everybody: what is wrong; or all that it was told, of which its own will do where
// all are alike, as they are nearly always: with P ranks it sends P^2 of them else.
void place_node::meet_all(job& processes) {
  constexpr std::byte k_alike{2};
  constexpr std::byte k_right{1};
  constexpr std::byte k_wrong{0};
  const hello_bytes own = says_hello();
  std::vector<std::byte> answer{k_right};
  if (number() == 0) {
    std::string wrong;
    bool are_all_alike = true;
    answer.insert(answer.end(), own.begin(), own.end());
    for (int other = 1; other < static_cast<int>(places_); ++other) {
      const std::vector<std::byte> said = processes.hear(other, "make its runtime");
      if (const std::string why = meets(other, said); wrong.empty()) {
        wrong = why;
      }
      are_all_alike = are_all_alike && peer(other).is_alike;
      answer.insert(answer.end(), said.begin(), said.end());
    }
    if (!wrong.empty()) {
      answer = bytes_of(wrong);
      answer.insert(answer.begin(), k_wrong);
    } else if (are_all_alike) {
      answer.front() = k_alike;
      answer.resize(1 + k_hello_bytes);
    }
    for (int other = 1; other < static_cast<int>(places_); ++other) {
      processes.tell(other, answer);
    }
    static_cast<void>(meets(0, own));
  } else {
    processes.tell(0, own);
    answer = processes.hear(0, "answer");
  }
  const std::span<const std::byte> said = std::span(answer).subspan(1);
  const bool hears_all = answer.front() == k_right;
  if (!hears_all && answer.front() != k_alike) {
    processes.is_given_up();
    throw config_error(std::string(reinterpret_cast<const char*>(said.data()), said.size()));
  }
  const int told = number() == 0 ? 0 : hears_all ? static_cast<int>(places_) : 1;
  for (int other = 0; other < told; ++other) {
    if (const std::string why =
            meets(other, said.subspan(static_cast<std::size_t>(other) * k_hello_bytes, k_hello_bytes));
        !why.empty()) {
      throw config_error(why);
    }
  }
  if (!hears_all) {
    std::fill(peers_.begin() + 1, peers_.end(), peers_.front());
  }
}

// ---- messages ----

void place_node::bring(worker* w, const frame_head& head, frame_ptr frame) noexcept {
  queued_task* const m = descriptor(w);
  put_frame(m, head.kind, head.from, std::move(frame));
  if (head.kind == message_kind::task && (head.flags & k_several) != 0) {
    mark_as_train(m, head.number);
  }
  set_control_number(m, head.number);
  receive(m);
}

frame_ptr place_node::unwrap(worker* w, queued_task* m) noexcept {
  frame_ptr frame = take_frame(m);
  recycle(w, m);
  return frame;
}

// ---- a run ----

// Tasks may come to a process from the moment on at which it has said that it is in the run, and that is before the root task begins.
void place_node::wait_for_all(worker* w) {
  ++runs_;
  net_->carrier->begin_run();
  if (net_->has_thread && here_.options().progress == message_progress::thread) {
    net_->progress->sleeps();  // it rests between runs
  }
  if (number() != 0) {
    const frame_head join{.kind = message_kind::join, .from = number(), .to = 0, .object = runs_};
    send_frame(w, join, make_bare(join, order()));
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  bool told = false;
  for (int other = 1; other < static_cast<int>(places_); ++other) {
    // acquire: pairs with deliver_frame()
    while (joined_[static_cast<std::size_t>(other)].load(memory_order_acquire) < runs_) {
      net_->carrier->poll(w);
      take(w);
      nap(k_between_looks);
      if (!told && std::chrono::steady_clock::now() - begin > k_until_told) {
        told = true;
        std::fprintf(stderr, "tactus: waiting for rank %d to call run\n", other);
      }
    }
  }
  let_inquire(true);
}

// ---- reports of the whole job ----

void place_node::ask_others() noexcept {
  if (net_->carries_far && number() == 0) {
    inquiry_wanted_.store(true, memory_order_relaxed);  // relaxed: as send_inquiries()
  }
}

// Those that are sent come before the end of the run, since control messages keep their order.
void place_node::send_wanted_inquiries(worker* w) noexcept {
  const std::lock_guard lock(inquiry_mutex_);
  if (!may_inquire_ || !inquiry_wanted_.exchange(false, memory_order_relaxed)) {  // relaxed: under the lock
    return;
  }
  try {
    for (int to = 1; to < static_cast<int>(places_); ++to) {
      const frame_head inquiry{.kind = message_kind::inquiry, .from = number(), .to = to};
      send_frame(w, inquiry, make_bare(inquiry, order()));
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("to ask other processes for a report needs memory", why.what());
  }
}

void place_node::let_inquire(bool they_may) noexcept {
  const std::lock_guard lock(inquiry_mutex_);
  may_inquire_ = they_may;
  inquiry_wanted_.store(false, memory_order_relaxed);  // relaxed: under the lock
}

void place_node::check_that_a_run_may_begin() const {
  if (net_->carries_far) {
    net_->carrier->check_that_a_run_may_begin();
  }
}

void place_node::leave_run() noexcept {
  const worker_visit as_it(&here_.at(0));
  net_->carrier->end_run();
}

bool place_node::await_end(wait_point& p) {
  auto& self = *static_cast<place_node*>(p.object);
  const std::lock_guard lock(self.end_mutex_);
  if (self.end_frame_ != nullptr) {
    return false;
  }
  self.waits_for_end_ = &p;
  return true;
}

run_outcome place_node::wait_for_end_of_run() {
  wait_point p;
  p.commit = await_end;
  p.kind = &k_end_of_run;
  p.object = this;
  p.finish = current_worker()->held;
  suspend_for_finish(p);  // nothing but the end ends it: the others count on this process until then
  frame_ptr frame;
  {
    const std::lock_guard lock(end_mutex_);
    frame = std::move(end_frame_);
  }
  end_frame end;
  static_cast<void>(read_end(frame->frame(), peer(0).order, end));  // read before
  run_outcome outcome;
  if (!end.failure.empty()) {
    outcome.failure = exception_of_bytes(end.failure, place(place::unchecked{0}));
  }
  outcome.result.assign(end.result.begin(), end.result.end());
  outcome.order = peer(0).order;
  return outcome;
}

void place_node::hear_end(worker* w, frame_ptr frame) noexcept {
  wait_point* waits = nullptr;
  {
    const std::lock_guard lock(end_mutex_);
    end_frame_ = std::move(frame);
    waits = std::exchange(waits_for_end_, nullptr);
  }
  if (waits != nullptr) {
    make_ready(w, *waits);
  }
}

void place_node::end_run(const run_outcome& outcome) noexcept {
  worker* const w = &here_.at(0);
  const worker_visit as_it(w);
  let_inquire(false);
  try {
    std::vector<std::byte> failure;
    if (outcome.failure != nullptr) {
      failure = exception_to_bytes(outcome.failure, place(place::unchecked{number()}));
    }
    for (int to = 1; to < static_cast<int>(places_); ++to) {
      const end_frame end{.head = {.kind = message_kind::end, .from = number(), .to = to},
                          .failure = failure,
                          .result = outcome.result};
      send_frame(w, end.head, make_end(end, order()));
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("to tell each other process what the run returns or throws needs memory", why.what());
  }
  net_->carrier->end_run();
}

}  // namespace tactus::detail
