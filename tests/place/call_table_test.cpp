// SPDX-License-Identifier: Apache-2.0
// The types of calls by their numbers: what no type has, and what two have, is nobody's (docs/protocols/frames.md, "Tokens").
#include "place/call_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using tactus::detail::find_call;
using tactus::detail::known_call;
using tactus::detail::token_kind;
using tactus::detail::token_of;
using tactus::detail::wired_type;

constexpr token_kind k_kinds[] = {token_kind::of_build, token_kind::of_name};

const char* first_name() noexcept { return "the first type of this test"; }
const char* second_name() noexcept { return "the second one"; }

// Nobody runs it.
wired_type type_with(const char* (*name)() noexcept) { return {.run = nullptr, .type_name = name, .label = name}; }

TEST(call_table, finds_each_type_by_either_number) {
  wired_type first = type_with(first_name);
  wired_type second = type_with(second_name);
  const known_call knows_first(first);
  const known_call knows_second(second);
  for (const token_kind kind : k_kinds) {
    EXPECT_EQ(find_call(token_of(first, kind), kind), &first);
    EXPECT_EQ(find_call(token_of(second, kind), kind), &second);
  }
}

TEST(call_table, has_nothing_for_a_number_that_no_type_has) {
  wired_type first = type_with(first_name);
  const known_call knows_first(first);
  for (const token_kind kind : k_kinds) {
    const std::uint64_t token = token_of(first, kind);
    for (const std::uint64_t other : {token - 1, token + 1, std::uint64_t{0}, ~std::uint64_t{0}}) {
      EXPECT_EQ(find_call(other, kind), nullptr) << other;
    }
  }
}

TEST(call_table, has_nothing_for_a_name_that_two_types_have) {
  wired_type one = type_with(first_name);
  wired_type two = type_with(first_name);
  const known_call knows_one(one);
  const known_call knows_two(two);
  EXPECT_EQ(find_call(token_of(one, token_kind::of_name), token_kind::of_name), nullptr);
  EXPECT_EQ(find_call(token_of(one, token_kind::of_build), token_kind::of_build), &one);
  EXPECT_EQ(find_call(token_of(two, token_kind::of_build), token_kind::of_build), &two);
}

TEST(call_table, forgets_a_type_that_has_gone) {
  wired_type stays = type_with(second_name);
  const known_call knows_it(stays);
  wired_type goes = type_with(first_name);
  {
    const known_call for_a_while(goes);
    EXPECT_EQ(find_call(token_of(goes, token_kind::of_name), token_kind::of_name), &goes);
  }
  for (const token_kind kind : k_kinds) {
    EXPECT_EQ(find_call(token_of(goes, kind), kind), nullptr);
    EXPECT_EQ(find_call(token_of(stays, kind), kind), &stays);
  }
}

}  // namespace
