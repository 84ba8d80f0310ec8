// SPDX-License-Identifier: Apache-2.0

#include <tactus/sync/clock.hpp>

#include <tactus/scheduler/scheduler.hpp>
#include <tactus/task/task_local.hpp>

#include "scheduler/barrier_wait.hpp"

#include <memory>
#include <string>

namespace tactus {
namespace detail {
namespace {

// A parent that registers children one by one tells the barrier once for so many.
constexpr std::uint32_t k_credit = 64;

membership* find(const task_frame& task, std::uint64_t key) noexcept {
  for (local_value* v = task.locals; v != nullptr; v = v->next) {
    if (v->key == key) {
      return static_cast<membership*>(v);
    }
  }
  return nullptr;
}

[[noreturn]] void throw_not_registered(const char* call) {
  throw clock_use_error(
      std::string("tactus::") + call +
      ": the calling task is not registered on this clock; spawn it with async(clocked(c), ...) from a "
      "task that is, or make the clock in it; it may have dropped the clock");
}

[[noreturn]] void throw_across_finish() {
  throw clock_use_error(
      "tactus::async (or async_future) with clocked: the calling task would register a child on a clock that it holds "
      "from outside the finish which joins "
      "the child; that finish could wait for ever. Spawn the child outside the finish, or drop the clock before");
}

[[noreturn]] void throw_stuck(const membership& m) {
  std::string text = "tactus: deadlock: the wait for ";
  m.of->describe(text, m.arrived_in);  // the barrier's own phase may move while others leave
  throw deadlock_error(text + " can never end");
}

barrier_hint hint_of(wait how) noexcept {
  switch (how) {
    case wait::eager: return barrier_hint::eager;
    case wait::lazy: return barrier_hint::lazy;
    case wait::automatic: break;
  }
  return barrier_hint::automatic;
}

// What was set apart for children that did not come. The member itself is pending, so the phase stays.
void return_credit(worker* w, membership& m) noexcept {
  if (m.credit != 0) {
    m.of->subtract_later(w, std::exchange(m.credit, 0) * barrier_word::k_member);
  }
}

void resume_member(worker* w, membership& m) noexcept {
  if (m.arrived) {
    return;
  }
  return_credit(w, m);
  m.arrived_in = m.of->phase();
  m.arrived = true;
  m.of->subtract(w, barrier_word::k_arrival);
}

TACTUS_NOINLINE void advance_otherwise(worker* w, membership& m, barrier_hint hint) {
  if (m.arrived) {
    if (!m.of->wait_arrived(w, m.arrived_in, hint)) {
      throw_stuck(m);
    }
    m.arrived = false;
    return;
  }
  return_credit(w, m);
  if (!m.of->arrive_and_wait(w, hint, m.arrived_in)) [[unlikely]] {
    m.arrived = true;
    throw_stuck(m);
  }
}

[[noreturn]] TACTUS_NOINLINE void fail_to_advance(membership& m, const strand& here) {
  m.arrived_in = barrier::phase_of_failure(here);
  m.arrived = true;
  throw_stuck(m);
}

// The shortest way is all that this function has a frame for: of a hundred thousand members that wait each keeps one.
TACTUS_ALWAYS_INLINE bool advance_at_once(worker* w, membership& m) {
  if (m.credit != 0 || m.arrived || !m.of->next_is_at_hand(w)) [[unlikely]] {
    return false;
  }
  strand here(strand::made_by_spawn{});
  if (!m.of->wait_while_next_goes_on(w, here)) [[unlikely]] {
    fail_to_advance(m, here);
  }
  return true;
}

TACTUS_NOINLINE void advance_or_start(worker* w, membership& m, barrier_hint hint) {
  queued_task* const next = m.credit != 0 || m.arrived ? nullptr : m.of->take_member_to_start(w);
  if (next == nullptr) {
    advance_otherwise(w, m, hint);  // the last thing here, so that this frame is gone meanwhile
    return;
  }
  strand here(strand::made_by_spawn{});
  if (!m.of->wait_while_member_starts(w, here, next)) [[unlikely]] {
    fail_to_advance(m, here);
  }
}

[[noreturn]] TACTUS_NOINLINE void refuse_to_advance(std::uint64_t key) {
  static_cast<void>(member_for(worker_of_member("clock::advance"), key, "clock::advance"));
  __builtin_unreachable();  // the caller has found that one of them throws
}

// The task's memberships one by one; f may not change which there are.
template <class F>
int for_each_member(const task_frame& task, F&& f) {
  int n = 0;
  for (local_value* v = task.locals; v != nullptr; v = v->next) {
    if (v->destroy == membership::end) {
      ++n;
      f(*static_cast<membership*>(v));
    }
  }
  return n;
}

// Registrations of a child, from the spawn to its start.
class child_memberships final : public enrolment {
public:
  child_memberships() = default;
  child_memberships(const child_memberships&) = delete;
  child_memberships& operator=(const child_memberships&) = delete;

  ~child_memberships() override {
    while (first_ != nullptr) {  // the child was not spawned
      auto* const m = static_cast<membership*>(std::exchange(first_, first_->next));
      membership::end(m);
    }
  }

  [[nodiscard]] bool has(const barrier* b) const noexcept {
    for (const local_value* v = first_; v != nullptr; v = v->next) {
      if (v->key == b->key()) {
        return true;
      }
    }
    return false;
  }

