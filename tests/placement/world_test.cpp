// SPDX-License-Identifier: Apache-2.0
// Every order of events in very small worlds, random orders in larger ones: whatever the order, the invariants of
// docs/protocols/placement.md hold; and they fail where a mistake is planted. PLACEMENT_WORLDS=N makes so many worlds (./dev soak worlds),
// FULL_SCALE=1 a million.
#include "placement/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <unordered_set>
#include <vector>

#include "placement/mistakes.hpp"
#include "support/scale.hpp"

namespace {

using tactus::detail::rng;
using worlds::counting;
using worlds::plan;
using worlds::world;

// More steps without a task that begins than any of these worlds needs. Each may tell each that it starves.
int longest_journey(const plan& of) { return 3000 + 200 * of.places + 4 * of.places * of.places; }

std::string journey(const world& w, const plan& of) {
  return w.steps_since_a_task_began() > longest_journey(of) ? "L2: tasks travel, or places talk, for ever" : "";
}

// Nothing can come but time.
bool only_waits(const std::vector<world::step>& steps) {
  return std::ranges::all_of(
      steps, [](const world::step& s) { return s.what == world::step::poll || s.what == world::step::pass_time; });
}

// One order of events, drawn; what is wrong, or "".
std::string run(const plan& of, rng& draw) {
  constexpr int patience = 300;  // who has not done anything by then never will
  world w(of);
  for (int waited = 0; waited < patience;) {
    const auto steps = w.steps();
    if (steps.empty()) break;
    waited = only_waits(steps) ? waited + 1 : 0;
    w.carry_out(steps[draw.below(steps.size())]);
    if (!w.mistake().empty()) return w.mistake();
    if (std::string endless = journey(w, of); !endless.empty()) return endless;
  }
  w.check_the_end();
  return w.mistake();
}

bool has_lifelines(tactus::placement_policy p) {
  return p == tactus::placement_policy::hybrid || p == tactus::placement_policy::lifeline;
}

bool goes_on_asking(tactus::placement_policy p) { return p == tactus::placement_policy::random_stealing; }

// All orders of events.
class exploration {
public:
  explicit exploration(const plan& of) { visit(world(of)); }

  std::string mistake;
  std::size_t states = 0;

private:
  void visit(world first) {
    std::vector<world> to_visit;
    to_visit.push_back(std::move(first));
    while (!to_visit.empty() && mistake.empty()) {
      world w(to_visit.back());
      to_visit.pop_back();
      if (!seen_.insert(std::hash<std::string>{}(w.text())).second) continue;
      ++states;
      const auto steps = w.steps();
      if (steps.empty()) w.check_the_end();
      for (const world::step& s : steps) {
        world next(w);
        next.carry_out(s);
        if (!next.mistake().empty()) mistake = next.mistake();
        to_visit.push_back(std::move(next));
      }
      if (!w.mistake().empty()) mistake = w.mistake();
    }
  }

