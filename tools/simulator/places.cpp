// SPDX-License-Identifier: Apache-2.0
// Places: what their policies are told and decide, what they send each other, and what that costs.
#include "simulator/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace simulator {
namespace {

using tactus::detail::k_never;
using tactus::detail::move_cause;

constexpr std::uint64_t k_bytes_of_message = 64;
constexpr std::uint64_t k_bytes_of_parcel = 24;  // besides its task's
constexpr std::uint64_t k_most_bytes_given = 64 * 1024;
constexpr double k_longest_message = 1e15;    // nanoseconds, eleven days
constexpr std::uint32_t k_enough_ended = 16;  // to know whether tasks spawn
constexpr task_number k_no_task = std::numeric_limits<task_number>::max();

}  // namespace

outcome simulate(const workload& work, const machine& on) { return run(work, on).to_the_end(); }

tactus::detail::place_view run::view_of(int p, int also_idle) const {
  const place& x = at(p);
  std::int64_t youngest = -1;
  for (const worker& w : x.workers) youngest = w.runs ? std::max(youngest, w.began) : youngest;
  return {.idle = x.starved + also_idle,
          .flexible = x.flexible.size(),
          .sensitive = x.sensitive.size(),
          .now = now_,
          .last_taken = x.last_taken,
          .youngest_began = youngest < 0 ? k_never : youngest,
          .mean_task = x.mean_task,
          .mean_move = mean_move_,
          .rtt = 2 * on_.latency_ns,
          .poll = std::min(on_.cost.poll, x.mean_task),
          .leaves = x.ended >= k_enough_ended && std::uint64_t{100} * x.with_children < x.ended};
}

void run::tell(int p, const placement_event& event, int also_idle) {
  place& x = at(p);
  std::vector<placement_action> actions;
  if (!lists_.empty()) {
    actions = std::move(lists_.back());
    lists_.pop_back();
  }
  x.policy->decide(event, view_of(p, also_idle), actions);
  for (const placement_action& a : actions) carry_out(p, a, spawned_);
  actions.clear();
  lists_.push_back(std::move(actions));
  x.interest = x.policy->interest(view_of(p, 0));  // as in the library
  poll_in_time(p);
}

// Of flexible tasks, as in the library.
void run::tell_if_wanted(int p, placement_event::kind what, int also_idle) {
  const place& x = at(p);
  if (x.interest.everything || x.flexible.size() < x.interest.low) tell(p, {.what = what}, also_idle);
}

void run::carry_out(int p, const placement_action& a, task_number spawned) {
  const auto say = [&](placement_event::kind what) {
    send(p, {.what = message::of_policy,
             .to = a.to,
             .event = {.what = what, .why = a.why, .from = p, .nonce = a.nonce, .load = a.load},
             .moved = {},
             .bytes = 0});
  };
  switch (a.what) {
    case placement_action::hold:
      if (designated_[spawned] == p) at(p).flexible.take_newest();
      at(p).held.emplace_back(a.nonce, spawned);
      spawned_ = k_no_task;
      break;
    case placement_action::keep: {
      const task_number t = take_held(p, a.nonce);
      usual_mapping(p, t);
      feed(p);
      break;
    }
    case placement_action::deal: deal(p, a, spawned); break;
    case placement_action::give: give(p, a); break;
    case placement_action::ask: say(placement_event::asked); break;
    case placement_action::lifeline: say(placement_event::wanted); break;
    case placement_action::refuse: say(placement_event::refused); break;
    case placement_action::ask_load: say(placement_event::load_asked); break;
    case placement_action::tell_load: say(placement_event::load_told); break;
    case placement_action::flag: say(placement_event::flagged); break;
    case placement_action::unflag: say(placement_event::unflagged); break;
  }
}

void run::deal(int p, const placement_action& a, task_number spawned) {
  task_number t = spawned;
  if (a.nonce != 0) {
    t = take_held(p, a.nonce);
  } else {
    if (designated_[t] == p) at(p).flexible.take_newest();
    spawned_ = k_no_task;
  }
  if (a.to == p) {
    queue(p, t);
    feed(p);
    return;
  }
  ++seen_.moves;
  send_tasks(p, a.to, {.what = placement_event::arrived, .why = move_cause::dealt, .from = p, .n = 1}, {t});
}

task_number run::take_held(int p, std::uint32_t nonce) {
  auto& held = at(p).held;
  const auto found = std::ranges::find(held, nonce, &std::pair<std::uint32_t, task_number>::first);
  const task_number t = found->second;
  held.erase(found);
  return t;
}

