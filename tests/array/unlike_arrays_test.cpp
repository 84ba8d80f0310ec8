// SPDX-License-Identifier: Apache-2.0
// Arrays over machines of different byte orders: places of odd numbers write all that they send the other way round. What tasks need at
// another place they get as arguments, since closures stay between like places.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "place/engine.hpp"

#ifndef TACTUS_PLAYS_SWAPPED
#error "what is sent from here has to be able to play"
#endif

namespace {
namespace ts = tactus;

struct particle {
  std::int16_t kind = 0;
  double mass = 0;
  std::array<float, 3> at{};

  friend bool operator==(const particle&, const particle&) = default;
};

struct velocity {
  double x = 0;
  double y = 0;

  friend bool operator==(const velocity&, const velocity&) = default;
};

struct marked {
  bool is_wall = false;
  std::int32_t number = 0;

  friend bool operator==(const marked&, const marked&) = default;
};

// Of a number below 2^15, no two of whose bytes are alike in each element.
template <class T>
T made_of(int n) {
  if constexpr (std::is_same_v<T, particle>) {
    return {.kind = static_cast<std::int16_t>(n), .mass = n / 3.0, .at = {0.5F * static_cast<float>(n), 1, -2}};
  } else if constexpr (std::is_same_v<T, velocity>) {
    return {.x = 1.0 * n, .y = -n / 7.0};
  } else if constexpr (std::is_same_v<T, marked>) {
    return {.is_wall = n % 3 == 0, .number = n};
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return {static_cast<float>(n), -1.5F * static_cast<float>(n)};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::to_string(n);
  } else {
    return static_cast<T>(n);
  }
}

constexpr ts::index_t k_rows = 13;
constexpr ts::index_t k_columns = 11;

int number_of(ts::index_t i, ts::index_t j, int exchange) {
  const auto at = (i + k_rows) % k_rows * k_columns + (j + k_columns) % k_columns;
  return static_cast<int>(at) * 16 + exchange;
}

template <class T>
class unlike_arrays : public testing::Test {
protected:
  unlike_arrays() { tactus::detail::let_odd_places_play_swapped(true); }
  ~unlike_arrays() override { tactus::detail::let_odd_places_play_swapped(false); }

