// SPDX-License-Identifier: Apache-2.0
// Random programs against the oracle, the everyday share; ./dev soak runs as many as one likes.
#include "campaign.hpp"

#include "support/scale.hpp"
#include "support/settings.hpp"
#ifdef ORACLE_CAN_SHUFFLE
#include "place/engine.hpp"
#include "support/shuffling_engine.hpp"
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

// A batch takes milliseconds, under ThreadSanitizer a second; who takes this long will not end.
constexpr std::chrono::seconds k_patience{support::k_sanitized ? 300 : 60};

// Every setting has seeds of its own; whole batches.
std::uint64_t seeds_of(const oracle::setting& s) {
  return ((std::uint64_t{static_cast<unsigned>(s.places - 1)} * 20 + static_cast<unsigned>(s.threads)) * 4 +
          static_cast<unsigned>(s.policy)) *
         1'000'000 / oracle::k_batch * oracle::k_batch;
}

// Programs per setting: what makes the whole test take seconds everywhere. At most 8 programs are alive at a time, so that
// ThreadSanitizer never sees more than 1,600 stacks.
constexpr std::uint64_t k_programs = support::k_tsan ? 128 : support::k_asan ? 256 : 1024;

void expect_agreement(const oracle::setting& s, std::uint64_t programs) {
  oracle::hang_guard guard(k_patience);
  oracle::totals sum;
  oracle::campaign(s, guard).run(seeds_of(s), programs, sum);
  EXPECT_EQ(sum.failed, 0u) << sum.report;
  EXPECT_EQ(sum.lost, 0u);
  EXPECT_EQ(sum.doubled, 0u);
  EXPECT_GE(sum.programs, programs);
}

TEST(oracle_test, expectations_do_not_depend_on_the_schedule_of_the_interpreter) {
  oracle::interpreter with;
  oracle::program p;
  for (std::uint64_t seed = 0; seed < support::scaled(2000); ++seed) {
    for (const bool stuck : {false, true}) {
      oracle::generator_options options;
      options.stuck = stuck;
      options.places = seed % 2 == 0 ? 1 : 1 + static_cast<unsigned>(seed / 2 % oracle::k_max_places);
      oracle::make(seed, options, with, p);
      for (std::uint64_t schedule = 1; schedule <= 3; ++schedule)
        ASSERT_EQ(with.confirm(p, oracle::mix(seed, schedule)), "");
    }
  }
}

TEST(oracle_test, programs_have_the_size_asked_for) {
  oracle::interpreter with;
  oracle::program p;
  for (std::uint64_t seed = 0; seed < support::scaled(1000); ++seed) {
    oracle::make(seed, {}, with, p);
    ASSERT_GE(p.running_tasks, 10u) << seed;
    ASSERT_LE(p.tasks.size(), 200u) << seed;
  }
}

