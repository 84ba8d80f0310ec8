// SPDX-License-Identifier: Apache-2.0
// Writes files of arrays for array_file_test.py: array_specimen FOLDER.
#include <tactus/tactus.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <string>

namespace {
namespace ts = tactus;

template <class T, std::size_t N, class F>
void write(const std::string& file, const ts::dist<N>& d, F f) {
  ts::dist_array<T, N> a(d, {.ghost = 1, .name = "a"});
  a.for_each(f);
  a.save(file);
}

}  // namespace

int main(int, char** argv) {
  const std::string folder = std::string(argv[1]) + "/";
  ts::run(ts::config{.places = 3}, [&] {
    const auto plate = ts::range(-2, 4) * ts::range(1, 6);
    write<double>(folder + "double", ts::dist<2>::block_cyclic(plate, {2, 2}, ts::grid<2>{1, 3}),
                  [](ts::point<2> p, double& x) { x = static_cast<double>(10 * p[0] + p[1]) / 4; });
    write<std::int16_t>(folder + "short", ts::dist<1>::cyclic(ts::range(5, 12)),
                        [](ts::point<1> p, std::int16_t& x) { x = static_cast<std::int16_t>(-p[0]); });
    write<bool>(folder + "bool", ts::dist<1>::block(ts::range(0, 5)), [](ts::point<1> p, bool& x) { x = p[0] == 3; });
    write<std::complex<float>>(folder + "complex", ts::dist<1>::block(ts::range(0, 3)),
                               [](ts::point<1> p, std::complex<float>& x) { x = {static_cast<float>(p[0]), 1.0F}; });
    write<float>(folder + "odd", ts::dist<1>::block(ts::range(0, 4)), [](ts::point<1> p, float& x) {
      x = p[0] == 2 ? std::numeric_limits<float>::infinity() : static_cast<float>(p[0]);
    });
    write<std::string>(folder + "string", ts::dist<1>::block(ts::range(0, 3)),
                       [](ts::point<1> p, std::string& x) { x.assign(static_cast<std::size_t>(p[0]), 'x'); });
    const auto triangle = ts::region<2>::where(plate, [](ts::index_t i, ts::index_t j) { return j < i; });
    write<double>(folder + "triangle", ts::dist<2>::constant(triangle), [](ts::point<2>, double& x) { x = 1; });
  });
}
