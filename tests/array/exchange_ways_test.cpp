// SPDX-License-Identifier: Apache-2.0
// What ways to exchange ghosts differ in: put and shift. That ghosts are right is said by ghosts_test.
#include <tactus/array/dist_array.hpp>
#include <tactus/array/ghost_group.hpp>
#include <tactus/array/impl/plan_cache.hpp>
#include <tactus/tactus.hpp>

#include "place/place_node.hpp"
#include "support/tardy_engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {
namespace ts = tactus;

using plane = ts::dist_array<long, 2>;

void with_places(int places, int threads, ts::copying copies, const std::function<void()>& body) {
  ts::run(ts::config{.threads = threads, .places = places, .local_copy = copies}, body);
}

constexpr ts::copying k_both[] = {ts::copying::automatic, ts::copying::serialize};

// What this place sends in ten exchanges.
template <class H>
std::uint64_t messages_of_ten(const H& h) {
  const auto& node = ts::detail::place_node::of(ts::detail::current_worker());
  const std::uint64_t before = node.messages(ts::detail::message_kind::channel);
  for (int i = 0; i < 10; ++i) {
    h.update_ghosts();
  }
  return node.messages(ts::detail::message_kind::channel) - before;
}

template <std::size_t N>
std::vector<std::uint64_t> messages_in_grid(ts::ghost_exchange how, ts::index_t parts, bool periodic) {
  ts::box<N> room;
  for (std::size_t d = 0; d < N; ++d) {
    room.lo[d] = 0;
    room.hi[d] = 2 * parts;
  }
  ts::dist_array<double, N> a(ts::dist<N>::block(room, ts::grid<N>(parts)),
                              {.ghost = 1, .periodic = periodic, .exchange = how, .name = "u"});
  return ts::detail::answers_of<std::uint64_t>(a.dist().group(), [h = a.ref()] { return messages_of_ten(h); });
}

TEST(exchange_ways_test, put_sends_one_message_to_each_neighbour_and_shift_two_along_each_axis) {
  with_places(9, 1, ts::copying::serialize, [] {
    EXPECT_EQ(messages_in_grid<2>(ts::ghost_exchange::put, 3, true), std::vector<std::uint64_t>(9, 80));
    EXPECT_EQ(messages_in_grid<2>(ts::ghost_exchange::shift, 3, true), std::vector<std::uint64_t>(9, 40));
    const std::vector<std::uint64_t> clipped = messages_in_grid<2>(ts::ghost_exchange::shift, 3, false);
    EXPECT_EQ(clipped, (std::vector<std::uint64_t>{20, 30, 20, 30, 40, 30, 20, 30, 20}));
  });
  with_places(27, 1, ts::copying::serialize, [] {
    EXPECT_EQ(messages_in_grid<3>(ts::ghost_exchange::put, 3, true), std::vector<std::uint64_t>(27, 260));
    EXPECT_EQ(messages_in_grid<3>(ts::ghost_exchange::shift, 3, true), std::vector<std::uint64_t>(27, 60));
  });
}

TEST(exchange_ways_test, shift_without_corners_is_put) {
  with_places(9, 1, ts::copying::automatic, [] {
    const ts::box<2> room = ts::range(0, 9) * ts::range(0, 9);
    plane a(ts::dist<2>::block(room, ts::grid<2>{3, 3}),
            {.ghost = 1, .periodic = true, .corners = false, .exchange = ts::ghost_exchange::shift, .name = "u"});
    ts::at_each(ts::places(), [h = a.ref()] { EXPECT_EQ(h.neighbours().size(), 4U); });
  });
}

TEST(exchange_ways_test, shift_needs_parts_in_a_grid) {
  with_places(4, 1, ts::copying::automatic, [] {
    const ts::box<2> room = ts::range(0, 8) * ts::range(0, 8);
    const auto along_curve =
        ts::dist<2>::morton(room, ts::point<2>::all(1), [](const ts::point<2>& p) { return p[0] + 1; });
    try {
      const plane a(along_curve, {.ghost = 1, .exchange = ts::ghost_exchange::shift, .name = "u"});
      ADD_FAILURE() << "it was made";
    } catch (const ts::usage_error& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("'u': shift needs parts in a grid"), std::string::npos) << text;
      EXPECT_NE(text.find("Use put or automatic"), std::string::npos) << text;
    }
  });
}

TEST(exchange_ways_test, by_shift_places_that_do_not_wait_pass_on) {
  for (const ts::copying copies : k_both) {
    with_places(4, 1, copies, [] {
      const ts::box<2> room = ts::range(0, 8) * ts::range(0, 8);
      plane a(ts::dist<2>::block(room, ts::grid<2>{2, 2}),
              {.ghost = 2, .exchange = ts::ghost_exchange::shift, .name = "u"});
      a.for_each([](ts::point<2> p, long& x) { x = p[0] * 10 + p[1]; });
      const auto h = a.ref();
      ts::at_each(ts::places(), [h] {
        h.send_ghosts();
        const auto u = h.local();
        u.resident().each([&](ts::point<2> p) { u[p] = -1; });  // what was sent was sent, also what goes later
      });
      for (const int last : {1, 2}) {
        ts::finish([&] {
          for (int p = 0; p < 4; ++p) {
            if (last == 1 ? p != 1 && p != 2 : p == 1 || p == 2) {
              ts::async_at(ts::place(p), [h] {
                h.wait_for_ghosts();
                const auto u = h.local();
                h.ghosts().each([&](ts::point<2> x) { EXPECT_EQ(u[x], x[0] * 10 + x[1]); });
              });
            }
          }
        });
      }
    });
  }
}

