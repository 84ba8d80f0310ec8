// SPDX-License-Identifier: Apache-2.0
// Places of machines with different byte orders: those of odd numbers write all that they send the other way round, and say so when they
// meet the others.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "place/engine.hpp"
#include "place/place_settings.hpp"

#ifndef TACTUS_PLAYS_SWAPPED
#error "what is sent from here has to be able to play"
#endif

namespace {

using tactus::place;

class unlike_places : public testing::TestWithParam<support::place_setting> {
protected:
  unlike_places() { tactus::detail::let_odd_places_play_swapped(true); }
  ~unlike_places() override { tactus::detail::let_odd_places_play_swapped(false); }

  template <class Body>
  static auto run(Body&& body) {
    tactus::config options = support::config_of(GetParam());
    options.local_copy = tactus::copying::serialize;
    return tactus::run(options, std::forward<Body>(body));
  }
};

INSTANTIATE_TEST_SUITE_P(places, unlike_places,
                         testing::Values(support::place_setting{2, 1, tactus::spawn_policy::adaptive},
                                         support::place_setting{4, 2, tactus::spawn_policy::help_first},
                                         support::place_setting{3, 1, tactus::spawn_policy::work_first, 5}),
                         support::place_setting_name);

TEST_P(unlike_places, are_members_of_teams) {
  run([] {
    tactus::at_each(tactus::places(), [] {
      const tactus::team t = tactus::team::world();
      const std::vector<std::int64_t> sums = t.allreduce(std::vector<std::int64_t>{1, t.rank()}, tactus::op::sum);
      EXPECT_EQ(sums, (std::vector<std::int64_t>{t.size(), t.size() * (t.size() - 1) / 2}));
      EXPECT_EQ(t.broadcast(std::u16string(t.rank() == 1 ? u"text" : u""), 1), u"text");
      EXPECT_EQ(t.split(t.rank() % 2, -t.rank()).broadcast(t.rank(), 0) % 2, t.rank() % 2);
      EXPECT_THROW(t.allreduce(1, [](int, int) -> int { throw std::range_error("0x0102"); }), std::range_error);
    });
  });
}

// To a machine that cannot read it.
TEST_P(unlike_places, have_futures_that_fail_where_their_value_does_not_swap) {
  run([] {
    const auto f = tactus::at_future(place(1), [] { return 1.0L; });
    EXPECT_THROW(static_cast<void>(f.get()), tactus::place_error);
  });
}

struct sample {
  std::uint16_t id = 0;
  double value = 0;
  std::string name;
  std::vector<std::int64_t> counts;
  std::variant<float, std::u16string> either;