void run::give(int p, const placement_action& a) {
  std::uint64_t bytes = 0;
  std::vector<task_number> given = at(p).flexible.take(a.n, a.pick, [&](task_number t) {
    const bool is_first = bytes == 0;
    bytes += work_.tasks[t].bytes + k_bytes_of_parcel;
    return is_first || bytes <= k_most_bytes_given;
  });
  if (given.empty()) {
    tell(p, {.what = placement_event::gave_nothing, .why = a.why, .from = a.to, .nonce = a.nonce});
    return;
  }
  seen_.moves += given.size();
  const std::size_t n = given.size();
  send_tasks(p, a.to, {.what = placement_event::arrived, .why = a.why, .from = p, .nonce = a.nonce, .n = n},
             std::move(given));
}

void run::send_tasks(int from, int to, placement_event arrival, std::vector<task_number> moved) {
  std::uint64_t bytes = 0;
  for (const task_number t : moved) bytes += work_.tasks[t].bytes + k_bytes_of_parcel;
  send(from, {.what = message::tasks, .to = to, .event = arrival, .moved = std::move(moved), .bytes = bytes});
}

void run::send(int from, message m) {
  ++seen_.messages;
  m.bytes += k_bytes_of_message;
  const int to = m.to;
  const std::int64_t bytes_ns = on_its_way(m.bytes);
  charge(from, on_.cost.send + bytes_ns / 2);
  std::uint32_t number = 0;
  if (free_.empty()) {
    number = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back(std::move(m));
  } else {
    number = free_.back();
    free_.pop_back();
    messages_[number] = std::move(m);
  }
  events_.push(after(latency(from, to) + bytes_ns), event::message_comes, to, number);
}

// A place with an idle worker looks for messages all the time, others when a task ends and now and then.
void run::message_comes(int p, std::uint32_t number) {
  const place& x = at(p);
  if (x.idle > 0) {
    message_is_seen(number);
    return;
  }
  std::int64_t seen = after(on_.cost.poll);
  for (const worker& w : x.workers) seen = std::min(seen, w.until);
  events_.push(std::max(seen, now_), event::message_is_seen, p, number);
}

void run::message_is_seen(std::uint32_t number) {
  const message m = std::move(messages_[number]);
  free_.push_back(number);
  charge(m.to, on_.cost.receive);
  switch (m.what) {
    case message::result:
      charge(m.to, on_.cost.result + time_of(m.bytes, on_.cost.result_per_byte));
      completed();
      break;
    case message::of_policy: tell(m.to, m.event); break;
    case message::tasks:
      for (const task_number t : m.moved) queue(m.to, t);
      feed(m.to);
      if (work_.tasks[m.moved.front()].flexible) tell(m.to, m.event);  // else it is the only one
      if (at(m.to).idle > 0) starve_later(m.to);                       // who was woken and found nothing
      break;
  }
}

void run::starve_later(int p) {
  place& x = at(p);
  if (x.says_it_starves) return;
  x.says_it_starves = true;
  const int n = on_.tuning.failed_steals > 0 ? on_.tuning.failed_steals : on_.workers;
  events_.push(after(n * on_.cost.failed_steal), event::says_it_starves, p);
}

void run::says_it_starves(int p) {
  place& x = at(p);
  x.says_it_starves = false;
  if (x.idle == 0) return;
  x.starved = x.idle;
  tell(p, {.what = placement_event::starved});
}

void run::poll(int p) {
  place& x = at(p);
  if (x.polled_at > now_) return;  // another one is under way
  x.polled_at = k_never;
  if (x.interest.poll_at <= now_) {
    tell(p, {.what = placement_event::polled});
  } else {
    poll_in_time(p);  // the moment was put off
  }
}

void run::poll_in_time(int p) {
  place& x = at(p);
  if (x.interest.poll_at >= x.polled_at) return;
  x.polled_at = std::max(x.interest.poll_at, now_);
  events_.push(x.polled_at, event::poll, p);
}

// Where a worker is idle, it is its time, which costs nothing.
void run::charge(int p, std::int64_t ns) {
  if (at(p).idle == 0) at(p).debt = sum_of(at(p).debt, ns);
}

std::int64_t run::latency(int a, int b) const {
  return a / on_.group == b / on_.group ? on_.near_latency_ns : on_.latency_ns;
}

std::int64_t run::on_its_way(std::uint64_t bytes) const { return time_of(bytes, on_.cost.per_byte); }

std::int64_t run::time_of(std::uint64_t bytes, double per_byte) {
  const double ns = per_byte * static_cast<double>(bytes);
  if (ns > k_longest_message)
    throw bad_input("--costs: a message of " + std::to_string(bytes) + " bytes takes longer than 1e15 ns");
  return std::llround(ns);
}

}  // namespace simulator
