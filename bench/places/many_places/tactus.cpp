// SPDX-License-Identifier: Apache-2.0
#include "places/many_places/many_places.hpp"

#include <chrono>
#include <memory>
#include <thread>

#include "support/resident.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_many_places {
public:
  tactus_many_places(const bench::options& o, bench::many_places_problem& p) : options_(o), problem_(p) {
    if (p.shape() == "idle" || p.shape() == "finishes") {
      runtime_ = std::make_unique<ts::runtime>(config());
      runtime_->run([] {});
    }
  }

  void pass() {
    if (problem_.shape() == "start") {
      ts::runtime(config()).run([] {});
      problem_.done(1);
    } else if (problem_.shape() == "idle") {
      wait_for_an_alarm();
    } else if (problem_.shape() == "memory") {
      look_at_memory();
    } else {
      open_finishes();
    }
  }

private:
  [[nodiscard]] ts::config config() const {
    ts::config c = bench::config_of_places(options_, problem_.places());
    c.threads = problem_.workers();
    return c;
  }

  void wait_for_an_alarm() {
    const ts::promise<void> alarm(ts::external);
    std::jthread clock([this, alarm] {
      std::this_thread::sleep_for(std::chrono::duration<double>(problem_.seconds()));
      alarm.set_value();
    });
    runtime_->run([alarm] { alarm.get_future().get(); });
    problem_.done(1);
  }

  // Each place has been called once, so that what it needs to begin with is there.
  void look_at_memory() {
    for (const int places : {1, problem_.places()}) {
      ts::runtime of_so_many(bench::config_of_places(options_, places));
      of_so_many.run([] { ts::at_each(ts::places(), [] {}); });
      problem_.resident(bench::resident_bytes());
    }
    problem_.done(1);
  }

  void open_finishes() {
    runtime_->run([this] {
      constexpr std::uint64_t k_part = bench::many_places_problem::k_finishes / bench::many_places_problem::k_parts;
      ts::place to = ts::here();
      for (std::uint64_t i = 1; i <= bench::many_places_problem::k_finishes; ++i) {
        to = to.next();
        ts::finish([to] { ts::async_at(to, [] {}); });
        problem_.done(1);
        if (i % k_part == 0) problem_.resident(bench::resident_bytes());
      }
    });
  }

  bench::options options_;
  bench::many_places_problem& problem_;
  std::unique_ptr<ts::runtime> runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::many_places_problem, tactus_many_places>(argc, argv, "many_places", "tactus");
}
