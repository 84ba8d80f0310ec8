// SPDX-License-Identifier: Apache-2.0
// Each problem's checker accepts the right answer and no other: a benchmark that cannot fail proves nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "kernels/nas_cg/nas_cg.hpp"
#include "kernels/spectral_norm/spectral_norm.hpp"
#include "resources/census/census.hpp"
#include "resources/growth/growth.hpp"
#include "resources/stack_limit/stack_limit.hpp"
#include "sync/lockstep/lockstep.hpp"
#include "sync/stencil_p2p/averaging.hpp"
#include "sync/stencil_p2p/stencil_p2p.hpp"
#include "sync/stencil_p2p/wavefront.hpp"
#include "sync/syncbench/syncbench.hpp"
#include "tasks/escaping_tree/escaping_tree.hpp"
#include "tasks/fib/fib.hpp"
#include "tasks/flat/flat.hpp"
#include "tasks/nqueens/nqueens.hpp"
#include "tasks/spanning_tree/spanning_tree.hpp"
#include "tests/parted_steps.hpp"
#if BENCH_HAS_UTS
#include "tasks/uts/uts.hpp"
#endif

namespace bench {
namespace {

options of_size(std::uint64_t n) {
  options o;
  o.size = n;
  return o;
}

TEST(checkers, fib_accepts_only_the_number) {
  fib_problem p(of_size(20));
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
  p.result = serial_fib(20);
  p.verify();
  ++p.result;
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, fib_counts_its_calls) { EXPECT_EQ(fib_problem(of_size(5)).operations(), 15u); }

TEST(checkers, marks_miss_no_task) {
  flat_problem p(of_size(100));
  p.reset();
  for (std::uint64_t i = 0; i < 99; ++i) p.set(i);
  EXPECT_THROW(p.verify(), wrong_answer);
  p.set(99);
  p.verify();
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, marks_take_no_task_that_ran_twice) {
  flat_problem p(of_size(100));
  p.reset();
  for (std::uint64_t i = 0; i < 100; ++i) p.set(i);
  p.verify();
  p.set(42);
  EXPECT_THROW(p.verify(), wrong_answer);
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, growth_divides_a_budget_without_loss) {
  for (std::uint64_t seed = 1; seed < 1000; ++seed) {
    const auto part = growth_problem::divide(seed * 1000, seed);
    EXPECT_EQ(part[0] + part[1] + part[2], seed * 1000);
  }
}

TEST(checkers, growth_counts_every_task_once) {
  growth_problem p(of_size(2));
  p.reset();
  p.count(0);
  EXPECT_THROW(p.verify(), wrong_answer);
  p.count(1);
  p.verify();
  p.count(0);
  EXPECT_THROW(p.verify(), wrong_answer);
}

/// n tasks by one loop: every phase is complete when the loop is.
void run_serially(lockstep_problem& p) {
  p.reset();
  p.creation_begins();
  p.run_phases(true, [&] {
    for (std::uint64_t i = 0; i < p.size(); ++i) p.update(i);
  });
}

options of_shape(std::uint64_t n, const std::string& shape) {
  options o = of_size(n);
  o.shape = shape;
  return o;
}

TEST(checkers, lockstep_accepts_tasks_that_took_part_in_every_phase) {
  lockstep_problem p(of_size(10));
  run_serially(p);
  p.verify();
}

TEST(checkers, lockstep_misses_no_phase_of_any_task) {
  lockstep_problem p(of_size(10));
  run_serially(p);
  p.update(9);
  EXPECT_THROW(p.verify(), wrong_answer);
  p.reset();
  p.run_phases(true, [&] {
    for (std::uint64_t i = 0; i < 9; ++i) p.update(i);
  });
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, lockstep_wants_the_phases_to_have_been_timed) {
  lockstep_problem p(of_size(1));
  p.reset();
  p.run_phases(false, [&] { p.update(0); });
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, lockstep_does_not_time_what_lies_before_its_phases) {
  const stopwatch whole;
  lockstep_problem p(of_size(1));
  run_serially(p);
  EXPECT_GT(p.timed_part().seconds, 0);
  EXPECT_LT(p.timed_part().seconds, whole.elapsed().seconds);
}

TEST(checkers, lockstep_times_more_phases_of_what_is_faster) {
  lockstep_problem fast(of_size(1000));
  fast.expect_ns(0, 2);
  EXPECT_EQ(fast.phases(), 2u + 10'000u);
  lockstep_problem slow(of_size(1000));
  slow.expect_ns(0, 1e6);
  EXPECT_EQ(slow.phases(), 2u + 4u);
  EXPECT_EQ(slow.operations(), 4u * 1000u);
}

TEST(checkers, lockstep_takes_the_number_of_phases_from_the_command_line) {
  options o = of_size(10);
  o.phases = 7;
  lockstep_problem p(o);
  p.expect_ns(0, 2);
  EXPECT_EQ(p.phases(), 2u + 7u);
}

TEST(checkers, lockstep_reports_the_first_phase_of_a_million) {
  lockstep_problem p(of_shape(10, "million"));
  EXPECT_EQ(p.phases(), 3u);
  run_serially(p);
  p.verify();
  nlohmann::json line{{"rep", 1}, {"passes", 1}};
  p.report(line);
  EXPECT_GT(line.at("first_phase_seconds"), 0.0);
  line = {{"rep", 2}, {"passes", 1}};
  p.report(line);
  EXPECT_FALSE(line.contains("first_phase_seconds"));
}

TEST(checkers, lockstep_reports_what_waiting_tasks_hold) {
  lockstep_problem p(of_shape(2, "waiting"));
  run_serially(p);
  p.about_to_wait();
  EXPECT_FALSE(p.all_are_about_to_wait());
  p.about_to_wait();
  EXPECT_TRUE(p.all_are_about_to_wait());
  p.all_wait();
  nlohmann::json line{{"rep", 1}, {"passes", 1}};
  p.report(line);
  EXPECT_GE(line.at("waiting_threads"), 1);
  EXPECT_TRUE(line.contains("waiting_bytes"));
}

TEST(checkers, lockstep_computes_longer_for_a_longer_body) {
  options o = of_size(1);
  const auto shortest_pass = [](const options& with) {
    lockstep_problem p(with);
    double seconds = 1;
    for (int i = 0; i < 20; ++i) {
      run_serially(p);
      seconds = std::min(seconds, p.timed_part().seconds);
    }
    return seconds;
  };
  o.phases = 10;
  o.body_ns = 1000;
  const double one = shortest_pass(o);
  EXPECT_GT(one, 5 * 1e-6);
  o.body_ns = 100'000;
  EXPECT_GT(shortest_pass(o), 10 * one);
}

/// n tasks of syncbench, none with a delay.
options of_tasks(std::uint64_t n, const std::string& load = "balanced") {
  options o;
  o.tasks = n;
  o.phases = 5;
  o.balance = load;
  return o;
}

/// The sum of a phase as a right competitor makes it.
template <class T>
T sum_of(const syncbench_problem& p, std::uint64_t phase) {
  T sum{};
  for (std::uint64_t i = 0; i < p.tasks(); ++i) sum += p.value<T>(i, phase);
  return sum;
}

/// All phases by one loop; sum(phase, task) is what that task sees.
template <class Sum>
void show_sums(syncbench_problem& p, const Sum& sum) {
  p.reset();
  p.run_phases(true, [&](std::uint64_t phase) {
    for (std::uint64_t i = 0; i < p.tasks(); ++i) p.check(i, phase, sum(phase, i));
  });
}

template <class T>
class syncbench_checker : public ::testing::Test {
protected:
  syncbench_problem p_{of_tasks(7)};
};

using syncbench_types = ::testing::Types<std::uint64_t, double>;
TYPED_TEST_SUITE(syncbench_checker, syncbench_types);

TYPED_TEST(syncbench_checker, accepts_the_sum_of_each_phase) {
  syncbench_problem& p = this->p_;
  show_sums(p, [&](std::uint64_t phase, std::uint64_t) { return sum_of<TypeParam>(p, phase); });
  p.verify();
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
}

TYPED_TEST(syncbench_checker, finds_one_wrong_sum_of_one_task) {
  syncbench_problem& p = this->p_;
  for (const std::uint64_t bad_phase : {std::uint64_t{0}, p.phases() - 1}) {
    for (std::uint64_t bad_task = 0; bad_task < p.tasks(); ++bad_task) {
      show_sums(p, [&](std::uint64_t phase, std::uint64_t i) {
        const TypeParam off = phase == bad_phase && i == bad_task ? 1 : 0;
        return sum_of<TypeParam>(p, phase) + off;
      });
      EXPECT_THROW(p.verify(), wrong_answer);
    }
  }
}

TYPED_TEST(syncbench_checker, finds_the_sum_of_another_phase) {
  syncbench_problem& p = this->p_;
  show_sums(p, [&](std::uint64_t phase, std::uint64_t) { return sum_of<TypeParam>(p, phase == 3 ? 2 : phase); });
  EXPECT_THROW(p.verify(), wrong_answer);
}

TYPED_TEST(syncbench_checker, finds_values_that_are_missing_twice_or_late) {
  syncbench_problem& p = this->p_;
  using sum = TypeParam;
  const auto missing = [&](std::uint64_t i) { return sum_of<sum>(p, 4) - p.template value<sum>(i, 4); };
  for (std::uint64_t i = 0; i < p.tasks(); ++i) {
    for (std::uint64_t j = 0; j < p.tasks(); ++j) {
      for (const sum wrong : {missing(i), missing(i) + p.template value<sum>(j, 4) + p.template value<sum>(j, 4),
                              missing(i) + p.template value<sum>(j, 3)}) {
        show_sums(p, [&](std::uint64_t phase, std::uint64_t) { return phase == 4 ? wrong : sum_of<sum>(p, phase); });
        EXPECT_THROW(p.verify(), wrong_answer) << i << ' ' << j;
      }
    }
  }
}

TYPED_TEST(syncbench_checker, takes_what_pretends_to_be_a_sum_for_one) {
  syncbench_problem& p = this->p_;
  p.reset();
  p.run_phases(true, [&](std::uint64_t phase) {
    for (std::uint64_t i = 0; i < p.tasks(); ++i) p.template pretend<TypeParam>(i, phase);
  });
  p.verify();
}

/// Doubles up to 2^53 are.
TEST(checkers, syncbench_has_sums_of_doubles_that_are_exact) {
  const syncbench_problem p(of_tasks(512));
  std::array<double, 2> in_turn{};
  for (std::uint64_t phase = 0; phase < 2048; ++phase) {
    in_turn[phase % 2] += sum_of<double>(p, phase);
    ASSERT_LT(std::abs(in_turn[phase % 2]), 0x1p53);
    ASSERT_LT(std::abs(sum_of<double>(p, phase)), 0x1p53);
  }
  EXPECT_EQ(in_turn[0], 0);
  EXPECT_EQ(in_turn[1], 0);
}

TEST(checkers, syncbench_has_another_sum_in_each_of_1024_phases) {
  const syncbench_problem p(of_tasks(3));
  std::set<std::uint64_t> sums;
  for (std::uint64_t phase = 0; phase < 1024; ++phase) sums.insert(sum_of<std::uint64_t>(p, phase));
  EXPECT_EQ(sums.size(), 1024u);
}

TEST(checkers, syncbench_misses_no_phase_of_any_task) {
  syncbench_problem p(of_tasks(3));
  const auto pass_phases = [&p] {
    p.reset();
    p.run_phases(true, [&](std::uint64_t) {
      for (std::uint64_t i = 0; i < 3; ++i) p.pass_phase(i);
    });
  };
  pass_phases();
  p.verify();
  p.pass_phase(2);
  EXPECT_THROW(p.verify(), wrong_answer);
  p.reset();
  p.run_phases(true, [&](std::uint64_t) { p.pass_phase(0), p.pass_phase(1); });
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, syncbench_wants_the_phases_to_have_been_timed) {
  syncbench_problem p(of_tasks(1));
  p.reset();
  p.run_phases(false, [&](std::uint64_t) { p.pass_phase(0); });
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, syncbench_leaves_the_busiest_worker_as_little_as_possible) {
  const auto busiest = [](std::uint64_t tasks, int threads, const std::string& load) {
    options o = of_tasks(tasks, load);
    o.threads = threads;
    o.delay = 10;
    return syncbench_problem(o).busiest_delay();
  };
  EXPECT_EQ(busiest(1, 2, "balanced"), 10u);
  EXPECT_EQ(busiest(2, 2, "balanced"), 10u);
  EXPECT_EQ(busiest(5, 2, "balanced"), 30u);
  EXPECT_EQ(busiest(8, 1, "balanced"), 80u);
  EXPECT_EQ(busiest(2, 2, "unbalanced"), 20u);
  EXPECT_EQ(busiest(4, 2, "unbalanced"), 50u);
  EXPECT_EQ(busiest(4, 4, "unbalanced"), 40u);
}

TEST(checkers, syncbench_delays_longer_where_it_is_told_to) {
  const auto shortest_pass = [](std::uint64_t delay, const std::string& load, std::uint64_t task) {
    options o = of_tasks(4, load);
    o.delay = delay;
    syncbench_problem p(o);
    double seconds = 1;
    for (int i = 0; i < 20; ++i) {
      p.reset();
      p.run_phases(true, [&](std::uint64_t) { p.delay(task); });
      seconds = std::min(seconds, p.timed_part().seconds);
    }
    return seconds;
  };
  const double one = shortest_pass(10'000, "balanced", 0);
  EXPECT_GT(one, 5 * 1e-6);
  EXPECT_GT(shortest_pass(100'000, "balanced", 0), 5 * one);
  EXPECT_LT(shortest_pass(10'000, "balanced", 3), 2 * one);
  EXPECT_GT(shortest_pass(10'000, "unbalanced", 3), 2 * one);
}

TEST(checkers, sums_in_turn_tell_what_each_phase_added) {
  sums_in_turn<std::uint64_t> sums;
  added_in_turn<std::uint64_t> added;
  for (std::uint64_t phase = 0; phase < 10; ++phase) {
    sums.of_phase(phase) += phase * phase;
    EXPECT_EQ(added.in_phase(phase, sums.of_phase(phase)), phase * phase);
  }
}

/// Blocks made one after the other in a given order; stencil_p2p compares what comes out with its own order.
class stencil_checker : public ::testing::TestWithParam<const char*> {
protected:
  static constexpr std::uint64_t k_tasks = 5;
  static constexpr std::uint64_t k_phases = 40;

  static options of_pattern(const std::string& pattern, const std::string& load = "balanced") {
    options o;
    o.pattern = pattern;
    o.balance = load;
    o.tasks = k_tasks;
    o.phases = k_phases;
    o.size = 6;
    return o;
  }

  /// What a barrier after each step allows, the tasks of a step in either order.
  static void make_step_by_step(stencil_problem& p, bool backwards) {
    p.reset();
    for (std::uint64_t step = 0; step < p.steps(); ++step) {
      for (std::uint64_t k = 0; k < k_tasks; ++k) {
        const std::uint64_t task = backwards ? k_tasks - 1 - k : k;
        if (p.has_block(task, step)) p.make_in_step(task, step);
      }
    }
  }

  bool is_wavefront() const { return std::string(GetParam()) == "wavefront"; }
};

INSTANTIATE_TEST_SUITE_P(patterns, stencil_checker, ::testing::Values("averaging", "wavefront"),
                         [](const auto& pattern) { return std::string(pattern.param); });

TEST_P(stencil_checker, accepts_every_order_that_neighbours_allow) {
  for (const char* load : {"balanced", "unbalanced"}) {
    stencil_problem p(of_pattern(GetParam(), load));
    make_step_by_step(p, false);
    p.verify();
    make_step_by_step(p, true);
    p.verify();
    if (!is_wavefront()) continue;
    p.reset();
    for (std::uint64_t i = 0; i < k_tasks; ++i) {
      for (std::uint64_t j = 0; j < k_phases; ++j) p.make(i, j);
    }
    p.verify();
  }
}

TEST_P(stencil_checker, wants_every_block) {
  stencil_problem p(of_pattern(GetParam()));
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
  for (std::uint64_t missing = 0; missing < k_tasks; ++missing) {
    for (const std::uint64_t when : {std::uint64_t{0}, k_phases / 2, k_phases - 1}) {
      p.reset();
      for (std::uint64_t step = 0; step < p.steps(); ++step) {
        for (std::uint64_t i = 0; i < k_tasks; ++i) {
          if (p.has_block(i, step) && (i != missing || step != p.first_step(i) + when)) p.make_in_step(i, step);
        }
      }
      EXPECT_THROW(p.verify(), wrong_answer) << missing << ' ' << when;
    }
  }
}

TEST_P(stencil_checker, finds_a_block_that_is_made_a_phase_too_early) {
  stencil_problem p(of_pattern(GetParam()));
  for (std::uint64_t hasty = 0; hasty < k_tasks; ++hasty) {
    if (is_wavefront() && hasty == 0) continue;  // has nobody to wait for
    for (std::uint64_t when = 0; when + 1 < k_phases; ++when) {
      p.reset();
      for (std::uint64_t step = 0; step < p.steps(); ++step) {
        for (std::uint64_t i = 0; i < k_tasks; ++i) {
          // In this step, before the others have made theirs, one task makes its next block too.
          if (i == 0 && step == p.first_step(hasty) + when) {
            p.make_in_step(hasty, step);
            p.make_in_step(hasty, step + 1);
          } else if (i == hasty && step == p.first_step(hasty) + when + 1) {
            continue;
          }
          if (p.has_block(i, step) && !(i == hasty && step == p.first_step(hasty) + when)) p.make_in_step(i, step);
        }
      }
      EXPECT_THROW(p.verify(), wrong_answer) << hasty << ' ' << when;
    }
  }
}

TEST_P(stencil_checker, has_one_heavy_block_in_sixteen) {
  options o = of_pattern(GetParam(), "unbalanced");
  o.phases = 160;
  const stencil_problem p(o);
  std::set<std::uint64_t> places;
  for (std::uint64_t i = 0; i < k_tasks; ++i) {
    for (std::uint64_t j = 0; j < 160; j += stencil_problem::k_one_in) {
      std::uint64_t heavy = 0;
      for (std::uint64_t k = 0; k < stencil_problem::k_one_in; ++k) {
        if (p.times(i, j + k) == 1) continue;
        EXPECT_EQ(p.times(i, j + k), stencil_problem::k_heavy);
        places.insert(k);
        ++heavy;
      }
      EXPECT_EQ(heavy, 1u);
    }
  }
  EXPECT_GT(places.size(), 8u);
  EXPECT_EQ(stencil_problem(of_pattern(GetParam())).times(1, 1), 1);
}

TEST(checkers, averaging_makes_each_cell_the_mean_of_its_neighbours) {
  averaging a(3, 7, 4, 1);
  a.reset();
  std::vector<double> cells = a.before();
  for (std::uint64_t phase = 0; phase < 7; ++phase) {
    for (std::uint64_t task = 0; task < 3; ++task) a.make(task, phase);
    const std::vector<double> old = cells;
    for (std::size_t k = 1; k + 1 < cells.size(); ++k) cells[k] = (old[k - 1] + old[k + 1]) / 2;
  }
  EXPECT_EQ(a.cells(), 14u);
  EXPECT_EQ(a.after(), cells);
}

/// The best alignment that ends at a pair of letters is found among all paths to it, each from where it begins.
TEST(checkers, wavefront_finds_the_best_alignments) {
  wavefront w(2, 3, 4, 1);
  w.reset();
  for (std::uint64_t task = 0; task < 2; ++task) {
    for (std::uint64_t phase = 0; phase < 3; ++phase) w.make(task, phase);
  }
  const std::function<int(std::size_t, std::size_t)> best = [&](std::size_t d, std::size_t a) {
    if (d == 0 || a == 0) return 0;
    const int letters = best(d - 1, a - 1) + (w.down()[d - 1] == w.across()[a - 1] ? 2 : -1);
    return std::max({0, letters, best(d - 1, a) - 1, best(d, a - 1) - 1});
  };
  for (std::size_t d = 0; d <= 6; ++d) {
    for (std::size_t a = 0; a <= 6; ++a) EXPECT_EQ(w.at(d, a), best(d, a)) << d << ' ' << a;
  }
  EXPECT_GT(w.at(8, 12), 0);
}

constexpr std::uint64_t k_steps_of_nas_cg = 15 * (1 + 25 * 3 + 3);

TEST(steps, parts_make_up_the_whole) {
  for (const std::size_t n : {0u, 1u, 7u, 1400u}) {
    for (const std::size_t parts : {1u, 2u, 3u, 8u}) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < parts; ++i) {
        EXPECT_EQ(part_of(n, i, parts).begin, next);
        next = part_of(n, i, parts).end;
      }
      EXPECT_EQ(next, n);
    }
  }
}

TEST(checkers, nas_cg_has_the_official_matrices_and_answers) {
  struct official {
    const char* name;
    std::uint64_t elements;
  };
  for (const official& o : {official{"S", 78'148}, official{"W", 508'402}, official{"A", 1'853'104}}) {
    nas_cg_problem p(of_class(o.name));
    EXPECT_EQ(p.elements(), o.elements);
    EXPECT_EQ(p.operations(), 15u * 26u * o.elements);
    EXPECT_FALSE(is_seen(p, fault::none, 0));
  }
}

TEST(checkers, nas_cg_accepts_any_number_of_parts) {
  nas_cg_problem p(of_class("S"));
  for (const std::size_t parts : {1u, 3u, 64u, 2000u}) {
    p.reset();
    parted_steps steps(parts);
    p.solve(steps);
    p.verify();
    EXPECT_EQ(steps.taken(), k_steps_of_nas_cg);
  }
}

TEST(checkers, nas_cg_wants_a_run) {
  nas_cg_problem p(of_class("S"));
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
}

/// Later in a system there is so little left to improve that the specification forgives much.
TEST(checkers, nas_cg_sees_a_row_left_out) {
  nas_cg_problem p(of_class("S"));
  for (std::uint64_t step = 1; step <= 40; ++step) EXPECT_TRUE(is_seen(p, fault::index_left_out, step)) << step;
}

TEST(checkers, nas_cg_sees_what_a_sum_lacks) {
  nas_cg_problem p(of_class("S"));
  for (std::uint64_t step = 2; step <= 40; step += 3) {  // p.q, then r.r; the third step has no sum
    EXPECT_TRUE(is_seen(p, fault::part_lost, step)) << step;
    EXPECT_TRUE(is_seen(p, fault::part_lost, step + 1)) << step + 1;
  }
  EXPECT_TRUE(is_seen(p, fault::part_lost, k_steps_of_nas_cg - 1));  // of which zeta is made
}

TEST(checkers, nas_cg_knows_no_other_class) { EXPECT_THROW(nas_cg_problem(of_class("B")), std::invalid_argument); }

TEST(checkers, spectral_norm_knows_the_published_digits) {
  EXPECT_EQ(std::lround(spectral_norm_problem::exact_norm(100) * 1e9L), 1'274'219'991);
  EXPECT_EQ(std::lround(spectral_norm_problem::exact_norm(5500) * 1e9L), 1'274'224'153);
}

TEST(checkers, spectral_norm_knows_what_a_long_computation_gives) {
  for (const std::uint64_t size : {100u, 200u, 1000u, 2000u}) {
    const long double computed = spectral_norm_problem::compute_exact_norm(size);
    EXPECT_NEAR(static_cast<double>(spectral_norm_problem::exact_norm(size) / computed - 1), 0, 1e-16) << size;
  }
}

TEST(checkers, spectral_norm_accepts_any_number_of_parts) {
  for (const char* shape : {"rows", "inner"}) {
    spectral_norm_problem p(of_shape(100, shape));
    for (const std::size_t parts : {1u, 3u, 128u}) {
      p.reset();
      parted_steps steps(parts);
      p.solve(steps);
      p.verify();
    }
    EXPECT_EQ(p.operations(), 40u * 100u * 100u);
  }
}

TEST(checkers, spectral_norm_wants_a_run) {
  spectral_norm_problem p(of_size(10));
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, spectral_norm_sees_an_index_left_out_of_any_step) {
  spectral_norm_problem rows(of_shape(100, "rows"));
  for (std::uint64_t step = 1; step <= 41; ++step) EXPECT_TRUE(is_seen(rows, fault::index_left_out, step)) << step;
  spectral_norm_problem inner(of_shape(20, "inner"));
  for (std::uint64_t step = 1; step <= 801; ++step) EXPECT_TRUE(is_seen(inner, fault::index_left_out, step)) << step;
}

TEST(checkers, spectral_norm_sees_what_a_sum_lacks) {
  spectral_norm_problem rows(of_shape(100, "rows"));
  EXPECT_TRUE(is_seen(rows, fault::part_lost, 41));
  spectral_norm_problem inner(of_shape(20, "inner"));
  for (std::uint64_t step = 1; step <= 801; ++step) EXPECT_TRUE(is_seen(inner, fault::part_lost, step)) << step;
}

TEST(checkers, spectral_norm_knows_no_other_shape_and_its_largest_size) {
  EXPECT_THROW(spectral_norm_problem(of_shape(10, "outer")), std::invalid_argument);
  EXPECT_THROW(spectral_norm_problem(of_size(20'001)), std::invalid_argument);
}

/// A spanning tree by the sequential search, then spoilt in one place.
class spanning_checker : public ::testing::Test {
protected:
  void SetUp() override {
    p_.reset();
    std::vector<vertex> to_visit{spanning_problem::k_root};
    while (!to_visit.empty()) {
      const vertex u = to_visit.back();
      to_visit.pop_back();
      for (const vertex v : p_.neighbours(u)) {
        if (p_.label_alone(v, u)) to_visit.push_back(v);
      }
    }
  }

  spanning_problem p_{of_size(1000)};
};

TEST_F(spanning_checker, accepts_a_spanning_tree) { p_.verify(); }

TEST_F(spanning_checker, misses_no_vertex) {
  p_.reset();
  EXPECT_THROW(p_.verify(), wrong_answer);
}

TEST_F(spanning_checker, wants_a_parent_that_is_a_neighbour) {
  p_.reset();
  for (vertex v = 0; v < 1000; ++v) p_.label(v, spanning_problem::k_root);
  EXPECT_THROW(p_.verify(), wrong_answer);
}

TEST_F(spanning_checker, wants_paths_that_end_at_the_root) {
  // Two neighbours far from the root become each other's parents; the rest is labelled as a search would.
  p_.reset();
  const vertex a = 500;
  const vertex b = p_.neighbours(a).front();
  ASSERT_NE(a, b);
  p_.label(a, b);
  p_.label(b, a);
  std::vector<vertex> to_visit{spanning_problem::k_root};
  while (!to_visit.empty()) {
    const vertex u = to_visit.back();
    to_visit.pop_back();
    for (const vertex v : p_.neighbours(u)) {
      if (p_.label_alone(v, u)) to_visit.push_back(v);
    }
  }
  EXPECT_THROW(p_.verify(), wrong_answer);
}

TEST(generator, gives_the_same_graph_for_the_same_seed) {
  const spanning_problem one(of_size(1000));
  const spanning_problem two(of_size(1000));
  std::uint64_t entries = 0;
  for (vertex v = 0; v < 1000; ++v) {
    EXPECT_TRUE(std::ranges::equal(one.neighbours(v), two.neighbours(v)));
    entries += one.neighbours(v).size();
  }
  EXPECT_EQ(entries, 2 * 1000 * spanning_problem::k_edges_per_vertex);
}

/// Labels what can be reached, if the graph is no larger than that.
bool search_up_to(std::uint64_t limit, spanning_problem& graph) {
  if (graph.size() > limit) return false;
  std::vector<vertex> to_visit{spanning_problem::k_root};
  while (!to_visit.empty()) {
    const vertex u = to_visit.back();
    to_visit.pop_back();
    for (const vertex v : graph.neighbours(u)) {
      if (graph.label_alone(v, u)) to_visit.push_back(v);
    }
  }
  return true;
}

TEST(checkers, stack_limit_finds_the_largest_graph_to_a_twentieth) {
  stack_limit_problem p(of_size(8));
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
  p.search([](spanning_problem& graph) { return search_up_to(3'000, graph); });
  p.verify();
  EXPECT_LE(p.operations(), 3'000u);
  EXPECT_GE(p.operations(), 3'000u * 19 / 20);
}

TEST(checkers, stack_limit_wants_a_forest_for_each_graph_that_is_said_to_fit) {
  stack_limit_problem p(of_size(8));
  EXPECT_THROW(p.search([](spanning_problem&) { return true; }), wrong_answer);
  p.search([](spanning_problem&) { return false; });
  EXPECT_THROW(p.verify(), wrong_answer);
}

/// Puts queens one after another, but leaves out every board that `skips` says.
template <class Skips>
void put(queens_problem& p, const queens& q, Skips&& skips) {
  p.extend(q, [&](const queens& more) {
    if (!skips(more)) put(p, more, skips);
  });
}

TEST(checkers, nqueens_wants_every_board) {
  for (const std::uint64_t n : {1u, 2u, 4u, 8u}) {
    queens_problem p(of_size(n));
    put(p, {}, [](const queens&) { return false; });
    p.verify();
  }
  queens_problem p(of_size(8));
  put(p, {}, [](const queens&) { return false; });
  EXPECT_EQ(p.operations(), 2057u);
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
  put(p, {}, [](const queens& q) { return q.rows == 8 && q.column[0] == 3 && q.column[7] == 4; });
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, nqueens_refuses_a_board_that_no_task_could_carry) {
  EXPECT_THROW(queens_problem p(of_size(16)), std::invalid_argument);
}

#if BENCH_HAS_UTS
options of_shape(const std::string& shape) {
  options o;
  o.shape = shape;
  return o;
}

/// Visits the tree of p, but no node below a `cut`.
template <class Cut>
void visit_all(uts_problem& p, Cut&& cut) {
  p.with_tree([&](const auto& tree) {
    std::vector to_visit{tree.root()};
    while (!to_visit.empty()) {
      const auto n = to_visit.back();
      to_visit.pop_back();
      const std::uint32_t children = p.count(tree, n);
      for (std::uint32_t i = 0; i < children && !cut(n.depth, i); ++i) to_visit.push_back(tree.child(n, i));
    }
  });
}

class uts_checker : public testing::TestWithParam<const char*> {};

TEST_P(uts_checker, wants_the_published_tree_and_no_node_less) {
  uts_problem p(of_shape(GetParam()));
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
  visit_all(p, [](std::uint32_t, std::uint32_t) { return false; });
  p.verify();
  p.reset();
  std::uint64_t nodes = 0;
  visit_all(p, [&nodes, &p](std::uint32_t, std::uint32_t) { return ++nodes == p.operations() / 2; });
  EXPECT_THROW(p.verify(), wrong_answer);
}

INSTANTIATE_TEST_SUITE_P(trees, uts_checker, testing::Values("mixed", "T1", "T2", "T3", "T4", "T5"),
                         [](const auto& tree) { return tree.param; });

TEST(checkers, uts_refuses_a_tree_that_nobody_knows) {
  EXPECT_THROW(uts_problem p(of_shape("T6")), std::invalid_argument);
}
#endif

}  // namespace
}  // namespace bench
