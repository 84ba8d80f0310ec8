// SPDX-License-Identifier: Apache-2.0
// The delays alone, those of the busiest of --threads workers: what a phase takes at least, and what is subtracted from
// the others' time.
#include "sync/syncbench/syncbench.hpp"

namespace {

class serial {
public:
  serial(const bench::options& /*o*/, bench::syncbench_problem& p) : problem_(p) { p.expect_ns(1, 1); }

  void pass() {
    problem_.run_phases(true, [this](std::uint64_t /*phase*/) {
      problem_.delay_of_busiest();
      for (std::uint64_t i = 0; i < problem_.tasks(); ++i) problem_.pass_phase(i);
    });
  }

private:
  bench::syncbench_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::syncbench_problem, serial>(argc, argv, "syncbench", "serial");
}
