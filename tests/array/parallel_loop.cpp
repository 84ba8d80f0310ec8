// SPDX-License-Identifier: Apache-2.0
// The seven-point loop of inner_loops.cpp by for_each over a box, alone in its file: inner_loops.cmake counts what is in that.
#include <tactus/array/region.hpp>
#include <tactus/array/view.hpp>

namespace {
namespace ts = tactus;
}

void step(ts::box<3> b, ts::view<const double, 3> u, ts::view<double, 3> v, double c) {
  ts::for_each(b, [=](ts::index_t i, ts::index_t j, ts::index_t k) {
    v(i, j, k) = c * (u(i, j, k) + u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) + u(i, j, k - 1) +
                      u(i, j, k + 1));
  });
}
