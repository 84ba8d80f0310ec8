// SPDX-License-Identifier: Apache-2.0
// A distributed array in a file: saved by some places, loaded by others.
#include <tactus/tactus.hpp>

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace ts = tactus;

namespace {

struct particle {
  double x = 0;
  float mass = 1;
};

}  // namespace

//! [array_type_name]
template <>
inline constexpr std::string_view tactus::array_type_name<particle> = "particle, position and mass";
//! [array_type_name]

int main() {
  const std::string file = "checkpoint-" + std::to_string(::getpid());
  const auto plate = ts::range(0, 6) * ts::range(0, 8);
  ts::run(ts::config{.places = 3}, [&] {
    //! [save]
    ts::dist_array<particle, 2> a(ts::dist<2>::block(plate), {.ghost = 1, .name = "a"});
    a.for_each([](ts::point<2> p, particle& x) { x.x = static_cast<double>(10 * p[0] + p[1]); });
    a.save(file);  // all places at once; the file is there when all of it is
    //! [save]
  });
  ts::run(ts::config{.places = 2}, [&] {
    //! [load]
    const auto d = ts::dist<2>::block(plate, ts::axes(1));  // over the same region, as one likes
    const auto b = ts::dist_array<particle, 2>::load(file, d, {.ghost = {2, 1}, .name = "b"});
    //! [load]
    std::printf("%g at place %d\n", b.get({4, 7}).x, d.owner({4, 7}).id());
    try {
      static_cast<void>(ts::dist_array<float, 2>::load(file, d));
    } catch (const ts::usage_error& e) {
      std::puts(std::string(e.what()).substr(std::string("tactus: load: " + file + " ").size()).c_str());
    }
  });
  std::remove(file.c_str());
}

// Prints: 47 at place 1
// Prints: has elements 'particle, position and mass' of 16 bytes, and those of this array are 'float32' of 4 bytes
