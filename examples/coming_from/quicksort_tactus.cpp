// SPDX-License-Identifier: Apache-2.0
// Quicksort with async and finish, and its loops before and after. What it was: quicksort_onetbb.cpp.
#include <tactus/tactus.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

namespace ts = tactus;

using iterator = std::vector<std::uint32_t>::iterator;

constexpr std::ptrdiff_t k_few = 2000;

// What is less than some element goes first, what is greater last; returns the bounds of what is equal to it.
std::pair<iterator, iterator> divide(iterator first, iterator last) {
  const std::uint32_t pivot = first[(last - first) / 2];
  const auto equal = std::partition(first, last, [pivot](std::uint32_t x) { return x < pivot; });
  return {equal, std::partition(equal, last, [pivot](std::uint32_t x) { return x == pivot; })};
}

void sort(iterator first, iterator last) {
  while (last - first > k_few) {
    const auto [equal, greater] = divide(first, last);
    ts::async([greater, last] { sort(greater, last); });
    last = equal;
  }
  std::sort(first, last);
}

int sort_keys() {
  std::vector<std::uint32_t> keys(1'000'000);
  ts::for_each(std::size_t{0}, keys.size(),
               [&](std::size_t i) { keys[i] = static_cast<std::uint32_t>(i * 2'654'435'761 % 999'983); });

  ts::finish([&] { sort(keys.begin(), keys.end()); });

  const std::size_t wrong = ts::reduce(std::size_t{1}, keys.size(), std::plus<>{},
                                       [&](std::size_t i) { return keys[i - 1] > keys[i] ? std::size_t{1} : 0; });
  std::printf("%zu keys, %zu out of order\n", keys.size(), wrong);
  return wrong == 0 ? 0 : 1;
}

int main(int argc, char** argv) { return ts::run(argc, argv, sort_keys); }

// Prints: 1000000 keys, 0 out of order
