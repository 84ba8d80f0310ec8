// SPDX-License-Identifier: Apache-2.0
// Files of distributed arrays whose places are processes, under a launcher with any number of ranks: each is written by all of them, and
// read by all, spread in other ways.
#include <tactus/tactus.hpp>

#include <unistd.h>

#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace {
namespace ts = tactus;

const ts::box<2> k_box = ts::range(-2, 9) * ts::range(1, 8);

template <class T>
T value_of(const ts::point<2>& p) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(static_cast<std::size_t>(p[1]), 'x') + std::to_string(p[0]);
  } else {
    return static_cast<T>(100 * p[0] + p[1]);
  }
}

std::vector<ts::dist<2>> dists() {
  return {ts::dist<2>::block(k_box), ts::dist<2>::block(k_box, ts::axes(1)), ts::dist<2>::cyclic(k_box),
          ts::dist<2>::constant(k_box, ts::place(ts::num_places() - 1))};
}

// How many cells are wrong.
template <class T>
int save_and_load(const std::string& file) {
  int wrong = 0;
  for (const ts::dist<2>& before : dists()) {
    ts::dist_array<T, 2> a(before, {.ghost = 1, .name = "a"});
    a.for_each([](const ts::point<2>& p, T& x) { x = value_of<T>(p); });
    a.save(file);
    for (const ts::dist<2>& after : dists()) {
      const auto b = ts::dist_array<T, 2>::load(file, after, {.name = "b"});
      for (const auto& [p, x] : b.sequence()) {
        wrong += x == value_of<T>(p) ? 0 : 1;
      }
    }
  }
  return wrong;
}

// Whether what cannot be written, or is no such file, is told at the place that asked for it.
template <class F>
bool is_error(F&& call) {
  try {
    call();
    return false;
  } catch (const ts::error&) {
    return true;
  }
}

}  // namespace

int main() {
  return ts::run([] {
    const std::string file = "checkpoint-" + std::to_string(::getpid());
    const int wrong = save_and_load<double>(file) + save_and_load<std::string>(file);
    const ts::dist_array<double, 2> a(ts::dist<2>::block(k_box), {.name = "a"});
    const bool told = is_error([&] { a.save("no/" + file); }) &&
                      is_error([&] { static_cast<void>(ts::dist_array<double, 2>::load(file, a.dist())); });
    std::remove(file.c_str());
    std::printf("%d cells over %d places are wrong, errors are %s\n", wrong, ts::num_places(),
                told ? "told" : "not told");
    return wrong == 0 && told ? 0 : 1;
  });
}
