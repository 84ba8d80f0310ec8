// SPDX-License-Identifier: Apache-2.0
// What a place keeps of a finish that is at home elsewhere (docs/protocols/remote_finish.md).
#include "place/part.hpp"

#include <gtest/gtest.h>

namespace {

using tactus::detail::part;
using tactus::detail::part_pool;
using tactus::detail::sent_counts;

TEST(part_test, counts_what_it_has_sent_by_places) {
  part_pool pool;
  part* const p = pool.take(7);
  EXPECT_TRUE(p->is_blank());
  p->count_sent(1);
  p->count_sent(2);
  p->count_sent(1);
  EXPECT_EQ(p->sent, (sent_counts{{1, 2}, {2, 1}}));
  EXPECT_FALSE(p->is_blank());
  pool.give(p);
}

TEST(part_test, forgets_what_did_not_go) {
  part_pool pool;
  part* const p = pool.take(7);
  for (const int to : {1, 2, 1}) p->count_sent(to);
  p->uncount_sent(1);
  EXPECT_EQ(p->sent, (sent_counts{{1, 1}, {2, 1}}));
  p->uncount_sent(1);
  EXPECT_EQ(p->sent, (sent_counts{{2, 1}}));
  p->uncount_sent(2);
  EXPECT_TRUE(p->is_blank());
  pool.give(p);
}

TEST(part_test, has_its_memory_for_itself) {
  part_pool pool;
  part* const first = pool.take(1);
  part* const second = pool.take(2);
  pool.give(first);
  pool.give(second);
  part* const third = pool.take(3);
  part* const fourth = pool.take(4);
  EXPECT_NE(third, fourth);
  EXPECT_EQ(third->key, 3U);
  EXPECT_EQ(fourth->key, 4U);
  pool.give(third);
  pool.give(fourth);
}

}  // namespace
