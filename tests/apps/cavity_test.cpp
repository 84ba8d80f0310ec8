// SPDX-License-Identifier: Apache-2.0
#include "cavity.hpp"

#include "distribution.hpp"
#include "ghia.hpp"
#include "serial_cavity.hpp"

#include <gtest/gtest.h>
#include <tactus/tactus.hpp>

#include <cmath>
#include <vector>

namespace {

namespace ts = tactus;
using namespace lattice_boltzmann;

constexpr double k_lid = 0.1;

// As textbooks have it: cell by cell, each population pulled from the cell before or turned round at a wall, one relaxation time.
class textbook_cavity {
public:
  textbook_cavity(long n, double tau) : n_(n), tau_(tau), now_(static_cast<std::size_t>(n * n)) {
    for (auto& f : now_) f = k_weight;
  }

  void step() {
    auto next = now_;
    for (long x = 0; x < n_; ++x) {
      for (long y = 0; y < n_; ++y) {
        next[number(x, y)] = collided(arriving(x, y));
      }
    }
    now_ = next;
  }

  [[nodiscard]] double operator()(long x, std::size_t q, long y) const { return now_[number(x, y)][q]; }

private:
  using cell = std::array<double, 9>;
  [[nodiscard]] std::size_t number(long x, long y) const { return static_cast<std::size_t>(x * n_ + y); }

  [[nodiscard]] cell arriving(long x, long y) const {
    cell f{};
    for (std::size_t q = 0; q < 9; ++q) {
      const long from_x = x - k_cx[q], from_y = y - k_cy[q];
      const bool is_beside = from_x < 0 || from_x >= n_;
      if (!is_beside && from_y >= 0 && from_y < n_) {
        f[q] = now_[number(from_x, from_y)][q];
      } else {
        const bool is_lid = from_y == n_ && !is_beside;
        f[q] = now_[number(x, y)][k_opposite[q]] + (is_lid ? 6 * k_weight[q] * k_cx[q] * k_lid : 0);
      }
    }
    return f;
  }

  [[nodiscard]] cell collided(cell f) const {
    double density = 0, x = 0, y = 0;
    for (std::size_t q = 0; q < 9; ++q) {
      density += f[q];
      x += f[q] * k_cx[q];
      y += f[q] * k_cy[q];
    }
    const double u = x / density, v = y / density;
    for (std::size_t q = 0; q < 9; ++q) {
      const double along = 3 * (k_cx[q] * u + k_cy[q] * v);
      const double equilibrium = k_weight[q] * density * (1 + along + along * along / 2 - 1.5 * (u * u + v * v));
      f[q] -= (f[q] - equilibrium) / tau_;
    }
    return f;
  }

  long n_;
  double tau_;
  std::vector<cell> now_;
};

TEST(serial_cavity, is_the_textbook_s_with_one_relaxation_time) {
  constexpr long n = 17;
  constexpr double viscosity = 0.03;
  serial_cavity plain(n, k_lid, bgk(viscosity));
  textbook_cavity textbook(n, 3 * viscosity + 0.5);
  for (int s = 0; s < 50; ++s) {
    plain.step();
    textbook.step();
  }
  for (long x = 0; x < n; ++x) {
    for (std::size_t q = 0; q < 9; ++q) {
      for (long y = 0; y < n; ++y) {
        ASSERT_NEAR(plain(x, q, y), textbook(x, q, y), 1e-13) << x << ' ' << q << ' ' << y;
      }
    }
  }
}

TEST(relaxation, of_two_rates_puts_walls_half_way) {
  const relaxation r = trt(0.03);
  EXPECT_NEAR(r.even, bgk(0.03).even, 1e-15);
  EXPECT_NEAR((1 / r.even - 0.5) * (1 / r.odd - 0.5), 3. / 16, 1e-12);
}

// By the number of places.
class cavities : public testing::TestWithParam<int> {};

TEST_P(cavities, have_the_bits_of_the_serial_one_on_every_distribution) {
  constexpr long n = 23;
  constexpr std::size_t steps = 31;
  serial_cavity plain(n, k_lid, trt(0.02));
  for (std::size_t s = 0; s < steps; ++s) plain.step();
  ts::run(ts::config{.threads = 1, .places = GetParam()}, [&] {
    for (const auto& [name, make] : distributions()) {
      options o;
      o.size = n;
      o.distribution = name;
      o.tile = 3;
      o.grid = {1, GetParam()};
      cavity c(distribution_of(o), k_lid, trt(0.02));
      c.advance(10);  // in pieces, of which one leaves the other half of the arrays behind
      c.advance(steps - 10);
      const ts::array<double, 3> all = c.populations();
      std::size_t others = 0;
      all.region().each([&](ts::index_t x, ts::index_t q, ts::index_t y) {
        others += all(x, q, y) == plain(x, static_cast<std::size_t>(q), y) ? 0U : 1U;
      });
      EXPECT_EQ(others, 0) << name << ", of " << all.size();
    }
  });
}

TEST_P(cavities, keep_their_mass_and_say_how_much_changes) {
  ts::run(ts::config{.threads = 1, .places = GetParam()}, [] {
    options o;
    o.size = 20;
    cavity c(distribution_of(o), k_lid, bgk(0.02));
    EXPECT_EQ(c.look().change, 0);
    c.advance(1);
    const sight first = c.look();
    EXPECT_NEAR(first.mass, 400, 1e-10);
    EXPECT_GT(first.change, 0.01);  // beside the lid
    EXPECT_EQ(c.look().change, 0);  // since the last look
    const auto flow = c.flow();
    EXPECT_NEAR(flow(10, 19).u, k_lid / 3, 1e-12);  // w * 6 * lid from each of two diagonals
    EXPECT_EQ(flow(10, 0).u, 0);
  });
}

INSTANTIATE_TEST_SUITE_P(places, cavities, testing::Values(1, 2, 3, 4));

// A flow of which nothing moves but what is told.
ts::array<motion, 2> at_rest(long n) { return ts::array<motion, 2>(ts::range(0, n) * ts::range(0, n)); }

TEST(ghia, has_three_reynolds_numbers) {
  EXPECT_TRUE(has_ghia(100));
  EXPECT_TRUE(has_ghia(1000));
  EXPECT_FALSE(has_ghia(200));
}

TEST(ghia, is_not_a_fluid_at_rest) {
  const deviation d = from_ghia(at_rest(64), k_lid, 1000);
  EXPECT_GT(d.u, 0.35);
  EXPECT_NEAR(d.v, 0.51550, 0.01);
}

}  // namespace
