// SPDX-License-Identifier: Apache-2.0
// A program that uses a shared library with Tactus inside, from two threads.
#include <thread>

int plugin_fibonacci(int n);

int main() {
  int other = 0;
  std::thread([&other] { other = plugin_fibonacci(15); }).join();
  return plugin_fibonacci(20) == 6765 && other == 610 ? 0 : 1;
}
