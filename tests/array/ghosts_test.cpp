// SPDX-License-Identifier: Apache-2.0
// Exchanges of ghosts: random arrays, whose cells say what they have to be, and each mistake that a program can make.
#include "array/random_arrays.hpp"
#include "support/scale.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

void with_places(int places, int threads, ts::copying copies, const std::function<void()>& body) {
  ts::run(ts::config{.threads = threads, .places = places, .local_copy = copies}, body);
}

class random_ghosts : public testing::TestWithParam<std::tuple<int, int, ts::copying>> {};

const auto k_settings = testing::Combine(testing::Values(1, 2, 3, 6), testing::Values(1, 2),
                                         testing::Values(ts::copying::automatic, ts::copying::serialize));
constexpr int k_number_of_settings = 4 * 2 * 2;

// With each setting; RANDOM_ARRAYS=N makes so many in all (./dev soak arrays).
int arrays_each() {
  const char* const wish = std::getenv("RANDOM_ARRAYS");
  return wish == nullptr ? 400 : std::max(std::atoi(wish) / k_number_of_settings, 1);
}

TEST_P(random_ghosts, are_what_their_owners_had) {
  const auto& [places, workers, copies] = GetParam();
  const auto first_seed = static_cast<std::uint64_t>(100'000'000 * places + 10'000'000 * workers +
                                                     (copies == ts::copying::serialize ? 5'000'000 : 0));
  with_places(places, workers, copies,
              [first_seed] { EXPECT_EQ(random_arrays::run_cases(first_seed, arrays_each()), 0U); });
}
INSTANTIATE_TEST_SUITE_P(places, random_ghosts, k_settings);

TEST(ghosts_test, seeded_runs_are_right) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ts::run(ts::config{.threads = 2, .places = 3, .seed = seed},
            [seed] { EXPECT_EQ(random_arrays::run_cases(seed * 777, 3), 0U) << seed; });
  }
}

using plane = ts::dist_array<double, 2>;
const ts::box<2> k_plate = ts::range(0, 12) * ts::range(0, 9);

// What the call throws, or what each of several places does.
std::string text_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ts::multiple_exceptions& all) {
    std::string text;
    for (const std::exception_ptr& e : all.exceptions()) {
      try {
        std::rethrow_exception(e);
      } catch (const ts::usage_error& one) {
        text += std::string("usage: ") + one.what() + "\n";
      } catch (const std::exception& one) {
        text += std::string(one.what()) + "\n";
      }
    }
    return text;
  } catch (const ts::usage_error& e) {
    return std::string("usage: ") + e.what();
  } catch (const ts::place_error& e) {
    return std::string("place: ") + e.what();
  } catch (const ts::resource_error& e) {
    return std::string("resource: ") + e.what();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing";
}
void expect(const std::function<void()>& call, const std::string& words) {
  const std::string text = text_of(call);
  EXPECT_NE(text.find(words), std::string::npos) << "'" << words << "' is not in: " << text;
}

TEST(ghosts_test, misuse_is_told) {
  with_places(3, 2, ts::copying::automatic, [] {
    plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "u"});
    const auto h = a.ref();
    ts::at_each(ts::places(), [h] {
      h.send_ghosts();
      bool told = false;
      try {
        h.send_ghosts();
      } catch (const ts::usage_error& e) {
        told = std::string(e.what()).find("exchange 1 of 'u' is open at place " + std::to_string(ts::here().id()) +
                                          ": wait_for_ghosts first") != std::string::npos;
      }
      EXPECT_TRUE(told);
      EXPECT_THROW(h.send_contributions(ts::op::sum), ts::usage_error);
      h.wait_for_ghosts();
      EXPECT_EQ(h.exchange(), 1U);
    });
    expect([h] { h.wait_for_ghosts(); }, "usage: tactus: wait_for_ghosts: no exchange of 'u' is open at place 0");
    expect([h] { static_cast<void>(h.wait_for_any_ghosts()); },
           "usage: tactus: wait_for_any_ghosts: no exchange of 'u' is open at place 0: send_ghosts first");
    expect([h] { h.wait_for_contributions(); }, "usage: tactus: wait_for_contributions: no exchange of 'u' is open");
    expect([h] { static_cast<void>(h.ghosts_ready()); }, "usage: tactus: ghosts_ready: no exchange of 'u' is open");
    expect([h] { h(11, 0) = 1; }, "place: tactus: (11,0) of 'u' is neither a cell of place 0 nor among its ghosts");
    expect([h] { h(11, 0) = 1; }, "it is of place 2");
    expect([h] { static_cast<void>(h.get({12, 0})); }, "usage: tactus: (12,0) is not in the region");
    expect([&a] { static_cast<void>(a.get(ts::range(10, 14) * ts::range(0, 2))); },
           "(12,0) is not in the array's region");
    expect([&a] { ts::copy(a, a); }, "to itself");
    expect([h] { ts::atomic([h] { h.send_ghosts(); }); }, "inside an atomic block");
    expect([h] { ts::atomic([h] { h(0, 0) += 1; }); }, "nothing");

    static plane* s_array = nullptr;
    s_array = &a;
    expect([] { ts::at(ts::place(1), [] { s_array->fill(1); }); }, "place: tactus: fill: 'u' was made at place 0");

    expect(
        [h] {
          ts::at_each(ts::places(), [h] {
            h.send_contributions(ts::here().id() == 1 ? ts::op::max : ts::op::sum);
            h.wait_for_contributions();
          });
        },
        "has another operation at place 1 than at place");
  });
}

