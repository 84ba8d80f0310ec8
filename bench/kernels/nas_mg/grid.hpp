// SPDX-License-Identifier: Apache-2.0
// A cube of numbers that is periodic in all three directions, and how a point is combined with its 26 neighbours.
#pragma once

#include <cstddef>
#include <vector>

#include "support/steps.hpp"

namespace bench {

/// points^3 numbers, inside a layer in which the opposite sides are repeated, so that no loop has to look for its end.
/// Plane, row and column 0 repeat the last of the points, and those after the last repeat the first.
class grid {
public:
  explicit grid(std::size_t points) : points_(points), numbers_(side() * side() * side()) {}

  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] std::size_t side() const { return points_ + 2; }
  [[nodiscard]] std::vector<double>& numbers() { return numbers_; }

  [[nodiscard]] double* row(std::size_t plane, std::size_t row) {
    return numbers_.data() + (plane * side() + row) * side();
  }
  [[nodiscard]] const double* row(std::size_t plane, std::size_t row) const {
    return numbers_.data() + (plane * side() + row) * side();
  }

  /// The planes that belong to a part of the points.
  [[nodiscard]] static part planes_of(part points) { return {points.begin + 1, points.end + 1}; }

  /// Makes the layer right for these planes: their own edges, and the planes outside that repeat one of them. Others
  /// may do the same for other planes meanwhile.
  void repeat_sides(part planes);

private:
  void repeat_edges(std::size_t plane);

  std::size_t points_;
  std::vector<double> numbers_;
};

/// By what a point, its 6 neighbours across a face, its 12 across an edge and its 8 across a corner are multiplied.
struct weights {
  double centre;
  double face;
  double edge;
  double corner;
};

/// to[points] = from[points] - (what the weights make of u around each), in these planes.
void subtract_weighted(grid& to, const grid& from, const grid& u, const weights& w, part planes);

/// to[points] += (what the weights make of r around each), in these planes.
void add_weighted(grid& to, const grid& r, const weights& w, part planes);

/// Each point of the coarse grid is the sum of the fine points around it: 1/2 for the one it is, 1/4, 1/8 and 1/16 for
/// those across a face, an edge and a corner. These planes of the coarse grid.
void restrict_to(grid& coarse, const grid& fine, part planes);

/// Adds to fine points the coarse ones, and between them the means of the 2, 4 or 8 coarse ones around. All fine
/// planes, those of the layer too, are made from the coarse planes 0 to points(); these coarse planes make theirs.
void interpolate_from(grid& fine, const grid& coarse, part planes);

/// Of all points in these planes.
double sum_of_squares(const grid& r, part planes);

}  // namespace bench
