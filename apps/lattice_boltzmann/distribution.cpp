// SPDX-License-Identifier: Apache-2.0
#include "distribution.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace lattice_boltzmann {
namespace {

namespace ts = tactus;

using maker = std::function<ts::dist<2>(const ts::region<2>&, const options&)>;

double equal_work(const ts::point<2>& /*cell*/) { return 1; }

// As near to a square as there is one.
ts::grid<2> square_grid() {
  const auto all = static_cast<ts::index_t>(ts::num_places());
  ts::index_t few = 1;
  for (ts::index_t k = 1; k * k <= all; ++k) {
    few = all % k == 0 ? k : few;
  }
  return {all / few, few};
}

const std::vector<std::pair<std::string, maker>>& makers() {
  using cells = ts::region<2>;
  using ts::dist;
  static const std::vector<std::pair<std::string, maker>> all = {
      {"block", [](const cells& r, const options&) { return dist<2>::block(r); }},
      {"block_block", [](const cells& r, const options&) { return dist<2>::block_block(r); }},
      {"grid", [](const cells& r, const options& o) { return dist<2>::block(r, ts::grid<2>{o.grid[0], o.grid[1]}); }},
      {"cyclic", [](const cells& r, const options&) { return dist<2>::cyclic(r); }},
      {"block_cyclic",
       [](const cells& r, const options& o) {
         return dist<2>::block_cyclic(r, ts::point<2>::all(o.tile), square_grid());
       }},
      {"recursive_bisection",
       [](const cells& r, const options&) { return dist<2>::recursive_bisection(r, equal_work); }},
      {"morton",
       [](const cells& r, const options& o) { return dist<2>::morton(r, ts::point<2>::all(o.tile), equal_work); }},
      {"hilbert",
       [](const cells& r, const options& o) { return dist<2>::hilbert(r, ts::point<2>::all(o.tile), equal_work); }},
  };
  return all;
}

}  // namespace

const std::vector<std::string>& distribution_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, make] : makers()) {
      all.push_back(name);
    }
    return all;
  }();
  return names;
}

ts::dist<2> distribution_of(const options& o) {
  const auto found = std::ranges::find(makers(), o.distribution, &std::pair<std::string, maker>::first);
  return found->second(ts::range(0, o.size) * ts::range(0, o.size), o);
}

}  // namespace lattice_boltzmann