  template <class Body>
  static void over(int places, const Body& body) {
    ts::run(ts::config{.threads = 1, .places = places, .local_copy = ts::copying::serialize}, body);
  }
  static ts::dist<2> plate() {
    const ts::index_t few = ts::num_places() % 2 == 0 ? 2 : 1;
    return ts::dist<2>::block(ts::range(0, k_rows) * ts::range(0, k_columns),
                              ts::grid<2>{static_cast<ts::index_t>(ts::num_places()) / few, few});
  }
};

using elements =
    testing::Types<double, std::int16_t, std::uint8_t, std::complex<float>, velocity, particle, marked, std::string>;
TYPED_TEST_SUITE(unlike_arrays, elements);

template <class T>
void give(const ts::dist_array_ref<T, 2>& h, int exchange) {
  const auto u = h.local();
  u.resident().each([&](ts::index_t i, ts::index_t j) { u(i, j) = made_of<T>(number_of(i, j, exchange)); });
}

template <class T>
void expect_ghosts(const ts::dist_array_ref<T, 2>& h, int exchange) {
  const auto u = h.local();
  const ts::box<2> own = u.resident();
  for (ts::index_t i = own.lo[0] - 2; i < own.hi[0] + 2; ++i) {
    for (ts::index_t j = own.lo[1] - 2; j < own.hi[1] + 2; ++j) {
      ASSERT_EQ(u(i, j), made_of<T>(number_of(i, j, exchange))) << i << ", " << j << " at " << ts::here().id();
    }
  }
}

TYPED_TEST(unlike_arrays, have_the_ghosts_that_their_owners_gave) {
  using T = TypeParam;
  for (const int places : {2, 3, 4}) {
    for (const auto how : {ts::ghost_exchange::put, ts::ghost_exchange::shift}) {
      this->over(places, [how] {
        const ts::dist_array<T, 2> a(unlike_arrays<T>::plate(), {.ghost = 2, .periodic = true, .exchange = how});
        ts::at_each(
            ts::places(),
            [](const ts::dist_array_ref<T, 2>& h) {
              for (int exchange = 0; exchange < 4; ++exchange) {
                give(h, exchange);
                h.update_ghosts();
                expect_ghosts(h, exchange);
              }
            },
            a.ref());
      });
    }
  }
}

struct opaque {
  std::uint32_t low : 4;
  std::uint32_t high : 28;
};

template <class T>
void refuses_ghosts() {
  ts::run({.threads = 1, .places = 2, .env = false, .local_copy = ts::copying::serialize}, [] {
    const ts::dist<1> d = ts::dist<1>::block(ts::range(0, 8));
    try {
      const ts::dist_array<T, 1> a(d, {.ghost = 1, .name = "a"});
      ADD_FAILURE() << "it was made";
    } catch (const ts::config_error& e) {
      EXPECT_NE(std::string(e.what()).find("'a' is to have ghosts, and place 1 stores numbers in another way than "
                                           "place 0"),
                std::string::npos)
          << e.what();
    }
    const ts::dist_array<T, 1> without(d, {.name = "b"});
  });
}

TEST(unlike_arrays_test, of_what_has_no_other_form_have_no_ghosts) {
  tactus::detail::let_odd_places_play_swapped(true);
  refuses_ghosts<long double>();
  refuses_ghosts<opaque>();
  tactus::detail::let_odd_places_play_swapped(false);
}

TYPED_TEST(unlike_arrays, go_in_groups) {
  using T = TypeParam;
  this->over(4, [] {
    ts::dist_array<T, 2> a(unlike_arrays<T>::plate(), {.ghost = 2, .periodic = true});
    ts::dist_array<double, 2> b(unlike_arrays<T>::plate(), {.ghost = 2, .periodic = true});
    const ts::ghost_group both(a, b);
    ts::at_each(
        ts::places(),
        [](const ts::dist_array_ref<T, 2>& h, const ts::dist_array_ref<double, 2>& k, const ts::ghost_group_ref& all) {
          for (int exchange = 0; exchange < 3; ++exchange) {
            give(h, exchange);
            give(k, exchange + 1);
            all.update_ghosts();
            expect_ghosts(h, exchange);
            expect_ghosts(k, exchange + 1);
          }
        },
        a.ref(), b.ref(), both.ref());
  });
}

template <class T>
class unlike_sums : public unlike_arrays<T> {};
using summands = testing::Types<double, std::int32_t, std::complex<float>>;
TYPED_TEST_SUITE(unlike_sums, summands);

// What each place has of an array to whose cells their neighbours have given.
template <class T>
std::vector<T> summed(bool unlike) {
  tactus::detail::let_odd_places_play_swapped(unlike);
  std::vector<T> all;
  ts::run(ts::config{.threads = 1, .places = 4, .local_copy = ts::copying::serialize}, [&all] {
    const auto d = ts::dist<2>::block(ts::range(0, k_rows) * ts::range(0, k_columns), ts::grid<2>{2, 2});
    const ts::dist_array<T, 2> a(d, {.ghost = 1, .periodic = true});
    ts::at_each(
        ts::places(),
        [](const ts::dist_array_ref<T, 2>& h) {
          const auto u = h.local();
          const ts::box<2> own = u.resident();
          for (ts::index_t i = own.lo[0] - 1; i < own.hi[0] + 1; ++i) {
            for (ts::index_t j = own.lo[1] - 1; j < own.hi[1] + 1; ++j) {
              u(i, j) = static_cast<T>(static_cast<float>(i + 100 * j + 7 * ts::here().id()));
            }
          }
          h.accumulate_ghosts(ts::op::sum);
        },
        a.ref());
    for (const ts::place p : ts::places()) {
      const auto of_one = ts::at(
          p,
          [](const ts::dist_array_ref<T, 2>& h) {
            std::vector<T> cells;
            const auto u = h.local();
            u.resident().each([&](ts::index_t i, ts::index_t j) { cells.push_back(u(i, j)); });
            return cells;
          },
          a.ref());
      all.insert(all.end(), of_one.begin(), of_one.end());
    }
  });
  return all;
}

TYPED_TEST(unlike_sums, of_contributions_are_those_of_like_places) {
  const std::vector<TypeParam> like = summed<TypeParam>(false);
  EXPECT_EQ(like.size(), static_cast<std::size_t>(k_rows * k_columns));
  EXPECT_EQ(summed<TypeParam>(true), like);
}

}  // namespace
