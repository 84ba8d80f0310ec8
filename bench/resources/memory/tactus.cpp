// SPDX-License-Identifier: Apache-2.0
#include "resources/memory/memory.hpp"
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

  void steady_finish() {
    pool_.run([this] { ts::finish([this] { occupy_and_spawn(); }); });
    problem_.finished_one();
  }

  /// help_first is said here because it never moves the spawner to where it would wait for itself.
  void occupy_and_spawn() {
    problem_.nobody_occupied();
    for (int i = 0; i < problem_.other_workers(); ++i) {
      ts::async(ts::spawn_policy::help_first, [this] { problem_.occupy(); });
    }
    problem_.await_occupants();
    spawn_all();
    problem_.release_occupants();
  }

  /// Most tasks only run; every hundredth waits for the others, so that stacks are in the figure too.
  void spawn_all() {
    ts::promise<void> gate;
    const ts::future<void> open = gate.get_future();
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
  }

  bench::tactus_pool pool_;
  bench::memory_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::memory_problem, tactus_memory>(argc, argv, "memory", "tactus");
}
