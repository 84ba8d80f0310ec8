// SPDX-License-Identifier: Apache-2.0
// Seven-point loops by raw pointers and by views. inner_loops.cmake compares what the compiler makes of them.
#include <tactus/array/point.hpp>
#include <tactus/array/view.hpp>

namespace {
namespace ts = tactus;
using from = ts::view<const double, 3>;
using to = ts::view<double, 3>;
}  // namespace

#define LOOP(name) extern "C" __attribute__((noinline)) void name([[maybe_unused]] ts::box<3> b, from u, to v, double c)

LOOP(loop_raw) {
  const double* const p = u.data();
  double* const q = v.data();
  const ts::index_t s0 = u.stride(0);
  const ts::index_t s1 = u.stride(1);
  const ts::index_t t0 = v.stride(0);
  const ts::index_t t1 = v.stride(1);
  for (ts::index_t i = 1; i < b.extent(0); ++i) {
    for (ts::index_t j = 1; j < b.extent(1); ++j) {
      for (ts::index_t k = 1; k < b.extent(2); ++k) {
        const double* const at = p + i * s0 + j * s1 + k;
        q[i * t0 + j * t1 + k] = c * (at[0] + at[-s0] + at[s0] + at[-s1] + at[s1] + at[-1] + at[1]);
      }
    }
  }
}

// As programs write it: indices, and a lambda that takes views by value.
LOOP(loop_indices) {
  b.each([=](auto i, auto j, auto k) {
    v(i, j, k) = c * (u(i, j, k) + u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) + u(i, j, k - 1) +
                      u(i, j, k + 1));
  });
}

LOOP(loop_indices_nested) {
  for (ts::index_t i = b.lo[0]; i < b.hi[0]; ++i) {
    for (ts::index_t j = b.lo[1]; j < b.hi[1]; ++j) {
      for (ts::index_t k = b.lo[2]; k < b.hi[2]; ++k) {
        v(i, j, k) = c * (u(i, j, k) + u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) +
                          u(i, j, k - 1) + u(i, j, k + 1));
      }
    }
  }
}

LOOP(loop_points) {
  constexpr auto x = ts::point<3>::unit(0);
  constexpr auto y = ts::point<3>::unit(1);
  constexpr auto z = ts::point<3>::unit(2);
  b.each([=](const ts::point<3>& p) {
    v[p] = c * (u[p] + u[p - x] + u[p + x] + u[p - y] + u[p + y] + u[p - z] + u[p + z]);
  });
}
