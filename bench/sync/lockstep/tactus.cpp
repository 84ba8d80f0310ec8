// SPDX-License-Identifier: Apache-2.0
// Shapes, beside million and waiting, which are those of clock:
//   clock         n clocked tasks that advance with the default hint
//   clock_eager, clock_lazy   the same with the other hints
//   finish        a finish over n asyncs in each phase
//   lockstep      the form without stacks
#include "support/tactus_pool.hpp"
#include "sync/lockstep/lockstep.hpp"

namespace ts = tactus;

namespace {

class tactus_lockstep {
public:
  tactus_lockstep(const bench::options& o, bench::lockstep_problem& p) : pool_(o), problem_(p), body_(body_of(p)) {
    if (p.shape() == "clock_eager") hint_ = ts::wait::eager;
    if (p.shape() == "clock_lazy") hint_ = ts::wait::lazy;
    if (p.shape() == "lockstep") {
      p.expect_ns(500, 2);
    } else {
      p.expect_ns(500, p.shape() == "finish" ? 40 : 15);
    }
  }

  void pass() {
    pool_.run([this] { (this->*body_)(); });
  }

private:
  using body = void (tactus_lockstep::*)();

  static body body_of(const bench::lockstep_problem& p) {
    const std::string& shape = p.shape();
    if (shape == "clock" || shape == "clock_eager" || shape == "clock_lazy" || shape == "million") {
      return &tactus_lockstep::advance_together;
    }
    if (shape == "waiting") return &tactus_lockstep::wait_for_creator;
    if (shape == "finish") return &tactus_lockstep::fork_each_phase;
    if (shape == "lockstep") return &tactus_lockstep::step_together;
    throw std::invalid_argument(
        "lockstep: --shape is clock, clock_eager, clock_lazy, million, waiting, finish or lockstep, not '" + shape +
        "'");
  }

  /// The creator arrives by leaving when it has spawned all, so that nobody's first phase ends before.
  void advance_together() {
    problem_.creation_begins();
    ts::finish(ts::clocked, [this](ts::clock c) { spawn_clocked(c, [] {}); });
  }

  void wait_for_creator() {
    problem_.creation_begins();
    ts::finish(ts::clocked, [this](ts::clock c) {
      spawn_clocked(c, [this] { problem_.about_to_wait(); });
      while (!problem_.all_are_about_to_wait()) ts::yield();
      problem_.all_wait();
    });
  }

  template <class Announce>
  void spawn_clocked(const ts::clock& c, Announce announce) {
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      ts::async(ts::clocked(c), [this, c, i, announce] {
        problem_.run_phases(i == 0, [this, &c, i, &announce] {
          problem_.update(i);
          announce();
          c.advance(hint_);
        });
      });
    }
  }

  void fork_each_phase() {
    problem_.run_phases(true, [this] {
      ts::finish([this] {
        for (std::uint64_t i = 0; i < problem_.size(); ++i) ts::async([this, i] { problem_.update(i); });
      });
    });
  }

  void step_together() {
    std::uint64_t phase = 0;
    const auto go_on = [this, &phase] {
      problem_.reaches(phase);
      return phase++ < problem_.phases();
    };
    ts::lockstep(std::uint64_t{0}, problem_.size(), go_on, [this](std::uint64_t i) { problem_.update(i); });
  }

  bench::tactus_pool pool_;
  bench::lockstep_problem& problem_;
  body body_;
  ts::wait hint_ = ts::wait::automatic;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::lockstep_problem, tactus_lockstep>(argc, argv, "lockstep", "tactus");
}
