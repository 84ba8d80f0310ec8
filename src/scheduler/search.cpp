// SPDX-License-Identifier: Apache-2.0
// Where a worker finds its next work: its own queues, then those of others, and else it sleeps.

#include "scheduler/scheduler.hpp"

#include <tactus/base/impl/cpus.hpp>

#include "base/probe.hpp"
#include "base/topology.hpp"
#include "scheduler/futex.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/seeded.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include <sched.h>

namespace tactus::detail {
namespace {

constexpr std::size_t k_steal_batch = 64;
constexpr std::chrono::nanoseconds k_cost_of_an_entry{40};         // to take one and to have it taken
constexpr std::chrono::nanoseconds k_cost_of_a_member{150};        // that, and to be released by somebody else
constexpr std::chrono::nanoseconds k_cost_of_a_continuation{300};  // whose stack moves
constexpr std::chrono::nanoseconds k_shortest_alone{5'000};
constexpr std::chrono::nanoseconds k_longest_alone{50'000};
constexpr std::chrono::nanoseconds k_nap{20'000};  // of which Linux makes about 70 us
constexpr int k_search_rounds = 48;                // about 50 us of looking before a worker sleeps
constexpr int k_rounds_of_patience = 7;            // about 2 us
constexpr int k_longest_pause = 7;                 // 2^7 pauses between two looks, at most
constexpr int k_longest_pause_far = 2;             // where only a look shows what has come
constexpr int k_search_rounds_far = 256;           // about 350 us, with what they poll

std::vector<int> usable_of_node(int processor, const std::vector<int>& usable) {
  const std::vector<int> node = numa_node_of(processor);
  std::vector<int> both;
  std::set_intersection(node.begin(), node.end(), usable.begin(), usable.end(), std::back_inserter(both));
  return both;
}

}  // namespace

// Where workers are not bound, none is known to be near another.
void scheduler::bind_workers() {
  const std::vector<int> usable = options_.bind == binding::none ? std::vector<int>() : affinity_processors();
  for (const int processor : usable) {
    bound_to_.push_back(options_.bind == binding::core ? std::vector{processor} : usable_of_node(processor, usable));
  }
  if (usable.empty() || options_.seed != 0) {
    victims_.emplace_back(workers_.size());
    return;
  }
  std::vector<int> processor_of(workers_.size());
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    processor_of[i] = usable[(static_cast<std::size_t>(seat_.first_worker) + i) % usable.size()];
  }
  for (const int own : processor_of) {
    const std::vector<std::vector<int>> around =
        options_.bind == binding::core ? neighbourhoods(own) : std::vector<std::vector<int>>{numa_node_of(own)};
    std::vector<std::size_t> distances(workers_.size());
    std::transform(processor_of.begin(), processor_of.end(), distances.begin(),
                   [&around](int other) { return distance_to(other, around); });
    victims_.emplace_back(distances);
  }
}

// The next thing that lies ready for w, but for what waits behind everything else.
TACTUS_ALWAYS_INLINE entry scheduler::take_own(worker* w) {
  if (const entry e = w->next_released_entry(); e) {
    return e;
  }
  if (const entry e = w->deque.pop(); e) {
    return e;
  }
  queued_task* t = w->affine.take();
  if (t == nullptr) {
    t = shared_.take();
  }
  if (t != nullptr) {
    w->join_run();
    return entry::task(t);
  }
  return {};
}

// ---- from outside ----

bool scheduler::inbox::poll(worker* w) noexcept {
  continuation* s = strands_.take_all();
  if (s == nullptr) {
    return false;
  }
  while (s != nullptr) {
    continuation* const next = s->next;
    w->deque.push(entry::continuation(s));
    s = next;
  }
  w->idle->notify();
  return true;
}

bool scheduler::inbox::may_come() const noexcept { return run_.has_unset_externals(); }

bool scheduler::poll_outside(worker* w) noexcept {
  bool any = false;
  for (outside_source* const s : outside_) {
    any = s->poll(w) || any;
  }
  return any;
}

bool scheduler::look_between_tasks(worker* w) noexcept {
  w->rounds_to_look = k_rounds_to_look;
  if (remote_ == nullptr) {
    return poll_outside(w);
  }
  const bool any = inbox_.poll(w);
  return remote_->poll_between_tasks(w) || any;
}

bool scheduler::outside_in_sight() const noexcept {
  return std::any_of(outside_.begin(), outside_.end(), [](const outside_source* s) { return s->in_sight(); });
}

bool scheduler::may_get_work() const noexcept {
  return std::any_of(outside_.begin(), outside_.end(), [](const outside_source* s) { return s->may_come(); });
}

entry scheduler::next_work(worker* w) {
  bool has_looked = false;  // with success: what it finds then may be the first that it has to do with this run
  for (;;) {
    seeded_point(w);
    seeded_stir(w);
    if (w->is_time_to_look_outside()) {
      has_looked = look_between_tasks(w) || has_looked;
    }
    if (const entry e = take_own(w); e) {
      if (has_looked) {
        w->join_run();  // not before there is something of the run: what comes between runs is only written off
      }
      return e;
    }
    if (w->open.is_open()) {
      publish_open(w);
      continue;
    }
    if (w->deferred.sum != 0) {
      w->hand_in_arrivals();  // may turn the phase, and then there are continuations to go on with
      continue;
    }
    if (poll_outside(w)) {
      has_looked = true;
      continue;
    }
    if (continuation* const s = w->yielded.pop(); s != nullptr) {
      return entry::continuation(s);
    }
    if (w->held != nullptr) {
      w->flush_all();  // dry: what this worker counted may complete a finish, whose body is then ready here
      continue;
    }
    if (leave_requested(w)) {
      if (w->seeded && w == callers_) {
        seeded_->settle(w);
      }
      return {};
    }
    if (const entry e = search(w); e) {
      return e;
    }
  }
}

entry scheduler::try_steal(worker* w, bool patient) {
  const victims& nearest_first = victims_[victims_.size() == 1 ? 0 : static_cast<std::size_t>(w->id)];
  return nearest_first.first_of(w->random, [this, w, patient](std::size_t other) {
    worker* const victim = workers_[other].get();
    return victim == w ? entry() : try_steal_from(w, victim, patient);
  });
}

entry scheduler::try_steal_from(worker* w, worker* victim, bool patient) {
  seeded_point(w);
  if (!victim->deque.looks_empty()) {
    ++w->counters.steals_tried;
    entry batch[k_steal_batch];
    const std::size_t got = victim->deque.steal_batch(batch, k_steal_batch);
    if (got != 0) {
      ++w->counters.steals_won;
      if (w->timeline != nullptr) {
        trace_steal(w, victim, got);
      }
      if (batch[0].is_continuation()) {
        ++w->counters.continuations_stolen;
      } else {
        w->counters.tasks_stolen += got;
        w->loot.entries = got;
        w->loot.cost = batch[0].is_member() ? k_cost_of_a_member : k_cost_of_an_entry;
        w->loot.since = std::chrono::steady_clock::now();
      }
      for (std::size_t k = got; k > 1; --k) {
        __builtin_prefetch(batch[k - 1].pointer());
        w->deque.push(batch[k - 1]);  // the oldest last, so that it is the first to be run here
      }
      return batch[0];
    }
  }
  if (continuation* const s = victim->yielded.pop(); s != nullptr) {
    ++w->counters.steals_tried;
    ++w->counters.steals_won;
    ++w->counters.continuations_stolen;
    return entry::continuation(s);
  }
  if (patient) {
    return {};  // what is best left to the worker that it lies with
  }
  if (continuation* const s = steal_released(w, victim); s != nullptr) {
    return entry::continuation(s);
  }
  if (queued_task* const t = victim->affine.take(); t != nullptr) {
    ++w->counters.invited_taken;
    return entry::task(t);
  }
  return {};
}

void scheduler::bring_from_others(worker* w) {
  // Released continuations only where there is room for them: while w has none of its own.
  if (const entry e = try_steal(w, has_work < source::block | source::released > (w)); e) {
    w->deque.push(e);
    idle_.notify();
  } else if (bring_open_batch(w)) {
    idle_.notify();
  }
}

continuation* scheduler::steal_released(worker* w, worker* victim) noexcept {
  if (victim->released.looks_empty()) {
    return nullptr;
  }
  ++w->counters.steals_tried;
  const released_work::block b = victim->released.steal();
  continuation* s = nullptr;
  if (b.first != b.last) {
    const auto n = static_cast<std::size_t>(b.last - b.first);
    w->counters.continuations_stolen += n;
    w->loot.entries = n;
    w->loot.cost = k_cost_of_a_continuation;
    w->loot.since = std::chrono::steady_clock::now();
    s = w->adopt(b);
  } else if (released_range* const ranges = victim->released.more.take_all(); ranges != nullptr) {
    for (const released_range* r = ranges; r != nullptr; r = r->next) {
      w->counters.continuations_stolen += r->count;
    }
    w->adopt(ranges);
    s = w->next_released();
  }
  if (s != nullptr) {
    ++w->counters.steals_won;
  }
  return s;
}

// A thief that was through with a batch sooner than taking it cost itself and its victim lets the victim alone for a while: each
// entry moves two cache lines to and fro, and who makes very small tasks is faster without that help (docs/protocols/deque.md).
void scheduler::let_the_victim_alone(worker* w) const noexcept {
  const std::size_t taken = std::exchange(w->loot.entries, 0);
  if (taken == 0) {
    return;  // it had its own work since
  }
  if (w->seeded || taken < k_steal_batch / 8) {
    w->loot.pause = {};
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - w->loot.since >= taken * w->loot.cost) {
    w->loot.pause = {};
    return;
  }
  w->loot.pause = std::clamp(4 * w->loot.pause, k_shortest_alone, k_longest_alone);
  // What a barrier releases has to be seen at once. Otherwise a thread that does nothing but look at the clock takes half of what the
  // victim has, where the two share a core.
  const bool may_nap = w->loot.cost == k_cost_of_an_entry && w->loot.pause > k_shortest_alone;
  while (std::chrono::steady_clock::now() - now < w->loot.pause &&
         !has_work < source::released | source::outside > (w) && !leave_requested(w)) {
    if (may_nap) {
      nap(k_nap);
    } else {
      pause_between_looks(w, k_longest_pause);
    }
  }
}

// Whether since its last search w has slept, or woken somebody.
bool scheduler::has_seen_sleep(const worker* w) noexcept {
  std::uint64_t& seen = sleeps_seen_[static_cast<std::size_t>(w->id)];
  const std::uint64_t now = w->counters.parks.value() + w->counters.wake_ups.value();
  return std::exchange(seen, now) != now;
}

entry scheduler::search(worker* w) {
  const bool yields_at_once = remote_ != nullptr && has_seen_sleep(w);
  let_the_victim_alone(w);  // not searching meanwhile: who makes work wakes a sleeper
  if (remote_ != nullptr) {
    remote_->search_begins(w);
  }
  idle_.begin_search();
  for (;;) {
    const int rounds = remote_ != nullptr && remote_->is_far() ? k_search_rounds_far : k_search_rounds;
    for (int round = 0; round < rounds; ++round) {
      poll_outside(w);
      entry e = take_own(w);  // from outside, or made ready while this worker resolved a deadlock
      if (!e) {
        // Released continuations are best left to the worker that they ran on, and invited tasks to the one they are for, if that
        // is through with them soon.
        e = try_steal(w, round < k_rounds_of_patience && !w->seeded);
      }
      if (e || leave_requested(w)) {
        idle_.end_search();
        if (e) {
          w->join_run();
        }
        if (remote_ != nullptr) {
          remote_->search_ends(w);
          if (e && remote_->in_sight()) {
            remote_->leaves_messages();
          }
        }
        if (e && has_work < source::released | source::deque | source::affine | source::shared > (w)) {
          idle_.notify();
        }
        return e;
      }
      // Not before its own messages have had their time: to look at those of others takes the line from who sends them.
      if (remote_ != nullptr && (round >= k_rounds_of_patience || w->seeded) && remote_->help_others(w)) {
        continue;  // what that made ready may be for this place
      }
      if ((workers_.size() == 1 && remote_ == nullptr) || w->seeded ||
          searches_once_.load(memory_order_relaxed)) {  // relaxed: a hint
        break;
      }
      pause_between_looks(w, yields_at_once ? std::max(round, k_longest_pause) : round);
    }
    park(w);
  }
}

// What a barrier releases for this worker ends the pause, and what comes from another place: the lines are this worker's own until then.
void scheduler::pause_between_looks(worker* w, int round) const noexcept {
  if (round >= k_longest_pause && (oversubscribed() || remote_ != nullptr)) {
    // Whoever has the work, or is to answer, may need this processor: kernels put who is woken where its waker runs, also beside an idle
    // processor, where that is a guest's and sleeps.
    ::sched_yield();
    if (oversubscribed()) {
      return;
    }
  }
  const int longest = remote_ != nullptr && remote_->is_far() ? k_longest_pause_far : k_longest_pause;
  for (int i = 1 << std::min(round, longest); i > 0 && w->released.looks_empty(); --i) {
    cpu_relax();
    if (remote_ != nullptr && remote_->in_sight()) {
      return;
    }
  }
}

bool scheduler::work_in_sight() const noexcept {
  return has_work < source::outside | source::shared > (nullptr) ||
         std::any_of(workers_.begin(), workers_.end(),
                     [this](const auto& v) { return has_work<source::open_to_thieves>(v.get()); });
}

void scheduler::park(worker* w) {
  idle_.announce(w);
  if (remote_ != nullptr) {
    remote_->is_about_to_park(w);
  }
  for (;;) {
    seeded_point(w);
    const bool found = work_in_sight() || leave_requested(w);
    if (found || open_batch_in_sight(w)) {
      if (!idle_.withdraw(w)) {
        idle_.sleep(w);  // somebody has woken us already: returns at once
      } else if (!found) {
        bring_open_batch(w);  // not before: on its way to us nobody sees it, and all could be asleep (batch B4)
      }
      return;
    }
    if (remote_ != nullptr) {
      remote_->falls_asleep(w);
      break;
    }
    std::uint64_t departures = 0;
    if (!run_.is_on_its_own() || !idle_.withdraw_if_all_asleep(w, departures)) {
      break;
    }
    if (run_.resolve_if_stuck(w, departures)) {
      return;
    }
    idle_.announce(w);
  }
  if (remote_ != nullptr && remote_->looks_asleep(w)) [[unlikely]] {
    sleep_lightly(w);
  }
  idle_.sleep(w);
}

// Until it is woken. After a while with nothing it looks less often.
void scheduler::sleep_lightly(worker* w) noexcept {
  constexpr std::chrono::microseconds k_pause{50};
  constexpr std::chrono::milliseconds k_until_rest{10};
  constexpr std::chrono::milliseconds k_rest{1};
  const auto begin = std::chrono::steady_clock::now();
  while (w->woken.load(memory_order_relaxed) == 0) {  // relaxed: sleep() looks again
    futex_wait_for(w->woken, 0, std::chrono::steady_clock::now() - begin < k_until_rest ? k_pause : k_rest);
    remote_->look_asleep(w);
  }
  remote_->wakes_up();
}

}  // namespace tactus::detail
