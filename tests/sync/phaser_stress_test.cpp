// SPDX-License-Identifier: Apache-2.0
// Storms of joining, leaving and signalling in all modes. An oracle counts, for every phaser and phase, who may signal and has not:
// nobody may pass a phase of which that count is not zero. A failure prints the seed of its program.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"
#include "sync/phasers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using phasers::may_signal;
using phasers::may_wait;
using enum ts::phaser_mode;

class phaser_stress_test : public support::each_setting {};
TACTUS_EACH_SETTING(phaser_stress_test);

// ---- random programs ----
//
// Every round of a task ends with all its signals and then all its waits, so that no program is stuck. Between that it spawns, leaves
// phasers, signals early, and signal_only tasks run ahead.

constexpr std::size_t k_phasers = 3;
constexpr int k_depth = 4;
constexpr int k_steps = 12;
constexpr std::size_t k_phases = (k_depth + 1) * k_steps + 2;  // a step signals at most once
constexpr int k_most_tasks = 60;

/// A splitmix64 sequence: small, and the same on every machine.
class chooser {
public:
  explicit chooser(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return next() % n; }

private:
  std::uint64_t state_;
};

/// What is known about one phaser. The counters are relaxed on purpose: it is the phaser that orders them, and the plain fields
/// beside them, which ThreadSanitizer watches.
struct witness {
  std::array<std::atomic<int>, k_phases> missing{};          ///< may signal, and has this phase still to signal
  std::array<std::atomic<int>, k_phases> singles_brought{};  ///< functions brought to next_single
  std::array<int, k_phases> singles_run{};                   ///< plain: next_single orders them

  void expect(std::size_t phase) { missing[phase].fetch_add(1, std::memory_order_relaxed); }
  void dismiss(std::size_t phase) { missing[phase].fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] int missing_up_to(std::size_t phase) const {
    int most = 0;
    for (std::size_t k = 0; k <= phase; ++k) most = std::max(most, missing[k].load(std::memory_order_relaxed));
    return most;
  }
};

struct world {
  explicit world(std::uint64_t s) : seed(s) {}
  std::uint64_t seed;
  std::array<witness, k_phasers> witnesses{};
  std::atomic<int> tasks{0};
  std::atomic<int> thrown{0};
  std::atomic<int> passes{0};
  std::atomic<int> singles{0};
};

/// How one task stands to one phaser: the reference model, by the papers' numbers.
struct standing {
  bool registered = false;
  ts::phaser_mode mode = signal_wait_next;
  std::size_t signals = 0;
  std::size_t waits = 0;

  [[nodiscard]] bool signals_in_phase() const { return registered && may_signal(mode); }
  [[nodiscard]] bool has_signalled() const { return may_wait(mode) && signals > waits; }
  [[nodiscard]] std::size_t phase() const { return may_wait(mode) ? waits : signals; }
};