  friend bool operator==(const sample&, const sample&) = default;
};

sample sample_of(int seed) {
  return {.id = static_cast<std::uint16_t>(256 + seed),
          .value = 0.1 * seed,
          .name = "sample " + std::to_string(seed),
          .counts = {seed, -seed, std::int64_t{1} << 40U},
          .either =
              seed % 2 == 0 ? std::variant<float, std::u16string>(1.5F) : std::variant<float, std::u16string>(u"text")};
}

TEST_P(unlike_places, values_arrive_and_return_as_they_are) {
  run([] {
    for (const place p : tactus::places()) {
      for (const place q : tactus::places()) {
        const sample made = sample_of(p.id() * 8 + q.id());
        const sample back = tactus::at(
            p,
            [](place there, sample x) {
              sample again = tactus::at(
                  there,
                  [](const sample& y) {
                    sample z = y;
                    z.counts.push_back(tactus::here().id());
                    return z;
                  },
                  x);
              EXPECT_EQ(again.counts.back(), there.id());
              again.counts.pop_back();
              EXPECT_EQ(again, x);
              return again;
            },
            q, made);
        EXPECT_EQ(back, made);
      }
    }
  });
}

TEST_P(unlike_places, finishes_count_and_bring_exceptions) {
  run([] {
    std::vector<std::string> texts;
    try {
      tactus::finish([] {
        for (const place p : tactus::places()) {
          tactus::async_at(
              p,
              [](std::uint32_t depth) {
                for (const place q : tactus::places()) {
                  tactus::async_at(
                      q,
                      [](std::uint32_t d, std::string text) {
                        if (d == 1000) throw std::out_of_range(text + " at " + to_string(tactus::here()));
                      },
                      depth, std::string("thrown"));
                }
              },
              1000U);
        }
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const tactus::multiple_exceptions& all) {
      for (const auto& e : all.exceptions()) {
        try {
          std::rethrow_exception(e);
        } catch (const std::out_of_range& one) {
          texts.emplace_back(one.what());
        }
      }
    }
    const std::size_t n = tactus::places().size();
    EXPECT_EQ(texts.size(), n * n);
    for (const place q : tactus::places()) {
      EXPECT_EQ(std::count(texts.begin(), texts.end(), "thrown at " + to_string(q)), static_cast<std::ptrdiff_t>(n));
    }
  });
}

struct with_number : std::runtime_error {
  with_number() : std::runtime_error("a number") {}
  std::uint32_t number = 0;

  template <class Ar>
  void serialize(Ar& ar) {
    ar & number;
  }
};
const tactus::register_exception<with_number> k_with_number;

TEST_P(unlike_places, registered_exceptions_keep_their_data) {
  run([] {
    for (const place p : tactus::places()) {
      try {
        tactus::at(p, [] {
          with_number e;
          e.number = 0x01020304;
          throw e;
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const with_number& e) {
        EXPECT_EQ(e.number, 0x01020304U);
      }
      EXPECT_THROW(
          tactus::at_future(p, [](int) -> int { throw std::domain_error("of a future"); }, 1).get(), std::domain_error);
    }
  });
}

TEST_P(unlike_places, futures_trees_and_objects_of_places_work) {
  run([] {
    std::vector<tactus::future<std::uint64_t>> squares;
    for (const place p : tactus::places()) {
      squares.push_back(
          tactus::at_future(p, [](std::uint64_t x) { return x * x; }, 300U + static_cast<std::uint64_t>(p.id())));
    }
    for (const place p : tactus::places()) {
      const std::uint64_t x = 300U + static_cast<std::uint64_t>(p.id());
      EXPECT_EQ(squares[static_cast<std::size_t>(p.id())].get(), x * x);
    }

    tactus::place_local<std::vector<std::uint32_t>> rows(std::vector<std::uint32_t>{1, 2, 3});
    tactus::at_each(
        tactus::places(),
        [](tactus::place_local_ref<std::vector<std::uint32_t>> all, std::uint32_t more) {
          all->push_back(more + static_cast<std::uint32_t>(tactus::here().id()));
        },
        rows.ref(), 1000U);
    for (const place p : tactus::places()) {
      EXPECT_EQ(rows.at(p, [](const std::vector<std::uint32_t>& row) { return row.back(); }),
                1000U + static_cast<std::uint32_t>(p.id()));
    }

    int here = 0;
    const tactus::global_ref<int> mine(here);
    tactus::finish([&] {
      for (const place p : tactus::places()) {
        tactus::async_at(
            p,
            [](tactus::global_ref<int> to) {
              to.at([](int& x, int add) { tactus::atomic([&] { x += add; }); }, 300 + tactus::here().id());
            },
            mine);
      }
    });
    const int n = static_cast<int>(tactus::places().size());
    EXPECT_EQ(here, 300 * n + n * (n - 1) / 2);
  });
}

TEST_P(unlike_places, named_tasks_and_room_work) {
  tactus::config options = support::config_of(GetParam());
  options.local_copy = tactus::copying::serialize;
  options.message_bytes = 256;
  tactus::run(options, [] {
    tactus::place_local<std::uint64_t> sums(0U);
    tactus::finish([&] {
      for (int i = 0; i < 200; ++i) {
        tactus::async_at(
            place(i % tactus::num_places()), tactus::named("adder " + std::to_string(i)),
            [](tactus::place_local_ref<std::uint64_t> sum, std::vector<int> numbers) {
              tactus::atomic(
                  [&] { *sum += static_cast<std::uint64_t>(std::accumulate(numbers.begin(), numbers.end(), 0)); });
            },
            sums.ref(), std::vector<int>(20, i));
      }
    });
    std::uint64_t all = 0;
    for (const place p : tactus::places()) {
      all += sums.at(p, [](std::uint64_t x) { return x; });
    }
    EXPECT_EQ(all, 20U * 199U * 200U / 2U);
  });
}

int plain_function(int x) { return x + 1; }

TEST_P(unlike_places, closures_whose_fields_nobody_sees_stay) {
  run([] {
    const int captured = tactus::num_places();
    for (const place p : tactus::places()) {
      if (p.id() % 2 == 0) {  // as place 0, where this runs
        EXPECT_EQ(tactus::at(p, [captured] { return captured + 1; }), tactus::num_places() + 1);
        EXPECT_EQ(tactus::at(p, plain_function, 8), 9);
      } else {
        try {
          tactus::at(p, [captured] { return captured; });
          ADD_FAILURE() << "it was sent";
        } catch (const tactus::place_error& e) {
          EXPECT_EQ(std::string(e.what()).find("a function cannot go to place " + std::to_string(p.id())), 0U)
              << e.what();
        }
        EXPECT_THROW(tactus::async_at(p, [captured] { static_cast<void>(captured); }), tactus::place_error);
        EXPECT_THROW(tactus::at(p, plain_function, 8), tactus::place_error);
      }
    }
    // From one odd place to another one, which is as it is.
    if (tactus::num_places() > 3) {
      EXPECT_EQ(tactus::at(place(1), [](int x) { return tactus::at(place(3), [x] { return x; }); }, 5), 5);
    }
  });
}

class shut {  // bytes that nobody sees into
public:
  explicit shut(int x) : x_(x) {}
  [[nodiscard]] int get() const { return x_; }

private:
  int x_;
};

TEST_P(unlike_places, values_whose_fields_nobody_sees_cannot_be_read) {
  run([] {
    EXPECT_EQ(tactus::at(place(0), [](shut s) { return s.get(); }, shut(3)), 3);
    try {
      tactus::at(place(1), [] { return shut(3); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const tactus::place_error& e) {
      EXPECT_NE(std::string(e.what()).find("of another byte order"), std::string::npos) << e.what();
    }
    EXPECT_THROW(tactus::at(place(1), [] { return 1.0L; }), tactus::place_error);
  });
}

}  // namespace
