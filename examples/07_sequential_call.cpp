// SPDX-License-Identifier: Apache-2.0
// Sequential calls of parallel functions: b calls c and d calls e, though both spawn. Source: work-stealing.txt, figure 5.
// What comes after the call of c in b runs beside the task that escaped from it: that task even waits for it here,
// which no serial run could survive.
#include <tactus/tactus.hpp>

#include <atomic>
#include <cstdio>

namespace ts = tactus;

std::atomic<int> steps{0};

void f() { ++steps; }

void e() {  // a parallel function, called plainly by d
  ts::async(f);
  ++steps;
}

void d(const ts::future<void>& b_went_on) {
  b_went_on.get();
  e();
  ++steps;
}

void c(const ts::future<void>& b_went_on) {  // a parallel function, called plainly by b
  ts::async([b_went_on] { d(b_went_on); });
  ++steps;
}

void b() {
  const ts::promise<void> went_on;
  c(went_on.get_future());
  ++steps;
  went_on.set_value();
}

void a() {
  ts::finish(b);
  ++steps;
}

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    a();
    std::printf("%d of 6 steps\n", steps.load());
  });
}

// Prints: 6 of 6 steps
