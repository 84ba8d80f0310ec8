// SPDX-License-Identifier: Apache-2.0
// Long vectors between processes, two or more, which go beside their frames (docs/protocols/ranges.md): `ranges WHAT [TAGS [WORKERS]]` ends with
// status 0 at each rank where what goes is what comes, and nothing is left over. TAGS: that many for each pair of processes, so that frames
// wait for one. WORKERS: of each process, else 1 and then 2.
#include <tactus/tactus.hpp>

#include "mpi/range_tags.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "ranges: at place %d it is not so that %s\n", ts::here().id(), what);
    std::exit(1);
  }
}
#define REQUIRE(x) require((x), #x)

constexpr std::size_t k_long = 64 * 1024;

std::vector<std::uint64_t> numbers(std::size_t n, std::uint64_t first) {
  std::vector<std::uint64_t> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}
bool are_numbers(const std::vector<std::uint64_t>& v, std::size_t n, std::uint64_t first) {
  return v.size() == n && v == numbers(n, first);
}

struct mesh {
  std::string name;
  std::vector<double> x;
  std::vector<int> owners;
};

void values() {
  for (const ts::place p : ts::places()) {
    for (const std::size_t bytes : {k_long - 8, k_long, k_long + 8, 17 * k_long + 24}) {
      const std::size_t n = bytes / 8;
      const auto back = ts::at(
          p,
          [n](std::vector<std::uint64_t> v) {
            REQUIRE(are_numbers(v, n, 5));
            for (std::uint64_t& x : v) ++x;
            return v;
          },
          numbers(n, 5));
      REQUIRE(are_numbers(back, n, 6));
    }
    const auto several = ts::at(
        p,
        [](const std::string& s, int i, std::vector<std::vector<std::uint64_t>> v, std::map<int, std::string> m) {
          REQUIRE(s == std::string(3 * k_long, 's') && i == 7);
          REQUIRE(v.size() == 3 && are_numbers(v[0], k_long, 0) && v[1].empty() && are_numbers(v[2], k_long, 9));
          return std::pair(std::move(m), std::optional(std::move(v)));
        },
        std::string(3 * k_long, 's'), 7,
        std::vector<std::vector<std::uint64_t>>{numbers(k_long, 0), {}, numbers(k_long, 9)},
        std::map<int, std::string>{{1, "short"}, {2, std::string(2 * k_long, 'm')}});
    REQUIRE(several.first.at(2) == std::string(2 * k_long, 'm') && are_numbers((*several.second)[2], k_long, 9));
    using constant = std::tuple<const std::vector<double>, int>;  // to move one is to copy it
    const auto size = ts::at(
        p, [](const constant& c) { return std::get<0>(c) == std::vector<double>(k_long, 2.5) ? std::get<1>(c) : 0; },
        constant(std::vector<double>(k_long, 2.5), 4));
    REQUIRE(size == 4);
    const mesh m = ts::at(
        p, [](mesh one) { return one.owners.push_back(3), one; },
        mesh{"m", std::vector<double>(k_long, 1.5), std::vector<int>(k_long, 2)});
    REQUIRE(m.name == "m" && m.x.back() == 1.5 && m.owners.size() == k_long + 1 && m.owners.back() == 3);
  }
}

std::uint64_t g_sum;  // of this process, which is one place

void tasks() {
  const ts::place there = ts::here().next();
  ts::at(there, [] { g_sum = 0; });
  ts::finish([there] {
    std::vector<std::uint64_t> v = numbers(k_long, 1);
    for (std::uint64_t i = 0; i < 10; ++i) {
      ts::async_at(
          there,
          [](const std::vector<std::uint64_t>& given) {
            const std::uint64_t all = std::accumulate(given.begin(), given.end(), std::uint64_t{0});
            ts::atomic([all] { g_sum += all; });
          },
          v);
      std::fill(v.begin(), v.end(), i + 2);  // what was given is a copy
    }
  });
  std::uint64_t expected = k_long * (k_long + 1) / 2;
  for (std::uint64_t i = 0; i < 9; ++i) expected += k_long * (i + 2);
  REQUIRE(ts::at(there, [] { return g_sum; }) == expected);
  auto f = ts::at_future(there, [](std::vector<std::uint64_t> given) { return given; }, numbers(k_long, 3));
  REQUIRE(are_numbers(f.get(), k_long, 3));
}

// Longer than what goes in one message of MPI: as ranges, and in a frame.
void in_parts() {
  constexpr std::size_t k_part = std::size_t{16} << 20U;
  const ts::place there = ts::here().next();
  for (const std::size_t bytes : {k_part - 8, k_part, k_part + 8, 2 * k_part + k_long}) {
    const std::size_t n = bytes / 8;
    const auto back = ts::at(
        there,
        [n](std::vector<std::uint64_t> v, const std::string& s) {
          REQUIRE(are_numbers(v, n, 7) && s == std::string(k_long, 's'));
          return v;
        },
        numbers(n, 7), std::string(k_long, 's'));
    REQUIRE(are_numbers(back, n, 7));
  }
  std::deque<std::uint64_t> all(k_part / 8 + k_long);
  std::iota(all.begin(), all.end(), 9);
  REQUIRE(ts::at(there, [](std::deque<std::uint64_t> d) { return d; }, all) == all);
}

