// SPDX-License-Identifier: Apache-2.0
#include "label.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using spanning::k_no_vertex;
using spanning::label;
using spanning::vertex;

TEST(label, is_set_once) {
  vertex parent = k_no_vertex;
  EXPECT_FALSE(label(parent).is_set());
  EXPECT_TRUE(label(parent).try_set(3));
  EXPECT_TRUE(label(parent).is_set());
  EXPECT_FALSE(label(parent).try_set(4));
  EXPECT_FALSE(label(parent).try_set(3));  // also by the vertex that set it
  EXPECT_EQ(parent, 3U);
}

TEST(label, one_thread_wins_each_vertex) {
  constexpr std::size_t k_vertices = 20'000;
  std::vector<vertex> parent(k_vertices, k_no_vertex);
  std::atomic<std::size_t> won = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (vertex who = 0; who < 4; ++who) {
      threads.emplace_back([&, who] {
        std::size_t mine = 0;
        for (vertex& p : parent) {
          mine += static_cast<std::size_t>(label(p).try_set(who));
        }
        won += mine;
      });
    }
  }
  EXPECT_EQ(won, k_vertices);
}

}  // namespace