/// One task of a random program.
class walker {
public:
  walker(world* w, std::vector<ts::phaser> on, std::array<standing, k_phasers> inherited, int depth, int slot)
      : w_(w),
        phasers_(std::move(on)),
        at_(inherited),
        depth_(depth),
        choose_(w->seed * 1'000 + static_cast<std::uint64_t>(slot)) {}

  void operator()() {
    for (std::size_t i = 0; i < k_phasers; ++i) check_phase(i);
    for (int step = 0; step < k_steps && first_registered() != k_phasers; ++step) take_step();
    const bool fails = choose_.below(5) == 0;
    for (std::size_t i = 0; i < k_phasers; ++i) {
      if (at_[i].signals_in_phase()) w_->witnesses[i].dismiss(at_[i].signals);
    }
    if (fails) {
      ++w_->thrown;
      throw std::runtime_error("left by an exception");
    }
  }

private:
  void take_step() {
    switch (choose_.below(10)) {
      case 0: signal_one(); break;
      case 1: one_after_another(); break;
      case 2: with_single(); break;
      case 3:
      case 4:
      case 5: spawn(); break;
      case 6: drop_one(); break;
      case 7: ts::yield(); break;
      default: all_at_once(); break;
    }
  }

  std::size_t first_registered() const {
    std::size_t i = 0;
    while (i < k_phasers && !at_[i].registered) ++i;
    return i;
  }

  std::size_t any_registered() {
    std::size_t i = choose_.below(k_phasers);
    while (!at_[i].registered) i = (i + 1) % k_phasers;
    return i;
  }

  void check_phase(std::size_t i) {
    if (!at_[i].registered) return;
    EXPECT_EQ(phasers_[i].phase(), at_[i].phase()) << "phaser " << i << ", seed " << w_->seed;
  }

  // In the model, before the real signal.
  void note_signal(std::size_t i) {
    if (!at_[i].signals_in_phase() || at_[i].has_signalled()) return;
    w_->witnesses[i].expect(at_[i].signals + 1);
    w_->witnesses[i].dismiss(at_[i].signals);
    ++at_[i].signals;
  }

  // In the model, after the real wait.
  void note_wait(std::size_t i) {
    if (!at_[i].registered) return;
    check_passed(i);
    check_phase(i);
  }

  void check_passed(std::size_t i) {
    if (!may_wait(at_[i].mode)) return;
    const std::size_t passed = at_[i].waits++;
    const witness& known = w_->witnesses[i];
    EXPECT_EQ(known.missing_up_to(passed), 0) << "phaser " << i << ", phase " << passed << ", seed " << w_->seed;
    if (known.singles_brought[passed].load(std::memory_order_relaxed) > 0) {
      EXPECT_EQ(known.singles_run[passed], 1) << "phaser " << i << ", phase " << passed << ", seed " << w_->seed;
    }
    w_->passes.fetch_add(1, std::memory_order_relaxed);
  }

  void signal(std::size_t i) {
    if (!at_[i].signals_in_phase()) return;
    note_signal(i);
    phasers_[i].signal();
  }

  void signal_one() {
    const std::size_t i = any_registered();
    signal(i);
    check_phase(i);
  }

  void all_at_once() {
    for (std::size_t i = 0; i < k_phasers; ++i) note_signal(i);
    ts::next();
    for (std::size_t i = 0; i < k_phasers; ++i) note_wait(i);
  }

  void wait_from(std::size_t first, std::size_t done) {
    for (std::size_t k = 0; k < k_phasers; ++k) {
      const std::size_t i = (first + k) % k_phasers;
      if (!at_[i].registered || i == done) continue;
      if (may_wait(at_[i].mode)) phasers_[i].wait();
      note_wait(i);
    }
  }

  void one_after_another() {
    for (std::size_t i = 0; i < k_phasers; ++i) signal(i);
    wait_from(choose_.below(k_phasers), k_phasers);
  }

  void with_single() {
    const std::size_t i = any_registered();
    if (at_[i].mode != signal_wait_next || at_[i].has_signalled()) return;
    for (std::size_t k = 0; k < k_phasers; ++k) {
      if (k != i) signal(k);
    }
    witness& known = w_->witnesses[i];
    const std::size_t phase = at_[i].waits;
    known.singles_brought[phase].fetch_add(1, std::memory_order_relaxed);
    note_signal(i);
    phasers_[i].next_single([this, &known, phase] {
      EXPECT_EQ(known.missing_up_to(phase), 0) << "seed " << w_->seed;
      ++known.singles_run[phase];
      w_->singles.fetch_add(1, std::memory_order_relaxed);
    });
    note_wait(i);
    wait_from(i, i);
  }

  void drop_one() {
    const std::size_t i = any_registered();
    if (at_[i].signals_in_phase()) w_->witnesses[i].dismiss(at_[i].signals);
    at_[i].registered = false;
    phasers_[i].drop();
  }

  ts::phaser_mode any_mode_below(ts::phaser_mode parent) {
    const ts::phaser_mode wish = phasers::k_modes[choose_.below(phasers::k_modes.size())];
    return phasers::may_hand_on(parent, wish) ? wish : parent;
  }

  void spawn() {
    const int slot = depth_ < k_depth ? w_->tasks.fetch_add(1) : k_most_tasks;
    if (slot >= k_most_tasks) return;
    std::array<standing, k_phasers> of_child = at_;
    const std::size_t kept = any_registered();
    std::array<std::size_t, k_phasers> named{};
    for (std::size_t i = 0; i < k_phasers; ++i) {
      if (i != kept && choose_.below(2) == 0) of_child[i].registered = false;
      if (of_child[i].registered) of_child[i].mode = any_mode_below(at_[i].mode);
      if (of_child[i].signals_in_phase()) w_->witnesses[i].expect(of_child[i].signals);
      named[i] = of_child[i].registered ? i : kept;
    }
    static constexpr std::array k_policies = {ts::spawn_policy::adaptive, ts::spawn_policy::work_first,
                                              ts::spawn_policy::help_first};
    const auto as_child = [&](std::size_t i) { return phasers_[i].as(of_child[i].mode); };
    ts::async(k_policies[choose_.below(3)], ts::phased(as_child(named[0]), as_child(named[1]), as_child(named[2])),
              walker(w_, phasers_, of_child, depth_ + 1, slot));
  }

  world* w_;
  std::vector<ts::phaser> phasers_;
  std::array<standing, k_phasers> at_;
  int depth_;
  chooser choose_;
};

/// Runs the program of a seed and checks what can only be checked at the end. How many functions next_single ran.
int expect_order_kept(const ts::config& how, std::uint64_t seed) {
  world w(seed);
  std::size_t reported = 0;
  ts::run(how, [&] {
    const auto e = support::caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        std::vector<ts::phaser> on;
        for (std::size_t i = 0; i < k_phasers; ++i) on.emplace_back(signal_wait_next);
        std::array<standing, k_phasers> everywhere{};
        for (standing& s : everywhere) s.registered = true;
        for (int k = 0; k < 4; ++k) {
          for (witness& at : w.witnesses) at.expect(0);
          ts::async(ts::phased(on[0], on[1], on[2]), walker(&w, on, everywhere, 0, w.tasks.fetch_add(1)));
        }
      });
    });
    if (e) reported = e->exceptions().size();
  });
  EXPECT_EQ(reported, static_cast<std::size_t>(w.thrown)) << "seed " << seed;
  EXPECT_GT(w.passes.load(), 0) << "seed " << seed;
  for (const witness& at : w.witnesses) EXPECT_EQ(at.missing_up_to(k_phases - 1), 0) << "seed " << seed;
  return w.singles;
}

