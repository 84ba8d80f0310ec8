// SPDX-License-Identifier: Apache-2.0
// Nodes by their keys: each is found, however many there are, until it is taken out.
#include "place/key_table.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace {

struct node {
  std::uint64_t key = 0;
  node* next = nullptr;
};
using table = tactus::detail::key_table<node>;

// Keys as finishes have them: serial numbers of several places.
std::vector<node> nodes_of(std::size_t n) {
  std::vector<node> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i].key = std::uint64_t{i % 3} << 44U | i / 3;
  return all;
}

constexpr std::size_t k_many = 20'000;  // so that each shard grows several times

std::size_t nodes_in(table& t) {
  std::set<const node*> seen;
  t.for_each([&seen](const node& n) { seen.insert(&n); });
  return seen.size();
}

TEST(key_table, finds_each_of_many_nodes) {
  table t;
  std::vector<node> all = nodes_of(k_many);
  for (node& n : all) {
    ASSERT_EQ(t.of(n.key).find(n.key), nullptr);
    t.of(n.key).insert(&n);
  }
  for (node& n : all) {
    ASSERT_EQ(t.of(n.key).find(n.key), &n);
  }
  EXPECT_EQ(nodes_in(t), k_many);
}

TEST(key_table, finds_no_node_that_was_taken_out) {
  table t;
  std::vector<node> all = nodes_of(k_many);
  for (node& n : all) t.of(n.key).insert(&n);
  for (std::size_t i = 0; i < k_many; i += 2) t.of(all[i].key).erase(&all[i]);
  for (std::size_t i = 0; i < k_many; ++i) {
    ASSERT_EQ(t.of(all[i].key).find(all[i].key), i % 2 == 0 ? nullptr : &all[i]);
  }
  EXPECT_EQ(nodes_in(t), k_many / 2);
}

TEST(key_table, counts_the_nodes_of_each_shard) {
  table t;
  std::vector<node> all = nodes_of(100);
  for (node& n : all) t.of(n.key).insert(&n);
  for (node& n : all) t.of(n.key).erase(&n);
  for (const node& n : all) EXPECT_EQ(t.of(n.key).size(), 0U);
  EXPECT_EQ(nodes_in(t), 0U);
}

}  // namespace