  void add(std::unique_ptr<membership> m) noexcept {
    m->next = first_;
    first_ = m.release();
  }

  void begin(task_frame& child) noexcept override {
    worker* const w = current_worker();
    while (first_ != nullptr) {
      auto* const m = static_cast<membership*>(std::exchange(first_, first_->next));
      m->begin(w, child);
    }
  }

private:
  local_value* first_ = nullptr;
};

}  // namespace

void membership::end(local_value* v) noexcept {
  auto* const m = static_cast<membership*>(v);
  worker* const w = current_worker();
  if (m->made_in != nullptr) {
    m->made_in->uncount_in_body();
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
worker* worker_of_member(const char* call) {
  worker* const w = current_worker();
  if (w == nullptr && in_step()) {
    throw_not_registered(call);
  }
  return w != nullptr ? w : worker_for(call);
}

membership& member_for(worker* w, std::uint64_t key, const char* call) {
  membership* const m = find(*w->task, key);
  if (m == nullptr) [[unlikely]] {
    throw_not_registered(call);
  }
  return *m;
}

membership& registrar_for(worker* w, std::uint64_t key) {
  membership& m = member_for(w, key, "async (or async_future) with clocked");
  if (m.within != w->held) [[unlikely]] {
    throw_across_finish();
  }
  return m;
}

void refill_credit(membership& m) noexcept {
  m.of->add_members(k_credit);
  m.credit = k_credit;
}

void enrol_child(spawn_attributes& all, membership& parent) {
  if (all.enrolled == nullptr) {
    all.enrolled = std::make_unique<child_memberships>();
  }
  auto& children = static_cast<child_memberships&>(*all.enrolled);
  if (children.has(parent.of)) {
    return;
  }
  auto m = std::make_unique<membership>(parent.of);
  m->on_heap = true;
  if (parent.arrived) {
    parent.of->add_arrived_member(parent.arrived_in);
    m->arrived = true;
    m->arrived_in = parent.arrived_in;
  } else {
    if (parent.credit == 0) {
      refill_credit(parent);
    }
    --parent.credit;
  }
  children.add(std::move(m));
}

void enrol_children(spawn_attributes& all, const std::uint64_t* keys, std::size_t n) {
  worker* const w = worker_of_member("async (or async_future) with clocked");
  for (std::size_t i = 0; i < n; ++i) {
    static_cast<void>(registrar_for(w, keys[i]));  // all of them before any
  }
  for (std::size_t i = 0; i < n; ++i) {
    enrol_child(all, registrar_for(w, keys[i]));
  }
}

void advance_all_verb::operator()(wait how) const {
  if (in_step()) {
    return;
  }
  worker* const w = worker_for("advance_all");
  task_frame& task = *w->task;
  membership* only = nullptr;
  const int n = for_each_member(task, [&only](membership& m) { only = &m; });
  if (n == 1) {
    if (!advance_at_once(w, *only)) {
      advance_or_start(w, *only, hint_of(how));
    }
    return;
  }
  for_each_member(task, [w](membership& m) { resume_member(w, m); });
  for_each_member(task, [how](membership& m) { advance_otherwise(current_worker(), m, hint_of(how)); });
}

void resume_all_verb::operator()() const {
  if (in_step()) {
    return;
  }
  worker* const w = worker_for("resume_all");
  for_each_member(*w->task, [w](membership& m) { resume_member(w, m); });
}

}  // namespace detail

clock clock::make() {
  detail::worker* const w = detail::worker_for("clock::make");
  detail::barrier* const b = w->owner->take_barrier();
  b->begin(detail::next_local_key());
  auto* const m = new (std::nothrow) detail::membership(b);
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
  detail::worker* const w = detail::worker_of_member("clock::resume");
  detail::resume_member(w, detail::member_for(w, key_, "clock::resume"));
}

void clock::advance(wait how) const {
  detail::worker* const w = detail::current_worker();
  detail::membership* const m = w != nullptr ? detail::find(*w->task, key_) : nullptr;
  if (m == nullptr) [[unlikely]] {
    detail::refuse_to_advance(key_);
  }
  if (!detail::advance_at_once(w, *m)) {
    detail::advance_or_start(w, *m, detail::hint_of(how));  // the last thing here
  }
}

void clock::drop() const {
  detail::worker* const w = detail::worker_of_member("clock::drop");
  detail::membership& m = detail::member_for(w, key_, "clock::drop");
  detail::unlink_local(*w->task, &m);
  m.leaves_later = false;
  detail::membership::end(&m);
}

bool clock::registered() const {
  detail::worker* const w = detail::any_worker_for("clock::registered");
  return !detail::in_step() && detail::find(*w->task, key_) != nullptr;
}

bool clock::dropped() const {
  detail::worker* const w = detail::any_worker_for("clock::dropped");
  return detail::in_step() || detail::find(*w->task, key_) == nullptr;
}

std::uint64_t clock::phase() const {
  detail::worker* const w = detail::any_worker_for("clock::phase");
  if (detail::in_step()) {
    detail::throw_not_registered("clock::phase");
  }
  const detail::membership& m = detail::member_for(w, key_, "clock::phase");
  return m.arrived ? m.arrived_in : m.of->phase();
}

}  // namespace tactus