TEST(exchange_ways_test, by_shift_a_place_that_is_its_own_neighbour_is_told_once) {
  with_places(1, 1, ts::copying::automatic, [] {
    const ts::box<3> room = ts::range(0, 3) * ts::range(0, 4) * ts::range(0, 5);
    ts::dist_array<long, 3> a(ts::dist<3>::block(room),
                              {.ghost = 1, .periodic = true, .exchange = ts::ghost_exchange::shift, .name = "u"});
    const auto h = a.ref();
    ASSERT_EQ(h.neighbours().size(), 1U);
    EXPECT_EQ(h.neighbours().front().cells_in, 5U * 6 * 7 - 3 * 4 * 5);
    h.send_ghosts();
    std::size_t cells = 0;
    int times = 0;
    while (const auto came = h.wait_for_any_ghosts()) {
      EXPECT_EQ(came->place, ts::here());
      ++times;
      for (const ts::box<3>& b : came->boxes) {
        cells += b.size();
      }
    }
    EXPECT_EQ(times, 1);
    EXPECT_EQ(cells, 5U * 6 * 7 - 3 * 4 * 5);
  });
}

TEST(exchange_ways_test, groups_put_what_is_shifted_by_itself) {
  for (const ts::copying copies : k_both) {
    with_places(4, 2, copies, [] {
      const ts::box<2> room = ts::range(0, 8) * ts::range(0, 8);
      plane a(ts::dist<2>::block(room, ts::grid<2>{2, 2}),
              {.ghost = 1, .periodic = true, .exchange = ts::ghost_exchange::shift, .name = "a"});
      // Has no part at two of the places: those copy directly, the others pack first.
      ts::dist_array<std::string, 1> s(ts::dist<1>::block(ts::range(0, 6), {ts::place(0), ts::place(1)}),
                                       {.ghost = 1, .periodic = true, .name = "s"});
      s.for_each([](ts::point<1> p, std::string& x) { x = std::to_string(p[0]); });
      ts::ghost_group both(a, s);
      ts::at_each(ts::places(), [k = both.ref(), h = a.ref(), g = s.ref()] {
        for (long e = 1; e <= 20; ++e) {
          const auto u = h.local();
          u.resident().each([&](ts::point<2> p) { u[p] = e * 100 + p[0] * 8 + p[1]; });
          k.send_ghosts(ts::here().id() % 2 == 0 ? ts::ghost_source::kept : ts::ghost_source::copied);
          k.wait_for_ghosts();
          u.stored().each([&](ts::point<2> p) { EXPECT_EQ(u[p], e * 100 + (p[0] + 8) % 8 * 8 + (p[1] + 8) % 8); });
          if (ts::here().id() < 2) {
            const auto t = g.local();
            t.stored().each([&](ts::point<1> p) { EXPECT_EQ(t[p], std::to_string((p[0] + 6) % 6)); });
          }
          h.update_ghosts();  // by itself it is shifted
        }
      });
    });
  }
}

TEST(exchange_ways_test, who_waits_for_cells_that_are_late_is_not_stuck) {
  const support::tardy_messages<ts::detail::message_kind::channel> cells;
  with_places(3, 1, ts::copying::serialize, [] {
    plane a(ts::dist<2>::block(ts::range(0, 6) * ts::range(0, 2)), {.ghost = 1, .periodic = true, .name = "u"});
    ts::at_each(ts::places(), [h = a.ref()] {
      for (int i = 0; i < 10; ++i) {
        h.update_ghosts();
      }
      EXPECT_EQ(h.exchange(), 10U);
    });
  });
}

TEST(exchange_ways_test, arrays_that_are_made_alike_share_their_plans) {
  with_places(2, 1, ts::copying::automatic, [] {
    const ts::box<2> room = ts::range(0, 8) * ts::range(0, 8);
    const auto plans = [&](const ts::array_options<2>& o) {  // of an equal distribution, each time another
      return ts::detail::plan_cache<2>::plans(ts::dist<2>::block(room), o, 0);
    };
    const auto one = plans({.ghost = 1, .name = "a"});
    EXPECT_EQ(one, plans({.ghost = 1, .sync = ts::ghost_sync::barrier, .name = "b"}));
    EXPECT_NE(one, plans({.ghost = 2}));
    EXPECT_NE(one, plans({.ghost = 1, .periodic = true}));
    EXPECT_NE(one, plans({.ghost = 1, .corners = false}));
    EXPECT_NE(one, plans({.ghost = 1, .exchange = ts::ghost_exchange::shift}));
    EXPECT_NE(one, plans({.ghost = 1, .storage = ts::block_storage::bounding_box}));
    EXPECT_NE(one, ts::detail::plan_cache<2>::plans(ts::dist<2>::block(room), {.ghost = 1}, 1));
    EXPECT_NE(one, ts::detail::plan_cache<2>::plans(ts::dist<2>::block(room, ts::axes(1)), {.ghost = 1}, 0));
    auto some = plans({.ghost = 3});
    const std::weak_ptr<const ts::detail::ghost_plans<2>> gone = some;
    some = nullptr;
    EXPECT_TRUE(gone.expired());
  });
}

}  // namespace
