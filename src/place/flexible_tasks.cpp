// SPDX-License-Identifier: Apache-2.0
// Rings, and what workers tell the policy of their place. docs/protocols/placement.md.
#include "place/flexible_tasks.hpp"

#include <tactus/base/impl/cpus.hpp>

#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/seeded.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

// Before anything was measured, and always under a seed.
constexpr std::int64_t k_task_at_first = 50'000;
constexpr std::int64_t k_rtt_at_first = 10'000;
constexpr std::int64_t k_mean_move = 1'000;       // the task changes its owner
constexpr std::int64_t k_mean_move_far = 10'000;  // it goes to another process
constexpr std::int64_t k_poll = 50'000;           // of the thread of progress
constexpr std::int64_t k_point = 1'000;           // a scheduling point of a seed, as a time
constexpr std::uint64_t k_few_parents = 100;

// Tasks so short that reading the clock once more for each would be felt: of them one in so many is measured, a prime, lest they be all of
// a kind.
constexpr std::int64_t k_short_task = 5'000;
constexpr std::uint8_t k_tasks_to_a_measured = 7;

std::uint64_t patience_of(const config& options) {
  return static_cast<std::uint64_t>(options.tuning.failed_steals != 0 ? options.tuning.failed_steals : options.threads);
}

}  // namespace

flexible_tasks::flexible_tasks(place_node& node, starving_places* flags)
    : node_(node),
      scheduler_(node.here()),
      flags_(flags),
      seeded_(scheduler_.options().seed != 0),
      patience_(patience_of(scheduler_.options())),
      seats_(std::make_unique<seat[]>(seats())),
      mean_task_(k_task_at_first),
      rtt_(k_rtt_at_first),
      policy_(new_policy()) {
  look_at_interest(view(placement_event::polled));
}

std::unique_ptr<placement> flexible_tasks::new_policy() const {
  const config& options = scheduler_.options();
  return make_placement(options.placement, {.here = node_.number(),
                                            .places = options.places,
                                            .workers = options.threads,
                                            .near_group = near_group_,
                                            .seed = seeded_ ? options.seed : 1,
                                            .tuning = options.tuning,
                                            .flags = flags_});
}

void flexible_tasks::live_in_groups_of(int places) {
  near_group_ = places;
  policy_ = new_policy();
  look_at_interest(view(placement_event::polled));
}

// ---- how the place looks ----

