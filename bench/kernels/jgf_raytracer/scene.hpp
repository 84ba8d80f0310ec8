// SPDX-License-Identifier: Apache-2.0
// What the ray tracer sees, and how it sees it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace bench::raytracing {

struct vector {
  double x = 0;
  double y = 0;
  double z = 0;

  friend vector operator+(vector a, vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend vector operator-(vector a, vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend vector operator*(double s, vector a) { return {s * a.x, s * a.y, s * a.z}; }
  friend vector operator-(vector a) { return {-a.x, -a.y, -a.z}; }
};

inline double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

inline vector cross(vector a, vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Of length 1, or 0 if it was.
inline vector unit(vector a) {
  const double length = std::sqrt(dot(a, a));
  return length > 0 ? vector{a.x / length, a.y / length, a.z / length} : a;
}

struct ray {
  vector from;
  vector direction;  ///< of length 1

  [[nodiscard]] vector at(double distance) const { return from + distance * direction; }
};

struct sphere {
  vector centre;
  vector colour;
};

/// The suite's: a cube of 4 x 4 x 4 equal spheres, lit from five sides.
class scene {
public:
  scene();

  /// The ray through a point of the picture, whose coordinates go from -1 to 1.
  [[nodiscard]] ray through(double right, double down) const;

  /// The colour that comes along a ray from outside.
  [[nodiscard]] vector look(const ray& r) const;

private:
  /// The sphere that a ray meets first; null: none.
  struct hit {
    const sphere* of = nullptr;
    double distance = 0;
  };

  static constexpr std::size_t k_edge = 4;

  [[nodiscard]] hit first_hit(const ray& r) const;
  [[nodiscard]] vector trace(int depth, double weight, const ray& r, vector& last_hit) const;
  [[nodiscard]] vector shade(int depth, double weight, const sphere& s, vector point, vector normal, vector incoming,
                             vector& last_hit) const;
  [[nodiscard]] vector lit(const sphere& s, vector point, vector normal, vector mirrored) const;

  std::array<sphere, k_edge * k_edge * k_edge> spheres_;
  std::array<vector, 5> lights_;
  vector eye_;
  vector ahead_;
  vector right_;
  vector down_;
};

}  // namespace bench::raytracing
