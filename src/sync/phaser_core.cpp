// SPDX-License-Identifier: Apache-2.0

#include <tactus/sync/phaser_core.hpp>

#include <tactus/base/assert.hpp>
#include <tactus/base/error.hpp>
#include <tactus/sync/accumulator_base.hpp>

#include "scheduler/seeded.hpp"
#include "scheduler/task_names.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::uint64_t k_counted = 1;  // of phaser_member::given
constexpr std::uint64_t k_one_signal = 2;

constexpr std::uint64_t signals_of(std::uint64_t given) noexcept { return given / k_one_signal; }

}  // namespace

/// Where a task waits for the core. Lives on its stack.
struct phaser_core::waiting_point : wait_point {
  waiting_point(phaser_core& core, worker* w, std::uint64_t which) noexcept : phase(which) {
    object = &core;
    finish = w->held;
    cancel = phaser_core::cancel;
    describe = phaser_core::describe;
  }

  const std::uint64_t phase;   // that it waits for; of a signaller, how often it has signalled
  bool has_arrived = false;    // of a next_single: the arrival was handed in
  bool runs_its_body = false;  // of a next_single: this is the one
};

phaser_core::phaser_core(barrier* b, std::uint64_t key, std::uint64_t most_ahead, bool of_clock) noexcept
    : phase_hook(of_clock), key_(key), bound_(most_ahead), barrier_(b) {}

phaser_core::~phaser_core() = default;

void phaser_core::let_go() noexcept {
  // acq_rel: what all others did with the barrier
  if (users_.fetch_sub(1, memory_order_acq_rel) == 1) {
    barrier_->end();
  }
}

void phaser_core::ended() noexcept {
  const std::shared_ptr<phaser_core> last = std::move(self_);  // of a clock; its accumulators may keep it longer
}

void phaser_core::keep_itself() { self_ = shared_from_this(); }

// ---- members come and go ----

void phaser_core::make_room(std::vector<phaser_member*>& registry) {
  if (registry.size() == registry.capacity()) {
    registry.reserve(2 * registry.size() + 8);
  }
}

void phaser_core::enter(std::vector<phaser_member*>& registry, phaser_member& m) noexcept {
  m.index = registry.size();
  registry.push_back(&m);
}

void phaser_core::remove(std::vector<phaser_member*>& registry, const phaser_member& m) noexcept {
  registry[m.index] = registry.back();
  registry[m.index]->index = m.index;
  registry.pop_back();
}

// The parent is the calling task's, null for the first member. What can fail comes before the barrier hears of the child; a child
// that signals and whose parent was pending is counted already, by the parent's credit.
void phaser_core::join(phaser_member& m, const phaser_member* parent) {
  const std::lock_guard hold(lock_);
  make_room(is_among_waiters(m) ? waiters_ : signallers_only_);
  const bool parent_arrived = parent != nullptr && parent->arrived;
  const std::uint64_t waited = parent == nullptr || !may_wait(parent->mode) ? 0
                               : parent->mode == phaser_mode::wait_only     ? parent->waited_for()
                               : parent_arrived                             ? parent->arrived_in
                                                                            : barrier_->phase();
  m.waited.store(waited, memory_order_relaxed);  // relaxed: under the lock
  if (is_among_waiters(m)) {
    enter(waiters_, m);
    m.seen = waited;
    laggards_ += waited == slowest_.load(memory_order_relaxed) ? 1U : 0U;  // relaxed: under the lock
  }
  switch (m.mode) {
    case phaser_mode::signal_wait_next:
    case phaser_mode::signal_wait:
      if (parent_arrived) {
        barrier_->add_arrived_member(parent->arrived_in);
        m.arrived = true;
        m.arrived_in = parent->arrived_in;
      }
      return;
    case phaser_mode::wait_only:
      slow_readers_.fetch_add(1, memory_order_relaxed);  // relaxed: see oldest_needed()
      if (parent == nullptr) {
        closed_.store(true, memory_order_relaxed);  // relaxed: nobody else knows it yet
      }
      return;
    case phaser_mode::signal_only: break;
  }
  enter(signallers_only_, m);
  special_.fetch_add(1, memory_order_relaxed);  // relaxed: the change of the word below carries it (phaser P2)
  if (parent == nullptr) {
    m.given.store(k_counted, memory_order_relaxed);  // relaxed, as all here: under the lock
  } else if (parent->mode == phaser_mode::signal_only) {
    // The bit stays as it is: others write it under the lock only.
    const std::uint64_t given = parent->given.load(memory_order_relaxed);
    if ((given & k_counted) != 0) {
      barrier_->add_members(1);
    } else {
      barrier_->add_member_ahead();
    }
    m.given.store(given, memory_order_relaxed);
  } else if (parent_arrived) {
    const bool turned = barrier_->add_arrived_member(parent->arrived_in, barrier_word::k_mark);
    m.given.store((parent->arrived_in + 1) * k_one_signal + (turned ? k_counted : 0), memory_order_relaxed);
  } else {
    m.given.store(waited * k_one_signal + k_counted, memory_order_relaxed);
  }
}

