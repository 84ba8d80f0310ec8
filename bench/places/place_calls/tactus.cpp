// SPDX-License-Identifier: Apache-2.0
#include "places/place_calls/place_calls.hpp"

#include <algorithm>
#include <atomic>
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
constexpr std::chrono::milliseconds k_task{10};

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
        case form::busy: send_to_busy(); break;
        case form::at_busy: call_busy(); break;
        case form::alone:
        case form::beside: finish_at_home(); break;
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

  void finish_at_home() {
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      ts::finish([] { ts::async([] {}); });
    }
    problem_.count(watch.elapsed());
    problem_.done(problem_.size());
  }

  // While place 1, which has one worker, computes: the places are of one process, so the task there can say so.
  template <class F>
  static void while_it_computes(F&& f) {
    static std::atomic<bool> computes;
    computes = false;
    ts::finish([&] {
      ts::async_at(ts::place(1), [] {
        computes = true;
        const auto end = std::chrono::steady_clock::now() + k_task;
        while (std::chrono::steady_clock::now() < end) {
        }
      });
      while (!computes) {
        std::this_thread::yield();
      }
      f();
    });
  }

  // Nobody else can run the body there.
  void call_busy() {
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      while_it_computes([this] {
        const bench::stopwatch watch;
        problem_.done(ts::at(ts::place(1), [](std::uint64_t n) { return n; }, std::uint64_t{1}));
        problem_.count(watch.elapsed());
      });
    }
  }

  // What comes then waits for the end of the task, but is taken at once: that is what a report of a finish, or a registration, needs.
  void send_to_busy() {
    const auto taken = [] { return ts::stats().places[1].messages_taken; };
    std::vector<bench::duration> waits;
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      while_it_computes([&] {
        const std::uint64_t before = taken();
        const bench::stopwatch watch;
        ts::async_at(ts::place(1), [] {});
        while (taken() == before) {
          std::this_thread::yield();
        }
        waits.push_back(watch.elapsed());
        problem_.done(1);
      });
    }
    const auto late = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() * 99 / 100);
    std::nth_element(waits.begin(), late, waits.end(),
                     [](const bench::duration& a, const bench::duration& b) { return a.seconds < b.seconds; });
    const auto n = static_cast<double>(waits.size());
    problem_.count({late->seconds * n, late->processor_seconds * n});
  }

  ts::runtime runtime_;
  bench::place_calls_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::place_calls_problem, tactus_place_calls>(argc, argv, "place_calls", "tactus");
}
