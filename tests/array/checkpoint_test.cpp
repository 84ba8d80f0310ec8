// SPDX-License-Identifier: Apache-2.0
// Files of distributed arrays: what is saved on some places is loaded on others, spread in other ways.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "support/temporary.hpp"

namespace {
namespace ts = tactus;

struct particle {
  double mass = 0;
  std::int32_t kind = 0;
  bool is_fixed = false;
  friend bool operator==(const particle&, const particle&) = default;
};
struct cell {
  std::vector<particle> all;
  std::string name;
  friend bool operator==(const cell&, const cell&) = default;
};

template <class T>
T value_of(std::uint64_t x) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(x % 23, 'x') + std::to_string(x);
  } else if constexpr (std::is_same_v<T, particle>) {
    return {static_cast<double>(x) / 3, static_cast<std::int32_t>(x), x % 2 == 0};
  } else if constexpr (std::is_same_v<T, cell>) {
    return {std::vector<particle>(x % 4, value_of<particle>(x)), value_of<std::string>(x)};
  } else {
    return static_cast<T>(x % 2 == 0 ? x : x + 7);
  }
}

std::uint64_t number(const ts::point<2>& p) {
  return static_cast<std::uint64_t>((p[0] + 50) * 31 + p[1] + 50) * 7919 % 9973;
}

// All ways to spread a region, over the places of the run.
std::vector<ts::dist<2>> dists(const ts::region<2>& r) {
  const auto one = [](const ts::point<2>&) { return 1.0; };
  const int places = ts::num_places();
  std::vector<ts::dist<2>> all{ts::dist<2>::constant(r, ts::place(places - 1)), ts::dist<2>::morton(r, {3, 3}, one),
                               ts::dist<2>::recursive_bisection(r, one),
                               ts::dist<2>::from(r, [places](const ts::point<2>& p) {
                                 return ts::place(static_cast<int>(number(p) / 7 % static_cast<unsigned>(places)));
                               })};
  if (r.is_box()) {
    all.push_back(ts::dist<2>::block(r));
    all.push_back(ts::dist<2>::block(r, ts::all_axes));
    all.push_back(ts::dist<2>::cyclic(r, 1));
    all.push_back(ts::dist<2>::block_cyclic(r, 0, 2));
    all.push_back(ts::dist<2>::hilbert(r, {2, 2}, one));
  }
  return all;
}

template <class T>
void save_and_load_everywhere(const ts::region<2>& r) {
  const support::temporary_folder folder;
  for (const int before : {1, 3}) {
    std::vector<std::string> files;
    ts::run(ts::config{.threads = 2, .places = before}, [&] {
      for (const ts::dist<2>& d : dists(r)) {
        ts::dist_array<T, 2> a(d, {.ghost = 1, .periodic = true, .name = "a"});
        a.for_each([](const ts::point<2>& p, T& x) { x = value_of<T>(number(p)); });
        files.push_back(folder / std::to_string(files.size()));
        a.save(files.back());
        EXPECT_FALSE(std::filesystem::exists(files.back() + ".part"));
      }
    });
    for (const int after : {2, 4}) {
      const std::uint64_t seed =
          after == 4 ? 1 : 0;  // on one thread: there are hundreds of loads, and each meets all places
      ts::run(ts::config{.threads = 1, .places = after, .seed = seed, .local_copy = ts::copying::serialize}, [&] {
        for (const ts::dist<2>& d : dists(r)) {
          for (const std::string& file : files) {
            const auto b = ts::dist_array<T, 2>::load(file, d, {.ghost = 2, .name = "b"});
            std::size_t wrong = 0;
            for (const ts::box<2>& piece : r.boxes()) {
              const ts::array<T, 2> cells = b.get(piece);
              piece.each([&](const ts::point<2>& p) { wrong += cells[p] == value_of<T>(number(p)) ? 0U : 1U; });
            }
            EXPECT_EQ(wrong, 0U) << file << " of " << before << " places at " << after;
          }
        }
      });
    }
  }
}

const ts::box<2> k_box = ts::range(-3, 11) * ts::range(2, 15);

TEST(checkpoint_test, numbers) {
  save_and_load_everywhere<double>(k_box);
  save_and_load_everywhere<bool>(k_box);
}
TEST(checkpoint_test, classes_of_one_length) { save_and_load_everywhere<particle>(k_box); }
TEST(checkpoint_test, elements_of_any_length) {
  save_and_load_everywhere<std::string>(k_box);
  save_and_load_everywhere<cell>(ts::range(0, 6) * ts::range(0, 7));
}
TEST(checkpoint_test, regions_that_are_no_boxes) {
  const auto triangle = ts::region<2>::where(k_box, [](ts::index_t i, ts::index_t j) { return j < i + 6; });
  save_and_load_everywhere<double>(triangle);
  save_and_load_everywhere<std::string>(triangle);
  save_and_load_everywhere<std::string>(ts::region<2>());
}

TEST(checkpoint_test, more_than_a_buffer) {
  const support::temporary_folder folder;
  ts::run(ts::config{.threads = 1, .places = 2}, [&] {
    const auto r = ts::range(0, 3) * ts::range(0, 300000);  // rows are longer than a buffer, and begin within one
    ts::dist_array<double, 2> a(ts::dist<2>::constant(r), {.name = "a"});
    a.for_each([](ts::point<2> p, double& x) { x = static_cast<double>(p[0] * 300000 + p[1]); });
    a.save(folder / "a");
    auto b = ts::dist_array<double, 2>::load(folder / "a", ts::dist<2>::block(r, ts::axes(1)));
    b.map_from([](ts::point<2> p, double x) { return x - static_cast<double>(p[0] * 300000 + p[1]); }, b);
    EXPECT_EQ(b.min_at().second, 0);
    EXPECT_EQ(b.max_at().second, 0);
    const auto words = ts::range(0, 40) * ts::range(0, 1);
    ts::dist_array<std::string, 2> s(ts::dist<2>::block(words), {.name = "s"});
    s.for_each([](ts::point<2> p, std::string& x) { x.assign(100000, static_cast<char>('a' + p[0] % 26)); });
    s.save(folder / "s");
    const auto t = ts::dist_array<std::string, 2>::load(folder / "s", ts::dist<2>::cyclic(words));
    EXPECT_EQ(t.get({27, 0}), std::string(100000, 'b'));
  });
}

}  // namespace
