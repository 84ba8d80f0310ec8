// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_raytracer/jgf_raytracer.hpp"

#include <algorithm>
#include <array>

namespace bench {
namespace {

constexpr std::uint32_t k_brightest = 255;
constexpr std::uint32_t k_not_drawn = 1'000;  // brighter than any

std::uint32_t level_of(double brightness) {
  return std::min(static_cast<std::uint32_t>(brightness * k_brightest), k_brightest);
}

}  // namespace

const jgf_raytracer_problem::problem_class& jgf_raytracer_problem::class_named(const std::string& name) {
  static constexpr std::array<problem_class, 2> k_classes{{
      {'A', 150, 2'676'692},
      {'B', 500, 29'827'635},
  }};
  for (const problem_class& c : k_classes) {
    if (name == std::string(1, c.name)) return c;
  }
  throw std::invalid_argument("jgf_raytracer: --class is A or B, not '" + name + "'");
}

jgf_raytracer_problem::jgf_raytracer_problem(const options& o)
    : class_(class_named(o.problem_class)), picture_(size() * size()) {}

void jgf_raytracer_problem::reset() { std::ranges::fill(picture_, pixel{k_not_drawn, k_not_drawn, k_not_drawn}); }

std::uint64_t jgf_raytracer_problem::checksum() const {
  std::uint64_t sum = 0;
  for (const pixel& p : picture_) sum += std::uint64_t{p.red} + p.green + p.blue;
  return sum;
}

void jgf_raytracer_problem::verify() const {
  const std::uint64_t sum = checksum();
  if (sum != class_.checksum) {
    throw wrong_answer("class " + std::string(1, class_.name) + ": the checksum is " + std::to_string(sum) + ", not " +
                       std::to_string(class_.checksum));
  }
}

void jgf_raytracer_problem::report(nlohmann::json& line) const {
  line["class"] = std::string(1, class_.name);
  line["checksum"] = checksum();
}

void jgf_raytracer_problem::draw(part rows) {
  const auto coordinate = [this](std::size_t i) {
    return 2.0 * static_cast<double>(i) / static_cast<double>(size()) - 1;
  };
  for (std::size_t y = rows.begin; y < rows.end; ++y) {
    for (std::size_t x = 0; x < size(); ++x) {
      const raytracing::vector c = scene_.look(scene_.through(coordinate(x), coordinate(y)));
      picture_[y * size() + x] = {level_of(c.x), level_of(c.y), level_of(c.z)};
    }
  }
}

}  // namespace bench