long smaller(long x, long y) { return std::min(x, y); }
long larger(long x, long y) { return std::max(x, y); }

template <class A, class B>
void expect_told_of_two_operations(ts::copying copies, const A& at_first, const B& at_others) {
  with_places(2, 1, copies, [&] {
    ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 1, .name = "u"});
    a.fill(3);
    expect(
        [&] {
          ts::at_each(ts::places(), [h = a.ref(), at_first, at_others] {
            if (ts::here().id() == 0) {
              h.accumulate_ghosts(at_first);
            } else {
              h.accumulate_ghosts(at_others);
            }
          });
        },
        "of 'u' has another operation at place ");
  });
}

// Two closures of one function and one signature are two types, two functions of a signature are of one.
TEST(ghosts_test, operations_that_look_alike_are_told_apart) {
  for (const ts::copying copies : {ts::copying::automatic, ts::copying::serialize}) {
    expect_told_of_two_operations(copies, ts::monoid{0L, [](long x, long y) { return x + y; }},
                                  ts::monoid{0L, [](long x, long y) { return std::max(x, y); }});
    expect_told_of_two_operations(copies, ts::monoid{0L, &smaller}, ts::monoid{0L, &larger});
    with_places(2, 1, copies, [] {
      ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 1, .name = "u"});
      a.fill(3);
      ts::at_each(ts::places(), [h = a.ref()] { h.accumulate_ghosts(ts::monoid{0L, &larger}); });
      a.accumulate_ghosts(ts::monoid{0L, &smaller});
      EXPECT_EQ(a.get(ts::point<1>(2)), 0);
    });
  }
}

TEST(ghosts_test, places_without_a_part) {
  with_places(3, 1, ts::copying::automatic, [] {
    const ts::place_group some{ts::place(0), ts::place(1)};
    plane a(ts::dist<2>::block(k_plate, some), {.ghost = 1, .name = "u"});
    const auto h = a.ref();
    expect([h] { ts::at(ts::place(2), [h] { h.send_ghosts(); }); }, "place: tactus: send_ghosts of 'u' at place 2");
    EXPECT_TRUE(ts::at(ts::place(2), [h] { return h.get({0, 0}); }) == 0);

    ts::dist_array<int, 1> few(ts::dist<1>::block(ts::range(0, 2)), {.ghost = 1, .periodic = true, .name = "few"});
    const auto f = few.ref();
    ts::at_each(ts::places(), [f] {
      for (int i = 0; i < 5; ++i) {
        f.update_ghosts();
      }
      EXPECT_EQ(f.exchange(), 5U);
      EXPECT_EQ(f.here_is_empty(), ts::here().id() == 2);
    });
  });
}

TEST(ghosts_test, whole_operations_want_it_closed) {
  with_places(2, 1, ts::copying::automatic, [] {
    plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "u"});
    const auto h = a.ref();
    ts::at_each(ts::places(), [h] { h.send_ghosts(); });
    const std::string is_open = ": exchange 1 of 'u' is open at place";
    expect([&a] { a.fill(1); }, "usage: tactus: fill" + is_open);
    expect([&a] { a.for_each([](double&) {}); }, "usage: tactus: for_each" + is_open);
    expect([&a] { static_cast<void>(a.map([](double x) { return x; })); }, "usage: tactus: map" + is_open);
    plane b(a.dist(), {.name = "b"});
    expect([&] { b.map_from([](double x) { return x; }, a); }, "usage: tactus: map_from" + is_open);
    expect([&a] { static_cast<void>(a.reduce(ts::op::sum)); }, "usage: tactus: reduce" + is_open);
    expect([&] { ts::copy(b, a); }, "usage: tactus: copy" + is_open);
    expect([&a] { a.move_to(a.dist()); }, "usage: tactus: move_to" + is_open);
    expect([&a] { static_cast<void>(ts::redistributed(a, a.dist())); }, "usage: tactus: redistributed" + is_open);
    ts::at_each(ts::places(), [h] { h.wait_for_ghosts(); });
    a.fill(1);
    EXPECT_EQ(a.reduce(ts::op::sum), 108);
  });
}