// More than there are tags, where these are few, at a place that gets round to none of them for a while, and in an order of its own.
void many() {
  const ts::place there = ts::here().next();
  constexpr std::uint64_t k_many = 300;
  ts::at(there, [] { g_sum = 0; });
  ts::finish([there] {
    for (std::uint64_t i = 0; i < k_many; ++i) {
      ts::async_at(
          there,
          [i](const std::vector<std::uint64_t>& v) {
            REQUIRE(are_numbers(v, k_long / 8, i));
            ts::atomic([] { ++g_sum; });
          },
          numbers(k_long / 8, i));
    }
    for (std::uint64_t i = 0; i < k_many; ++i) {
      ts::async([there, i] {
        const auto v =
            ts::at(there, [i](std::vector<std::uint64_t> x) { return x.push_back(i), x; }, numbers(k_long / 8, i));
        REQUIRE(v.size() == k_long / 8 + 1 && v.front() == i && v.back() == i);
      });
    }
  });
  REQUIRE(ts::at(there, [] { return g_sum; }) == k_many);
}

// More notes than there were tags once, and who takes them begins with the last.
void reversed() {
  constexpr std::size_t k_teams = 300;
  ts::at_each(ts::places(), [] {
    const int here = ts::here().id();
    std::vector<ts::team> pairs{ts::team::world().split(here / 2, here)};
    while (pairs.size() < k_teams) pairs.push_back(pairs.back().split(0, here));
    const auto own = [here](std::size_t i) {
      return std::vector<std::size_t>(k_long / sizeof i, i + (here % 2 == 0 ? 0U : 1U));
    };
    const auto has_all = [](std::size_t i, const std::vector<std::size_t>& v, int members) {
      REQUIRE(v.back() == (members == 1 ? i : 2 * i + 1));
    };
    if (here % 2 == 0) {
      std::vector<ts::future<std::vector<std::size_t>>> all;
      for (std::size_t i = 0; i < k_teams; ++i) all.push_back(pairs[i].allreduce_async(own(i), ts::op::sum));
      for (std::size_t i = 0; i < k_teams; ++i) has_all(i, all[i].get(), pairs[i].size());
    } else {
      for (std::size_t i = k_teams; i-- > 0;) has_all(i, pairs[i].allreduce(own(i), ts::op::sum), 2);
    }
  });
}

int g_fails_at = -1;  // of the allocations of `failing` from here on at this place

