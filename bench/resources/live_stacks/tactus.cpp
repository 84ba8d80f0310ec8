// SPDX-License-Identifier: Apache-2.0
#include "resources/live_stacks/live_stacks.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_live_stacks {
public:
  tactus_live_stacks(const bench::options& o, bench::live_stacks_problem& p) : pool_(o), problem_(p) {}
  void pass() {
    pool_.run([this] { ts::finish([this] { ts::async([this] { task(problem_.depth); }); }); });
  }

private:
  void task(int levels_below) {
    problem_.task_starts();
    if (levels_below > 0) {
      ts::finish([this, levels_below] {
        ts::async([this, levels_below] { task(levels_below - 1); });
        ts::async([this, levels_below] { task(levels_below - 1); });
      });
    }
    problem_.task_ends();
  }

  bench::tactus_pool pool_;
  bench::live_stacks_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::live_stacks_problem, tactus_live_stacks>(argc, argv, "live_stacks", "tactus");
}
