// SPDX-License-Identifier: Apache-2.0
// Which ranges of a message go beside it, and that objects are made of the two again.
#include <gtest/gtest.h>
#include <tactus/base/error.hpp>
#include <tactus/place/travels.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace td = tactus::detail;

namespace {

constexpr std::size_t k_long = td::k_long_range;

// What would come from another process.
class ranges_at_hand final : public td::range_source {
public:
  explicit ranges_at_hand(std::span<const std::span<const std::byte>> all) : all_(all.begin(), all.end()) {}
  [[nodiscard]] std::size_t bytes() const noexcept override { return 0; }
  [[nodiscard]] std::size_t next() const noexcept override { return taken_ < all_.size() ? all_[taken_].size() : 0; }
  void take(std::byte* into) noexcept override {
    std::memcpy(into, all_[taken_].data(), all_[taken_].size());
    ++taken_;
  }
  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }

private:
  std::vector<std::span<const std::byte>> all_;
  std::size_t taken_ = 0;
};

struct parted {
  std::vector<std::byte> bytes;
  td::sent_ranges apart;
};

template <class... T>
std::unique_ptr<parted> written(const T&... x) {
  auto message = std::make_unique<parted>();
  const td::packed_size n = td::packed_size_of(true, x...);
  message->bytes.resize(n.bytes);
  td::pack_beside<td::byte_order::same>(&message->apart, message->bytes.data(), message->bytes.size(), x...);
  EXPECT_EQ(n.ranges, message->apart.ranges().size());
  return message;
}

// Sends x, so many ranges of which go apart.
template <class T>
void expect_comes_through(const T& x, std::size_t ranges) {
  const auto message = written(x);
  EXPECT_EQ(message->apart.ranges().size(), ranges);
  std::size_t bytes = 0;
  for (const std::span<const std::byte> each : message->apart.ranges()) bytes += each.size();
  EXPECT_EQ(message->apart.bytes(), bytes);
  ranges_at_hand source(message->apart.ranges());
  td::reader<td::byte_order::same> in(message->bytes, 0, &source);
  EXPECT_EQ(td::unpack<T>(in), x);
  in.expect_end();
  EXPECT_EQ(source.taken(), ranges);
}

std::vector<int> numbers(std::size_t n, int first = 0) {
  std::vector<int> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = first + static_cast<int>(i);
  return v;
}

constexpr std::size_t k_ints = k_long / sizeof(int);

struct cell {
  double x;
  int y;
  friend bool operator==(const cell&, const cell&) = default;
};

struct mesh {
  std::string name;
  std::vector<cell> cells;
  std::vector<int> owners;
  friend bool operator==(const mesh&, const mesh&) = default;
};

struct answer {
  int x;
  bool is_right;
  friend bool operator==(const answer&, const answer&) = default;
};

struct with_code {
  std::vector<int> v;
  template <class Archive>
  friend void serialize(Archive& ar, with_code& x) {
    ar & x.v;
  }
};

// An allocator as programs write them.
template <class T>
struct alike {
  using value_type = T;
  alike() = default;
  template <class U>
  explicit alike(const alike<U>& /*other*/) {}
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  friend bool operator==(alike, alike) { return true; }
};

// Holds some of its own kind.
struct branch {
  std::vector<int> leaves;
  std::vector<branch> branches;
};

}  // namespace

TEST(long_ranges, are_so_long) {
  expect_comes_through(numbers(k_ints - 1), 0);
  expect_comes_through(numbers(k_ints), 1);
  expect_comes_through(numbers(k_ints + 1), 1);
  expect_comes_through(std::string(k_long - 1, 'x'), 0);
  expect_comes_through(std::string(k_long, 'x'), 1);
}

TEST(long_ranges, leave_nothing_but_their_length) {
  EXPECT_EQ(written(numbers(10 * k_ints))->bytes.size(), sizeof(std::uint64_t));
  const std::vector<int> v = numbers(k_ints);
  const auto message = written(v);
  EXPECT_EQ(message->apart.ranges().front().data(), static_cast<const void*>(v.data())) << "no copy";
  EXPECT_EQ(message->apart.bytes(), k_long);
}