void phaser_core::leave(worker* w, phaser_member& m) noexcept {
  if (is_among_waiters(m)) {
    waiter_left(m);
  }
  switch (m.mode) {
    case phaser_mode::signal_wait_next:
    case phaser_mode::signal_wait:
      if (m.arrived) {
        barrier_->remove_arrived_member(w, m.arrived_in);
      } else {
        barrier_->subtract(w, (std::uint64_t{m.credit} + 1) * barrier_word::k_member);
      }
      break;
    case phaser_mode::wait_only:
      slow_readers_.fetch_sub(1, memory_order_relaxed);  // relaxed: see oldest_needed()
      break;
    case phaser_mode::signal_only: {
      bool pending = false;
      {
        const std::lock_guard hold(lock_);
        remove(signallers_only_, m);
        pending = (m.given.load(memory_order_relaxed) & k_counted) != 0;  // relaxed: others write it under the lock
        if (!pending) {
          barrier_->remove_member_ahead();  // whoever turns the phase counts the members after this
        }
      }
      if (pending) {
        barrier_->subtract(w, barrier_word::k_member);
      }
      special_.fetch_sub(1, memory_order_relaxed);  // relaxed: too high for a while does no harm
      break;
    }
  }
  let_go();
}

std::uint64_t phaser_core::phase_of(const phaser_member& m) const noexcept {
  switch (m.mode) {
    case phaser_mode::signal_only: return signals_of(m.given.load(memory_order_relaxed));  // relaxed: its own
    case phaser_mode::wait_only: return m.waited_for();
    case phaser_mode::signal_wait_next:
    case phaser_mode::signal_wait: break;
  }
  return m.arrived ? m.arrived_in : barrier_->phase();
}

// ---- signal ----

void phaser_core::signal(worker* w, phaser_member& m) {
  if (m.mode != phaser_mode::signal_only) {
    if (m.arrived) {
      return;
    }
    if (is_bounded()) {
      wait_for_room(w, m, barrier_->phase());
    }
    resume_member(current_worker(), m);
    return;
  }
  if (is_bounded()) {
    wait_for_room(w, m, signals_of(m.given.load(memory_order_relaxed)));  // relaxed: its own
  }
  seeded_point(current_worker());
  std::uint64_t given = m.given.load(memory_order_relaxed);  // relaxed: checked by the exchange
  // release: what the task did before, for who finds it ahead. acquire: where the bit is set, the phase has begun, and the arrival
  // below comes after that in the word (phaser P1). Both pair with turn_once()
  while (!m.given.compare_exchange_weak(given, (given + k_one_signal) & ~k_counted, memory_order_acq_rel,
                                        memory_order_relaxed)) {
  }
  if ((given & k_counted) != 0) {
    barrier_->subtract(current_worker(), barrier_word::k_arrival);
  }
}

