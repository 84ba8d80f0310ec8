// SPDX-License-Identifier: Apache-2.0
// Random values of a type that nests all kinds arrive as they were; their messages, cut or changed anywhere, harm nobody.
#include <tactus/base/error.hpp>
#include <tactus/place/travels.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "support/scale.hpp"
#include "wire/messages.hpp"

namespace {

using engine = std::mt19937_64;
using tactus::detail::byte_order;

struct numbers {
  std::int8_t a = 0;
  double b = 0;
  bool c = false;
  friend bool operator==(const numbers&, const numbers&) = default;
};

struct value;
using branches = std::vector<value>;
using choice = std::variant<std::monostate, std::int64_t, std::string, numbers, branches>;

struct value {
  choice what;
  std::map<std::string, std::vector<numbers>> named;
  std::optional<std::deque<std::uint16_t>> maybe;
  std::unordered_map<std::int32_t, std::set<std::string>> sets;
  std::tuple<std::vector<bool>, std::vector<double>> lists;
  friend bool operator==(const value&, const value&) = default;
};

std::size_t few(engine& random, std::size_t most) { return random() % (most + 1); }

numbers random_numbers(engine& random) {
  return {static_cast<std::int8_t>(random()), static_cast<double>(random()) / 7, random() % 2 == 0};
}

std::string random_text(engine& random) {
  std::string text(few(random, 20), ' ');
  for (char& each : text) each = static_cast<char>(random());
  return text;
}

value random_value(engine& random, std::size_t depth);

choice random_choice(engine& random, std::size_t depth) {
  switch (random() % 5) {
    case 0: return std::monostate();
    case 1: return static_cast<std::int64_t>(random());
    case 2: return random_text(random);
    case 3: return random_numbers(random);
    default: break;
  }
  branches below;
  for (std::size_t n = depth == 0 ? 0 : few(random, 3); n != 0; --n) below.push_back(random_value(random, depth - 1));
  return below;
}

value random_value(engine& random, std::size_t depth) {
  value x;
  x.what = random_choice(random, depth);
  for (std::size_t n = few(random, 3); n != 0; --n) {
    std::vector<numbers>& row = x.named[random_text(random)];
    for (std::size_t i = few(random, 4); i != 0; --i) row.push_back(random_numbers(random));
  }
  if (random() % 2 == 0) {
    x.maybe.emplace();
    for (std::size_t n = few(random, 4); n != 0; --n) x.maybe->push_back(static_cast<std::uint16_t>(random()));
  }
  for (std::size_t n = few(random, 3); n != 0; --n)
    x.sets[static_cast<std::int32_t>(random())].insert(random_text(random));
  for (std::size_t n = few(random, 20); n != 0; --n) std::get<0>(x.lists).push_back(random() % 2 == 0);
  for (std::size_t n = few(random, 5); n != 0; --n) std::get<1>(x.lists).push_back(static_cast<double>(random()));
  return x;
}

template <byte_order Order>
void read_damaged(const messages::bytes& message) {
  try {
    static_cast<void>(messages::read<value, Order>(message));
  } catch (const tactus::place_error&) {  // NOLINT(bugprone-empty-catch): that, or a value
  }
}

TEST(random_values, arrive_as_they_were) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  engine random(seed);
  for (std::size_t i = 0; i < support::scaled(2000); ++i) {
    const value x = random_value(random, 4);
    ASSERT_TRUE(messages::sent(x) == x);
    ASSERT_TRUE(messages::sent_over(x) == x);
  }
}

TEST(random_values, are_refused_or_others_when_their_messages_are_damaged) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  engine random(seed);
  for (std::size_t i = 0; i < support::scaled(2000); ++i) {
    messages::bytes message = messages::written(random_value(random, 3));
    for (int k = 0; k < 10; ++k) {
      message[random() % message.size()] = std::byte(static_cast<unsigned char>(random()));
      read_damaged<byte_order::same>(message);
      read_damaged<byte_order::swapped>(message);
    }
    message.resize(random() % message.size());
    message.shrink_to_fit();
    read_damaged<byte_order::same>(message);
  }
}

}  // namespace
