// SPDX-License-Identifier: Apache-2.0
#include "resources/idle/idle.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_idle {
public:
  tactus_idle(const bench::options& o, bench::idle_problem& p) : pool_(o), problem_(p) {}

  void pass() {
    if (problem_.waiting()) {
      wait_in_a_task();
    } else {
      pool_.run([] { ts::for_each(0, 1000, [](int) {}); });  // the workers have been awake
      problem_.watch();
    }
  }

private:
  void wait_in_a_task() {
    ts::promise<void> alarm(ts::external);
    std::jthread clock([this, alarm]() mutable {
      problem_.watch();
      alarm.set_value();
    });
    pool_.run([alarm]() mutable { alarm.get_future().get(); });
  }

  bench::tactus_pool pool_;
  bench::idle_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::idle_problem, tactus_idle>(argc, argv, "idle", "tactus");
}
