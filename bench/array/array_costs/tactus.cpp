// SPDX-License-Identifier: Apache-2.0
#include "array/array_costs/array_costs.hpp"

#include <algorithm>
#include <deque>

#include "support/resident.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_array_costs {
public:
  tactus_array_costs(const bench::options& o, bench::array_costs_problem& p)
      : problem_(p), runtime_(bench::config_of_places(o, p.places())) {
    runtime_.run([] {});
  }

  void pass() {
    runtime_.run([this] {
      switch (problem_.what()) {
        case bench::array_costs_problem::form::make:
        case bench::array_costs_problem::form::make_4: make(); break;
        case bench::array_costs_problem::form::plan: plan(); break;
        case bench::array_costs_problem::form::local: local(); break;
        case bench::array_costs_problem::form::memory: memory(); break;
        case bench::array_costs_problem::form::updates: updates(); break;
        case bench::array_costs_problem::form::exchange: exchange(); break;
        case bench::array_costs_problem::form::grid: update_grid(); break;
      }
    });
  }

private:
  void make() {
    const auto dist = ts::dist<3>::block(ts::range(0, 16) * ts::range(0, 16) * ts::range(0, 16));
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      const ts::dist_array<double, 3> a(dist, {.ghost = 1});
      problem_.done(1, a.region().size() == 4096);
    }
  }

  void plan() {
    ts::index_t side = 1;
    while (static_cast<std::uint64_t>(side * side) < problem_.size()) ++side;
    const auto cells = ts::range(0, 4 * side) * ts::range(0, 4 * side);
    const auto dist = ts::dist<2>::block_cyclic(cells, {4, 4}, ts::grid<2>{2, 2});
    ts::dist_array<double, 2> a(dist, {.ghost = 1, .periodic = true});
    problem_.done(problem_.size(), dist.blocks(ts::here()).size() == static_cast<std::size_t>(side / 2 * (side / 2)));
  }

  void local() {
    const ts::dist_array<double, 1> a(ts::dist<1>::block(ts::range(0, 64)), {.ghost = 1});
    const auto h = a.ref();
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      found += h.local().data() != nullptr ? 1U : 0U;
      asm volatile("" : : : "memory");  // each is asked for
    }
    problem_.done(found);
  }

  void memory() {
    const auto dist = ts::dist<1>::block(ts::range(0, 64));
    std::deque<ts::dist_array<double, 1>> all;
    problem_.resident(bench::resident_bytes());
    for (const int ghosts : {1, 0}) {
      for (std::uint64_t i = 0; i < problem_.size(); ++i) {
        all.emplace_back(dist, ts::array_options<1>{.ghost = ghosts});
        all.back().update_ghosts();
        all.back().update_ghosts();
      }
      problem_.resident(bench::resident_bytes());
    }
    problem_.done(all.size() / 2);
  }

  // Each place updates so often; returns whether a ghost has what its cell has.
  static bool update(ts::dist_array<double, 3>& a, std::uint64_t times) {
    a.for_each([](const ts::point<3>& p, double& x) { x = static_cast<double>(p[0] + 2 * p[1] + 3 * p[2]); });
    ts::at_each(ts::places(), [h = a.ref(), times] {
      for (std::uint64_t i = 0; i < times; ++i) h.update_ghosts();
    });
    bool right = true;
    for (const ts::place p : a.dist().group()) {
      right = right && ts::at(p, [h = a.ref()] {
                const auto u = h.local();
                bool is_right = true;
                for (std::size_t d = 0; d < 3; ++d) {
                  ts::point<3> q = u.resident().lo;
                  if (--q[d] < 0) continue;  // the edge
                  is_right = is_right && u[q] == static_cast<double>(q[0] + 2 * q[1] + 3 * q[2]);
                }
                return is_right;
              });
    }
    return right;
  }

  void exchange() {
    constexpr ts::index_t k_side = bench::array_costs_problem::k_side;
    ts::dist_array<double, 3> a(
        ts::dist<3>::block(ts::range(0, 2 * k_side) * ts::range(0, k_side) * ts::range(0, k_side),
                           ts::grid<3>{2, 1, 1}),
        {.ghost = 1});
    a.fill(1.0);  // so that its own cells are there
    ts::at_each(ts::places(), [h = a.ref()] {
      const auto u = h.local();
      for (const ts::point<3>& p : u.stored()) u[p] = 1.0;  // ghosts, too
    });
    problem_.resident(bench::resident_bytes());
    const bool right = update(a, problem_.size());
    problem_.resident(bench::resident_bytes());
    problem_.done(problem_.size(), right);
  }

  void update_grid() {
    const auto cells = ts::range(0, 160) * ts::range(0, 160) * ts::range(0, 160);
    const auto [x, y, z] = problem_.parts();
    ts::dist_array<double, 3> a(
        x == 0 ? ts::dist<3>::block(cells, ts::all_axes) : ts::dist<3>::block(cells, ts::grid<3>{x, y, z}),
        {.ghost = 1});
    problem_.done(problem_.size(), update(a, problem_.size()));
  }

  void updates() {
    ts::dist_array<double, 2> a(ts::dist<2>::block(ts::range(0, 32) * ts::range(0, 32), ts::all_axes), {.ghost = 1});
    constexpr std::uint64_t k_parts = 10;
    for (std::uint64_t part = 0; part < k_parts; ++part) {
      ts::at_each(ts::places(), [h = a.ref(), n = problem_.size() / k_parts] {
        for (std::uint64_t i = 0; i < n; ++i) h.update_ghosts();
      });
      problem_.resident(bench::resident_bytes());
      problem_.done(problem_.size() / k_parts);
    }
  }

  bench::array_costs_problem& problem_;
  ts::runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::array_costs_problem, tactus_array_costs>(argc, argv, "array_costs", "tactus");
}
