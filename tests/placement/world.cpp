// SPDX-License-Identifier: Apache-2.0
#include "placement/world.hpp"

#include <algorithm>
#include <utility>

namespace worlds {
namespace {

using tactus::detail::k_never;
using tactus::detail::move_cause;

constexpr std::int64_t k_long = 1'000'000'000;  // after it nothing is fresh or young

}  // namespace

plan drawn_plan(tactus::detail::rng& draw, int tasks, bool some_forever) {
  plan made;
  made.tasks.resize(static_cast<std::size_t>(tasks));
  for (int t = 1; t < tasks; ++t) {
    // Half of them of the one before, so that there are long chains and wide bursts.
    const auto parent =
        draw.chance(1, 2) ? static_cast<std::uint64_t>(t - 1) : draw.below(static_cast<std::uint64_t>(t));
    made.tasks[parent].children.push_back(t);
  }
  if (some_forever) {
    for (auto& t : made.tasks) t.forever = draw.chance(1, 4);
  }
  return made;
}

world::world(const plan& of)
    : plan_(&of), places_(static_cast<std::size_t>(of.places)), ran_(of.tasks.size()), ledger_(places_.size()) {
  for (int p = 0; p < of.places; ++p) {
    place& x = places_[static_cast<std::size_t>(p)];
    x.policy = tactus::detail::make_placement(of.policy,
                                              {.here = p, .places = of.places, .workers = of.workers, .seed = of.seed});
    if (of.change != nullptr) x.policy = of.change(std::move(x.policy), p);
    x.in_run = p == 0 || !of.some_late;
    x.workers.resize(static_cast<std::size_t>(of.workers));
    x.entry.resize(places_.size());
    x.interest = x.policy->interest(view_of(p, 0));
  }
  ledger_[0] = 1;
  places_[0].live = 1;
  places_[0].ring.push_back(0);
}

world::world(const world& other)
    : plan_(other.plan_),
      places_(other.places_.size()),
      messages_(other.messages_),
      ran_(other.ran_),
      now_(other.now_),
      ledger_(other.ledger_),
      released_(other.released_),
      alive_(other.alive_),
      spawned_(other.spawned_),
      steps_since_a_task_began_(other.steps_since_a_task_began_),
      mistake_(other.mistake_) {
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const place& from = other.places_[p];
    places_[p] = {from.policy->clone(), from.interest, from.in_run, from.early,      from.ring,
                  from.workers,         from.gives,    from.held,   from.last_taken, from.live,
                  from.entry,           from.late,     from.reports};
  }
}

std::vector<world::step> world::steps() const {
  std::vector<step> found;
  bool time_matters = false;
  if (is_over()) return reports();
  for (int p = 0; p < plan_->places; ++p) {
    const place& x = places_[static_cast<std::size_t>(p)];
    if (!x.in_run) found.push_back({step::enter, p, 0});
    for (int n = 0; n < plan_->workers; ++n) {
      const worker& w = x.workers[static_cast<std::size_t>(n)];
      if (w.task >= 0) {
        const plan::planned_task& t = plan_->tasks[static_cast<std::size_t>(w.task)];
        if (w.spawned < t.children.size()) {
          found.push_back({step::spawn, p, n});
        } else if (!t.forever) {
          found.push_back({step::end, p, n});
        }
      } else if (!x.ring.empty()) {
        found.push_back({step::take, p, n});
      } else if (w.looks && may_decide(x)) {
        found.push_back({step::look, p, n});
      }
    }
    if (!x.gives.empty()) found.push_back({step::give, p, 0});
    if (!x.reports.empty()) found.push_back({step::report, p, 0});
    if (!x.late.empty()) found.push_back({step::count_late, p, 0});
    if (wants_a_poll(x)) found.push_back({step::poll, p, 0});
    time_matters = time_matters || (x.interest.poll_at != k_never && x.interest.poll_at > now_);
  }
  for (std::size_t m = 0; m < messages_.size(); ++m)
    found.push_back({step::deliver, messages_[m].to, static_cast<int>(m)});
  if (time_matters) found.push_back({step::pass_time, 0, 0});
  return found;
}

