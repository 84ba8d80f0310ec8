// SPDX-License-Identifier: Apache-2.0
// The suite's scene and its shading. Of the constants of a surface that the suite knows, those are left out that are 1 here:
// the brightness of each light, the index of refraction, and how much of a light is scattered.
#include <cmath>

#include "kernels/jgf_raytracer/scene.hpp"

namespace bench::raytracing {
namespace {

constexpr double k_radius = 3;
constexpr double k_shine = 15;
constexpr double k_reflected = 0.5;
constexpr double k_passed = 0.5;
constexpr int k_deepest = 6;
constexpr double k_nearest = 1e-6;  // what is nearer to a ray's origin is where it comes from
constexpr double k_farthest = 1e9;
constexpr double k_least_weight = 1e-3;  // rays that count less are not followed
constexpr double k_least_highlight = 1e-6;
constexpr double k_angle = 35.0 * 3.14159265 / 180.0;  // from the middle of the picture to its edge

vector mirror(vector incoming, vector normal) {
  return unit(1 / std::abs(dot(incoming, normal)) * incoming + 2.0 * normal);
}

/// Straight on: glass as thin as air. Computed as for any glass, for the last digits are to be the suite's.
vector pass_through(vector incoming, vector normal) {
  const double cosine = -dot(incoming, normal);
  const double inside = std::sqrt(1.0 - (1.0 - cosine * cosine));
  return unit(incoming + (cosine - inside) * normal);
}

}  // namespace

scene::scene()
    : lights_{{{100, 100, -50}, {-100, 100, -50}, {100, -100, -50}, {-100, -100, -50}, {200, 200, 0}}},
      eye_{0, 20, -30} {
  const auto place = [](std::size_t i) { return 20.0 / (k_edge - 1) * static_cast<double>(i) - 10.0; };
  std::size_t next = 0;
  for (std::size_t i = 0; i < k_edge; ++i) {
    for (std::size_t j = 0; j < k_edge; ++j) {
      for (std::size_t k = 0; k < k_edge; ++k) {
        const double blue = static_cast<double>(i + j) / (2 * k_edge - 2);
        spheres_[next++] = {{place(i), place(j), place(k)}, {0, 0, blue}};
      }
    }
  }
  const vector up{0, 1, 0};
  const double half_width = std::tan(k_angle);
  ahead_ = unit(vector{} - eye_);
  down_ = -half_width * unit(up - dot(up, ahead_) * ahead_);
  right_ = half_width * unit(cross(up, ahead_));
}

ray scene::through(double right, double down) const { return {eye_, unit((right * right_ + down * down_) + ahead_)}; }

scene::hit scene::first_hit(const ray& r) const {
  hit first{nullptr, k_farthest};
  for (const sphere& s : spheres_) {
    const vector to_centre = s.centre - r.from;
    const double along = dot(to_centre, r.direction);
    const double square = along * along - dot(to_centre, to_centre) + k_radius * k_radius;
    if (square < 0) continue;
    const double half_chord = std::sqrt(square);
    const double entry = along - half_chord;
    const double distance = entry < k_nearest ? along + half_chord : entry;
    if (distance >= k_nearest && distance < first.distance) first = {&s, distance};
  }
  return first;
}

vector scene::look(const ray& r) const {
  vector last_hit;
  return trace(0, 1, r, last_hit);
}

/// last_hit: where the last ray that met a sphere met it, in the order in which rays are followed.
vector scene::trace(int depth, double weight, const ray& r, vector& last_hit) const {
  if (depth > k_deepest) return {};
  const hit h = first_hit(r);
  if (h.of == nullptr) return {};
  const vector point = r.at(h.distance);
  const vector outward = unit(point - h.of->centre);
  const vector normal = dot(r.direction, outward) >= 0 ? -outward : outward;
  return shade(depth, weight, *h.of, point, normal, r.direction, last_hit);
}

vector scene::shade(int depth, double weight, const sphere& s, vector point, vector normal, vector incoming,
                    vector& last_hit) const {
  const vector mirrored = mirror(incoming, normal);
  vector colour = lit(s, point, normal, mirrored);
  last_hit = point;
  if (k_reflected * weight > k_least_weight) {
    colour = colour + k_reflected * trace(depth + 1, k_reflected * weight, {last_hit, mirrored}, last_hit);
  }
  if (k_passed * weight > k_least_weight) {
    const vector onward = pass_through(incoming, normal);
    // From last_hit, not from point: the suite has one ray for all, which the reflections have moved meanwhile.
    colour = colour + k_passed * trace(depth + 1, k_passed * weight, {last_hit, onward}, last_hit);
  }
  return colour;
}

/// By all lights that no sphere hides, even one behind the light.
vector scene::lit(const sphere& s, vector point, vector normal, vector mirrored) const {
  vector colour;
  for (const vector& light : lights_) {
    const vector to_light = light - point;
    if (dot(normal, to_light) < 0) continue;
    const vector direction = unit(to_light);
    if (first_hit({point, direction}).of != nullptr) continue;
    colour = colour + dot(normal, direction) * s.colour;
    const double highlight = dot(mirrored, direction);
    if (highlight > k_least_highlight) {
      const double white = std::pow(highlight, k_shine);
      colour = colour + vector{white, white, white};
    }
  }
  return colour;
}

}  // namespace bench::raytracing
