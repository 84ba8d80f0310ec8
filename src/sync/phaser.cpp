// SPDX-License-Identifier: Apache-2.0

#include <tactus/sync/phaser.hpp>

#include <tactus/task/task_local.hpp>

#include "scheduler/scheduler.hpp"
#include "sync/advance.hpp"
#include "sync/calling_member.hpp"
#include "sync/members.hpp"

#include <exception>
#include <string>
#include <utility>

namespace tactus {
namespace detail {

void signal_member(worker* w, membership& m) {
  if (!is_on_phaser(m)) {
    resume_member(w, m);
    return;
  }
  auto& p = static_cast<phaser_member&>(m);
  if (may_signal(p.mode)) {
    p.core->signal(w, p);
  }
}

void wait_member(worker* w, membership& m, barrier_hint hint) {
  if (!is_on_phaser(m)) {
    advance_member(w, m, hint);
    return;
  }
  auto& p = static_cast<phaser_member&>(m);
  if (may_wait(p.mode)) {
    p.core->wait(w, p, hint);
  }
}

void refuse_in_single(const membership& m, const char* call) {
  if (is_on_phaser(m) && static_cast<const phaser_member&>(m).in_single) {
    throw_in_single(call, *static_cast<const phaser_member&>(m).core);
  }
}

bool is_plain_member(const membership& m) noexcept {
  return !is_on_phaser(m) || static_cast<const phaser_member&>(m).is_plain;
}

namespace {

// A body, and what came of it.
struct single_apart {
  body_of_single body;
  bool has_begun = false;
  std::exception_ptr failure;

