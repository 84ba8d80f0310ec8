// SPDX-License-Identifier: Apache-2.0
// Embedded: a runtime inside a program that has a main and threads of its own.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <functional>
#include <thread>

namespace ts = tactus;

int main() {
  //! [runtime]
  ts::runtime rt(ts::config{.threads = 2});  // its workers sleep between runs

  const int sum = rt.run([] { return ts::reduce(1, 101, std::plus<>{}, [](int i) { return i; }); });
  std::printf("first run: %d\n", sum);
  //! [runtime]

  //! [external]
  // A thread of the program hands a value to a task. The task waits without holding a worker.
  const ts::promise<int> measured(ts::external);
  std::thread sensor([measured] { measured.set_value(21); });
  const int doubled = rt.run([&] { return 2 * measured.get_future().get(); });
  sensor.join();
  std::printf("second run: %d\n", doubled);
  //! [external]
}

// Prints: first run: 5050
// Prints: second run: 42
