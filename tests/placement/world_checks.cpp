// SPDX-License-Identifier: Apache-2.0
// How a world counts the tasks of its finish, what has to hold in the end, and when two worlds are equal.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "placement/world.hpp"

namespace worlds {

// The finish, as docs/protocols/placement.md has it: end here and spawn there, in one cut, before the task is sent.
void world::move(int from, int to, const std::vector<int>& tasks) {
  place& x = places_[static_cast<std::size_t>(from)];
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    --x.live;
    if (plan_->counts == counting::not_at_all) continue;
    --x.entry[static_cast<std::size_t>(from)];
    if (plan_->counts == counting::in_two_cuts) cut_if_dead(x);
    if (plan_->counts == counting::after_it_was_sent) {
      x.late.push_back(to);
    } else if (plan_->counts != counting::by_the_receiver) {
      ++x.entry[static_cast<std::size_t>(to)];
    }
  }
  if (plan_->counts == counting::in_two_cuts) return cut(x);
  cut_if_dead(x);
}

void world::cut(place& x) {
  x.reports.push_back(x.entry);
  std::ranges::fill(x.entry, 0);
}

void world::cut_if_dead(place& x) {
  if (x.live == 0) cut(x);
}

void world::apply_report(int p) {
  place& x = places_[static_cast<std::size_t>(p)];
  for (std::size_t q = 0; q < ledger_.size(); ++q) ledger_[q] += x.reports.front()[q];
  x.reports.pop_front();
  if (std::ranges::any_of(ledger_, [](int n) { return n != 0; })) return;
  if (alive_ > 0) wrong("M1: the finish is released while tasks live");
  released_ = true;
}

void world::check_the_end() {
  bool sleeps = false;
  bool waits = false;
  for (const place& x : places_) {
    const bool idle = std::ranges::any_of(x.workers, [](const worker& w) { return w.task < 0; });
    sleeps = sleeps || (idle && x.ring.empty());
    waits = waits || !x.ring.empty();
    if (!x.held.empty()) wrong("L3: a task is held for ever");
  }
  if (sleeps && waits) wrong("L1: a place sleeps while a task waits");
  if (alive_ == 0 && !released_) wrong("M2: the finish is not released");
  if (waits) return;
  for (std::size_t t = 0; t < ran_.size(); ++t) {
    const bool spawns = ran_[t];  // who runs has spawned all of its children by now
    for (const int child : plan_->tasks[t].children) {
      if (spawns && !ran_[static_cast<std::size_t>(child)]) wrong("L3: a task was lost");
    }
  }
}

std::string world::text() const {
  std::string all;
  const auto number = [&all](std::int64_t n) { all += std::to_string(n) + ','; };
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const place& x = places_[p];
    const place_view v = view_of(static_cast<int>(p), 0);
    all += x.in_run ? "" : "|not in the run";
    for (const placement_event& e : x.early) number(e.what * 1000 + e.from);
    all += x.policy->text() + (now_ > x.last_taken ? "|stale" : "|fresh") +
           (now_ > v.youngest_began ? "|old" : "|young") +
           (x.interest.poll_at <= now_                      ? "|due"
            : x.interest.poll_at == tactus::detail::k_never ? "|silent"
                                                            : "|later") +
           "|ring";
    for (const int t : x.ring) number(t);
    all += "|workers";
    for (const worker& w : x.workers) {
      number(w.task);
      number(static_cast<std::int64_t>(w.spawned));
      all += w.looks ? "l" : w.starved ? "s" : "-";
    }
    all += "|gives";
    for (const auto& a : x.gives) {
      number(a.to);
      number(static_cast<std::int64_t>(a.n));
      number(static_cast<int>(a.why));
    }
    all += "|finish";
    number(x.live);
    for (const int n : x.entry) number(n);
    for (const auto& r : x.reports) {
      all += '/';
      for (const int n : r) number(n);
    }
  }
  std::vector<std::string> under_way;
  for (const message& m : messages_) {
    std::string one = std::to_string(m.to) + '<' + std::to_string(m.event.from) + ':' + std::to_string(m.event.what) +
                      std::to_string(static_cast<int>(m.event.why));
    for (const int t : m.tasks) one += '+' + std::to_string(t);
    if (!m.is_heard) one += '~';
    under_way.push_back(one);
  }
  std::ranges::sort(under_way);
  for (const auto& one : under_way) all += one + ' ';
  return all;
}

}  // namespace worlds
