// SPDX-License-Identifier: Apache-2.0
// A lockstep that finds no memory to note which of its elements have failed.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

std::atomic<std::size_t> g_too_large = ~std::size_t{0};  // arrays from here on find no memory

}  // namespace

void* operator new[](std::size_t bytes) {
  void* const p = bytes < g_too_large ? std::malloc(bytes) : nullptr;
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t /*bytes*/) noexcept { std::free(p); }

namespace {

class lockstep_memory_test : public support::each_setting {};
TACTUS_EACH_SETTING(lockstep_memory_test);

TEST_P(lockstep_memory_test, ends_after_the_step_in_which_an_element_failed_and_says_both) {
  static constexpr int k_elements = 100'000;
  run([] {
    std::atomic<int> first{0};
    std::atomic<int> second{0};
    int rounds = 0;
    g_too_large = k_elements;
    const auto e = support::caught<ts::multiple_exceptions>([&] {
      ts::lockstep(
          0, k_elements, [&rounds] { return rounds++ < 3; },
          [&first](int i) {
            ++first;
            if (i % 50'000 == 7) throw std::runtime_error("element");
          },
          [&second](int) { ++second; });
    });
    g_too_large = ~std::size_t{0};
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()),
              (std::vector<std::string>{"element", "element", std::bad_alloc().what()}));
    EXPECT_EQ(first.load(), k_elements);  // those that did not fail have ended their step
    EXPECT_EQ(second.load(), 0);
    EXPECT_EQ(rounds, 1);
  });
}

}  // namespace