// What runs of some programs, counted.
struct census {
  std::array<unsigned, static_cast<std::size_t>(oracle::op::abandon_promise) + 1> ran{};
  std::array<unsigned, 4> spawns_on{};  // by the number of clocks
  std::array<unsigned, 5> asked{};      // spawns, by the policy asked for
  unsigned passes = 0;
  unsigned shared_phases = 0;  // in which several arrived
  unsigned late_joiners = 0;
  unsigned misuses = 0;
  unsigned waits_for_flag = 0;
  unsigned waits_for_blocks = 0;
  // of phasers
  std::array<unsigned, 4> makes{};     // by mode
  std::array<unsigned, 4> children{};  // by mode
  unsigned bounded = 0;
  unsigned spawns_on_all = 0;
  unsigned spawns_on_both = 0;  // a clock and a phaser
  unsigned early_joiners = 0;
  unsigned waits_behind_bound = 0;
  unsigned phases_of_singles = 0;
  unsigned phases_of_several_singles = 0;
  unsigned singles_of_all = 0;
  unsigned singles_that_throw = 0;
  unsigned phaser_misuses = 0;
  // of accumulators
  std::array<unsigned, oracle::k_ways> sends{};  // by strategy
  std::array<unsigned, 3> results{};             // by kind
  unsigned sums_on_clocks = 0;
  unsigned scans = 0;
  unsigned stuck_at_single = 0;
  unsigned stuck_at_phaser = 0;
  unsigned stuck_at_clock = 0;
  unsigned stuck_at_when = 0;
  // of streams and of tasks in a line
  unsigned several_at_both_ends = 0;
  unsigned narrow = 0;  // with room for one item
  unsigned closed_ends = 0;
  unsigned ends_let_go = 0;
  unsigned items = 0;
  std::array<unsigned, oracle::k_queues> lines{};  // by what the tasks come to
  // of places
  unsigned sent_tasks = 0;
  unsigned sent_futures = 0;
  unsigned sent_anywhere = 0;        // first
  unsigned stuck_elsewhere = 0;      // a deadlock comes out of an at()
  std::array<unsigned, 6> thrown{};  // by type, where there are several places
  unsigned calls_of_all = 0;
  unsigned calls_of_none = 0;
  unsigned calls_twice = 0;  // at one place
  unsigned calls_that_throw = 0;
  unsigned objects_not_made = 0;
  unsigned objects_again = 0;      // after others have ended
  std::array<unsigned, 3> uses{};  // by their way

  void add(const oracle::program& p) {
    late_joiners += p.late_joiners;
    early_joiners += p.early_joiners;
    for (const std::uint16_t n : p.goings) waits_behind_bound += n;
    for (const std::uint16_t n : p.singles) {
      phases_of_singles += n > 0 ? 1 : 0;
      phases_of_several_singles += n > 1 ? 1 : 0;
    }
    for (const std::uint16_t n : p.arrivals) shared_phases += n > 1 ? 1 : 0;
    for (std::size_t i = 0; i < p.statements.size(); ++i) {
      const oracle::statement& s = p.statements[i];
      const oracle::expectation& e = p.expected[i];
      if (!e.runs) continue;
      ++ran[static_cast<std::size_t>(s.what)];
      ++spawns_on[std::min<std::size_t>(static_cast<std::size_t>(std::popcount(s.clocks)), 3)];
      if (s.what == oracle::op::spawn || s.what == oracle::op::spawn_future)
        ++asked[static_cast<std::size_t>(s.policy)];
      passes += e.passes.count;
      add_phasers(p, s);
      if (s.what == oracle::op::pass_on) add_stream(p, s);
      if (s.what == oracle::op::line_up) ++lines[static_cast<std::size_t>(s.queue)];
      if (s.what == oracle::op::misuse_clock && s.slot != oracle::k_none) ++misuses;
      add_places(p, s, e);
      if (s.flexible) ++sent_anywhere;
      if (s.away) ++(s.what == oracle::op::spawn ? sent_tasks : sent_futures);
      if (s.awaits != oracle::k_none) ++waits_for_flag;
      if (s.blocks != 0) ++waits_for_blocks;
      if (e.exception != oracle::k_deadlock_hash) continue;
      if (s.what == oracle::op::advance_clock || s.what == oracle::op::advance_all) ++stuck_at_clock;
      if (s.what == oracle::op::next_single) ++stuck_at_single;
      if (s.what == oracle::op::at_place) ++stuck_elsewhere;
      if (p.is_phaser(s.slot)) ++stuck_at_phaser;
      if (s.what == oracle::op::when_never || s.what == oracle::op::when_block) ++stuck_at_when;
    }
  }

