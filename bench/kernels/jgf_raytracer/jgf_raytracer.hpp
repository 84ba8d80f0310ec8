// SPDX-License-Identifier: Apache-2.0
// Problem jgf_raytracer: RayTracer of the Java Grande Forum's multithreaded suite, section 3: a picture of 64 spheres in a
// cube, with five lights, shadows, reflection and transparency.
//
// Scene and answer are the suite's: a run is right when the colours of all pixels add up to the suite's checksum, which
// allows for no deviation. The unit is one pixel. A row of the picture is what is divided among tasks or threads; rows
// with many spheres take longer. Also the suite's: the ray that goes on through a sphere starts where the last one of what
// the sphere reflected met something, not where the sphere was met (trace.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/jgf_raytracer/scene.hpp"
#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class jgf_raytracer_problem {
public:
  explicit jgf_raytracer_problem(const options& o);

  /// The whole picture.
  template <class Steps>
  void solve(Steps& steps) {
    steps.uneven(size(), 1, [this](part rows) { draw(rows); });
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return size() * size(); }
  void report(nlohmann::json& line) const;

  /// Rows, and pixels in each.
  [[nodiscard]] std::size_t size() const { return class_.size; }
  [[nodiscard]] std::uint64_t checksum() const;

private:
  /// What the suite fixes for a class of problems.
  struct problem_class {
    char name;
    std::size_t size;
    std::uint64_t checksum;  ///< the answer
  };

  struct pixel {
    std::uint32_t red;
    std::uint32_t green;
    std::uint32_t blue;
  };

  static const problem_class& class_named(const std::string& name);

  void draw(part rows);  ///< out of line: every competitor runs the same code, whatever compiled the competitor

  const problem_class& class_;
  raytracing::scene scene_;
  std::vector<pixel> picture_;
};

}  // namespace bench
