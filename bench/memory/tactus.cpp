// SPDX-License-Identifier: Apache-2.0
#include "memory/memory.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_memory {
public:
  tactus_memory(const bench::options& o, bench::memory_problem& p) : pool_(o), problem_(p) {}

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
      ts::finish([this] {
        problem_.nothing_queued();
        for (std::uint64_t i = 0; i < problem_.size(); ++i) ts::async([this, i] { problem_.run_queued(i); });
        problem_.all_queued();
      });
    });
  }

  /// Most tasks only run; every hundredth waits for the others, so that stacks are in the figure too.
  void steady_finish() {
    pool_.run([this] {
      ts::promise<void> gate;
      const ts::future<void> open = gate.get_future();
      ts::finish([this, &open, &gate] {
        for (std::uint64_t i = 0; i < problem_.size(); ++i) {
          if (i % 100 == 0) {
            ts::async([this, i, open] {
              open.get();
              problem_.set(i);
            });
          } else {
            ts::async([this, i] { problem_.set(i); });
          }
        }
        gate.set_value();
      });
    });
    problem_.finished_one();
  }

  bench::tactus_pool pool_;
  bench::memory_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::memory_problem, tactus_memory>(argc, argv, "memory", "tactus");
}