  void add_places(const oracle::program& p, const oracle::statement& s, const oracle::expectation& e) {
    if (p.places == 1) return;
    if (s.what == oracle::op::throw_now)
      ++thrown[static_cast<std::size_t>(p.thrown_by(static_cast<oracle::statement_id>(&s - p.statements.data())))];
    if (s.what == oracle::op::use_object) ++uses[s.hint];
    if (s.what == oracle::op::with_objects) {
      if (s.by_exception) ++objects_not_made;
      if (s.earlier != oracle::k_none) ++objects_again;
    }
    if (s.what != oracle::op::each_place) return;
    if (s.all) ++calls_of_all;
    if (s.count == 0) ++calls_of_none;
    if (e.exception != 0) ++calls_that_throw;
    std::array<unsigned, oracle::k_max_places> at{};
    for (unsigned i = 0; i < s.count; ++i) ++at[p.tasks[s.first_task + i].place];
    if (*std::max_element(at.begin(), at.end()) > 1) ++calls_twice;
  }

  void add_stream(const oracle::program& p, const oracle::statement& s) {
    if (s.grain > 1 && s.count - s.grain > 1) ++several_at_both_ends;
    if (s.bound == 1) ++narrow;
    for (unsigned i = 0; i < s.grain; ++i) {
      const auto producer = static_cast<oracle::task_id>(s.first_task + i);
      ++(p.closes(producer) ? closed_ends : ends_let_go);
      items += p.items(producer);
    }
  }

  void add_phasers(const oracle::program& p, const oracle::statement& s) {
    const auto on_phasers = static_cast<std::size_t>(std::popcount(s.clocks & p.phasers));
    if (on_phasers != 0) {
      if (s.all) ++spawns_on_all;
      if ((s.clocks & ~p.phasers) != 0) ++spawns_on_both;
      for (std::size_t i = 0; i < on_phasers && !s.all; ++i) ++children[static_cast<std::size_t>(s.modes[i])];
    }
    if (s.slot == oracle::k_none) return;
    switch (s.what) {
      case oracle::op::make_phaser:
        ++makes[static_cast<std::size_t>(s.how)];
        if (s.bound != 0) ++bounded;
        break;
      case oracle::op::next_single:
        if (s.all) ++singles_of_all;
        if (s.by_exception) ++singles_that_throw;
        break;
      case oracle::op::misuse_phaser: ++phaser_misuses; break;
      case oracle::op::make_sum:
        if (!p.is_phaser(s.slot)) ++sums_on_clocks;
        break;
      case oracle::op::send_to_sum: ++sends[static_cast<std::size_t>(p.statements[p.sum_maker[s.sum]].way)]; break;
      case oracle::op::look_at_sum:
        ++results[static_cast<std::size_t>(p.kind_of(s.sum))];
        if (s.all) ++scans;
        break;
      default: break;
    }
  }
};

