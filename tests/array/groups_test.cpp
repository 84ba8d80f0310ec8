// SPDX-License-Identifier: Apache-2.0
// Groups of arrays: what comes of one neighbour, and members or groups that end before the others.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace {
namespace ts = tactus;

using line = ts::dist_array<long, 1>;
using plane = ts::dist_array<double, 2>;
const ts::box<2> k_plate = ts::range(0, 8) * ts::range(0, 8);

void at_places(int n, const std::function<void()>& body) {
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    ts::run(ts::config{.threads = 1, .places = n, .local_copy = copies}, body);
  }
}

void expect_usage_error(const std::function<void()>& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown: " << words;
  } catch (const ts::usage_error& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << words << " is not in: " << e.what();
  }
}

void expect_ghosts_after_update(line& a) {
  a.for_each([](ts::point<1> p, long& x) { x = p[0] + 1; });
  a.update_ghosts();
  ts::at_each(ts::places(), [h = a.ref()] { h.ghosts().each([&](ts::point<1> p) { EXPECT_EQ(h(p), p[0] + 1); }); });
}

TEST(groups_test, one_that_ends_with_its_exchange_open_does_no_harm) {
  at_places(2, [] {
    line a(ts::dist<1>::block(ts::range(0, 8)), {.ghost = 1, .name = "a"});
    line b(a.dist(), {.ghost = 1, .name = "b"});
    for (int i = 0; i < 20; ++i) {
      try {
        ts::ghost_group g(a, b);
        ts::at_each(ts::places(), [k = g.ref()] { k.send_ghosts(); });
        throw i;
      } catch (const int&) {
        a.fill(i);
      }
      expect_ghosts_after_update(a);
      ts::ghost_group again(a, b);
      again.update_ghosts();
      expect_ghosts_after_update(b);
    }
  });
}

TEST(groups_test, a_member_that_has_moved_to_another_distribution_is_told) {
  at_places(2, [] {
    plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .name = "a"});
    plane b(a.dist(), {.ghost = 1, .name = "b"});
    ts::ghost_group g(a, b);
    g.update_ghosts();
    a.move_to(ts::dist<2>::block(k_plate, ts::axes(1)));
    ts::at_each(ts::places(), [k = g.ref()] {
      const std::string words = "of an array that is not there";
      expect_usage_error([k] { k.send_ghosts(); }, "send_ghosts of the group of 'a', 'b' at place");
      expect_usage_error([k] { k.send_ghosts(); }, words);
      expect_usage_error([k] { k.wait_for_ghosts(); }, words);
      expect_usage_error([k] { k.wait_for_ghosts(k_plate); }, words);
      expect_usage_error([k] { static_cast<void>(k.wait_for_any_ghosts()); }, words);
      expect_usage_error([k] { static_cast<void>(k.ghosts_ready()); }, words);
      EXPECT_EQ(k.exchange(), 1U);
    });
    b.update_ghosts();  // nothing has begun
    ts::ghost_group again(a, b);
    again.update_ghosts();
  });
}

TEST(groups_test, a_member_that_has_ended_is_told) {
  at_places(2, [] {
    line a(ts::dist<1>::block(ts::range(0, 8)), {.ghost = 1, .name = "a"});
    std::optional<line> b(std::in_place, a.dist(), ts::array_options<1>{.ghost = 1, .name = "b"});
    ts::ghost_group g(a, *b);
    b.reset();
    expect_usage_error([k = g.ref()] { k.send_ghosts(); }, "of an array that is not there");
    a.update_ghosts();
  });
}

TEST(groups_test, who_waits_for_a_box_waits_for_those_who_bring_it) {
  at_places(3, [] {
    line a(ts::dist<1>::block(ts::range(0, 6)), {.ghost = 1, .name = "a"});
    line b(a.dist(), {.ghost = 1, .name = "b"});
    plane other(ts::dist<2>::block(k_plate), {.ghost = {1, 0}, .name = "other"});
    ts::ghost_group g(a, b, other);
    const auto k = g.ref();
    ts::finish([&] {
      ts::async_at(ts::place(0), [k] { k.update_ghosts(); });
      ts::async_at(ts::place(1), [k] {
        k.send_ghosts();
        k.wait_for_ghosts(ts::range(1, 2));  // place 0's cell
        EXPECT_TRUE(k.ghosts_ready(ts::range(0, 4)));
        EXPECT_FALSE(k.ghosts_ready(ts::range(0, 5)));
        EXPECT_FALSE(k.ghosts_ready());
        EXPECT_TRUE(k.ghosts_ready(ts::range(0, 1) * ts::range(0, 1) * ts::range(0, 1)));  // no member has such
        ts::async_at(ts::place(2), [k] { k.update_ghosts(); });                            // has not begun until now
        k.wait_for_ghosts();
      });
    });
  });
}

