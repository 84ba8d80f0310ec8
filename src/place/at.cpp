// SPDX-License-Identifier: Apache-2.0
// The calls of at(). docs/protocols/remote_finish.md.

#include <tactus/base/error.hpp>
#include <tactus/place/global_ref.hpp>
#include <tactus/place/impl/at_wait.hpp>

#include "base/probe.hpp"
#include "place/place_node.hpp"
#include "place/running_flexible.hpp"

#include <string>

namespace tactus::detail {
namespace {

void describe_at(const wait_point& p, std::string& text) {
  text += "the body of at() at place " + std::to_string(static_cast<const at_wait&>(p).to);
}

constinit const wait_kind k_at{describe_at, "the body of at()", wait_kind::k_none, wait_kind::k_none,
                               [](const wait_point&) { return true; }};

// Of a task that has moved, who it is: it did not choose where it is.
std::string by_flexible_task() {
  const task_frame* const task = any_worker()->task;
  const running_flexible* const self = running_flexible::of(task);
  if (self == nullptr) {
    return {};
  }
  const char* const name = task->name();
  return " by the place-flexible task '" + (name != nullptr ? std::string(name) : closure_in(self->label)) +
         "' of designated place " + std::to_string(self->designated);
}

// The request leaves when its caller has left its stack: an answer may come at once.
bool send_request(wait_point& p) {
  auto& wait = static_cast<at_wait&>(p);
  place_node::of(current_worker()).send(wait.to, wait.request);
  return true;
}

}  // namespace

std::uint64_t at_key(worker* w) { return place_node::of(w).key_of(*w->held); }

void wait_for_reply(at_wait& wait) {
  wait.commit = send_request;
  wait.kind = &k_at;
  wait.object = &wait;
  wait.from = current_worker()->place;
  wait.under = current_worker()->held;
  suspend(wait);
  if (worker* const w = current_worker(); w->timeline != nullptr) [[unlikely]] {
    trace_result(w, wait.traced_as);
  }
}

void wait_for_body(at_wait& wait) {
  header_of(wait.request).key = at_key(current_worker());
  begin_visit(wait);
  if (worker* const w = current_worker(); w->timeline != nullptr) [[unlikely]] {
    wait.traced_as = number_of_traced_child(w, traced_child::body_elsewhere);
  }
  try {
    wait_for_reply(wait);
  } catch (...) {
    if (worker* const w = current_worker(); w->timeline != nullptr) [[unlikely]] {
      profile_not_visited(w, wait.traced_as);
    }
    throw;
  }
  end_visit(wait);
}

void end_body(worker* w, queued_task* m, at_wait* caller) noexcept {
  ++w->counters.bodies_for_others;
  place_node::of(w).end_at_body(w, m, caller);
}

void throw_used_elsewhere(const char* what, int home, int used_at) {
  if (home < 0) {
    throw place_error(std::string("tactus: ") + what + " was used, and there is none: it was made without one");
  }
  throw place_error(std::string("tactus: ") + what + " is at place " + std::to_string(home) +
                    " and was used at place " + std::to_string(used_at) + by_flexible_task() +
                    "; go there with at() or async_at");
}

}  // namespace tactus::detail
