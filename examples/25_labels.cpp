// SPDX-License-Identifier: Apache-2.0
// Which tasks may move is said by the program, and may be said again by a file of labels. TACTUS_PROFILE=run.tpp records what they do, for
// `tactus labels run.tpp`.
#include <tactus/tactus.hpp>

#include <cstdio>

namespace ts = tactus;

namespace {

// Of all numbers from `first` to before `last`.
long long collatz_steps(long long first, long long last) {
  long long steps = 0;
  for (long long i = first; i < last; ++i) {
    for (long long n = i; n != 1; ++steps) {
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    }
  }
  return steps;
}

}  // namespace

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 2, .placement = ts::placement_policy::hybrid}, argc, argv, [] {
    long long all = 0;
    const ts::global_ref<long long> home(all);
    const auto add = [home](long long steps) { ts::atomic([&] { *home += steps; }); };
    ts::finish([add] {
      for (int i = 0; i < 10; ++i) {
        //! [sensitive]
        ts::async_at(ts::place_flexible.named("long").then(add), [](int n) { return collatz_steps(1, n); }, 20'000);
        // May move by what it means, but is too short to be worth a message: it stays, unless a label says otherwise.
        ts::async_at(
            ts::place_flexible.named("short").sensitive().then(add), [](int n) { return collatz_steps(n, n + 1); }, 27);
        //! [sensitive]
      }
    });
    std::printf("%lld\n", all);
  });
}

// Prints: 18347150