bool phaser_core::is_among_waiters(const phaser_member& m) const noexcept {
  return m.mode == phaser_mode::wait_only || (is_bounded() && may_wait(m.mode));
}

// The slowest waiter was there at least: it only gets further, and where there is none, none comes.
bool phaser_core::has_room(std::uint64_t signalled) const noexcept {
  const std::uint64_t slowest =
      slowest_.load(memory_order_acquire);  // acquire: what it did; pairs with the release below
  return slowest == k_nobody || signalled + 1 - slowest <= bound_;
}

void phaser_core::find_slowest_locked() noexcept {
  std::uint64_t slowest = k_nobody;
  laggards_ = 0;
  for (phaser_member* m : waiters_) {
    m->seen = m->waited.load(memory_order_seq_cst);  // seq_cst: after roomless_ was raised (phaser P6)
    laggards_ = m->seen < slowest ? 1 : laggards_ + (m->seen == slowest ? 1U : 0U);
    slowest = std::min(slowest, m->seen);
  }
  looks_ += waiters_.size();
  slowest_.store(slowest, memory_order_release);  // release: what the slowest did
  // From here on whoever is seen among the slowest finds roomless_ raised when it passes.
  slowest_known_ = roomless_.load(memory_order_relaxed) != 0;  // relaxed: changed under the lock
}

// A waiter has passed, or leaves. One that was seen after it had passed counts no more.
void phaser_core::count_down_locked(phaser_member& m) noexcept {
  if (m.seen == slowest_.load(memory_order_relaxed)) {  // relaxed: under the lock
    m.seen = k_nobody;
    --laggards_;
  }
}

void phaser_core::roomless_no_more_locked(std::uint32_t n) noexcept {
  if (roomless_.fetch_sub(n, memory_order_relaxed) == n) {  // relaxed: too high for a while does no harm
    slowest_known_ = false;                                 // nobody counts down any more
  }
}

void phaser_core::wait_for_room(worker* w, phaser_member& m, std::uint64_t signalled) {
  if (has_room(signalled)) {
    return;
  }
  {
    const std::lock_guard hold(lock_);
    if (!slowest_known_) {
      find_slowest_locked();
    }
  }
  if (has_room(signalled)) {
    return;
  }
  return_credit(w, m);
  waiting_point here(*this, w, signalled);
  here.commit = wait_for_slower;
  here.describe = describe_room;
  suspend(here);
}

bool phaser_core::wait_for_slower(wait_point& p) {
  auto& here = static_cast<waiting_point&>(p);
  auto& core = *static_cast<phaser_core*>(p.object);
  const std::lock_guard hold(core.lock_);
  core.roomless_.fetch_add(1, memory_order_seq_cst);  // seq_cst: before the look at the waiters (phaser P6)
  if (!core.slowest_known_) {
    core.find_slowest_locked();
  }
  if (core.has_room(here.phase)) {
    core.roomless_no_more_locked(1);
    return false;
  }
  here.next = core.without_room_;
  core.without_room_ = &here;
  return true;
}

// Takes off those for whom `ready` holds, and counts them.
template <class F>
phaser_core::point_list phaser_core::take_if(point_list& points, std::uint32_t& count, F&& ready) noexcept {
  point_list taken = nullptr;
  point_list left = nullptr;
  while (points != nullptr) {
    waiting_point* const p = std::exchange(points, static_cast<waiting_point*>(points->next));
    const bool is_ready = ready(*p);
    count += is_ready ? 1U : 0U;
    ++looks_;
    point_list& to = is_ready ? taken : left;
    p->next = to;
    to = p;
  }
  points = left;
  return taken;
}

// Signallers that may go on, now that a waiter has passed or is about to leave. As long as others are as slow as the
// slowest was, there are none: so all waiters are looked at once each time the slowest gets on, and not each time one
// of them does.
phaser_core::point_list phaser_core::take_roomy_locked(phaser_member& m) noexcept {
  if (!slowest_known_) {
    return nullptr;  // nobody lacks room
  }
  count_down_locked(m);
  if (laggards_ != 0) {
    return nullptr;
  }
  find_slowest_locked();
  std::uint32_t taken = 0;
  const point_list roomy = take_if(without_room_, taken, [this](const waiting_point& p) { return has_room(p.phase); });
  if (taken != 0) {
    roomless_no_more_locked(taken);
  }
  return roomy;
}