std::vector<world::step> world::reports() const {
  std::vector<step> found;
  for (int p = 0; p < plan_->places; ++p) {
    if (!places_[static_cast<std::size_t>(p)].reports.empty()) found.push_back({step::report, p, 0});
  }
  return found;
}

// What a poll does it does once: a policy that has told what it waits for is asked then.
bool world::wants_a_poll(const place& x) const { return x.interest.poll_at <= now_; }

void world::carry_out(const step& s) {
  steps_since_a_task_began_ += s.what == step::poll || s.what == step::pass_time ? 0 : 1;
  place& x = places_[static_cast<std::size_t>(s.place)];
  const auto n = static_cast<std::size_t>(s.number);
  switch (s.what) {
    case step::enter: enter(s.place); break;
    case step::take: take(s.place, x.workers[n]); break;
    case step::look:
      x.workers[n].looks = false;
      x.workers[n].starved = true;
      tell(s.place, {.what = placement_event::starved});
      break;
    case step::spawn: spawn(s.place, x.workers[n]); break;
    case step::end: end(s.place, x.workers[n]); break;
    case step::give: give(s.place); break;
    case step::deliver: deliver(n); break;
    case step::report: apply_report(s.place); break;
    case step::count_late:
      ++x.entry[static_cast<std::size_t>(x.late.back())];
      x.late.pop_back();
      cut_if_dead(x);
      break;
    case step::poll: tell(s.place, {.what = placement_event::polled}); break;
    case step::pass_time: now_ += k_long; break;
  }
}

void world::enter(int p) {
  place& x = places_[static_cast<std::size_t>(p)];
  x.in_run = true;
  for (worker& w : x.workers) w.looks = w.looks || w.task < 0;
  for (const placement_event& e : std::exchange(x.early, {})) tell(p, e);
}

void world::take(int p, worker& w) {
  place& x = places_[static_cast<std::size_t>(p)];
  steps_since_a_task_began_ = 0;
  w = {.task = x.ring.back(), .looks = false, .began = now_};
  x.ring.pop_back();
  x.last_taken = now_;
  if (ran_[static_cast<std::size_t>(w.task)]) wrong("L3: a task runs twice");
  ran_[static_cast<std::size_t>(w.task)] = true;
  if (x.interest.everything || x.ring.size() < x.interest.low) tell(p, {.what = placement_event::began});
}

void world::spawn(int p, worker& w) {
  place& x = places_[static_cast<std::size_t>(p)];
  spawned_ = plan_->tasks[static_cast<std::size_t>(w.task)].children[w.spawned++];
  ++alive_;
  ++x.live;
  ++x.entry[static_cast<std::size_t>(p)];
  const int designated = designated_place(spawned_, p);
  if (designated == p) queue(p, spawned_);
  const bool is_told = designated == p && (x.interest.everything || x.ring.size() < x.interest.low);
  if (is_told || x.interest.spawns) tell(p, {.what = placement_event::spawned, .designated = designated});
  if (const int left = std::exchange(spawned_, -1); left >= 0 && designated != p) deal(p, designated, left);
}

int world::designated_place(int task, int spawner) const {
  const int said = plan_->tasks[static_cast<std::size_t>(task)].place;
  return said < 0 ? spawner : said % plan_->places;
}

// The one that is being told of; from the ring, if it was to wait here.
int world::take_spawned(int p) {
  if (designated_place(spawned_, p) == p) places_[static_cast<std::size_t>(p)].ring.pop_back();
  return std::exchange(spawned_, -1);
}

int world::take_held(place& x, std::uint32_t nonce) {
  const auto held = std::ranges::find(x.held, nonce, &std::pair<std::uint32_t, int>::first);
  const int task = held->second;
  x.held.erase(held);
  return task;
}

void world::deal(int from, int to, int task) {
  if (from == to) return queue(from, task);
  move(from, to, {task});
  send(to, {.what = placement_event::arrived, .why = move_cause::dealt, .from = from, .n = 1}, {task});
}

void world::end(int p, worker& w) {
  place& x = places_[static_cast<std::size_t>(p)];
  w = {};
  --alive_;
  --x.live;
  --x.entry[static_cast<std::size_t>(p)];
  cut_if_dead(x);
  if (x.interest.everything || x.ring.size() < x.interest.low) tell(p, {.what = placement_event::ended}, 1);
}

