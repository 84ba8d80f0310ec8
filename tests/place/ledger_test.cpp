// SPDX-License-Identifier: Apache-2.0
// What a finish counts of its tasks at other places (docs/protocols/remote_finish.md).
#include <tactus/tactus.hpp>

#include "place/part.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {
namespace ts = tactus;
namespace td = tactus::detail;

constexpr std::uint64_t k_half = std::uint64_t{1} << 31U;

// Of the calling task's finish, whose home is another place. Nothing else of it comes to this place meanwhile.
td::part& part_here() {
  td::finish_scope& f = *td::current_worker()->held;
  EXPECT_TRUE(f.is_part());
  return static_cast<td::part&>(f);
}

// As if so many had gone to place 1, from places 2 and 3, and ended there.
TEST(ledger_test, a_finish_ends_when_more_tasks_of_it_have_come_to_a_place_than_32_bits_can_count) {
  ts::run({.threads = 1, .places = 4, .env = false}, [] {
    ts::finish([] {
      ts::async_at(ts::place(1), [] { part_here().arrived += 2 * k_half; });
      for (const int from : {2, 3}) {
        ts::async_at(ts::place(from), [] { part_here().sent.emplace_back(1, k_half); });
      }
    });
  });
}

}  // namespace