TEST(oracle_test, programs_contain_all_that_they_can) {
  oracle::interpreter with;
  oracle::program p;
  census all;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    for (const bool stuck : {false, true}) {
      oracle::generator_options options;
      options.stuck = stuck;
      options.places = seed % 4 == 0 ? 4 : 1;
      oracle::make(seed, options, with, p);
      all.add(p);
    }
  }
  for (std::size_t i = 0; i < all.ran.size(); ++i) EXPECT_GE(all.ran[i], 20u) << "operation " << i;
  EXPECT_GE(all.spawns_on[1], 500u);
  EXPECT_GE(all.spawns_on[2], 20u);
  EXPECT_GE(all.spawns_on[3], 5u);
  for (const unsigned n : all.asked) EXPECT_GE(n, 500u);
  EXPECT_GE(all.passes, 1000u);
  EXPECT_GE(all.shared_phases, 500u);
  EXPECT_GE(all.late_joiners, 50u);
  EXPECT_GE(all.misuses, 20u);
  EXPECT_GE(all.waits_for_flag, 500u);
  EXPECT_GE(all.waits_for_blocks, 200u);
  for (const unsigned n : all.makes) EXPECT_GE(n, 200u);
  for (const unsigned n : all.children) EXPECT_GE(n, 300u);
  EXPECT_GE(all.bounded, 300u);
  EXPECT_GE(all.spawns_on_all, 200u);
  EXPECT_GE(all.spawns_on_both, 200u);
  EXPECT_GE(all.early_joiners, 80u);
  EXPECT_GE(all.waits_behind_bound, 1000u);
  EXPECT_GE(all.phases_of_singles, 600u);
  EXPECT_GE(all.phases_of_several_singles, 25u);
  EXPECT_GE(all.singles_of_all, 150u);
  EXPECT_GE(all.singles_that_throw, 50u);
  EXPECT_GE(all.phaser_misuses, 40u);
  for (const unsigned n : all.sends) EXPECT_GE(n, 80u);
  for (const unsigned n : all.results) EXPECT_GE(n, 80u);
  EXPECT_GE(all.sums_on_clocks, 300u);
  EXPECT_GE(all.scans, 100u);
  EXPECT_GE(all.several_at_both_ends, 60u);
  EXPECT_GE(all.narrow, 80u);
  EXPECT_GE(all.closed_ends, 500u);
  EXPECT_GE(all.ends_let_go, 500u);
  EXPECT_GE(all.items, 3000u);
  for (const unsigned n : all.lines) EXPECT_GE(n, 50u);
  EXPECT_GE(all.sent_tasks, 500u);
  EXPECT_GE(all.sent_futures, 100u);
  EXPECT_GE(all.sent_anywhere, 200u);
  EXPECT_GE(all.stuck_elsewhere, 5u);
  for (const auto type :
       {oracle::thrown_type::registered, oracle::thrown_type::stranger, oracle::thrown_type::with_text,
        oracle::thrown_type::with_code, oracle::thrown_type::without_text})
    EXPECT_GE(all.thrown[static_cast<std::size_t>(type)], 10u) << "type " << static_cast<unsigned>(type);
  EXPECT_GE(all.calls_of_all, 30u);
  EXPECT_GE(all.calls_of_none, 3u);
  EXPECT_GE(all.calls_twice, 20u);
  EXPECT_GE(all.calls_that_throw, 20u);
  EXPECT_GE(all.objects_not_made, 3u);
  EXPECT_GE(all.objects_again, 3u);
  for (const unsigned n : all.uses) EXPECT_GE(n, 15u);
  EXPECT_GE(all.stuck_at_single, 1u);
  EXPECT_GE(all.stuck_at_phaser, 10u);
  EXPECT_GE(all.stuck_at_clock, 20u);
  EXPECT_GE(all.stuck_at_when, 100u);
}

class oracle_test_of : public testing::TestWithParam<support::setting> {};
INSTANTIATE_TEST_SUITE_P(each, oracle_test_of, testing::ValuesIn([] {
                           using enum ts::spawn_policy;
                           std::vector<support::setting> all;
                           for (const int workers : {1, 2, 3, 8, 16}) {
                             for (const ts::spawn_policy policy : {adaptive, work_first, help_first, work_sharing})
                               all.push_back({workers, policy});
                           }
                           return all;
                         }()),
                         [](const auto& chosen) { return support::name_of(chosen.param); });

TEST_P(oracle_test_of, programs_do_what_the_oracle_says) {
  expect_agreement({GetParam().workers, GetParam().policy, false, false}, k_programs);
}

TEST_P(oracle_test_of, programs_do_so_under_the_seeded_scheduler) {
  expect_agreement({GetParam().workers, GetParam().policy, true, false}, k_programs / 4);
}

TEST_P(oracle_test_of, deadlocks_are_found_and_named) {
  expect_agreement({GetParam().workers, GetParam().policy, false, true}, k_programs / 16);
}

// Several places. The everyday share takes every value once; the soak takes their product.
class oracle_test_of_places : public testing::TestWithParam<oracle::setting> {};

oracle::setting over_places(int places, int threads, ts::spawn_policy policy, bool as_bytes, std::size_t message_bytes,
                            ts::placement_policy placement) {
  oracle::setting s{threads, policy};
  s.places = places;
  s.as_bytes = as_bytes;
  s.message_bytes = message_bytes;
  s.placement = placement;
  return s;
}

