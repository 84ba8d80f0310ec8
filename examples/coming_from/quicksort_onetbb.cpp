// SPDX-License-Identifier: Apache-2.0
// Quicksort with oneTBB's task_group, and its loops before and after. What it becomes: quicksort_tactus.cpp.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

using iterator = std::vector<std::uint32_t>::iterator;

constexpr std::ptrdiff_t k_few = 2000;

// What is less than some element goes first, what is greater last; returns the bounds of what is equal to it.
std::pair<iterator, iterator> divide(iterator first, iterator last) {
  const std::uint32_t pivot = first[(last - first) / 2];
  const auto equal = std::partition(first, last, [pivot](std::uint32_t x) { return x < pivot; });
  return {equal, std::partition(equal, last, [pivot](std::uint32_t x) { return x == pivot; })};
}

void sort(tbb::task_group& group, iterator first, iterator last) {
  while (last - first > k_few) {
    const auto [equal, greater] = divide(first, last);
    group.run([&group, greater, last] { sort(group, greater, last); });
    last = equal;
  }
  std::sort(first, last);
}

int main() {
  std::vector<std::uint32_t> keys(1'000'000);
  tbb::parallel_for(std::size_t{0}, keys.size(),
                    [&](std::size_t i) { keys[i] = static_cast<std::uint32_t>(i * 2'654'435'761 % 999'983); });

  tbb::task_group group;
  sort(group, keys.begin(), keys.end());
  group.wait();

  const std::size_t wrong = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(1, keys.size()), std::size_t{0},
      [&](const tbb::blocked_range<std::size_t>& part, std::size_t sum) {
        for (std::size_t i = part.begin(); i < part.end(); ++i) sum += keys[i - 1] > keys[i] ? std::size_t{1} : 0;
        return sum;
      },
      std::plus<>{});
  std::printf("%zu keys, %zu out of order\n", keys.size(), wrong);
  return wrong == 0 ? 0 : 1;
}

// Prints: 1000000 keys, 0 out of order
