// SPDX-License-Identifier: Apache-2.0
// The look for references to a stack in a closure that is to travel.
#include <tactus/base/error.hpp>
#include <tactus/place/impl/closure_check.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "support/caught.hpp"

namespace {

namespace td = tactus::detail;
using support::caught;
using support::contains;

// What counts as a stack here: this object.
std::array<std::uint64_t, 100> pretended_stack{};

bool is_stack(std::uintptr_t address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pretended_stack.data());
  return address >= begin && address < begin + sizeof pretended_stack;
}

std::uint64_t& on_stack() { return pretended_stack.at(3); }

std::uint64_t elsewhere = 7;

TEST(closure_check, finds_a_reference) {
  auto& x = on_stack();
  EXPECT_TRUE(td::names_a_stack([&x] { return x; }, is_stack));
}

TEST(closure_check, finds_a_pointer_anywhere_in_64_bytes) {
  const auto* const p = &pretended_stack[99];
  const std::array<std::uint64_t, 7> before{};
  EXPECT_TRUE(td::names_a_stack([p] { return p; }, is_stack));
  EXPECT_TRUE(td::names_a_stack([before, p] { return before[0] + *p; }, is_stack));
}

TEST(closure_check, finds_a_pointer_behind_numbers) {
  const auto* const p = &pretended_stack[99];
  EXPECT_TRUE(td::names_a_stack([n = std::uint64_t{1}, p] { return n + *p; }, is_stack));
  EXPECT_TRUE(td::names_a_stack([q = &elsewhere, n = std::uint64_t{2}, p] { return *q + n + *p; }, is_stack));
}

TEST(closure_check, does_not_look_at_more_than_64_bytes) {
  const auto* const p = &pretended_stack[0];
  const std::array<std::uint64_t, 8> before{};
  EXPECT_FALSE(td::names_a_stack([before, p] { return before[0] + *p; }, is_stack));
}

TEST(closure_check, passes_what_lies_elsewhere) {
  const auto* const p = &elsewhere;
  EXPECT_FALSE(td::names_a_stack([p, n = 3] { return *p + static_cast<unsigned>(n); }, is_stack));
  EXPECT_FALSE(td::names_a_stack([] {}, is_stack));
  EXPECT_FALSE(td::names_a_stack([p = pretended_stack.data() + pretended_stack.size()] { return p; }, is_stack));
  EXPECT_FALSE(td::names_a_stack(+[] {}, is_stack));
}

// Between a char and a number lie seven bytes that nobody has written; here they make up, with the char, an address.
TEST(closure_check, does_not_look_at_padding) {
  const auto make = [](char c, std::uint64_t n) { return [c, n] { return n + static_cast<unsigned char>(c); }; };
  using padded = decltype(make('a', 1));
  static_assert(sizeof(padded) == 16 && !std::has_unique_object_representations_v<padded>);
  const auto address = reinterpret_cast<std::uintptr_t>(pretended_stack.data());
  alignas(padded) std::byte memory[sizeof(padded)];
  auto* const f = new (memory) padded(make('a', 1));
  std::memcpy(memory, &address, sizeof address);
  EXPECT_FALSE(td::names_a_stack(*std::launder(f), is_stack));
}

TEST(closure_check, complains_of_the_call) {
  auto& x = on_stack();
  const auto e = caught<tactus::place_error>([&x] { td::look_at_closure([&x] { return x; }, is_stack, "async_at"); });
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), "async_at: the closure captures a reference to the stack of a task")) << e->what();
  EXPECT_NO_THROW(td::look_at_closure([] {}, is_stack, "async_at"));
}

TEST(closure_check, does_not_see_a_veiled_address) {
  const td::veiled_address hidden(&pretended_stack[3]);
  EXPECT_EQ(hidden.get(), &pretended_stack[3]);
  EXPECT_EQ(td::veiled_address().get(), nullptr);
  EXPECT_FALSE(td::names_a_stack([hidden] { return hidden.get(); }, is_stack));
}

TEST(closure_check, is_not_misled_by_questions_about_assignment) {
  const auto f = [n = 1] { return n; };
  static_assert(!std::is_copy_assignable_v<decltype(f)>);
  td::check_closure<std::remove_const_t<decltype(f)>>();
  EXPECT_FALSE(td::names_a_stack(f, is_stack));  // not looked at by g++ 12, but it compiles
}

}  // namespace
