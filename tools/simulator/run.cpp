// SPDX-License-Identifier: Apache-2.0
// Tasks: what they spawn, who takes them, when they end.
#include "simulator/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace simulator {

run::run(const workload& work, const machine& on)
    : work_(work),
      on_(on),
      places_(static_cast<std::size_t>(on.places)),
      designated_(work.tasks.size(), -1),
      left_(work.tasks.size()) {
  std::int64_t bytes = 0;
  for (const task& t : work.tasks) bytes += t.bytes;
  const auto tasks = static_cast<std::int64_t>(std::max<std::size_t>(work.tasks.size(), 1));
  mean_move_ = on.cost.send + on.cost.receive + on_its_way(static_cast<std::uint64_t>(bytes / tasks));
  const std::int64_t mean_task = work.total_ns() / tasks;
  const bool near_is_near = on.group > 1 && 2 * on.near_latency_ns < on.latency_ns;
  for (int p = 0; p < on.places; ++p) {
    place& x = at(p);
    x.policy = tactus::detail::make_placement(on.policy, {.here = p,
                                                          .places = on.places,
                                                          .workers = on.workers,
                                                          .near_group = near_is_near ? on.group : 1,
                                                          .seed = on.seed,
                                                          .tuning = on.tuning});
    x.workers.resize(static_cast<std::size_t>(on.workers));
    x.idle = on.workers;
    x.mean_task = mean_task;  // as an earlier run would have told
    x.interest = x.policy->interest(view_of(p, 0));
  }
}

outcome run::to_the_end() {
  start_roots();
  while (left_ > 0 && !events_.empty()) {
    const event e = events_.pop();
    now_ = e.time;
    handle(e);
  }
  if (left_ > 0) throw std::logic_error("simulator: " + std::to_string(left_) + " tasks were lost");
  const double workers = on_.workers;
  const auto makespan = static_cast<double>(std::max<std::int64_t>(seen_.makespan_ns, 1));
  double mean = 0;
  for (const place& p : places_) {
    seen_.busy_ns += p.busy;
    mean += 100 * static_cast<double>(p.busy) / (workers * makespan) / on_.places;
  }
  double squares = 0;
  for (const place& p : places_) {
    const double off = 100 * static_cast<double>(p.busy) / (workers * makespan) - mean;
    squares += off * off;
  }
  seen_.utilisation_sigma = std::sqrt(squares / on_.places);
  seen_.efficiency = static_cast<double>(seen_.busy_ns) / (workers * on_.places * makespan);
  if (seen_.busy_ns != work_.total_ns()) throw std::logic_error("simulator: what was run is not what was to be run");
  return seen_;
}

void run::start_roots() {
  for (const std::uint32_t root : work_.roots) {
    const int p = work_.tasks[root].place % on_.places;  // a table may be of more places
    designated_[root] = p;
    queue(p, root);
  }
  for (int p = 0; p < on_.places; ++p) feed(p);
}

void run::handle(const event& e) {
  switch (e.of) {
    case event::task_ends: task_ends(e.place, e.worker, e.what); break;
    case event::message_comes: message_comes(e.place, e.what); break;
    case event::message_is_seen: message_is_seen(e.what); break;
    case event::says_it_starves: says_it_starves(e.place); break;
    case event::poll: poll(e.place); break;
  }
}

void run::task_ends(int p, int worker, task_number t) {
  place& x = at(p);
  const task& ended = work_.tasks[t];
  bool spawns_flexible = false;
  for (std::uint32_t i = 0; i < ended.children; ++i) {
    spawns_flexible = spawns_flexible || work_.tasks[ended.first_child + i].flexible;
    spawn(p, ended.first_child + i);
  }
  if (ended.flexible) {
    x.mean_task += (ended.ns - x.mean_task) / 16;
    ++x.ended;
    x.with_children += spawns_flexible ? 1 : 0;
  }
  x.busy += ended.ns;
  ++seen_.tasks;
  if (ended.result_bytes > 0 && designated_[t] != p) {
    send(p, {.what = message::result, .to = designated_[t], .event = {}, .moved = {}, .bytes = ended.result_bytes});
  } else {
    completed();
  }
  x.workers[static_cast<std::size_t>(worker)].runs = false;
  ++x.idle;
  if (ended.flexible) tell_if_wanted(p, placement_event::ended, 1);
  feed(p);
}

void run::completed() {
  --left_;
  seen_.makespan_ns = now_;
}

void run::spawn(int p, task_number t) {
  const task& spawned = work_.tasks[t];
  if (designated_[t] >= 0) throw std::logic_error("simulator: a task was spawned twice");
  designated_[t] = spawned.place == k_where_parent_runs ? p : spawned.place % on_.places;
  place& x = at(p);
  if (!spawned.flexible) {
    usual_mapping(p, t);
    return;
  }
  charge(p, on_.cost.pack);
  if (designated_[t] == p) x.flexible.push(t);
  const bool is_told = x.interest.everything || x.interest.spawns || x.flexible.size() < x.interest.low;
  if (is_told) {
    spawned_ = t;
    tell(p, {.what = placement_event::spawned, .designated = designated_[t]});
  }
  const bool is_left = !is_told || spawned_ == t;
  spawned_ = std::numeric_limits<task_number>::max();
  if (designated_[t] != p && is_left) usual_mapping(p, t);
}

void run::usual_mapping(int p, task_number t) {
  if (designated_[t] == p) {
    queue(p, t);
    return;
  }
  send_tasks(p, designated_[t], {.what = placement_event::arrived, .from = p, .n = 1}, {t});
}

void run::queue(int p, task_number t) {
  if (work_.tasks[t].flexible) {
    at(p).flexible.push(t);
  } else {
    at(p).sensitive.push_back(t);
  }
}

void run::feed(int p) {
  place& x = at(p);
  task_number t = 0;
  while (x.idle > 0 && take(p, t)) start(p, t);
  if (x.idle > x.starved) starve_later(p);
}

// What may leave is left for last.
bool run::take(int p, task_number& t) {
  place& x = at(p);
  if (!x.sensitive.empty()) {
    t = x.sensitive.back();
    x.sensitive.pop_back();
    return true;
  }
  if (x.flexible.size() == 0) return false;
  t = x.flexible.take_newest();
  x.last_taken = now_;
  return true;
}

void run::start(int p, task_number t) {
  place& x = at(p);
  const auto w = static_cast<std::size_t>(std::ranges::find(x.workers, false, &worker::runs) - x.workers.begin());
  --x.idle;
  const bool had_starved = x.starved > x.idle;
  x.starved = std::min(x.starved, x.idle);
  x.workers[w] = {true, now_, after(sum_of(work_.tasks[t].ns, std::exchange(x.debt, 0)))};
  events_.push(x.workers[w].until, event::task_ends, p, t, static_cast<int>(w));
  if (work_.tasks[t].flexible) {
    tell_if_wanted(p, placement_event::began);
  } else if (had_starved && x.interest.any_work) {
    tell(p, {.what = placement_event::began});
  }
}

}  // namespace simulator
