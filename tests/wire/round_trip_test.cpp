// SPDX-License-Identifier: Apache-2.0
// Values of each type that travels arrive as they were, from machines of either byte order.
#include <tactus/place/travels.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "wire/messages.hpp"

namespace {

using messages::sent;
using messages::sent_over;

template <class T>
void expect_unchanged(const T& x) {
  EXPECT_TRUE(sent(x) == x);
  EXPECT_TRUE(sent_over(x) == x);
}

struct nothing {
  friend bool operator==(nothing, nothing) = default;
};
struct numbers {
  char a;
  std::uint32_t b;
  double c;
  friend bool operator==(const numbers&, const numbers&) = default;
};
struct texts {
  std::string a;
  std::string b[2];
  [[no_unique_address]] nothing c;
  char d;
  friend bool operator==(const texts&, const texts&) = default;
};
struct with_arrays {
  std::int16_t a[3];
  std::array<numbers, 2> b;
  bool c;
  friend bool operator==(const with_arrays&, const with_arrays&) = default;
};
struct tree {
  int value = 0;
  std::vector<tree> below;
  friend bool operator==(const tree&, const tree&) = default;
};
struct chain {
  int value = 0;
  std::unique_ptr<chain> next;
};
struct const_fields {
  const int a;
  const std::uint64_t b;
  friend bool operator==(const const_fields&, const const_fields&) = default;
};
struct large {
  std::uint64_t words[1000];
  friend bool operator==(const large&, const large&) = default;
};
class number {
public:
  explicit number(int value) : value_(value) {}
  friend bool operator==(number, number) = default;

private:
  int value_;
};
enum class colour : std::uint16_t { red = 1, green = 0x1234 };

TEST(round_trip, of_numbers) {
  expect_unchanged(true);
  expect_unchanged(false);
  expect_unchanged('x');
  expect_unchanged(u8'x');
  expect_unchanged(u'\x1234');
  expect_unchanged(U'\x12345');
  expect_unchanged(L'x');
  expect_unchanged(std::int16_t{-2});
  expect_unchanged(0x12345678);
  expect_unchanged(std::uint64_t{0x123456789abcdef0});
  expect_unchanged(1.5F);
  expect_unchanged(-0.1);
  expect_unchanged(std::numeric_limits<double>::infinity());
  expect_unchanged(colour::green);
  expect_unchanged(std::byte{200});
  EXPECT_EQ(sent(0.1L), 0.1L);
}

TEST(round_trip, of_strings) {
  expect_unchanged(std::string());
  expect_unchanged(std::string("with\0zero", 9));
  expect_unchanged(std::u16string(u"two bytes"));
  expect_unchanged(std::wstring(L"four bytes"));
}

TEST(round_trip, of_sequences) {
  expect_unchanged(std::vector<int>());
  expect_unchanged(std::vector<int>{1, 2, 0x12345678});
  expect_unchanged(std::vector<double>{1, -2.5});
  expect_unchanged(std::vector<std::string>{"a", "", "c"});
  expect_unchanged(std::vector<std::vector<numbers>>{{}, {{'a', 1, 2}, {'b', 3, 4}}});
  expect_unchanged(std::deque<std::uint16_t>{1, 0x1234});
  expect_unchanged(std::list<std::string>{"x", "y"});
  expect_unchanged(std::vector<nothing>(3));
  expect_unchanged(std::deque<std::tuple<>>(3));
}

TEST(round_trip, of_vectors_of_bools) {
  for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 100u}) {
    std::vector<bool> x(n);
    for (std::size_t i = 0; i < n; i += 3) x[i] = true;
    expect_unchanged(x);
  }
}

// The bytes of a string before them leave numbers where no number may stand.
TEST(round_trip, of_sequences_at_any_alignment) {
  for (std::size_t n = 0; n < 9; ++n) {
    expect_unchanged(std::pair(std::string(n, 'x'), std::vector<double>{1, 2, 3}));
    expect_unchanged(std::pair(std::string(n, 'x'), std::u32string(U"abc")));
    expect_unchanged(std::pair(std::string(n, 'x'), std::vector<const_fields>{{1, 2}, {3, 4}}));
  }
}

TEST(round_trip, of_pairs_and_tuples) {
  expect_unchanged(std::pair<const int, std::string>(1, "x"));
  expect_unchanged(std::pair('x', 0x12345678));
  expect_unchanged(std::tuple<>());
  expect_unchanged(std::tuple(1, std::string("x"), 2.5));
  EXPECT_TRUE(sent(std::pair(number(1), number(2))) == std::pair(number(1), number(2)));
}