  static void run(void* o) {
    auto& self = *static_cast<single_apart*>(o);
    self.has_begun = true;
    self.body.call(self.body.object);
  }
};

}  // namespace

// Whatever the body throws, the task keeps in step with all others: it has signalled everywhere, and so waits everywhere.
void next_single_of_all(body_of_single body) {
  worker* const w = worker_for("next_single");
  phaser_member* single = nullptr;
  int found = 0;
  for_each_member(*w->task, [&](membership& m) {
    refuse_in_single(m, "next_single");
    if (is_on_phaser(m) && static_cast<phaser_member&>(m).mode == phaser_mode::signal_wait_next) {
      single = static_cast<phaser_member*>(&m);
      ++found;
    }
  });
  if (found != 1) {
    throw phaser_use_error(with_calling_task(
        "tactus::next_single: the calling task is registered as signal_wait_next on " + std::to_string(found) +
        " phasers, and it takes exactly one; call next_single of the phaser meant"));
  }
  if (single->arrived) {
    throw_misuse("next_single", *single->core, "the calling task has signalled in this phase already; wait first");
  }
  for_each_member(*w->task, [single](membership& m) {
    if (&m != single) {
      signal_member(current_worker(), m);
    }
  });
  single_apart apart{body, false, nullptr};
  try {
    single->core->next_single(current_worker(), *single, single_apart::run, &apart);
  } catch (...) {
    if (!apart.has_begun) {
      throw;  // no phase has ended
    }
    apart.failure = std::current_exception();
  }
  for_each_member(*current_worker()->task, [single](membership& m) {
    if (&m != single) {
      wait_member(current_worker(), m, barrier_hint::automatic);
    }
  });
  if (apart.failure != nullptr) {
    std::rethrow_exception(std::move(apart.failure));
  }
}

}  // namespace detail

phaser::phaser(phaser_mode mode) : phaser(mode, bound(detail::phaser_core::k_unbounded)) {}

phaser::phaser(phaser_mode mode, bound ahead)
    : key_(detail::next_handle_key(detail::worker_for("phaser")->owner->place())) {
  detail::worker* const w = detail::current_worker();
  if (ahead.phases == 0) {
    throw phaser_use_error("tactus::phaser: bound 0 would let nobody signal; the least is 1");
  }
  detail::barrier* const b = w->owner->take_barrier();
  try {
    core_ = std::make_shared<detail::phaser_core>(b, key_, ahead.phases, false);
    b->begin(key_, detail::may_signal(mode) ? 1 : 0);
    auto m = std::make_unique<detail::phaser_member>(core_, b, 0, mode);
    core_->join(*m, nullptr);
    detail::phase_hook* hook = core_.get();
    static_cast<void>(b->set_hook(hook));
    core_->keep();
    m->made_in = w->held;
    m->ends_with = w->held;
    m->made_in->count_in_body();
    m.release()->begin(w, *w->task);
  } catch (...) {
    w->owner->put_barrier(b);
    throw;
  }
}

void phaser::next(tactus::wait how) const {
  detail::worker* const w = detail::current_worker();
  detail::membership* const m = w != nullptr ? detail::find_member(*w->task, key_) : nullptr;
  if (m == nullptr || !m->goes_plainly) [[unlikely]] {
    next_otherwise(how);
    return;
  }
  if (!detail::advance_at_once(w, *m)) {
    detail::advance_or_start(w, *m, detail::hint_of(how));  // the last thing here
  }
}

void phaser::next_otherwise(tactus::wait how) const {
  detail::worker* const w = detail::worker_of(*core_, "phaser::next");
  detail::phaser_member& m = detail::member_of(w, *core_, "phaser::next");
  if (detail::may_signal(m.mode)) {
    core_->signal(w, m);
  }
  if (detail::may_wait(m.mode)) {
    core_->wait(detail::current_worker(), m, detail::hint_of(how));
  }
}

void phaser::next_single_with(detail::body_of_single body) const {
  detail::worker* const w = detail::worker_of(*core_, "phaser::next_single");
  detail::phaser_member& m = detail::member_of(w, *core_, "phaser::next_single");
  if (m.mode != phaser_mode::signal_wait_next) {
    detail::throw_in_mode("phaser::next_single", m, "run the body of next_single; register it as signal_wait_next");
  }
  if (m.arrived) {
    detail::throw_misuse("phaser::next_single", *core_,
                         "the calling task has signalled in this phase already; wait first");
  }
  core_->next_single(w, m, body.call, body.object);
}

void phaser::signal() const {
  detail::worker* const w = detail::worker_of(*core_, "phaser::signal");
  detail::phaser_member& m = detail::member_of(w, *core_, "phaser::signal");
  if (!detail::may_signal(m.mode)) {
    detail::throw_in_mode("phaser::signal", m, "signal");
  }
  core_->signal(w, m);
}

void phaser::wait(tactus::wait how) const {
  detail::worker* const w = detail::worker_of(*core_, "phaser::wait");
  detail::phaser_member& m = detail::member_of(w, *core_, "phaser::wait");
  if (!detail::may_wait(m.mode)) {
    detail::throw_in_mode("phaser::wait", m, "wait");
  }
  if (detail::may_signal(m.mode) && !m.arrived) {
    detail::throw_misuse(
        "phaser::wait", *core_,
        "the calling task has not signalled in this phase, and so would wait for itself; signal first, or use next");
  }
  core_->wait(w, m, detail::hint_of(how));
}

void phaser::drop() const {
  detail::worker* const w = detail::worker_of(*core_, "phaser::drop");
  detail::phaser_member& m = detail::member_of(w, *core_, "phaser::drop");
  detail::unlink_local(*w->task, &m);
  detail::phaser_member::end(&m);
}

bool phaser::registered() const {
  detail::worker* const w = detail::any_worker_for("phaser::registered", detail::asked::task);
  return !detail::in_step() && detail::find_phaser_member(w, *core_) != nullptr;
}

std::uint64_t phaser::phase() const {
  detail::worker* const w = detail::any_worker_of(*core_, "phaser::phase");
  const detail::phaser_member* const m = detail::find_phaser_member(w, *core_);
  if (m == nullptr) {
    detail::throw_not_registered("phaser::phase", *core_);
  }
  return core_->phase_of(*m);
}

}  // namespace tactus