// At another place than where the call is: nobody has begun another exchange then, and that one can be gone on with.
TEST(ghosts_test, whole_updates_want_it_closed_everywhere) {
  for (const ts::copying copies : {ts::copying::automatic, ts::copying::serialize}) {
    with_places(3, 1, copies, [] {
      plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "u"});
      plane b(a.dist(), {.ghost = 1, .name = "v"});
      ts::ghost_group both(a, b);
      const auto ends = [](const auto& h) {
        ts::at_each(ts::places(), [h] {
          if (ts::here().id() != 1) h.send_ghosts();
          h.wait_for_ghosts();
          EXPECT_EQ(h.exchange(), 1U);
        });
      };
      ts::at(ts::place(1), [h = a.ref()] { h.send_ghosts(); });
      expect([&a] { a.update_ghosts(); }, "usage: tactus: update_ghosts: exchange 1 of 'u' is open at place 1");
      expect([&a] { a.accumulate_ghosts(ts::op::sum); }, "exchange 1 of 'u' is open at place 1");
      expect([&both] { both.update_ghosts(); }, "exchange 1 of 'u' is open at place 1");
      ends(a.ref());
      ts::at(ts::place(1), [k = both.ref()] { k.send_ghosts(); });
      const std::string of_group = "the group of 'u', 'v' is";
      expect([&both] { both.update_ghosts(); }, "exchange 1 of " + of_group + " open at place 1");
      expect([&a] { a.update_ghosts(); }, of_group + " being exchanged there");
      ends(both.ref());
      a.update_ghosts();
      both.update_ghosts();
    });
  }
}

TEST(ghosts_test, who_skips_an_exchange_is_named) {
  EXPECT_THROW(
      {
        try {
          with_places(3, 1, ts::copying::automatic, [] {
            plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "u"});
            const auto h = a.ref();
            ts::at_each(ts::places(), [h] {
              h.update_ghosts();
              if (ts::here().id() != 1) {
                h.update_ghosts();
              }
            });
          });
        } catch (const std::exception& e) {
          EXPECT_NE(std::string(e.what()).find("exchange 2 of 'u' for place 1"), std::string::npos) << e.what();
          throw;
        }
      },
      std::exception);
}

std::uint64_t resident_bytes() {
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Ten thousand, and ten times as many in ./dev soak arrays; by one place, another one each time, later than by the others.
TEST(ghosts_test, exchanges_keep_no_memory) {
  if (support::k_sanitized) {
    GTEST_SKIP() << "what is freed is kept for a while";
  }
  const int exchanges = std::getenv("RANDOM_ARRAYS") == nullptr ? 10'000 : 100'000;
  constexpr std::uint64_t k_noise = 1 << 20;  // less than the smallest allocation for each exchange at each place
  for (const ts::copying copies : {ts::copying::automatic, ts::copying::serialize}) {
    for (const ts::ghost_exchange way : {ts::ghost_exchange::put, ts::ghost_exchange::shift}) {
      with_places(4, 2, copies, [exchanges, way] {
        plane a(ts::dist<2>::block(k_plate, ts::all_axes),
                {.ghost = 1, .periodic = true, .exchange = way, .name = "u"});
        const auto exchange = [h = a.ref()](int times) {
          for (int i = 0; i < times; ++i) {
            h.send_ghosts();
            if (random_arrays::mix(static_cast<std::uint64_t>(i)) % 4 == static_cast<unsigned>(ts::here().id())) {
              ts::yield();
            }
            h.wait_for_ghosts();
          }
        };
        ts::at_each(ts::places(), exchange, exchanges / 5);
        const std::uint64_t before = resident_bytes();
        ts::at_each(ts::places(), exchange, exchanges);
        EXPECT_LT(resident_bytes(), before + k_noise);
      });
    }
  }
}

TEST(ghosts_test, an_exchange_may_be_open_when_its_array_ends) {
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    with_places(4, 2, copies, [] {
      for (int i = 0; i < 20; ++i) {
        plane a(ts::dist<2>::block(k_plate, ts::all_axes), {.ghost = 1, .periodic = true, .name = "u"});
        ts::at_each(ts::places(), [h = a.ref()] {
          if (ts::here().id() != 2) {
            h.send_ghosts();
          }
        });
      }
    });
  }
}

