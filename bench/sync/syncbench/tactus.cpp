// SPDX-License-Identifier: Apache-2.0
// Tasks on one phaser or clock (--construct), with an accumulator of the named strategy; none: the phases alone, with all
// that a task does beside the sum.
#include <optional>

#include "support/tactus_pool.hpp"
#include "support/tactus_strategy.hpp"
#include "sync/syncbench/syncbench.hpp"

namespace ts = tactus;

namespace {

class tactus_problem : public bench::syncbench_problem {
public:
  explicit tactus_problem(const bench::options& o) : syncbench_problem(o), construct_(o.construct) {}

  void report(nlohmann::json& line) const {
    syncbench_problem::report(line);
    line["construct"] = construct_;
  }

private:
  std::string construct_;
};

/// One name for what the two constructs call next and advance, phased and clocked.
struct on_phaser {
  ts::phaser construct;
  void next() const { construct.next(); }
  [[nodiscard]] auto registered() const { return ts::phased(construct); }
};

struct on_clock {
  ts::clock construct = ts::clock::make();
  void next() const { construct.advance(); }
  [[nodiscard]] auto registered() const { return ts::clocked(construct); }
};

class tactus_syncbench {
public:
  tactus_syncbench(const bench::options& o, tactus_problem& p) : options_(o), pool_(o), problem_(p) {
    if (o.strategy != "none") strategy_ = bench::strategy_named(o.strategy, p.tasks());
    p.expect_ns(500, 20);
  }

  void pass() {
    bench::with_type(options_, [this]<class T>(T /*type*/) {
      pool_.run([this] {
        if (options_.construct == "clock") {
          go_through<T, on_clock>();
        } else {
          go_through<T, on_phaser>();
        }
      });
    });
  }

private:
  template <class T, class Construct>
  void go_through() {
    ts::finish([this] {
      const Construct c;
      if (strategy_) {
        const ts::accumulator<T> sum(c.construct, ts::op::sum, *strategy_);
        spawn(c, [this, c, sum](std::uint64_t i) {
          problem_.run_phases(i == 0, [this, &c, &sum, i](std::uint64_t phase) {
            problem_.delay(i);
            sum.send(problem_.value<T>(i, phase));
            c.next();
            problem_.check<T>(i, phase, sum.result());
          });
        });
      } else {
        spawn(c, [this, c](std::uint64_t i) {
          problem_.run_phases(i == 0, [this, &c, i](std::uint64_t phase) {
            problem_.delay(i);
            c.next();
            problem_.pretend<T>(i, phase);
          });
        });
      }
    });
  }

  template <class Construct, class Task>
  void spawn(const Construct& c, const Task& task) {
    for (std::uint64_t i = 0; i < problem_.tasks(); ++i) ts::async(c.registered(), [task, i] { task(i); });
  }

  bench::options options_;
  bench::tactus_pool pool_;
  tactus_problem& problem_;
  std::optional<ts::strategy> strategy_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<tactus_problem, tactus_syncbench>(argc, argv, "syncbench", "tactus");
}
