// SPDX-License-Identifier: Apache-2.0
#include "array/array_costs/array_costs.hpp"

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
        case bench::array_costs_problem::form::make: make(); break;
        case bench::array_costs_problem::form::plan: plan(); break;
        case bench::array_costs_problem::form::local: local(); break;
        case bench::array_costs_problem::form::memory: memory(); break;
        case bench::array_costs_problem::form::updates: updates(); break;
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