void phaser_core::waiter_passed(phaser_member& m) noexcept {
  m.waited.store(m.waited_for() + 1, memory_order_seq_cst);  // seq_cst: before the look at who has no room (phaser P6)
  if (roomless_.load(memory_order_seq_cst) == 0) {
    return;
  }
  point_list roomy = nullptr;
  {
    const std::lock_guard hold(lock_);
    roomy = take_roomy_locked(m);
  }
  free_all(roomy);
}

void phaser_core::waiter_left(phaser_member& m) noexcept {
  point_list roomy = nullptr;
  {
    const std::lock_guard hold(lock_);
    remove(waiters_, m);
    roomy = take_roomy_locked(m);
  }
  free_all(roomy);
}

// ---- wait ----

bool phaser_core::has_passed(std::uint64_t phase) const noexcept {
  // acquire: what the last of those who signalled did; pairs with turn_once()
  return closed_.load(memory_order_acquire) || barrier_->phase_by_anyone() > phase;
}

void phaser_core::wait(worker* w, phaser_member& m, barrier_hint hint) {
  seeded_point(w);
  if (m.mode == phaser_mode::wait_only) {
    const std::uint64_t phase = m.waited_for();
    if (!has_passed(phase) && !barrier_->has_turned_soon(w, phase, hint)) {
      wait_off_list(w, phase);
    }
    if (!is_bounded()) {
      m.waited.store(phase + 1, memory_order_relaxed);  // relaxed: read by others for what they may forget
    }
  } else {
    if (!barrier_->has_turned_soon(w, m.arrived_in, hint)) {
      wait_off_list(w, m.arrived_in);
    }
    m.arrived = false;
  }
  if (is_bounded()) {
    waiter_passed(m);
  }
}

void phaser_core::wait_off_list(worker* w, std::uint64_t phase) {
  waiting_point here(*this, w, phase);
  here.commit = wait_for_turn;
  here.at = barrier_;
  suspend(here);
}

bool phaser_core::wait_for_turn(wait_point& p) {
  auto& here = static_cast<waiting_point&>(p);
  auto& core = *static_cast<phaser_core*>(p.object);
  const std::lock_guard hold(core.lock_);
  core.off_list_count_.fetch_add(1, memory_order_seq_cst);  // seq_cst: before the look at the phase (phaser P3)
  if (core.has_passed(here.phase)) {
    core.off_list_count_.fetch_sub(1, memory_order_relaxed);  // relaxed: too high for a while does no harm
    return false;
  }
  here.next = core.off_list_;
  core.off_list_ = &here;
  return true;
}

// Those that wait for a phase before this one.
phaser_core::point_list phaser_core::take_off_list_locked(std::uint64_t before) noexcept {
  std::uint32_t taken = 0;
  const point_list passed = take_if(off_list_, taken, [before](const waiting_point& p) { return p.phase < before; });
  if (taken != 0) {
    off_list_count_.fetch_sub(taken, memory_order_relaxed);  // relaxed: under the lock, and too high does no harm
  }
  return passed;
}

void phaser_core::free_off_list(worker* /*w*/, std::uint64_t phase) noexcept {
  point_list ready = nullptr;
  {
    const std::lock_guard hold(lock_);
    ready = take_off_list_locked(phase + 1);
  }
  free_all(ready);
}

void phaser_core::free_all(point_list points) noexcept {
  while (points != nullptr) {
    waiting_point* const p = std::exchange(points, static_cast<waiting_point*>(points->next));
    make_ready(current_worker(), *p);
  }
}

// ---- the phase turns ----

