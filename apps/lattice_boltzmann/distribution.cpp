// SPDX-License-Identifier: Apache-2.0
#include "distribution.hpp"

namespace lattice_boltzmann {
namespace {

namespace ts = tactus;

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

}  // namespace

const std::map<std::string, distribution>& distributions() {
  using cells = ts::region<2>;
  using ts::dist;
  const auto tile = [](const options& o) { return ts::point<2>::all(o.tile); };
  static const std::map<std::string, distribution> all = {
      {"block", [](const cells& r, auto&) { return dist<2>::block(r); }},
      {"block_block", [](const cells& r, auto&) { return dist<2>::block_block(r); }},
      {"grid", [](const cells& r, auto& o) { return dist<2>::block(r, ts::grid<2>{o.grid[0], o.grid[1]}); }},
      {"cyclic", [](const cells& r, auto&) { return dist<2>::cyclic(r); }},
      {"block_cyclic", [=](const cells& r, auto& o) { return dist<2>::block_cyclic(r, tile(o), square_grid()); }},
      {"recursive_bisection", [](const cells& r, auto&) { return dist<2>::recursive_bisection(r, equal_work); }},
      {"morton", [=](const cells& r, auto& o) { return dist<2>::morton(r, tile(o), equal_work); }},
      {"hilbert", [=](const cells& r, auto& o) { return dist<2>::hilbert(r, tile(o), equal_work); }},
  };
  return all;
}

ts::dist<2> distribution_of(const options& o) {
  return distributions().at(o.distribution)(ts::range(0, o.size) * ts::range(0, o.size), o);
}

}  // namespace lattice_boltzmann