TEST(ghosts_test, phases_are_independent) {
  with_places(4, 1, ts::copying::automatic, [] {
    plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .periodic = true, .name = "a"});
    plane b(a.dist(), {.ghost = 2, .periodic = true, .name = "b"});
    ts::at_each(ts::places(), [h = a.ref(), k = b.ref()] {
      for (int i = 0; i < 200; ++i) {  // in another order at each second place
        if (ts::here().id() % 2 == 0) {
          h.send_ghosts();
          k.send_ghosts();
          k.wait_for_ghosts();
          h.wait_for_ghosts();
        } else {
          k.send_ghosts();
          h.send_ghosts();
          h.wait_for_ghosts();
          k.wait_for_ghosts();
        }
      }
      EXPECT_EQ(h.exchange(), 200U);
    });
  });
}

TEST(ghosts_test, groups_go_together) {
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    with_places(3, 2, copies, [] {
      plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "a"});
      ts::dist_array<int, 2> b(ts::dist<2>::block(k_plate, ts::axes(1)),
                               {.ghost = {1, 2}, .periodic = true, .name = "b"});
      ts::dist_array<std::string, 1> c(ts::dist<1>::block(ts::range(0, 7)),
                                       {.ghost = {{1, 0}}, .periodic = true, .name = "c"});
      ts::dist_array<char, 1> none(ts::dist<1>::block(ts::range(0, 7)), {.name = "none"});
      b.for_each([](ts::point<2> p, int& x) { x = static_cast<int>(p[0] * 10 + p[1]); });
      c.for_each([](ts::point<1> p, std::string& s) { s = std::string(static_cast<std::size_t>(p[0]) * 9 + 1, 'x'); });
      ts::ghost_group g(a, none, b, c);
      ts::at_each(ts::places(), [k = g.ref(), ha = a.ref(), hb = b.ref(), hc = c.ref()] {
        for (int i = 0; i < 10; ++i) {
          k.send_ghosts();
          EXPECT_THROW(ha.send_ghosts(), ts::usage_error);
          EXPECT_THROW(k.send_ghosts(), ts::usage_error);
          k.wait_for_ghosts();
          const auto u = hb.local();
          u.stored().each([&](ts::point<2> p) { EXPECT_EQ(u[p], (p[0] + 12) % 12 * 10 + (p[1] + 9) % 9); });
          const auto s = hc.local();
          s.stored().each(
              [&](ts::point<1> p) { EXPECT_EQ(s[p].size(), static_cast<std::size_t>((p[0] + 7) % 7) * 9 + 1); });
          ha.send_ghosts();
          EXPECT_THROW(k.send_ghosts(), ts::usage_error);
          ha.wait_for_ghosts();
        }
        EXPECT_EQ(k.exchange(), 10U);
      });
    });
  }
}

TEST(ghosts_test, contributions_are_combined_in_order) {
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    with_places(4, 2, copies, [] {
      ts::dist_array<std::string, 1> a(ts::dist<1>::block(ts::range(0, 4)),
                                       {.ghost = 3, .periodic = true, .name = "a"});
      for (int i = 0; i < 10; ++i) {
        ts::at_each(ts::places(), [h = a.ref()] {
          const auto u = h.local();
          u.stored().each([&](ts::point<1> p) { u[p] = std::string(1, static_cast<char>('a' + ts::here().id())); });
        });
        a.accumulate_ghosts(
            ts::monoid(std::string(), [](const std::string& x, const std::string& y) { return x + y; }));
        const std::vector<std::string> expected{"abbccdd", "baaccdd", "caabbdd", "daabbcc"};
        for (const auto& [p, s] : a.sequence()) {
          EXPECT_EQ(s, expected[static_cast<std::size_t>(p[0])]);
        }
        ts::at_each(ts::places(), [h = a.ref()] {
          const auto u = h.local();
          h.ghosts().each([&](ts::point<1> p) { EXPECT_EQ(u[p], ""); });
        });
      }
    });
  }
}

}  // namespace
