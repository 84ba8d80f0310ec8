// SPDX-License-Identifier: Apache-2.0
#include "kernels/nas_mg/grid.hpp"

#include <algorithm>
#include <array>

namespace bench {
namespace {

// Sums over the neighbours of a whole row come in a buffer, for three points of the next sum need each of them.
constexpr std::size_t k_longest = 256 + 2;
using line = std::array<double, k_longest>;

/// What lies around a row, in the plane across it: the four rows that touch it by a face, and the four by an edge.
struct around {
  const double* __restrict own;
  const double* __restrict faces[4];
  const double* __restrict edges[4];

  around(const grid& g, std::size_t plane, std::size_t row)
      : own(g.row(plane, row)),
        faces{g.row(plane, row - 1), g.row(plane, row + 1), g.row(plane - 1, row), g.row(plane + 1, row)},
        edges{g.row(plane - 1, row - 1), g.row(plane - 1, row + 1), g.row(plane + 1, row - 1),
              g.row(plane + 1, row + 1)} {}

  void sum(line& of_faces, line& of_edges, std::size_t n) const {
    double* __restrict f = of_faces.data();
    double* __restrict e = of_edges.data();
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = faces[0][i] + faces[1][i] + faces[2][i] + faces[3][i];
      e[i] = edges[0][i] + edges[1][i] + edges[2][i] + edges[3][i];
    }
  }
};

}  // namespace

void grid::repeat_edges(std::size_t plane) {
  for (std::size_t i = 1; i <= points_; ++i) {
    double* const r = row(plane, i);
    r[0] = r[points_];
    r[points_ + 1] = r[1];
  }
  std::copy_n(row(plane, points_), side(), row(plane, 0));
  std::copy_n(row(plane, 1), side(), row(plane, points_ + 1));
}

void grid::repeat_sides(part planes) {
  for (std::size_t plane = planes.begin; plane < planes.end; ++plane) repeat_edges(plane);
  const std::size_t size = side() * side();
  if (holds(planes, 1)) std::copy_n(row(1, 0), size, row(points_ + 1, 0));
  if (holds(planes, points_)) std::copy_n(row(points_, 0), size, row(0, 0));
}

void subtract_weighted(grid& to, const grid& from, const grid& u, const weights& w, part planes) {
  line f;
  line e;
  const std::size_t n = to.points();
  for (std::size_t plane = planes.begin; plane < planes.end; ++plane) {
    for (std::size_t row = 1; row <= n; ++row) {
      const around a(u, plane, row);
      a.sum(f, e, to.side());
      // Where the two are one grid, a point is read before it is written and by nobody else.
      const double* const minuend = from.row(plane, row);
      double* const difference = to.row(plane, row);
#pragma omp simd
      for (std::size_t i = 1; i <= n; ++i) {
        difference[i] =
            minuend[i] - w.centre * a.own[i] - w.edge * (e[i] + f[i - 1] + f[i + 1]) - w.corner * (e[i - 1] + e[i + 1]);
      }
    }
  }
  to.repeat_sides(planes);
}

void add_weighted(grid& to, const grid& r, const weights& w, part planes) {
  line f;
  line e;
  const std::size_t n = to.points();
  for (std::size_t plane = planes.begin; plane < planes.end; ++plane) {
    for (std::size_t row = 1; row <= n; ++row) {
      const around a(r, plane, row);
      a.sum(f, e, to.side());
      double* __restrict sum = to.row(plane, row);
#pragma omp simd
      for (std::size_t i = 1; i <= n; ++i) {
        sum[i] +=
            w.centre * a.own[i] + w.face * (a.own[i - 1] + a.own[i + 1] + f[i]) + w.edge * (e[i] + f[i - 1] + f[i + 1]);
      }
    }
  }
  to.repeat_sides(planes);
}

void restrict_to(grid& coarse, const grid& fine, part planes) {
  line f;
  line e;
  const std::size_t n = coarse.points();
  for (std::size_t plane = planes.begin; plane < planes.end; ++plane) {
    for (std::size_t row = 1; row <= n; ++row) {
      const around a(fine, 2 * plane, 2 * row);
      a.sum(f, e, fine.side());
      double* __restrict sum = coarse.row(plane, row);
      for (std::size_t i = 1; i <= n; ++i) {
        const std::size_t k = 2 * i;
        sum[i] = 0.5 * a.own[k] + 0.25 * (a.own[k - 1] + a.own[k + 1] + f[k]) + 0.125 * (f[k - 1] + f[k + 1] + e[k]) +
                 0.0625 * (e[k - 1] + e[k + 1]);
      }
    }
  }
  coarse.repeat_sides(planes);
}

namespace {

/// The mean of `rows` coarse rows, whose sum is given, goes to the points that lie over coarse ones, and that of each
/// two neighbours to the point between.
void add_means(double* __restrict fine, const double* __restrict sum, std::size_t points, double rows) {
  const double whole = 1 / rows;
  const double half = 0.5 / rows;
  for (std::size_t i = 0; i <= points; ++i) {
    fine[2 * i] += whole * sum[i];
    fine[2 * i + 1] += half * (sum[i] + sum[i + 1]);
  }
}

}  // namespace

void interpolate_from(grid& fine, const grid& coarse, part planes) {
  line across;  // to the next row, to the next plane, to both
  line down;
  line both;
  const std::size_t n = coarse.points();
  for (std::size_t plane = planes.begin; plane < planes.end; ++plane) {
    for (std::size_t row = 0; row <= n; ++row) {
      const double* const here = coarse.row(plane, row);
      const double* const next_row = coarse.row(plane, row + 1);
      const double* const next_plane = coarse.row(plane + 1, row);
      const double* const next_both = coarse.row(plane + 1, row + 1);
#pragma omp simd
      for (std::size_t i = 0; i < n + 2; ++i) {
        across[i] = here[i] + next_row[i];
        down[i] = here[i] + next_plane[i];
        both[i] = across[i] + next_plane[i] + next_both[i];
      }
      add_means(fine.row(2 * plane, 2 * row), here, n, 1);
      add_means(fine.row(2 * plane, 2 * row + 1), across.data(), n, 2);
      add_means(fine.row(2 * plane + 1, 2 * row), down.data(), n, 2);
      add_means(fine.row(2 * plane + 1, 2 * row + 1), both.data(), n, 4);
    }
  }
}

double sum_of_squares(const grid& r, part planes) {
  double sum = 0;
  for (std::size_t plane = planes.begin; plane < planes.end; ++plane) {
    for (std::size_t row = 1; row <= r.points(); ++row) {
      const double* const x = r.row(plane, row);
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = 1; i <= r.points(); ++i) sum += x[i] * x[i];
    }
  }
  return sum;
}

}  // namespace bench