  std::unordered_set<std::size_t> seen_;
};

plan tree(std::vector<std::vector<int>> children, std::vector<int> forever, int places) {
  plan made;
  for (auto& of_one : children) made.tasks.push_back({std::move(of_one), false});
  for (const int t : forever) made.tasks[static_cast<std::size_t>(t)].forever = true;
  made.places = places;
  return made;
}

TEST(small_worlds, hold_in_every_order_of_events) {
  std::size_t states = 0;
  for (const plan& p : {tree({{1}, {}}, {}, 2), tree({{1}, {}}, {0}, 2), tree({{1, 2}, {}, {}}, {0}, 2)}) {
    const exploration all(p);
    EXPECT_EQ(all.mistake, "");
    std::printf("%zu states\n", all.states);
    states += all.states;
  }
  EXPECT_GT(states, 1000U);
}

class random_worlds : public testing::TestWithParam<tactus::placement_policy> {};
INSTANTIATE_TEST_SUITE_P(policies, random_worlds,
                         testing::Values(tactus::placement_policy::none, tactus::placement_policy::work_dealing,
                                         tactus::placement_policy::eager_dealing, tactus::placement_policy::lifeline,
                                         tactus::placement_policy::hybrid, tactus::placement_policy::random_stealing,
                                         tactus::placement_policy::sender_threshold,
                                         tactus::placement_policy::proportional));

// They are spoken to before they are in the run, and get tasks.
void let_places_be_late(plan& p, rng& draw) {
  p.some_late = true;
  for (plan::planned_task& t : p.tasks) t.place = draw.chance(1, 4) ? static_cast<int>(draw.below(64)) : -1;
}

plan drawn_world(rng& draw, tactus::placement_policy policy) {
  const bool is_large = draw.chance(1, 200);
  const int tasks = static_cast<int>(1 + draw.below(is_large ? 60 : 9));
  const bool some_forever = draw.chance(2, 3) && has_lifelines(policy);
  plan p = worlds::drawn_plan(draw, tasks, some_forever);
  p.policy = policy;
  p.is_silent = !goes_on_asking(policy);
  p.places = static_cast<int>(1 + draw.below(is_large ? 64 : 5));
  p.workers = static_cast<int>(1 + draw.below(3));
  const bool some_are_late = draw.chance(1, 4);
  p.seed = draw();
  if (some_are_late) let_places_be_late(p, draw);
  return p;
}

// Eight in eleven have lifelines: of those most is promised.
std::size_t worlds_of(tactus::placement_policy policy) {
  const char* const wish = std::getenv("PLACEMENT_WORLDS");
  const std::size_t all =
      wish != nullptr ? std::strtoull(wish, nullptr, 10) : support::scaled_or_full(18'000, 1'000'000);
  return has_lifelines(policy) ? all * 4 / 11 : all / 22;
}

TEST_P(random_worlds, hold_in_random_orders_of_events) {
  const bool keeps_l1 = has_lifelines(GetParam());
  const std::size_t worlds = worlds_of(GetParam());
  std::printf("%zu worlds\n", worlds);
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    rng draw(seed, static_cast<std::uint64_t>(GetParam()));
    const plan p = drawn_world(draw, GetParam());
    std::string mistake = run(p, draw);
    // Without lifelines a place may sleep beside work, if its owner has no end.
    if (!keeps_l1 && mistake.starts_with("L1")) mistake = "";
    ASSERT_EQ(mistake, "") << "seed " << seed << ": " << p.places << " places, " << p.workers << " workers, "
                           << p.tasks.size() << " tasks";
  }
}

// Which mistake is found, and by what; "" if none is in so many worlds.
std::string found_in_random_worlds(plan (*draw_plan)(rng&), int worlds) {
  for (int seed = 1; seed <= worlds; ++seed) {
    rng draw(static_cast<std::uint64_t>(seed));
    const plan p = draw_plan(draw);
    if (std::string mistake = run(p, draw); !mistake.empty()) {
      std::printf("world %d: %s\n", seed, mistake.c_str());
      return mistake.substr(0, 2);
    }
  }
  return "";
}

template <worlds::misheard::hearing Hears, worlds::misheard::saying Says>
plan drawn_with(rng& draw) {
  plan p = drawn_world(draw, tactus::placement_policy::hybrid);
  p.change = &worlds::with<Hears, Says>;
  return p;
}

constexpr int k_worlds = 100'000;

TEST(planted_mistakes, in_policies_are_found) {
  EXPECT_EQ(found_in_random_worlds(&drawn_with<nullptr, &worlds::no_relay>, k_worlds), "L1");
  EXPECT_EQ(found_in_random_worlds(&drawn_with<&worlds::push_at_spawn_only, nullptr>, k_worlds), "L1");
  EXPECT_EQ(found_in_random_worlds(&drawn_with<&worlds::no_serve_after_loot, nullptr>, k_worlds), "L1");
  EXPECT_EQ(found_in_random_worlds(&drawn_with<&worlds::reserve_one, nullptr>, k_worlds), "L1");
  EXPECT_EQ(found_in_random_worlds(&drawn_with<&worlds::edge_kept, nullptr>, k_worlds), "L1");
  EXPECT_EQ(found_in_random_worlds(&drawn_with<&worlds::refused, nullptr>, k_worlds), "L1");
  EXPECT_EQ(found_in_random_worlds(&drawn_with<nullptr, &worlds::one_edge>, k_worlds), "L1");
  EXPECT_EQ(found_in_random_worlds(&drawn_with<&worlds::empty_give_lost, nullptr>, k_worlds), "L1");
  EXPECT_EQ(found_in_random_worlds(&drawn_with<&worlds::pass_at_once, nullptr>, k_worlds), "L2");
}

plan early_dropped(rng& draw) {
  plan p = drawn_world(draw, tactus::placement_policy::hybrid);
  p.forgets_early = p.some_late = true;
  return p;
}

plan decides_early(rng& draw) {
  plan p = drawn_world(draw, tactus::placement_policy::hybrid);
  let_places_be_late(p, draw);
  p.decides_early = true;
  return p;
}

TEST(planted_mistakes, in_hosts_that_are_late_are_found) {
  EXPECT_EQ(found_in_random_worlds(&early_dropped, k_worlds), "L1");
  EXPECT_EQ(found_in_random_worlds(&decides_early, k_worlds), "L1");
}

template <counting How>
plan counted(rng& draw) {
  plan p = drawn_world(draw, tactus::placement_policy::hybrid);
  p.counts = How;
  return p;
}

TEST(planted_mistakes, in_how_moves_are_counted_are_found) {
  EXPECT_EQ(found_in_random_worlds(&counted<counting::not_at_all>, k_worlds), "M2");
  EXPECT_EQ(found_in_random_worlds(&counted<counting::in_two_cuts>, k_worlds), "M1");
  EXPECT_EQ(found_in_random_worlds(&counted<counting::after_it_was_sent>, k_worlds), "M1");
  EXPECT_EQ(found_in_random_worlds(&counted<counting::by_the_receiver>, k_worlds), "M1");
}

// Whoever may do anything else than begin a task does so: else a task would soon be begun somewhere.
bool travels_for_ever(const plan& of, rng& draw) {
  world w(of);
  while (journey(w, of).empty()) {
    const auto steps = w.steps();
    if (steps.empty()) return false;
    std::vector<world::step> others;
    std::copy_if(steps.begin(), steps.end(), std::back_inserter(others),
                 [](const world::step& s) { return s.what != world::step::take; });
    const auto& choices = others.empty() ? steps : others;
    w.carry_out(choices[draw.below(choices.size())]);
  }
  return true;
}

int journeys_without_end(plan p) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    rng draw(seed);
    p.seed = seed;
    found += travels_for_ever(p, draw) ? 1 : 0;
  }
  return found;
}

TEST(planted_mistakes, tasks_that_are_given_away_before_their_takers_begin_them_travel_for_ever) {
  plan p = tree({{}}, {}, 2);
  EXPECT_EQ(journeys_without_end(p), 0);
  p.change = &worlds::with<&worlds::give_last, nullptr>;
  EXPECT_GT(journeys_without_end(p), 0);
}

}  // namespace
