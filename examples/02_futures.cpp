// SPDX-License-Identifier: Apache-2.0
// Values that will be there: async_future for a task's result, promise for a value that some task sets.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <string>

namespace ts = tactus;

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    //! [async_future]
    const ts::future<int> left = ts::async_future([] { return 20; });
    const ts::future<int> right = ts::async_future([left] { return left.get() + 2; });
    std::printf("sum: %d\n", left.get() + right.get());
    //! [async_future]

    //! [promise]
    const ts::promise<std::string> answer;
    ts::async([answer] { answer.set_value("set by another task"); });
    std::printf("promise: %s\n", answer.get_future().get().c_str());
    //! [promise]
  });
}

// Prints: sum: 42
// Prints: promise: set by another task
