// SPDX-License-Identifier: Apache-2.0
// Bytes that no sender has written: a reader ends with a place_error or with a value, reads nothing beyond them, and takes no memory for
// lengths that they could not hold.
#include <tactus/base/error.hpp>
#include <tactus/place/travels.hpp>

#include <gtest/gtest.h>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include "support/caught.hpp"
#include "wire/messages.hpp"

namespace {

using messages::bytes;
using messages::read;
using messages::written;
using support::caught;
using support::contains;
using tactus::place_error;
using tactus::detail::byte_order;

struct flags {
  std::uint32_t number;
  bool flag;
};
struct everything {
  std::string a;
  std::vector<double> b;
  std::map<std::string, std::optional<int>> c;
  std::variant<int, std::string> d;
  std::unique_ptr<std::string> e;
  std::vector<bool> f;
  std::unordered_map<int, std::list<char>> g;
  flags h;
};
struct tree {
  std::vector<tree> below;
};
class opaque {
  int a_ = 0;
  [[nodiscard]] int a() const { return a_; }
};

everything specimen() {
  everything x{
      "text", {1, 2},   {{"a", 1}, {"b", {}}}, "other", std::make_unique<std::string>("owned"), {true, false, true},
      {},     {7, true}};
  x.g[3] = {'x', 'y'};
  return x;
}

template <class T, byte_order Order = byte_order::same>
std::string complaint(const bytes& message) {
  const auto e = caught<place_error>([&] { static_cast<void>(read<T, Order>(message, 3)); });
  return e ? e->what() : "none";
}

template <class... T>
bytes message_of(const T&... x) {
  bytes all;
  (
      [&] {
        const bytes one = written(x);
        all.insert(all.end(), one.begin(), one.end());
      }(),
      ...);
  return all;
}

constexpr std::uint64_t k_huge = std::uint64_t{1} << 61U;

TEST(hostile_bytes, are_refused_where_they_end_too_early) {
  const bytes whole = written(specimen());
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(
                                                       n));  // of its own, so that a sanitizer sees reads beyond
    EXPECT_NE(complaint<everything>(cut), "none") << n;
    EXPECT_NE((complaint<everything, byte_order::swapped>(cut)), "none") << n;
  }
}

TEST(hostile_bytes, are_a_value_or_refused_wherever_one_is_changed) {
  bytes message = written(specimen());
  for (std::size_t at = 0; at < message.size(); ++at) {
    const std::byte before = message[at];
    for (const unsigned other : {0U, 1U, 2U, 0x7fU, 0x80U, 0xffU}) {
      message[at] = std::byte(other);
      static_cast<void>(complaint<everything>(message));
      static_cast<void>(complaint<everything, byte_order::swapped>(message));
    }
    message[at] = before;
  }
}

TEST(hostile_bytes, name_their_sender) {
  EXPECT_EQ(complaint<int>(bytes(3)),
            "message of place 3 is damaged: at byte 0 it speaks of 4 bytes or elements, and 3 bytes are left");
}

TEST(hostile_bytes, cannot_ask_for_more_elements_than_they_hold) {
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{3}, k_huge, ~std::uint64_t{0}}) {
    const bytes message = message_of(n);
    EXPECT_NE(complaint<std::string>(message), "none");
    EXPECT_NE(complaint<std::vector<double>>(message), "none");
    EXPECT_NE(complaint<std::vector<std::string>>(message), "none");
    EXPECT_NE(complaint<std::vector<bool>>(message), "none");
    EXPECT_NE(complaint<std::vector<std::tuple<>>>(message), "none");
    EXPECT_NE(complaint<std::deque<int>>(message), "none");
    EXPECT_NE(complaint<std::list<std::optional<int>>>(message), "none");
    EXPECT_NE((complaint<std::map<int, int>>(message)), "none");
    EXPECT_NE((complaint<std::unordered_map<int, std::tuple<>>>(message)), "none");
  }
}

TEST(hostile_bytes, cannot_ask_for_almost_as_many_elements_as_they_hold) {
  EXPECT_NE(complaint<std::vector<double>>(message_of(std::uint64_t{2}, std::uint64_t{0}, std::uint32_t{0})), "none");
  EXPECT_NE(complaint<std::vector<bool>>(message_of(std::uint64_t{9}, 'x')), "none");
}

TEST(hostile_bytes, make_no_bool_that_is_neither_true_nor_false) {
  EXPECT_TRUE(contains(complaint<bool>(message_of('\2')), "a bool is neither true nor false"));
  EXPECT_TRUE(
      contains(complaint<flags>(message_of(std::uint32_t{1}, std::uint32_t{2})), "a bool is neither true nor false"));
  EXPECT_TRUE(contains(complaint<std::vector<flags>>(message_of(std::uint64_t{1}, std::uint64_t{0x200000000})),
                       "a bool is neither true nor false"));
  EXPECT_TRUE(contains(complaint<std::optional<int>>(message_of('\2', 1)), "a bool is neither true nor false"));
  EXPECT_EQ(complaint<flags>(message_of(std::uint32_t{1}, std::uint32_t{1})), "none");
}

TEST(hostile_bytes, make_no_variant_without_such_an_alternative) {
  EXPECT_TRUE(contains(complaint<std::variant<int, char>>(message_of('\2', 1)), "a variant has no such alternative"));
}

TEST(hostile_bytes, make_no_map_of_equal_keys) {
  EXPECT_TRUE(contains(complaint<std::set<char>>(message_of(std::uint64_t{2}, 'A', 'A')), "a key is there twice"));
  EXPECT_EQ(complaint<std::multiset<char>>(message_of(std::uint64_t{2}, 'A', 'A')), "none");
}

TEST(hostile_bytes, set_no_bits_of_a_bitset_that_it_has_not) {
  const auto x = read<std::bitset<3>>(message_of(~std::uint64_t{0}));
  EXPECT_EQ(x.count(), 3u);
  EXPECT_EQ(x, std::bitset<3>(7));
  const auto whole_bytes = read<std::bitset<16>>(message_of(~std::uint64_t{0}));
  EXPECT_EQ(whole_bytes.count(), 16u);
  EXPECT_EQ(whole_bytes, std::bitset<16>(0xffff));
}

TEST(hostile_bytes, make_no_objects_that_are_too_deep) {
  const auto tree_of = [](int levels) {
    bytes message;
    for (int i = 1; i < levels; ++i) {
      const bytes one = written(std::uint64_t{1});
      message.insert(message.end(), one.begin(), one.end());
    }
    const bytes last = written(std::uint64_t{0});
    message.insert(message.end(), last.begin(), last.end());
    return message;
  };
  EXPECT_EQ(complaint<tree>(tree_of(128)), "none");
  EXPECT_TRUE(contains(complaint<tree>(tree_of(129)), "its objects hold each other too deep"));
  EXPECT_TRUE(contains(complaint<tree>(tree_of(100000)), "its objects hold each other too deep"));
}

TEST(hostile_bytes, are_refused_behind_the_last_object) {
  EXPECT_TRUE(contains(complaint<int>(message_of(1, 'x')), "there is something behind its last object"));
}

TEST(hostile_bytes, of_the_other_byte_order_are_refused_where_numbers_are_not_seen) {
  EXPECT_TRUE(
      contains((complaint<opaque, byte_order::swapped>(bytes(sizeof(opaque)))), "a machine of another byte order"));
  EXPECT_TRUE(contains((complaint<long double, byte_order::swapped>(bytes(sizeof(long double)))),
                       "a machine of another byte order"));
}

}  // namespace
