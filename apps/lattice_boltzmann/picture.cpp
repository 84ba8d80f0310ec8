// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include "output.hpp"

#include <fmt/format.h>

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace lattice_boltzmann {
namespace {

constexpr ts::index_t k_least_side = 512;  // in pixels
constexpr double k_lines = 12;             // from the wall to the middle of the largest vortex
constexpr double k_line_shade = 0.62;

using colour = std::array<double, 3>;
constexpr std::array<colour, 5> k_ramp = {
    {{12, 16, 48}, {28, 74, 130}, {36, 150, 148}, {152, 208, 96}, {254, 240, 150}}};

colour colour_of(double speed) {
  const double at = std::clamp(std::sqrt(speed), 0.0, 1.0) * static_cast<double>(k_ramp.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), k_ramp.size() - 2);
  colour c{};
  for (std::size_t i = 0; i < c.size(); ++i) {
    c[i] = std::lerp(k_ramp[below][i], k_ramp[below + 1][i], at - static_cast<double>(below));
  }
  return c;
}

// What flows between the lower wall and the middle of each cell, as a field of two axes; largest in the vortex.
ts::array<double, 2> stream_function(const ts::array<motion, 2>& flow) {
  const ts::index_t n = flow.region().hi[0];
  ts::array<double, 2> stream(ts::range(0, n) * ts::range(0, n));
  for (ts::index_t x = 0; x < n; ++x) {
    double below = 0;
    for (ts::index_t y = 0; y < n; ++y) {
      stream(x, y) = below + flow(x, y).u / 2;
      below += flow(x, y).u;
    }
  }
  return stream;
}

// A field between the centres of its cells.
template <class Field>
double between(ts::index_t n, double x, double y, const Field& field) {
  const auto most = static_cast<double>(n - 1);
  x = std::clamp(x, 0.0, most);
  y = std::clamp(y, 0.0, most);
  const auto i = std::min(static_cast<ts::index_t>(x), n - 2);
  const auto k = std::min(static_cast<ts::index_t>(y), n - 2);
  const double right = x - static_cast<double>(i), up = y - static_cast<double>(k);
  return std::lerp(std::lerp(field(i, k), field(i + 1, k), right),
                   std::lerp(field(i, k + 1), field(i + 1, k + 1), right), up);
}

}  // namespace

void draw(const ts::array<motion, 2>& flow, double lid, const std::string& file) {
  const ts::index_t n = flow.region().hi[0];
  const ts::index_t side = std::max(n, k_least_side);
  const double cells_a_pixel = static_cast<double>(n) / static_cast<double>(side);
  const ts::array<double, 2> stream = stream_function(flow);
  const auto pixels = ts::range(0, side) * ts::range(0, side);  // rows from above
  // Lines are where the number changes. They lie closer to each other near walls, so that slow vortices in corners have some.
  ts::array<int, 2> number(pixels);
  double most = 1e-300;
  stream.region().each([&](ts::point<2> p) { most = std::max(most, std::abs(stream[p])); });
  std::vector<std::uint8_t> bytes;
  pixels.each([&](ts::index_t row, ts::index_t column) {
    const double x = (static_cast<double>(column) + 0.5) * cells_a_pixel - 0.5;
    const double y = (static_cast<double>(side - row) - 0.5) * cells_a_pixel - 0.5;
    const auto at = [&](const auto& field) { return between(n, x, y, field); };
    const double s = at(stream) / most;
    number(row, column) = static_cast<int>(std::floor(std::copysign(std::cbrt(std::abs(s)), s) * k_lines));
    const bool is_line = (row > 0 && number(row - 1, column) != number(row, column)) ||
                         (column > 0 && number(row, column - 1) != number(row, column));
    const double speed = at([&](ts::index_t i, ts::index_t k) { return std::hypot(flow(i, k).u, flow(i, k).v); });
    for (const double part : colour_of(speed / lid)) {
      bytes.push_back(static_cast<std::uint8_t>(part * (is_line ? k_line_shade : 1)));
    }
  });
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = static_cast<png_uint_32>(side);
  image.format = PNG_FORMAT_RGB;
  apps::output_file out(file, "the picture");
  if (png_image_write_to_stdio(&image, out.stream(), 0, bytes.data(), 0, nullptr) == 0) {
    throw std::runtime_error(fmt::format("{}: cannot write the picture: {}", file, image.message));
  }
  out.finish();
}

}  // namespace lattice_boltzmann