void phaser_core::turn(worker* w) noexcept {
  const std::shared_ptr<phaser_core> self = shared_from_this();  // tasks that go on may be the last who know it
  keep();
  do {
    complete(w, barrier_->phase_to_turn());
    // All that come this way have arrived, and nobody else looks at the list.
    if (waiting_point* const chosen = singles_; chosen != nullptr) {
      singles_ = static_cast<waiting_point*>(chosen->next);
      chosen->runs_its_body = true;
      make_ready(w, *chosen);  // it turns the phase, after its body
      break;
    }
  } while (turn_once(w));
  let_go();
}

// Nobody is pending. True: nobody is in the next phase, either.
bool phaser_core::turn_once(worker* w) noexcept {
  const barrier::waiting_ranges waiting = barrier_->collect(w);
  point_list passed = nullptr;
  point_list arrived = nullptr;
  std::uint64_t guard = 1;  // keeps the next phase until all is done
  bool last = false;
  {
    // With the lock, so that signallers that come, or leave ahead of the phase, find the word and their bits in step
    // (phaser P1).
    const std::lock_guard hold(lock_);
    last = barrier_->publish(guard) == 0;
    const std::uint64_t phase = barrier_->phase_to_turn();
    for (phaser_member* m : signallers_only_) {
      std::uint64_t given = m->given.load(memory_order_acquire);  // acquire: what it did; pairs with signal()
      while (signals_of(given) <= phase) {
        // release: this phase has begun; pairs with signal() (phaser P1). acquire on failure: as above
        if (m->given.compare_exchange_weak(given, given | k_counted, memory_order_release, memory_order_acquire)) {
          break;
        }
      }
      guard += signals_of(given) > phase ? 1U : 0U;
    }
    if (!last) {
      arrived = std::exchange(singles_, nullptr);
      passed = take_off_list_locked(phase);
    }
  }
  if (last) {  // nobody can bring in another signaller: whoever still waits passes from now on
    const std::uint64_t oldest = oldest_needed();
    for (const auto& a : active_) {
      a->complete_rest(w, barrier_->phase_to_turn(), oldest);
    }
    const std::lock_guard hold(lock_);
    closed_.store(true, memory_order_release);  // release: what all did who have signalled
    passed = take_off_list_locked(~std::uint64_t{0});
  }
  for (waiting_point* p = arrived; p != nullptr; p = static_cast<waiting_point*>(p->next)) {
    special_.fetch_sub(1, memory_order_relaxed);  // relaxed: too high for a while does no harm
  }
  barrier::release(w, waiting);
  free_all(passed);
  free_all(arrived);
  seeded_point(current_worker());  // all go on but for the guard
  return barrier_->remove_guard(guard) && !last;
}

// ---- next_single ----

// From the choice of the task to the end of its body: the turn of the phase is in its hands.
class phaser_core::single_in_progress {
public:
  explicit single_in_progress(phaser_core& core, phaser_member& m) noexcept : core_(core), member_(m) {
    member_.in_single = true;
    member_.goes_plainly = false;
  }
  ~single_in_progress() {
    member_.in_single = false;
    member_.goes_plainly = member_.is_plain;
    core_.special_.fetch_sub(1, memory_order_relaxed);  // relaxed: too high for a while does no harm
    const bool nobody_pending = core_.turn_once(current_worker());
    TACTUS_ALWAYS_ASSERT(!nobody_pending, "who has run the body of next_single is pending in the next phase");
    if (core_.is_bounded()) {
      core_.waiter_passed(member_);
    }
  }
  single_in_progress(const single_in_progress&) = delete;
  single_in_progress& operator=(const single_in_progress&) = delete;

private:
  phaser_core& core_;
  phaser_member& member_;
};