template <class T>
struct failing {
  using value_type = T;
  failing() = default;
  template <class U>
  failing(const failing<U>& /*other*/) {}
  T* allocate(std::size_t n) {
    if (n * sizeof(T) >= k_long && g_fails_at-- == 0) throw std::bad_alloc();
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  friend bool operator==(failing, failing) { return true; }
};

// What comes before or behind it is received, or not, and nobody waits for the rest.
void unmade() {
  const ts::place there = ts::here().next();
  using doubles = std::vector<double, failing<double>>;
  for (int which = 0; which < 3; ++which) {
    ts::at(there, [which] { g_fails_at = which; });
    bool failed = false;
    try {
      ts::at(
          there, [](const doubles& a, const doubles& b, const doubles& c) { return a.size() + b.size() + c.size(); },
          doubles(k_long, 1), doubles(2 * k_long, 2), doubles(3 * k_long, 3));
    } catch (const std::bad_alloc&) {
      failed = true;
    } catch (const ts::remote_exception&) {
      failed = true;
    }
    REQUIRE(failed);
    ts::at(there, [] { g_fails_at = -1; });
    values();
  }
  ts::at(there, [] { g_fails_at = 0; });
  bool failed = false;
  try {
    ts::finish([there] { ts::async_at(there, [](const doubles& /*a*/) {}, doubles(k_long, 1)); });
  } catch (const std::exception&) {
    failed = true;
  }
  ts::at(there, [] { g_fails_at = -1; });
  REQUIRE(failed);
}

void exceptions() {
  const ts::place there = ts::here().next();
  for (int i = 0; i < 3; ++i) {
    std::string told;
    try {
      ts::at(
          there,
          [](std::vector<double> v) -> std::vector<double> {
            if (v.size() == k_long) throw std::out_of_range("so");
            return v;
          },
          std::vector<double>(k_long));
    } catch (const std::out_of_range& e) {
      told = e.what();
    }
    REQUIRE(told == "so");
  }
}

void teams() {
  ts::at_each(ts::places(), [] {
    const ts::team t = ts::team::world();
    for (const std::size_t n : {std::size_t{3}, k_long / 8 - 1, k_long / 8, 5 * k_long}) {
      std::vector<std::uint64_t> v = numbers(n, static_cast<std::uint64_t>(t.rank()));
      v = t.allreduce(std::move(v), ts::op::sum);
      const auto all = static_cast<std::uint64_t>(t.size());
      REQUIRE(v.size() == n && v.front() == all * (all - 1) / 2 && v.back() == all * (n - 1) + all * (all - 1) / 2);
      std::vector<double> low(n, t.rank());
      REQUIRE(t.allreduce(std::span<double>(low), ts::op::max).back() == t.size() - 1);
      REQUIRE(low.front() == t.size() - 1);
    }
    for (const int odd : {0, t.size() - 1}) {  // long ones and short ones, too
      bool failed = false;
      try {
        static_cast<void>(t.allreduce(std::vector<double>(t.rank() == odd ? 3 * k_long : 2), ts::op::sum));
      } catch (const std::exception&) {
        failed = true;
      }
      REQUIRE(failed == (t.size() > 1));
    }
    // Of what is far from commuting, and long.
    const auto last = t.allreduce(std::vector<std::uint64_t>(k_long, static_cast<std::uint64_t>(t.rank())),
                                  [](std::uint64_t, std::uint64_t b) { return b; });
    REQUIRE(last.back() == static_cast<std::uint64_t>(t.size() - 1));
  });
}

// What one has sent for an operation that the others never come to hides no deadlock, and is let go of.
void left_over() {
  ts::at_each(ts::places(), [] {
    if (ts::here().id() != 1) {
      static_cast<void>(ts::team::world().allreduce(std::vector<double>(k_long, 1), ts::op::sum));
    }
  });
}

void stuck() {
  ts::at(
      ts::here().next(),
      [](const std::vector<double>& v) {
        const ts::promise<std::size_t> p;
        if (v.size() == 1) p.set_value(1);
        p.get_future().get();
      },
      std::vector<double>(k_long));
}

// By then no other wait of the run begins.
void after_verdict() {
  const std::vector<double> v = ts::at(ts::here().next(), [] {
    try {
      const ts::promise<int> never;
      static_cast<void>(never.get_future().get());
    } catch (const ts::deadlock_error&) {
    }
    return std::vector<double>(k_long, 1.5);
  });
  REQUIRE(v == std::vector<double>(k_long, 1.5));
}

// So many tasks that go on to others, each with vectors of random lengths.
void go_on(std::uint64_t seed, int left) {
  std::mt19937_64 random(seed);
  const auto n = [&random] {
    return static_cast<std::size_t>(random() % (random() % 4 == 0 ? 5 * k_long : k_long / 4));
  };
  const std::size_t of_a = n();
  const std::size_t of_b = n();
  const std::uint64_t next = random();
  const ts::place to(static_cast<int>(random() % static_cast<std::uint64_t>(ts::num_places())));
  const auto check = [of_a, of_b, next](const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
    REQUIRE(are_numbers(a, of_a, next) && are_numbers(b, of_b, next + 1));
  };
  if (left == 0) return;
  if (random() % 2 == 0) {
    const auto back = ts::at(
        to,
        [check, next, left](std::vector<std::uint64_t> a, const std::vector<std::uint64_t>& b) {
          check(a, b);
          go_on(next, left - 1);
          return a;
        },
        numbers(of_a, next), numbers(of_b, next + 1));
    REQUIRE(are_numbers(back, of_a, next));
  } else {
    ts::async_at(
        to,
        [check, next, left](const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
          check(a, b);
          go_on(next, left - 1);
          if (next % 3 == 0) go_on(next + 1, left / 2);
        },
        numbers(of_a, next), numbers(of_b, next + 1));
  }
}

void random_tasks() {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    ts::finish([seed] {
      for (std::uint64_t i = 0; i < 4; ++i) go_on(1000 * seed + i, 6);
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "all";
  const struct {
    std::string_view name;
    void (*run)();
    bool is_stuck = false;
  } parts[] = {{"values", values},
               {"tasks", tasks},
               {"in_parts", in_parts},
               {"many", many},
               {"unmade", unmade},
               {"exceptions", exceptions},
               {"teams", teams},
               {"reversed", reversed},
               {"stuck", stuck, true},
               {"random", random_tasks},
               {"left_over", left_over, true},
               {"after_verdict", after_verdict, true}};
  if (argc > 2) ts::detail::let_ranges_have_tags(std::atoi(argv[2]));
  const std::vector<int> workers = argc > 3 ? std::vector{std::atoi(argv[3])} : std::vector{1, 2};
  bool any = false;
  for (const int threads : workers) {
    ts::config c;
    c.threads = threads;
    ts::runtime rt(c);
    for (const auto& part : parts) {
      if (what != "all" && what != part.name) continue;
      any = true;
      bool was_stuck = false;
      try {
        rt.run([&part] { part.run(); });
      } catch (const ts::deadlock_error&) {
        was_stuck = true;
      }
      if (was_stuck != part.is_stuck) {
        std::fprintf(stderr, "ranges: %s, %d workers: %s\n", part.name.data(), threads,
                     was_stuck ? "is stuck" : "is not stuck");
        return 1;
      }
      rt.run([] { values(); });  // also after what was left over
    }
  }
  if (!any) std::fprintf(stderr, "ranges: there is no part '%s'\n", what.data());
  return any ? 0 : 2;
}