static_assert(std::convertible_to<ts::group_ghosts_from, ts::place>);

TEST(groups_test, each_neighbour_is_told_of_by_its_place) {
  at_places(3, [] {
    line a(ts::dist<1>::block(ts::range(0, 6)), {.ghost = 1, .name = "a"});
    line b(a.dist(), {.ghost = 1, .name = "b"});
    ts::ghost_group g(a, b);
    ts::at_each(ts::places(), [k = g.ref()] {
      k.send_ghosts();
      int neighbours = 0;
      while (const auto from = k.wait_for_any_ghosts()) {
        EXPECT_EQ(from->place.id() % 2, 1 - ts::here().id() % 2);
        EXPECT_TRUE(*from == from->place);
        ++neighbours;
      }
      EXPECT_EQ(neighbours, ts::here().id() == 1 ? 2 : 1);
    });
  });
}

TEST(groups_test, a_member_without_ghosts_and_its_group_are_not_exchanged_at_once) {
  at_places(2, [] {
    line a(ts::dist<1>::block(ts::range(0, 6)), {.ghost = 1, .name = "a"});
    plane b(ts::dist<2>::block(k_plate), {.name = "b"});
    const auto h = b.ref();
    {
      ts::ghost_group g(a, b);
      ts::at_each(ts::places(), [h, k = g.ref()] {
        const std::string here = std::to_string(ts::here().id());
        k.send_ghosts();
        const std::string of_group =
            " of 'b' at place " + here + ": the group of 'a', 'b' is being exchanged there; wait for that first";
        expect_usage_error([h] { h.send_ghosts(); }, "send_ghosts" + of_group);
        expect_usage_error([h] { h.send_contributions(ts::op::sum); }, "send_contributions" + of_group);
        k.wait_for_ghosts();
        h.send_ghosts();
        expect_usage_error([k] { k.send_ghosts(); },
                           "send_ghosts of the group of 'a', 'b': exchange 1 of 'b' is open at place " + here +
                               ": wait_for_ghosts first");
        h.wait_for_ghosts();
        k.update_ghosts();
        EXPECT_EQ(k.exchange(), 2U);
        EXPECT_EQ(h.exchange(), 1U);
        k.send_ghosts();
      });
      expect_usage_error([&] { b.fill(1); }, "the group of 'a', 'b' is being exchanged there");
    }
    b.fill(1);  // the group has ended with its exchange open
    ts::at_each(ts::places(), [h] { h.update_ghosts(); });
  });
}

// All ghosts of a member come once, from the place that has them.
template <class T, std::size_t N>
void expect_boxes_are_all_ghosts(const ts::ghost_group_ref& k, const ts::dist_array_ref<T, N>& h) {
  ts::region<N> all;
  std::size_t cells = 0;
  k.send_ghosts();
  while (const auto from = k.wait_for_any_ghosts()) {
    for (const ts::box<N>& b : from->boxes_of(h)) {
      b.each([&](const ts::point<N>& x) { EXPECT_EQ(h.dist().owner(x), from->place) << to_string(x); });
      cells += b.size();
      all = all | ts::region<N>(b);
    }
  }
  EXPECT_EQ(all, h.ghosts());
  EXPECT_EQ(cells, all.size());
}

TEST(groups_test, each_neighbour_is_told_of_with_the_boxes_of_each_member) {
  at_places(3, [] {
    line a(ts::dist<1>::block(ts::range(0, 6)), {.ghost = 1, .name = "a"});
    plane b(ts::dist<2>::block(k_plate), {.ghost = 2, .name = "b"});
    plane c(b.dist(), {.name = "c"});
    const plane other(b.dist(), {.ghost = 1, .name = "other"});
    ts::ghost_group g(a, b, c);
    ts::at_each(ts::places(), [k = g.ref(), a = a.ref(), b = b.ref(), c = c.ref(), other = other.ref()] {
      expect_boxes_are_all_ghosts(k, a);
      expect_boxes_are_all_ghosts(k, b);
      expect_boxes_are_all_ghosts(k, c);
      expect_boxes_are_all_ghosts(k, ts::dist_array_ref<const double, 2>(b));
      k.send_ghosts();
      const auto from = k.wait_for_any_ghosts();
      expect_usage_error([&] { static_cast<void>(from->boxes_of(other)); },
                         "boxes_of an array that is no member of the group of 'a', 'b', 'c'");
      while (k.wait_for_any_ghosts()) {
      }
    });
  });
}

}  // namespace