INSTANTIATE_TEST_SUITE_P(each, oracle_test_of_places, testing::ValuesIn([] {
                           using enum ts::spawn_policy;
                           constexpr std::size_t k_narrow = 256;
                           using enum ts::placement_policy;
                           return std::vector<oracle::setting>{
                               over_places(2, 1, adaptive, false, 0, hybrid),
                               over_places(2, 3, work_first, true, 0, lifeline),
                               over_places(3, 1, help_first, true, k_narrow, work_dealing),
                               over_places(4, 2, adaptive, false, k_narrow, hybrid),
                               over_places(4, 4, work_sharing, true, 0, random_stealing),
                               over_places(5, 3, adaptive, false, 0, sender_threshold),
                               over_places(6, 1, work_first, true, k_narrow, proportional),
                               over_places(7, 1, adaptive, false, 0, eager_dealing),
                               over_places(8, 1, adaptive, true, 0, none),
                               over_places(8, 2, help_first, false, k_narrow, hybrid)};
                         }()),
                         [](const auto& chosen) {
                           const oracle::setting& s = chosen.param;
                           return std::to_string(s.places) + "_places_of_" + std::to_string(s.threads) + "_" +
                                  oracle::name_of(s.policy) + "_" + oracle::name_of(s.placement) +
                                  (s.as_bytes ? "_as_bytes" : "") + (s.message_bytes != 0 ? "_little_room" : "");
                         });

TEST_P(oracle_test_of_places, programs_do_what_the_oracle_says) { expect_agreement(GetParam(), k_programs); }

#ifdef ORACLE_CAN_SHUFFLE
TEST_P(oracle_test_of_places, programs_do_so_when_messages_come_late_and_in_any_order) {
  const support::shuffled_messages<> shuffled;
  oracle::setting s = GetParam();
  s.around = " --shuffle";
  expect_agreement(s, k_programs / 4);
}

// Those of odd numbers. So all goes as bytes, and functions travel by their fields.
class odd_places_play_swapped {
public:
  odd_places_play_swapped() { ts::detail::let_odd_places_play_swapped(true); }
  odd_places_play_swapped(const odd_places_play_swapped&) = delete;
  odd_places_play_swapped& operator=(const odd_places_play_swapped&) = delete;
  ~odd_places_play_swapped() { ts::detail::let_odd_places_play_swapped(false); }
};

TEST_P(oracle_test_of_places, programs_do_so_where_some_have_the_other_byte_order) {
  const odd_places_play_swapped unlike;
  oracle::setting s = GetParam();
  s.as_bytes = true;
  s.around = " --unlike";
  expect_agreement(s, k_programs / 16);
}

TEST(oracle_test, places_that_play_the_other_byte_order_refuse_bytes_of_which_nothing_is_known) {
  const odd_places_play_swapped unlike;
  ts::config c{.threads = 1, .places = 2, .env = false};
  c.local_copy = ts::copying::serialize;
  ts::run(c, [] {
    const int captured = ts::num_places();
    EXPECT_THROW(ts::at(ts::place(1), [captured] { return captured; }), ts::place_error);
  });
}

TEST_P(oracle_test_of_places, deadlocks_are_found_when_messages_come_late) {
  const support::shuffled_messages<> shuffled;
  oracle::setting s = GetParam();
  s.around = " --shuffle";
  s.stuck = true;
  expect_agreement(s, k_programs / 16);
}
#endif

TEST_P(oracle_test_of_places, programs_do_so_under_the_seeded_scheduler) {
  oracle::setting s = GetParam();
  s.seeded = true;
  expect_agreement(s, k_programs / 4);
}

TEST_P(oracle_test_of_places, deadlocks_are_found_and_named) {
  oracle::setting s = GetParam();
  s.stuck = true;
  expect_agreement(s, k_programs / 16);
}

}  // namespace
