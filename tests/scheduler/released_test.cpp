// SPDX-License-Identifier: Apache-2.0
// What a barrier releases for one worker: the worker takes blocks from the front, thieves take from the end.
#include <tactus/scheduler/impl/released.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace d = tactus::detail;

namespace {

// Entries that nobody looks into.
class released_test : public testing::Test {
protected:
  static constexpr std::size_t k_strands = 100;

  void release(std::size_t n) {
    d::released_range range{entries_.data(), n, nullptr, nullptr, nullptr};
    EXPECT_FALSE(work_.put(range));
  }
  static std::size_t size_of(const d::released_work::block& b) { return static_cast<std::size_t>(b.last - b.first); }

  std::array<d::continuation*, k_strands> entries_{};
  d::released_work work_;
};

TEST_F(released_test, gives_its_owner_as_many_as_that_asks_for) {
  release(k_strands);
  const auto first = work_.take(64, false);
  EXPECT_EQ(first.first, entries_.data());
  EXPECT_EQ(size_of(first), 64u);
}

TEST_F(released_test, gives_its_owner_all_that_is_left_if_that_is_less) {
  release(k_strands);
  static_cast<void>(work_.take(64, false));
  EXPECT_EQ(size_of(work_.take(64, false)), 36u);
  EXPECT_EQ(size_of(work_.take(64, false)), 0u);
}

TEST_F(released_test, gives_an_owner_without_thieves_everything) {
  release(k_strands);
  EXPECT_EQ(size_of(work_.take(1, true)), k_strands);
}

TEST_F(released_test, gives_a_thief_half_from_the_end) {
  release(k_strands);
  const auto stolen = work_.steal();
  EXPECT_EQ(size_of(stolen), k_strands / 2);
  EXPECT_EQ(stolen.last, entries_.data() + k_strands);
  EXPECT_EQ(size_of(work_.take(64, false)), k_strands / 2);
}

}  // namespace