std::int64_t flexible_tasks::now() const noexcept {
  if (seeded_) {
    return points_.load(memory_order_relaxed);  // relaxed: one thread
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Numbers that others change meanwhile: what is decided by them may be late, and is never wrong. So all is relaxed.
place_view flexible_tasks::view(placement_event::kind of) const noexcept {
  place_view v;
  v.idle = idle_.load(memory_order_relaxed) + (of == placement_event::ended ? 1 : 0);
  v.flexible = count_.load(memory_order_relaxed);
  v.now = now();
  v.last_taken = last_taken_.load(memory_order_relaxed);
  v.mean_task = mean_task_.load(memory_order_relaxed);
  v.mean_move = node_.is_far() ? k_mean_move_far : k_mean_move;
  v.rtt = rtt_.load(memory_order_relaxed);
  v.poll = k_poll;
  v.youngest_began = k_never;
  std::uint64_t ended = 0;
  std::uint64_t parents = 0;
  for (std::size_t i = 0; i < seats(); ++i) {
    const std::int64_t began = seats_[i].began.load(memory_order_relaxed);
    v.youngest_began = v.youngest_began == k_never ? began : std::max(v.youngest_began, began);
    v.sensitive += scheduler_.at(static_cast<int>(i)).deque.looks_size();
    ended += seats_[i].ended.value();
    parents += seats_[i].parents.value();
  }
  v.leaves = parents * k_few_parents < ended;
  return v;
}

void flexible_tasks::learn(atomic<std::int64_t>& mean, std::int64_t value) const noexcept {
  constexpr std::int64_t k_share = 16;
  if (!seeded_) {
    const std::int64_t before = mean.load(memory_order_relaxed);  // relaxed: an estimate; one that is lost does no harm
    mean.store(std::max<std::int64_t>(before + (value - before) / k_share, 1),
               memory_order_relaxed);  // relaxed: as above
  }
}

// Whoever holds the lock may be stopped for the report.
std::string flexible_tasks::text() {
  const std::size_t waiting =
      count_.load(memory_order_relaxed) + held_count_.load(memory_order_relaxed);  // relaxed: for a report
  if (waiting == 0) {
    return {};
  }
  const std::unique_lock lock(lock_, std::try_to_lock);
  return "tactus: place " + std::to_string(node_.number()) + ": " + std::to_string(waiting) +
         " place-flexible tasks have not started" + (lock.owns_lock() ? "; " + policy_->text() : std::string()) + '\n';
}

// ---- rings ----

void flexible_tasks::put(std::size_t ring, queued_task* t) noexcept {
  {
    flexible_ring& r = seats_[ring].ring;
    const std::lock_guard lock(r.mutex);
    r.push(t);
    // seq_cst: before the look at what the policy wants to hear; pairs with look_at_interest()
    count_.fetch_add(1, memory_order_seq_cst);
  }
}

void flexible_tasks::put_anywhere(queued_task* t) noexcept {
  put(next_ring_.fetch_add(1, memory_order_relaxed) % seats(), t);  // relaxed: any will do
}

// One, however many short ones there are: what is taken does not leave any more, and who it waits behind may turn out to be long.
queued_task* flexible_tasks::take_own(const worker* w) noexcept {
  flexible_ring& own = seat_of(w).ring;
  const std::lock_guard lock(own.mutex);
  queued_task* const t = own.newest();
  if (t != nullptr) {
    own.erase(t);
    count_.fetch_sub(1, memory_order_relaxed);  // relaxed: a hint that it is less
  }
  return t;
}

// What may not leave goes first, so that what may is there as long as possible: while a co-worker has any, that is to be stolen.
queued_task* flexible_tasks::take_from_others(const worker* w) noexcept {
  for (int i = 0; i < scheduler_.size(); ++i) {
    if (!scheduler_.at(i).deque.looks_empty()) {
      return nullptr;
    }
  }
  for (std::size_t i = 1; i < seats(); ++i) {
    flexible_ring& other = seats_[(static_cast<std::size_t>(w->id) + i) % seats()].ring;
    const std::lock_guard lock(other.mutex);
    if (queued_task* const t = other.oldest(); t != nullptr) {
      other.erase(t);
      count_.fetch_sub(1, memory_order_relaxed);  // relaxed: as above
      return t;
    }
  }
  return nullptr;
}

bool flexible_tasks::poll(worker* w) noexcept {
  if (seeded_) {
    points_.fetch_add(k_point, memory_order_relaxed);  // relaxed: one thread
  }
  come_by(w);
  if (count_.load(memory_order_relaxed) == 0 || !w->deque.looks_empty()) {  // relaxed: who parks looks again
    return false;
  }
  queued_task* t = take_own(w);
  if (t == nullptr) {
    t = take_from_others(w);
  }
  if (t == nullptr) {
    return false;
  }
  seat& s = seat_of(w);
  s.looks_in_vain = 0;
  s.taken = nullptr;
  if (s.is_starved || is_next_measured(s) || is_wanted()) {  // what a policy is about to be told is not to be late
    const std::int64_t at = now();
    last_taken_.store(at, memory_order_relaxed);  // relaxed: a time
    turns_to_work(s, at);
    s.taken = t;
  }
  w->deque.push(entry::task(t));
  if (tell_if_wanted(w, placement_event::began)) {
    s.taken = nullptr;  // what has been decided is no part of the task's time
  }
  return true;
}

// ---- what workers tell ----

// What is resident depends on more than a seed.
bool flexible_tasks::lacks_memory() const noexcept {
  const std::size_t limit = scheduler_.options().memory_bytes;
  return !seeded_ && limit != 0 && resident_memory() > limit;
}

bool flexible_tasks::is_wanted() const noexcept {
  // seq_cst: after put(); pairs with look_at_interest()
  return wants_everything_.load(memory_order_seq_cst) ||
         count_.load(memory_order_relaxed) < wants_below_.load(memory_order_relaxed);  // relaxed: hints
}

bool flexible_tasks::tell_if_wanted(worker* w, placement_event::kind what) noexcept {
  if (!is_wanted()) {
    return false;
  }
  const std::lock_guard lock(lock_);
  decide(w, {.what = what, .designated = node_.number()});
  return true;
}

void flexible_tasks::starves(worker* w, seat& s) noexcept {
  if (!scheduler_.run().is_active() || lacks_memory()) {
    return;
  }
  const std::lock_guard lock(lock_);
  if (run_ == 0) {
    return;  // it ends just now, or, seeded, has not begun
  }
  if (!s.is_starved) {
    s.is_starved = true;
    idle_.fetch_add(1, memory_order_relaxed);  // relaxed: see view()
    ++counts_.starvations;
  }
  decide(w, {.what = placement_event::starved});
}

void flexible_tasks::has_looked_in_vain(worker* w) noexcept {
  seat& s = seat_of(w);
  if (++s.looks_in_vain == patience_ && !s.is_starved) {
    starves(w, s);
  }
}

void flexible_tasks::is_about_to_park(worker* w) noexcept { starves(w, seat_of(w)); }

void flexible_tasks::has_found_work(worker* w) noexcept {
  if (turns_to_work(seat_of(w), now()) &&
      wants_any_work_.load(memory_order_relaxed)) {  // relaxed: it was set when this one starved
    const std::lock_guard lock(lock_);
    decide(w, {.what = placement_event::began, .designated = node_.number()});
  }
}

// Returns whether it had starved.
bool flexible_tasks::turns_to_work(seat& s, std::int64_t at) noexcept {
  s.looks_in_vain = 0;
  s.began.store(at, memory_order_relaxed);  // relaxed: see view()
  if (s.is_starved) {
    s.is_starved = false;
    idle_.fetch_sub(1, memory_order_relaxed);  // relaxed: see view()
    return true;
  }
  return false;
}

bool flexible_tasks::is_next_measured(const seat& s) const noexcept {
  // relaxed: an estimate
  return mean_task_.load(memory_order_relaxed) > k_short_task || s.unmeasured + 1 == k_tasks_to_a_measured;
}

// As a rule the clock has been read when it was taken.
std::int64_t flexible_tasks::begins(const worker* w, const queued_task* t, bool has_moved) noexcept {
  seat& s = seat_of(w);
  const bool is_measured = is_next_measured(s);
  if (!is_measured) {
    ++s.unmeasured;
  } else {
    s.unmeasured = 0;
    if (s.taken != t) {
      s.began.store(now(), memory_order_relaxed);  // relaxed: see view()
    }
  }
  s.taken = nullptr;
  if (!has_moved) {
    ++s.kept;
  }
  return is_measured ? s.began.load(memory_order_relaxed) : k_never;  // relaxed: w's own
}

placement_counts flexible_tasks::counts() const noexcept {
  placement_counts all = counts_.seen();
  for (std::size_t i = 0; i < seats(); ++i) {
    all.kept += seats_[i].kept.value();
    all.spawned += seats_[i].spawned.value();
  }
  return all;
}

void flexible_tasks::ends(worker* w, std::int64_t began, bool had_flexible_children) noexcept {
  seat& s = seat_of(w);
  if (began != k_never) {
    learn(mean_task_, now() - began);
  }
  ++s.ended;
  if (had_flexible_children) {
    ++s.parents;
  }
  tell_if_wanted(w, placement_event::ended);
}

void flexible_tasks::let_time_pass(const flexible_tasks& as_at) noexcept {
  if (seeded_) {
    points_.store(std::max(points_.load(memory_order_relaxed), as_at.points_.load(memory_order_relaxed)),
                  memory_order_relaxed);  // relaxed: one thread
  }
}

bool flexible_tasks::is_due() const noexcept {
  const std::int64_t at = wants_at_.load(memory_order_relaxed);  // relaxed: a time
  return at != k_never && now() >= at;
}

void flexible_tasks::come_by(worker* w) noexcept {
  if (is_due() && lock_.try_lock()) {
    const std::lock_guard lock(lock_, std::adopt_lock);
    decide(w, {.what = placement_event::polled});
  }
}

// Before anybody here can starve in it. Others may be in it since before, and what they have said is heard now.
void flexible_tasks::run_begins(worker* w) noexcept {
  if (seeded_) {
    return;  // begin_anew() follows: virtual workers that come to rest before that tell the policy nothing
  }
  const std::lock_guard lock(lock_);
  run_ = last_run_ = scheduler_.run().number();
  std::vector<std::pair<int, placement_note>> early = std::exchange(early_, {});
  const auto later = std::partition(early.begin(), early.end(), [this](const auto& e) { return e.second.run <= run_; });
  early_.assign(later, early.end());
  for (auto e = early.begin(); e != later; ++e) {
    hear_locked(w, e->first, e->second);
  }
}

// What is measured does not change under a seed. Relaxed: there is one thread.
void flexible_tasks::begin_anew() noexcept {
  const std::lock_guard lock(lock_);
  try {
    policy_ = new_policy();
  } catch (const std::bad_alloc& why) {
    end_without_memory("a policy of placement needs memory", why.what());
  }
  for (std::size_t i = 0; i < seats(); ++i) {
    seats_[i].looks_in_vain = 0;
    seats_[i].is_starved = false;
    seats_[i].unmeasured = 0;
    seats_[i].taken = nullptr;
    seats_[i].began.store(0, memory_order_relaxed);
    seats_[i].ended.begin_anew();
    seats_[i].parents.begin_anew();
  }
  next_ring_.store(0, memory_order_relaxed);
  idle_.store(0, memory_order_relaxed);
  points_.store(0, memory_order_relaxed);
  last_taken_.store(0, memory_order_relaxed);
  run_ = last_run_ = scheduler_.run().number();
  look_at_interest(view(placement_event::polled));
}

void flexible_tasks::run_is_over() noexcept {
  const std::lock_guard lock(lock_);
  run_ = 0;
  policy_->reset();
  asked_.clear();
  look_at_interest(view(placement_event::polled));
}

}  // namespace tactus::detail