void world::queue(int p, int task) {
  place& x = places_[static_cast<std::size_t>(p)];
  x.ring.push_back(task);
  for (worker& w : x.workers) w.looks = w.looks || w.task < 0;  // whoever is parked wakes
}

place_view world::view_of(int p, int also_idle) const {
  const place& x = places_[static_cast<std::size_t>(p)];
  place_view v{.idle = also_idle,
               .flexible = x.ring.size(),
               .now = now_,
               .last_taken = x.last_taken,
               .youngest_began = k_never,
               .mean_task = 1000,
               .mean_move = 10,
               .rtt = 100,
               .poll = 1000};
  for (const worker& w : x.workers) {
    v.idle += w.starved ? 1 : 0;
    if (w.task >= 0) v.youngest_began = v.youngest_began == k_never ? w.began : std::max(v.youngest_began, w.began);
  }
  return v;
}

void world::tell(int p, const placement_event& e, int also_idle) {
  place& x = places_[static_cast<std::size_t>(p)];
  if (!may_decide(x)) return;
  std::vector<placement_action> actions;
  x.policy->decide(e, view_of(p, also_idle), actions);
  for (const placement_action& a : actions) carry_out(p, a);
  x.interest = x.policy->interest(view_of(p, 0));
}

void world::carry_out(int p, const placement_action& a) {
  place& x = places_[static_cast<std::size_t>(p)];
  const auto say = [&](placement_event::kind what) {
    send(a.to, {.what = what, .why = a.why, .from = p, .nonce = a.nonce, .load = a.load});
    messages_.back().is_heard = x.in_run;
  };
  switch (a.what) {
    case placement_action::hold: x.held.emplace_back(a.nonce, take_spawned(p)); break;
    case placement_action::keep: {
      const int task = take_held(x, a.nonce);
      deal(p, designated_place(task, p), task);
      break;
    }
    case placement_action::deal: deal(p, a.to, a.nonce == 0 ? take_spawned(p) : take_held(x, a.nonce)); break;
    case placement_action::give: x.gives.push_back(a); break;  // later: the owner may be faster
    case placement_action::ask: say(placement_event::asked); break;
    case placement_action::lifeline: say(placement_event::wanted); break;
    case placement_action::refuse: say(placement_event::refused); break;
    case placement_action::ask_load: say(placement_event::load_asked); break;
    case placement_action::tell_load: say(placement_event::load_told); break;
    case placement_action::flag: say(placement_event::flagged); break;
    case placement_action::unflag: say(placement_event::unflagged); break;
  }
}

void world::give(int p) {
  place& x = places_[static_cast<std::size_t>(p)];
  const placement_action a = x.gives.front();
  x.gives.erase(x.gives.begin());
  const std::size_t every = a.pick == placement_action::interleaved ? 2 : 1;
  std::vector<int> tasks;
  std::deque<int> kept;
  for (std::size_t i = 0; i < x.ring.size(); ++i) {
    if (i % every == 0 && tasks.size() < a.n) {
      tasks.push_back(x.ring[i]);
    } else {
      kept.push_back(x.ring[i]);
    }
  }
  x.ring = kept;
  if (tasks.empty())
    return tell(p, {.what = placement_event::gave_nothing, .why = a.why, .from = a.to, .nonce = a.nonce});
  move(p, a.to, tasks);
  const std::size_t n = tasks.size();
  send(a.to, {.what = placement_event::arrived, .why = a.why, .from = p, .nonce = a.nonce, .n = n}, std::move(tasks));
  messages_.back().is_heard = x.in_run;
}

void world::deliver(std::size_t number) {
  const message m = messages_[number];
  messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(number));
  place& x = places_[static_cast<std::size_t>(m.to)];
  for (worker& w : x.workers) w.looks = w.looks || w.task < 0;  // whatever comes wakes whoever is parked
  for (const int t : m.tasks) {
    ++x.live;
    if (plan_->counts == counting::by_the_receiver) ++x.entry[static_cast<std::size_t>(m.to)];
    queue(m.to, t);
  }
  if (!m.is_heard) return;
  if (x.in_run || !m.tasks.empty()) return tell(m.to, m.event);
  if (!plan_->forgets_early) x.early.push_back(m.event);
}

}  // namespace worlds