void phaser_core::next_single(worker* w, phaser_member& m, void (*body)(void*), void* argument) {
  if (is_bounded()) {
    wait_for_room(w, m, barrier_->phase());
    w = current_worker();
  }
  return_credit(w, m);
  m.arrived_in = barrier_->phase();
  m.arrived = true;
  waiting_point here(*this, w, m.arrived_in);
  here.commit = hand_in_single;
  here.at = barrier_;
  try {
    suspend(here);
  } catch (...) {
    m.arrived = here.has_arrived;
    throw;
  }
  m.arrived = false;
  if (here.runs_its_body) {
    const single_in_progress single(*this, m);
    body(argument);
  } else if (is_bounded()) {
    waiter_passed(m);
  }
}

bool phaser_core::hand_in_single(wait_point& p) {
  auto& here = static_cast<waiting_point&>(p);
  auto& core = *static_cast<phaser_core*>(p.object);
  here.has_arrived = true;
  core.special_.fetch_add(1, memory_order_relaxed);  // relaxed: the arrival carries it (phaser P2)
  {
    const std::lock_guard hold(core.lock_);
    here.next = core.singles_;
    core.singles_ = &here;
  }
  core.barrier_->subtract(current_worker(), barrier_word::k_arrival);  // the task may go on elsewhere from here on
  return true;
}

// ---- stuck programs ----

// Takes all waiters off, not one: only while no worker runs.
void phaser_core::cancel(wait_point& p) {
  auto& core = *static_cast<phaser_core*>(p.object);
  for (waiting_point* s = core.singles_; s != nullptr; s = static_cast<waiting_point*>(s->next)) {
    core.special_.fetch_sub(1, memory_order_relaxed);  // relaxed: no worker runs
  }
  core.singles_ = nullptr;
  core.off_list_ = nullptr;
  core.without_room_ = nullptr;
  core.roomless_.store(0, memory_order_relaxed);  // relaxed: as above
  core.slowest_known_ = false;
  core.off_list_count_.store(0, memory_order_relaxed);  // relaxed: as above
}

void phaser_core::describe(const wait_point& p, std::string& text) {
  const auto& here = static_cast<const waiting_point&>(p);
  const auto& core = *static_cast<const phaser_core*>(p.object);
  core.barrier_->describe(text, here.phase);
}

void phaser_core::describe_room(const wait_point& p, std::string& text) {
  const auto& here = static_cast<const waiting_point&>(p);
  const auto& core = *static_cast<const phaser_core*>(p.object);
  core.barrier_->describe(text, here.phase);
  text += ": to signal, which its slowest waiter has to let it (bound " + std::to_string(core.bound_) + ")";
  if (const reported_tasks* const report = reported_tasks::now(); report != nullptr) {
    core.describe_slowest(*report, text);
  }
}

// Among the tasks of a report: they stand still.
void phaser_core::describe_slowest(const reported_tasks& report, std::string& text) const {
  const task_frame* slowest = nullptr;
  std::uint64_t fewest = 0;
  for (const task_frame* const task : report.all()) {
    for (const local_value* v = task->locals; v != nullptr; v = v->next) {
      if (v->key != key_ || v->destroy != phaser_member::end) {
        continue;
      }
      const auto& m = *static_cast<const phaser_member*>(v);
      if (is_among_waiters(m) && (slowest == nullptr || m.waited_for() < fewest)) {
        slowest = task;
        fewest = m.waited_for();
      }
    }
  }
  if (slowest != nullptr) {
    text += ": " + report.name(slowest) + ", which has waited for " + std::to_string(fewest) +
            (fewest == 1 ? " phase" : " phases");
  }
}

bool phaser_core::is_awaited(const local_value& member) const noexcept {
  const auto& m = static_cast<const membership&>(member);
  if (is_clock || member.destroy != phaser_member::end) {
    return !m.arrived;
  }
  const auto& p = static_cast<const phaser_member&>(member);
  switch (p.mode) {
    case phaser_mode::wait_only: return false;
    case phaser_mode::signal_only:
      return (p.given.load(memory_order_relaxed) & k_counted) != 0;  // relaxed: nobody runs
    case phaser_mode::signal_wait_next:
    case phaser_mode::signal_wait: break;
  }
  return !m.arrived;
}

}  // namespace tactus::detail
