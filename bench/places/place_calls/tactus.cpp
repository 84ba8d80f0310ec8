// SPDX-License-Identifier: Apache-2.0
#include "places/place_calls/place_calls.hpp"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

using form = bench::place_calls_problem::form;

constexpr std::size_t k_mebibyte = (1U << 20U) / sizeof(double);
constexpr std::chrono::milliseconds k_until_it_sleeps{2};

class tactus_place_calls {
public:
  tactus_place_calls(const bench::options& o, bench::place_calls_problem& p)
      : runtime_(bench::config_of_places(o, p.places())), problem_(p) {
    runtime_.run([] {});
  }

  void pass() {
    runtime_.run([this] {
      switch (problem_.what()) {
        case form::parked: call_sleepers(); break;
        case form::move: move_to_and_fro(); break;
        case form::each: call_each(); break;
        case form::arrow: use_here(); break;
      }
    });
  }

private:
  void call_sleepers() {
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      std::this_thread::sleep_for(k_until_it_sleeps);
      const bench::stopwatch watch;
      problem_.done(ts::at(ts::place(1), [](std::uint64_t n) { return n; }, std::uint64_t{1}));
      problem_.count(watch.elapsed());
    }
  }

  void move_to_and_fro() {
    std::vector<double> block(k_mebibyte, 1.0);
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      block = ts::at(ts::place(1), [](std::vector<double> there) { return there; }, std::move(block));
      problem_.done(block.size() == k_mebibyte ? 2 : 0);
    }
    problem_.count(watch.elapsed());
  }

  void call_each() {
    ts::place_local<std::uint64_t> calls(std::uint64_t{0});
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < problem_.rounds(); ++i) {
      ts::at_each(ts::places(), [](ts::place_local_ref<std::uint64_t> n) { ++*n; }, calls.ref());
    }
    problem_.count(watch.elapsed());
    for (const ts::place p : ts::places()) {
      problem_.done(calls.at(p, [](std::uint64_t n) { return n; }));
    }
  }

  void use_here() {
    struct counter {
      std::uint64_t n = 0;
    };
    const ts::place_local<counter> all;
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      ++all->n;
      asm volatile("" ::: "memory");  // each use for itself
    }
    problem_.count(watch.elapsed());
    problem_.done(all->n);
  }

  ts::runtime runtime_;
  bench::place_calls_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::place_calls_problem, tactus_place_calls>(argc, argv, "place_calls", "tactus");
}
