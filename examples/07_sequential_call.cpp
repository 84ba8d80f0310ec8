// SPDX-License-Identifier: Apache-2.0
// Sequential calls of parallel functions: b calls c and d calls e, though both spawn. Source: work-stealing.txt, figure 5.
// What comes after the call of c in b may run beside the task that escaped from it.
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

void d() {
  e();
  ++steps;
}

void c() {  // a parallel function, called plainly by b
  ts::async(d);
  ++steps;
}

void b() {
  c();
  ++steps;
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
