// SPDX-License-Identifier: Apache-2.0
// The application's own flow, apps/lattice_boltzmann/cavity.cpp, in one process and over several.
#pragma once

#include <tactus/tactus.hpp>

#include <vector>

#include "array/lattice_boltzmann/lattice_boltzmann.hpp"
#include "cavity.hpp"
#include "support/tactus_pool.hpp"

namespace bench {

/// What came of a pass.
struct flow_result {
  flow_digest flow;
  double update_seconds = 0;
  duration took;
};

/// One pass over all places, in a run.
inline flow_result flow_pass(const flow_setting& s) {
  namespace ts = tactus;
  const auto cells = ts::range(0, s.size) * ts::range(0, s.size);
  lattice_boltzmann::cavity flow(ts::dist<2>::block(cells, ts::grid<2>{s.parts_x(), s.parts_y()}), s.lid(), s.how());
  flow.advance(s.k_warm);
  flow_result all;
  const double before = flow.update_seconds();
  const stopwatch watch;
  flow.advance(s.steps);
  all.took = watch.elapsed();
  all.update_seconds = flow.update_seconds() - before;

  const auto of_one = [f = flow.cells_now()] {
    flow_digest d;
    for (const auto& u : f.blocks()) {
      u.resident().each(
          [&](ts::index_t x, ts::index_t q, ts::index_t y) { d.add(x, static_cast<std::size_t>(q), y, u(x, q, y)); });
    }
    return d;
  };
  std::vector<ts::future<flow_digest>> parts;
  for (const ts::place p : ts::places()) parts.push_back(ts::at_future(p, of_one));
  for (const auto& part : parts) all.flow.add(part.get());
  return all;
}

}  // namespace bench
