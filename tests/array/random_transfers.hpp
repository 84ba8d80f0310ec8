// SPDX-License-Identifier: Apache-2.0
// Runs random copies between two distributed arrays: by transfers that are kept, of boxes, to other distributions. What has to come out a
// std::map knows for each array.
#pragma once

#include <tactus/array/dist_array.hpp>
#include <tactus/array/transfer.hpp>
#include <tactus/tactus.hpp>

#include "array/random_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <string>

namespace random_arrays {

/// What cell p is given for the e-th time.
template <class T, std::size_t N>
T given(const ts::point<N>& p, std::uint64_t e) {
  return cell_type<T>::of(number<N>(p, {}, {}, e));
}

/// At one place: so many transfers, each of other values, the first of which is the one after `e`; how many cells were wrong.
template <class T, std::size_t N>
std::uint64_t transfer_and_compare(const ts::dist_array_ref<T, N>& from, const ts::dist_array_ref<T, N>& to,
                                   const ts::transfer_ref<T, N>& t, std::uint64_t e, int times) {
  const auto blocks_of = [](const ts::dist_array_ref<T, N>& h) {
    const ts::place_group group = h.dist().group();
    const bool is_in = std::find(group.begin(), group.end(), ts::here()) != group.end();
    return is_in ? h.blocks() : decltype(h.blocks())();
  };
  const auto source = blocks_of(from), target = blocks_of(to);
  const ts::box<N> sent = from.dist().region().bounding_box();
  std::uint64_t wrong = 0;
  for (int i = 0; i < times; ++i) {
    ++e;
    for (const ts::view<T, N>& u : source) {
      u.resident().each([&](const ts::point<N>& p) { u[p] = given<T>(p, e); });
    }
    t.send();
    for (const ts::view<T, N>& u : source) {
      u.resident().each([&](const ts::point<N>& p) { u[p] = T{}; });  // what was sent was sent
    }
    t.wait();
    for (const ts::view<T, N>& u : target) {
      (u.resident() & sent).each([&](const ts::point<N>& p) { wrong += u[p] == given<T>(p, e) ? 0U : 1U; });
    }
  }
  return wrong;
}

/// Two arrays, and maps of what they have.
template <class T, std::size_t N>
class copied_arrays {
public:
  copied_arrays(const random_case<N>& a, const random_case<N>& b) : a_(a.d, a.o), b_(b.d, b.o) {
    give(a_, in_a_);
    give(b_, in_b_);
  }

  /// One of the operations, and whether all is as it has to be then; how many cells are not.
  template <class Random>
  std::uint64_t do_one(Random& random) {
    const std::uint64_t wrong = step(random);
    return wrong + difference(a_, in_a_) + difference(b_, in_b_);
  }

private:
  using cells = std::map<ts::point<N>, T>;

  template <class Random>
  std::uint64_t step(Random& random) {
    std::string name;
    switch (random() % 6) {
      case 0: give(a_, in_a_); return 0;
      case 1: return transfer(1 + static_cast<int>(random() % 4));
      case 2:
        ts::copy(a_, b_);
        copy(in_a_, in_b_, a_.region().bounding_box(), {});
        return 0;
      case 3: {
        const ts::box<N> some = random_box<N>(random) & b_.region().bounding_box();
        ts::point<N> by;
        for (std::size_t d = 0; d < N; ++d) by[d] = static_cast<ts::index_t>(random() % 7) - 3;
        ts::copy(b_, some, a_, by);
        copy(in_b_, in_a_, some, by);
        return 0;
      }
      case 4: {
        const auto other = ts::redistributed(a_, random_dist(a_.region().bounding_box(), random, name));
        return difference(other, in_a_);
      }
      default:
        kept_.reset();  // it ends before its arrays
        a_.move_to(random_dist(a_.region().bounding_box(), random, name));
        return 0;
    }
  }

