// SPDX-License-Identifier: Apache-2.0

#include <tactus/sync/clock.hpp>

#include <tactus/task/task_local.hpp>

#include "scheduler/scheduler.hpp"
#include "scheduler/task_names.hpp"
#include "sync/advance.hpp"
#include "sync/members.hpp"
#include "sync/registration.hpp"

#include <memory>
#include <string>

namespace tactus {
namespace detail {
namespace {

// A parent that registers children one by one tells the barrier once for so many.
constexpr std::uint32_t k_credit = barrier::k_ordinals - 1;

constexpr const char* k_clocked = "async (or async_future) with clocked";

[[noreturn]] void throw_misuse(const char* call, std::uint64_t key, const char* text) {
  throw clock_use_error(
      with_calling_task(std::string("tactus::") + call + ": clock " + std::to_string(key) + ": " + text));
}

[[noreturn]] void throw_not_on_clock(const char* call, std::uint64_t key) {
  throw_misuse(call, key,
               "the calling task is not registered on it; spawn it with async(clocked(c), ...) from a task that is, or "
               "make the clock in it; it may have dropped the clock");
}

[[noreturn]] void throw_across_finish(std::uint64_t key) {
  throw_misuse(
      k_clocked, key,
      "the calling task would register a child on a clock that it holds from outside the finish which joins "
      "the child; that finish could wait for ever. Spawn the child outside the finish, or drop the clock before");
}

[[noreturn]] TACTUS_NOINLINE void refuse_to_advance(std::uint64_t key) {
  static_cast<void>(member_for(worker_of_member("clock::advance", key), key, "clock::advance"));
  __builtin_unreachable();  // the caller has found that one of them throws
}

}  // namespace

void membership::end(local_value* v) noexcept {
  auto* const m = static_cast<membership*>(v);
  worker* const w = current_worker();
  if (m->made_in != nullptr) {
    m->made_in->uncount_in_body();
  }
  if (m->sends_as != nullptr) {
    end_sender(*m);
  }
  if (m->arrived) {
    m->of->remove_arrived_member(w, m->arrived_in);
  } else {
    m->leave_later(w);
    if (!m->leaves_later) {
      w->hand_in_arrivals();
    }
  }
  if (m->on_heap) {
    delete m;
  }
}

// An element of a lockstep is registered nowhere, whatever the task is that carries it out.
worker* worker_of_member(const char* call, std::uint64_t key) {
  worker* const w = current_worker();
  if (w == nullptr && in_step()) {
    throw_not_on_clock(call, key);
  }
  return w != nullptr ? w : worker_for(call);
}

membership& member_for(worker* w, std::uint64_t key, const char* call) {
  membership* const m = find_member(*w->task, key);
  if (m == nullptr) [[unlikely]] {
    throw_not_on_clock(call, key);
  }
  return *m;
}

membership& registrar_for(worker* w, std::uint64_t key) {
  membership& m = member_for(w, key, k_clocked);
  if (m.within != w->held) [[unlikely]] {
    throw_across_finish(key);
  }
  return m;
}

void refill_credit(membership& m) noexcept {
  m.of->add_members(k_credit);
  m.credit = k_credit;
  m.next_ordinal = m.of->take_ordinals();
}

void register_child(spawn_attributes& all, membership& parent) {
  child_memberships& children = child_memberships::in(all);
  if (children.find(parent.key) != nullptr) {
    return;
  }
  // By new, which comes by its memory before it looks at arguments: where there is none, the parent has given nothing away.
  // NOLINTNEXTLINE(modernize-make-unique)
  std::unique_ptr<membership> m(new membership(parent.of, parent.arrived ? take_ordinal(parent) : take_credit(parent)));
  m->on_heap = true;
  if (parent.arrived) {
    parent.of->add_arrived_member(parent.arrived_in);
    m->arrived = true;
    m->arrived_in = parent.arrived_in;
  }
  children.add(m.release());
}

void throw_not_over_places() {
  throw clock_use_error(
      "tactus: clocks do not reach over places yet; register the task there with a clock of that place");
}

void register_children(spawn_attributes& all, const std::uint64_t* keys, std::size_t n) {
  worker* const w = worker_of_member(k_clocked, keys[0]);
  for (std::size_t i = 0; i < n; ++i) {
    static_cast<void>(registrar_for(w, keys[i]));  // all of them before any
  }
  for (std::size_t i = 0; i < n; ++i) {
    register_child(all, registrar_for(w, keys[i]));
  }
}

}  // namespace detail

clock clock::make() {
  detail::worker* const w = detail::worker_for("clock::make");
  detail::barrier* const b = w->owner->take_barrier();
  b->begin(detail::next_handle_key(w->owner->place()));
  auto* const m = new (std::nothrow) detail::membership(b, 0);
  if (m == nullptr) {
    w->owner->put_barrier(b);
    throw std::bad_alloc();
  }
  m->on_heap = true;
  m->begin(w, *w->task);
  m->made_in = w->held;
  m->ends_with = w->held;
  m->made_in->count_in_body();
  return clock(b->key());
}

void clock::resume() const {
  detail::worker* const w = detail::worker_of_member("clock::resume", key_);
  detail::resume_member(w, detail::member_for(w, key_, "clock::resume"));
}

void clock::advance(wait how) const {
  detail::worker* const w = detail::current_worker();
  detail::membership* const m = w != nullptr ? detail::find_member(*w->task, key_) : nullptr;
  if (m == nullptr) [[unlikely]] {
    detail::refuse_to_advance(key_);
  }
  if (!detail::advance_at_once(w, *m)) {
    detail::advance_or_start(w, *m, detail::hint_of(how));  // the last thing here
  }
}

void clock::drop() const {
  detail::worker* const w = detail::worker_of_member("clock::drop", key_);
  detail::membership& m = detail::member_for(w, key_, "clock::drop");
  detail::unlink_local(*w->task, &m);
  m.leaves_later = false;
  detail::membership::end(&m);
}

bool clock::registered() const {
  detail::worker* const w = detail::any_worker_for("clock::registered", detail::asked::task);
  return !detail::in_step() && detail::find_member(*w->task, key_) != nullptr;
}

bool clock::dropped() const {
  detail::worker* const w = detail::any_worker_for("clock::dropped", detail::asked::task);
  return detail::in_step() || detail::find_member(*w->task, key_) == nullptr;
}

std::uint64_t clock::phase() const {
  detail::worker* const w = detail::any_worker_for("clock::phase", detail::asked::task);
  if (detail::in_step()) {
    detail::throw_not_on_clock("clock::phase", key_);
  }
  const detail::membership& m = detail::member_for(w, key_, "clock::phase");
  return m.arrived ? m.arrived_in : m.of->phase();
}

}  // namespace tactus