TEST(long_ranges, are_found_inside_of_others) {
  expect_comes_through(std::vector<std::vector<int>>{numbers(k_ints), numbers(3), numbers(2 * k_ints, 7)}, 2);
  expect_comes_through(
      std::map<int, std::string>{{1, std::string(k_long, 'a')}, {2, "b"}, {3, std::string(k_long, 'c')}}, 2);
  expect_comes_through(std::optional(numbers(k_ints)), 1);
  expect_comes_through(std::variant<int, std::vector<int>>(numbers(k_ints)), 1);
  expect_comes_through(std::list<std::vector<int>>{numbers(k_ints), numbers(k_ints, 1)}, 2);
  expect_comes_through(mesh{"square", std::vector<cell>(k_ints, cell{1.5, 2}), numbers(k_ints)}, 2);
  expect_comes_through(std::tuple(1, numbers(k_ints), std::string("x"), numbers(k_ints, 5)), 2);
}

TEST(long_ranges, are_of_elements_that_lie_in_a_row_as_bytes) {
  expect_comes_through(std::deque<int>(2 * k_ints, 3), 0);
  expect_comes_through(std::vector<bool>(16 * k_long, true), 0);
  expect_comes_through(std::vector<std::string>(k_ints, "short"), 0);
  expect_comes_through(std::array<int, 2 * k_ints>{}, 0);
}

TEST(long_ranges, are_a_limited_number) {
  std::vector<std::vector<int>> many;
  for (std::size_t i = 0; i < td::k_most_ranges + 10; ++i) many.push_back(numbers(k_ints, static_cast<int>(i)));
  expect_comes_through(many, td::k_most_ranges);
}

TEST(long_ranges, are_not_what_a_serialize_writes) {
  EXPECT_FALSE(td::can_go_apart<with_code>);
  EXPECT_FALSE((td::can_go_apart<std::vector<int>, with_code>)) << "they share one message";
  EXPECT_FALSE(td::can_go_apart<int>) << "nothing in it is long";
  EXPECT_TRUE((td::can_go_apart<int, std::vector<int>>));
  EXPECT_TRUE((td::can_go_apart<std::vector<int, alike<int>>>));
  EXPECT_TRUE(td::can_go_apart<branch>);
  EXPECT_FALSE(td::can_go_apart<std::pmr::vector<int>>) << "where its memory comes from may be gone before it has left";
  EXPECT_FALSE((td::can_go_apart<std::pmr::string, std::vector<int>>)) << "all of them are kept together";
  EXPECT_FALSE((td::can_go_apart<std::pair<std::vector<int>, std::optional<std::pmr::string>>>));
  EXPECT_FALSE((td::can_go_apart<std::vector<std::pmr::vector<int>>>));
}

TEST(long_ranges, of_other_lengths_are_damage) {
  const std::vector<int> v = numbers(2 * k_ints);
  const auto message = written(v);
  const std::vector<std::byte> shorter(k_long);
  const std::span<const std::byte> only(shorter);
  ranges_at_hand source(std::span(&only, 1));
  td::reader<td::byte_order::same> in(message->bytes, 3, &source);
  EXPECT_THROW(static_cast<void>(td::unpack<std::vector<int>>(in)), tactus::place_error);
  td::reader<td::byte_order::same> without(message->bytes, 3);
  EXPECT_THROW(static_cast<void>(td::unpack<std::vector<int>>(without)), tactus::place_error);
}

TEST(long_ranges, are_looked_at_as_all_that_comes) {
  std::vector<answer> all(k_long / sizeof(answer), answer{1, true});
  expect_comes_through(all, 1);
  const auto message = written(all);
  std::vector<std::byte> bytes(message->apart.ranges().front().begin(), message->apart.ranges().front().end());
  bytes[offsetof(answer, is_right)] = std::byte{7};
  const std::span<const std::byte> only(bytes);
  ranges_at_hand source(std::span(&only, 1));
  td::reader<td::byte_order::same> in(message->bytes, 3, &source);
  EXPECT_THROW(static_cast<void>(td::unpack<std::vector<answer>>(in)), tactus::place_error);
}