TEST_P(phaser_stress_test, random_programs_pass_no_phase_before_all_who_signal_have_signalled_it) {
  int singles = 0;
  for (std::uint64_t seed = 1; seed <= support::scaled(25, 5); ++seed) {
    singles += expect_order_kept(support::config_of(GetParam().workers, GetParam().policy), seed);
    if (HasFailure()) return;
  }
  EXPECT_GT(singles, 0);
}

TEST(phaser_seeded_stress_test, random_programs_keep_the_order_under_the_seeded_scheduler) {
  for (std::uint64_t seed = 1; seed <= support::scaled(150, 20); ++seed) {
    const int workers = 1 + static_cast<int>(seed % 6);
    expect_order_kept(support::seeded_config_of(seed, workers), seed);
    if (testing::Test::HasFailure()) return;
  }
}

// ---- storms of one shape ----

TEST_P(phaser_stress_test, bounded_producers_come_and_go_while_consumers_read) {
  // The producers hand their place on to a child in every few items, so that registrations change while others are held.
  struct relay {
    std::atomic<int> made{0};
    int items = 0;
    void produce(const ts::phaser& ph, int from) {
      for (int i = from; i < items; ++i) {
        ph.signal();
        ++made;
        if (i % 5 != 4 || i + 1 == items) continue;
        ts::async(ts::phased(ph), [this, ph, i] { produce(ph, i + 1); });
        return;
      }
    }
  };
  relay r;
  r.items = static_cast<int>(support::scaled(200, 40));
  std::atomic<int> read{0};
  run([&] {
    const ts::phaser ph(signal_wait, ts::bound{3});
    for (int i = 0; i < 3; ++i) ts::async(ts::phased(ph.as(signal_only)), [&r, ph] { r.produce(ph, 0); });
    for (int i = 0; i < 3; ++i) {
      ts::async(ts::phased(ph.as(wait_only)), [&, ph] {
        for (int k = 0; k < r.items; ++k) {
          ph.wait();
          ++read;
        }
      });
    }
  });
  EXPECT_EQ(r.made.load(), 3 * r.items);
  EXPECT_EQ(read.load(), 3 * r.items);
}

TEST_P(phaser_stress_test, hundreds_of_phasers_live_beside_one_another) {
  const std::size_t n = support::scaled(400, 50);
  std::atomic<std::size_t> passed{0};
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&passed, i] {
        const ts::phaser ph(phasers::k_modes[i % 2]);
        ts::async(ts::phased(ph.as(phasers::k_modes[1 + i % 3])), [&passed, ph] {
          for (int k = 0; k < 3; ++k) ph.next();
          ++passed;
        });
        ph.next();
        ph.signal();
      });
    }
  });
  EXPECT_EQ(passed.load(), n);
}

TEST_P(phaser_stress_test, runs_in_a_row_leave_nothing_behind) {
  ts::runtime rt(support::config_of(GetParam().workers, GetParam().policy));
  for (std::size_t round = 0; round < support::scaled(30, 5); ++round) {
    std::atomic<int> passed{0};
    rt.run([&] {
      const ts::phaser ph(signal_wait_next);
      for (const ts::phaser_mode mode : phasers::k_modes) {
        ts::async(ts::phased(ph.as(mode)), [&passed, ph] {
          for (int k = 0; k < 4; ++k) ph.next();
          ++passed;
        });
      }
    });
    ASSERT_EQ(passed.load(), 4);
  }
}

}  // namespace