TEST(round_trip, of_arrays) {
  expect_unchanged(std::array<int, 3>{1, 2, 0x1234});
  expect_unchanged(std::array<std::string, 2>{"a", "b"});
  expect_unchanged(std::array<std::string, 0>{});
  EXPECT_TRUE((sent(std::array<number, 2>{number(1), number(2)}) == std::array<number, 2>{number(1), number(2)}));
}

TEST(round_trip, of_optionals_and_variants) {
  expect_unchanged(std::optional<std::string>());
  expect_unchanged(std::optional<std::string>("x"));
  expect_unchanged(std::optional<std::optional<int>>(std::optional<int>()));
  using choice = std::variant<std::monostate, int, std::string>;
  expect_unchanged(choice());
  expect_unchanged(choice(0x1234));
  expect_unchanged(choice("x"));
  EXPECT_TRUE(sent(std::optional(number(3))) == std::optional(number(3)));
  EXPECT_TRUE((sent(std::variant<number, int>(number(3))) == std::variant<number, int>(number(3))));
}

TEST(round_trip, of_maps_and_sets) {
  expect_unchanged(std::map<std::string, int>{{"a", 1}, {"b", 2}});
  expect_unchanged(std::multimap<int, std::string>{{1, "a"}, {1, "b"}, {0, "c"}});
  expect_unchanged(std::set<std::string>{"a", "b"});
  expect_unchanged(std::multiset<int>{1, 1, 2});
  expect_unchanged(std::unordered_map<std::string, std::vector<int>>{{"a", {1}}, {"b", {}}});
  expect_unchanged(std::unordered_multimap<int, int>{{1, 2}, {1, 3}});
  expect_unchanged(std::unordered_set<int>{1, 2, 3});
  expect_unchanged(std::unordered_multiset<int>{1, 1});
  expect_unchanged(std::map<int, int, std::greater<>>{{1, 2}, {3, 4}});
}

TEST(round_trip, of_unique_pointers) {
  EXPECT_EQ(sent(std::unique_ptr<int>()), nullptr);
  EXPECT_EQ(*sent(std::make_unique<int>(0x1234)), 0x1234);
  EXPECT_EQ(*sent_over(std::make_unique<const std::string>("x")), "x");
}

TEST(round_trip, of_times_complex_numbers_and_bitsets) {
  using namespace std::chrono_literals;
  expect_unchanged(1234ms);
  expect_unchanged(std::chrono::system_clock::time_point(5s));
  expect_unchanged(std::complex<double>(1, -2));
  expect_unchanged(std::vector<std::complex<float>>{{1, 2}, {3, 4}});
  expect_unchanged(std::bitset<5>(0b10110));
  expect_unchanged(std::bitset<100>(0x123456789abcdef).set(99));
}

TEST(round_trip, of_aggregates) {
  expect_unchanged(nothing());
  expect_unchanged(numbers{'x', 0x12345678, 2.5});
  expect_unchanged(texts{"a", {"b", "c"}, {}, 'd'});
  expect_unchanged(with_arrays{{1, 2, 0x1234}, {{{'a', 1, 2}, {'b', 3, 4}}}, true});
  expect_unchanged(const_fields{0x1234, 5});
}

TEST(round_trip, of_bytes_that_show_no_fields) {
  large x{};
  x.words[999] = 7;
  EXPECT_TRUE(sent(x) == x);
  EXPECT_TRUE(sent(number(7)) == number(7));
  EXPECT_EQ(sent([n = 7] { return n; })(), 7);
}

TEST(round_trip, of_classes_that_hold_themselves) {
  expect_unchanged(tree{1, {{2, {}}, {3, {{4, {}}}}}});
  chain two{1, std::make_unique<chain>(chain{2, nullptr})};
  EXPECT_EQ(sent_over(two).next->value, 2);
}

TEST(round_trip, fills_what_there_is_already) {
  struct filled {
    std::vector<int> a{1, 2, 3};
    std::optional<int> b = 4;
    std::map<int, int> c{{5, 6}};
  };
  filled x;
  x.a = {7};
  x.b.reset();
  x.c = {{8, 9}};
  const filled y = sent(x);
  EXPECT_EQ(y.a, x.a);
  EXPECT_EQ(y.b, x.b);
  EXPECT_EQ(y.c, x.c);
}

}  // namespace
