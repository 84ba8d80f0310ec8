// SPDX-License-Identifier: Apache-2.0
// Places that are processes of one worker each. The first task runs at place 0; the others have begun when a task has come to them.
#include "places/rank_start/rank_start.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

int main(int argc, char** argv) {
  return bench::program_that_is_started(argc, argv, [](const bench::options& o) {
    ts::runtime(bench::config_of_places(o, o.threads)).run([] {
      const bench::rank_began first = bench::rank_began::now();
      ts::at_each(ts::places(), [first] {
        bench::begin_file::write(ts::here().id(), ts::here().id() == 0 ? first : bench::rank_began::now());
      });
    });
  });
}
