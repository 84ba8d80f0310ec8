// SPDX-License-Identifier: Apache-2.0
// Forms:
//   p2p       a phaser for each task, on which it only signals and those that need its blocks only wait
//   barrier   one phaser for all; a task ends with its last step
//   clock     the same on a clock
#include <stdexcept>
#include <string>
#include <vector>

#include "support/tactus_pool.hpp"
#include "sync/stencil_p2p/stencil_p2p.hpp"

namespace ts = tactus;

namespace {

constexpr auto k_signal = ts::phaser_mode::signal_only;
constexpr auto k_wait = ts::phaser_mode::wait_only;

class tactus_stencil {
public:
  tactus_stencil(const bench::options& o, bench::stencil_problem& p) : pool_(o), problem_(p), body_(body_of(o, p)) {}

  void pass() {
    pool_.run([this] { ts::finish([this] { (this->*body_)(); }); });
  }

private:
  using body = void (tactus_stencil::*)();

  static body body_of(const bench::options& o, const bench::stencil_problem& p) {
    if (o.form == "p2p") return p.is_wavefront() ? &tactus_stencil::wait_for_above : &tactus_stencil::wait_for_both;
    if (o.form == "barrier") return &tactus_stencil::wait_for_all;
    if (o.form == "clock") return &tactus_stencil::advance_together;
    throw std::invalid_argument("stencil_p2p: --form is p2p, barrier or clock, not '" + o.form + "'");
  }

  /// Wavefront: a task may be any number of blocks ahead of the one below, which waits before each block.
  void wait_for_above() {
    const std::vector<ts::phaser> done(problem_.tasks());
    for (std::uint64_t i = 0; i < done.size(); ++i) {
      const ts::phaser own = done[i];
      if (i == 0) {
        ts::async(ts::phased(own.as(k_signal)), [this, own] {
          for (std::uint64_t j = 0; j < problem_.phases(); ++j) {
            problem_.make(0, j);
            own.signal();
          }
        });
      } else {
        const ts::phaser above = done[i - 1];
        ts::async(ts::phased(own.as(k_signal), above.as(k_wait)), [this, own, above, i] {
          for (std::uint64_t j = 0; j < problem_.phases(); ++j) {
            above.wait();
            problem_.make(i, j);
            own.signal();
          }
        });
      }
    }
  }

  /// Averaging: next() signals that the own block is made and waits for those of the neighbours. So these have read what
  /// the next block overwrites, too.
  void wait_for_both() {
    const std::vector<ts::phaser> done(problem_.tasks());
    const std::uint64_t last = done.size() - 1;
    for (std::uint64_t i = 0; i <= last; ++i) {
      const auto task = [this, i] {
        for (std::uint64_t j = 0; j < problem_.phases(); ++j) {
          problem_.make(i, j);
          ts::next();
        }
      };
      const auto own = done[i].as(k_signal);
      if (i == 0 && i == last) {
        ts::async(ts::phased(own), task);
      } else if (i == 0) {
        ts::async(ts::phased(own, done[i + 1].as(k_wait)), task);
      } else if (i == last) {
        ts::async(ts::phased(own, done[i - 1].as(k_wait)), task);
      } else {
        ts::async(ts::phased(own, done[i - 1].as(k_wait), done[i + 1].as(k_wait)), task);
      }
    }
  }

  void wait_for_all() {
    const ts::phaser all;
    step_by_step(ts::phased(all), [all] { all.next(); });
  }

  void advance_together() {
    const ts::clock all = ts::clock::make();
    step_by_step(ts::clocked(all), [all] { all.advance(); });
  }

  template <class Attribute, class Next>
  void step_by_step(const Attribute& registered, const Next& next) {
    for (std::uint64_t i = 0; i < problem_.tasks(); ++i) {
      ts::async(registered, [this, next, i] {
        for (std::uint64_t step = 0; step < problem_.first_step(i) + problem_.phases(); ++step) {
          if (problem_.has_block(i, step)) problem_.make_in_step(i, step);
          next();
        }
      });
    }
  }

  bench::tactus_pool pool_;
  bench::stencil_problem& problem_;
  body body_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::stencil_problem, tactus_stencil>(argc, argv, "stencil_p2p", "tactus");
}
