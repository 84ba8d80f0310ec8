// SPDX-License-Identifier: Apache-2.0
// Runtimes with static storage duration, and runs before and after main: each made before anything of the library was used.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

namespace ts = tactus;

namespace {

int failures = 0;

void expect(int got, int wanted, const char* where) {
  if (got != wanted) {
    std::printf("%s: %d, not %d\n", where, got, wanted);
    ++failures;
  }
}

int sum(int n) {
  return ts::reduce(0, n, std::plus<>{}, [](int i) { return i; });
}

const ts::config two_workers{.threads = 2, .env = false};

// Destroyed after everything below: its destructor runs when they have gone.
struct runs_last {
  ~runs_last() {
    expect(ts::run(two_workers, [] { return sum(5); }), 10, "a static destructor");
    if (failures != 0) std::_Exit(1);
  }
} last;

const int early = ts::run(two_workers, [] { return sum(10); });
ts::runtime kept(two_workers);

struct in_thread {
  ~in_thread() {
    expect(ts::run(two_workers, [] { return 4; }), 4, "a thread-local destructor");
  }
};

}  // namespace

int main() {
  expect(early, 45, "a static initialiser");
  expect(kept.run([] { return sum(4); }), 6, "a static runtime");
  std::thread([] {
    thread_local in_thread local;
    static_cast<void>(&local);
    expect(kept.run([] { return 3; }), 3, "a static runtime in a thread");
  }).join();
  static_cast<void>(std::atexit([] { expect(ts::run(two_workers, [] { return 7; }), 7, "atexit"); }));
  return failures;
}