  // By the plan of before, if there is one.
  std::uint64_t transfer(int times) {
    if (!kept_) kept_.emplace(a_, b_);
    const auto wrong = ts::detail::answers_of<std::uint64_t>(
        ts::places(), [from = a_.ref(), to = b_.ref(), t = kept_->ref(), e = given_, times] {
          return transfer_and_compare(from, to, t, e, times);
        });
    given_ += static_cast<std::uint64_t>(times);
    for (auto& [p, v] : in_a_) {
      if (const auto found = in_b_.find(p); found != in_b_.end()) found->second = given<T>(p, given_);
      v = T{};
    }
    std::uint64_t all = 0;
    for (const std::uint64_t w : wrong) all += w;
    return all;
  }

  void give(ts::dist_array<T, N>& array, cells& known) {
    ++given_;
    array.for_each([e = given_](const ts::point<N>& p, T& x) { x = given<T>(p, e); });
    array.region().each([&](const ts::point<N>& p) { known[p] = given<T>(p, given_); });
  }

  static void copy(const cells& from, cells& to, const ts::box<N>& some, const ts::point<N>& by) {
    some.each([&](const ts::point<N>& p) {
      if (const auto found = to.find(p + by); found != to.end()) found->second = from.at(p);
    });
  }

  static std::uint64_t difference(const ts::dist_array<T, N>& array, const cells& known) {
    const ts::array<T, N> all = array.get(array.region().bounding_box());
    std::uint64_t wrong = 0;
    for (const auto& [p, v] : known) wrong += all[p] == v ? 0U : 1U;
    return wrong;
  }

  ts::dist_array<T, N> a_, b_;
  std::optional<ts::transfer<T, N>> kept_;
  cells in_a_, in_b_;
  std::uint64_t given_ = 0;
};

/// How many cells were wrong after some operation.
template <class T, std::size_t N>
std::uint64_t run_copies(std::mt19937& random, std::string& text) {
  constexpr int k_operations = 8;
  random_case<N> a = make_case<N>(random);
  random_case<N> b = make_case<N>(random);
  a.o.exchange = ts::ghost_exchange::automatic;  // on whatever it moves to
  b.o = a.o;
  const ts::box<N> cells = a.d.region().bounding_box();
  ts::box<N> near = random_box<N>(random);  // some cells of the other array, and others
  for (std::size_t d = 0; d < N; ++d) {
    const ts::index_t lo = cells.lo[d] - 2 + static_cast<ts::index_t>(random() % 4);
    near.hi[d] += lo - near.lo[d];
    near.lo[d] = lo;
  }
  b.d = random_dist(near, random, b.text);
  text = a.text + " and " + b.text;
  copied_arrays<T, N> both(a, b);
  std::uint64_t wrong = 0;
  for (int i = 0; i < k_operations; ++i) wrong += both.do_one(random);
  return wrong;
}

/// Cases from a seed on; tells of those that fail.
inline std::uint64_t run_copying_cases(std::uint64_t seed, int cases) {
  std::uint64_t failed = 0;
  for (int i = 0; i < cases; ++i) {
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed + static_cast<std::uint64_t>(i)));
    std::uint64_t wrong = 0;
    std::string text;
    switch (random() % 5) {
      case 0: wrong = run_copies<long, 1>(random, text); break;
      case 1: wrong = run_copies<std::string, 1>(random, text); break;
      case 2: wrong = run_copies<std::string, 2>(random, text); break;
      case 3: wrong = run_copies<triple, 2>(random, text); break;
      default: wrong = run_copies<long, 3>(random, text);
    }
    if (wrong != 0) {
      ++failed;
      std::printf("copies, seed %llu (%s): %llu cells are wrong\n",
                  static_cast<unsigned long long>(seed) + static_cast<unsigned>(i), text.c_str(),
                  static_cast<unsigned long long>(wrong));
    }
  }
  return failed;
}

}  // namespace random_arrays
