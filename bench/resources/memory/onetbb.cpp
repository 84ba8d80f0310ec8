// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/task_group.h>

#include "resources/memory/memory.hpp"
#include "support/onetbb_pool.hpp"

namespace {

class onetbb {
public:
  onetbb(const bench::options& o, bench::memory_problem& p) : pool_(o.threads), problem_(p) {}

  void pass() {
    if (problem_.steady()) {
      for (int i = 0; i < bench::memory_problem::k_finishes; ++i) steady_finish();
    } else {
      queue_all();
    }
  }

private:
  void queue_all() {
    pool_.run([this] {
      oneapi::tbb::task_group group;
      problem_.nothing_queued();
      for (std::uint64_t i = 0; i < problem_.size(); ++i) group.run([this, i] { problem_.run_queued(i); });
      problem_.all_queued();
      group.wait();
    });
  }

  void steady_finish() {
    pool_.run([this] {
      oneapi::tbb::task_group group;
      problem_.nobody_occupied();
      for (int i = 0; i < problem_.other_workers(); ++i) group.run([this] { problem_.occupy(); });
      problem_.await_occupants();
      for (std::uint64_t i = 0; i < problem_.size(); ++i) group.run([this, i] { problem_.set(i); });
      problem_.release_occupants();
      group.wait();
    });
    problem_.finished_one();
  }

  bench::onetbb_pool pool_;
  bench::memory_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::memory_problem, onetbb>(argc, argv, "memory", bench::k_onetbb);
}
