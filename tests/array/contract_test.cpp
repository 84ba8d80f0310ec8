// SPDX-License-Identifier: Apache-2.0
// What the reference promises of distributed arrays and what no other test of this folder looks at: a few lines for each.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

using plane = ts::dist_array<double, 2>;
using plane_ref = ts::dist_array_ref<double, 2>;
const ts::box<2> k_box = ts::range(0, 6) * ts::range(0, 5);

void at_places(int n, const std::function<void()>& body) { ts::run(ts::config{.threads = 1, .places = n}, body); }

void set_to_one(ts::point<2> /*cell*/, double& x) { x = 1; }

template <class E>
void expect(const std::function<void()>& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown: " << words;
  } catch (const E& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << words << " is not in: " << e.what();
  }
}

static_assert(std::is_move_constructible_v<plane> && !std::is_copy_constructible_v<plane>);
static_assert(std::is_move_assignable_v<ts::ghost_group> && !std::is_copy_assignable_v<ts::ghost_group>);
static_assert(std::is_trivially_copyable_v<plane_ref> && ts::travels<plane_ref>);
static_assert(std::is_convertible_v<plane_ref, ts::dist_array_ref<const double, 2>>);
static_assert(!std::is_convertible_v<ts::dist_array_ref<const double, 2>, plane_ref>);
static_assert(std::is_default_constructible_v<ts::view<double, 2>> &&
              std::is_trivially_copyable_v<ts::view<double, 2>>);
static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::declval<plane&>().options())>, ts::array_options<2>>);

TEST(contract_test, widths_are_said_for_all_axes_for_each_or_for_each_side) {
  at_places(2, [] {
    const auto d = ts::dist<2>::block(k_box);
    const auto lower = [&](const ts::array_options<2>& o) {
      const plane a(d, o);
      return ts::at(ts::place(1), [h = a.ref()] { return h.local().stored(); });
    };
    const ts::box<2> own = d.blocks(ts::place(1)).front();
    EXPECT_EQ(lower({.ghost = 1}), own.halo(1) & k_box);
    EXPECT_EQ(lower({.ghost = {1, 0}}), own.halo({1, 0}) & k_box);
    EXPECT_EQ(lower({.ghost = {{2, 0}, {0, 1}}, .outer = true}),
              own.halo(ts::widths<2>{ts::width(2, 0), ts::width(0, 1)}));
    EXPECT_EQ(lower({.ghost = ts::width(1, 0)}), own.halo(ts::width(1, 0)) & k_box);
  });
}

// Beyond an end that is not periodic there is no ghost: nothing, or an outer cell.
bool is_in_or_periodic(const ts::point<2>& p, const ts::array_options<2>& o, const ts::per_axis<bool, 2>& beyond) {
  for (std::size_t d = 0; d < 2; ++d) {
    if ((p[d] < k_box.lo[d] || p[d] >= k_box.hi[d]) && !o.periodic[d] && !beyond[d]) {
      return false;
    }
  }
  return true;
}

TEST(contract_test, what_is_stored_and_what_is_inside_follow_from_the_ghosts) {
  at_places(4, [] {
    const auto d = ts::dist<2>::block(k_box, ts::all_axes);
    for (unsigned bits = 0; bits < 16; ++bits) {
      ts::array_options<2> o{.ghost = {{1, 0}, {0, 1}}};
      for (std::size_t k = 0; k < 2; ++k) {
        o.periodic[k] = (bits >> k & 1U) != 0;
        o.outer[k] = (bits >> (2 + k) & 1U) != 0;
      }
      plane a(d, o);
      ts::at_each(ts::places(), [h = a.ref(), bits] {
        const auto own = h.options();
        const ts::view<double, 2> u = h.local();
        u.resident().halo(own.ghost).each([&](const ts::point<2>& p) {
          EXPECT_EQ(u.stored().contains(p), is_in_or_periodic(p, own, own.outer)) << p[0] << ' ' << p[1] << ' ' << bits;
        });
        u.resident().each([&](const ts::point<2>& p) {
          bool sees_ghost = false;
          const ts::box<2> cell{p, p + ts::point<2>::all(1)};
          cell.halo(own.ghost).each([&](const ts::point<2>& q) {
            sees_ghost = sees_ghost || (!u.resident().contains(q) && is_in_or_periodic(q, own, false));
          });
          EXPECT_EQ(u.interior().contains(p), !sees_ghost) << p[0] << ' ' << p[1] << ' ' << bits;
        });
      });
    }
  });
}

TEST(contract_test, a_ghost_that_blocks_share_is_contributed_once) {
  at_places(2, [] {
    // Of five cells, each second one at a place. Around a place's own cells there is one ghost of each other one.
    ts::dist_array<int, 1> a(ts::dist<1>::cyclic(ts::range(0, 5)),
                             {.ghost = 1, .storage = ts::block_storage::bounding_box, .name = "u"});
    a.fill(1);
    a.accumulate_ghosts(ts::op::sum);
    for (const auto& [p, x] : a.sequence()) {
      EXPECT_EQ(x, 2) << p[0];
    }
  });
}

int larger(int a, int b) { return a < b ? b : a; }
bool greater(int a, int b) { return b < a; }
void twice(int& x) { x *= 2; }
int plus_one(int x) { return x + 1; }

TEST(contract_test, functions_go_wherever_closures_do) {
  at_places(3, [] {
    ts::dist_array<int, 1> a(ts::dist<1>::block(ts::range(0, 7)), {.ghost = 1, .name = "u"});
    a.for_each([](ts::point<1> p, int& x) { x = static_cast<int>(p[0]); });
    a.for_each(twice);
    a = a.map(plus_one);  // 1, 3, ... 13
    EXPECT_EQ(a.reduce(larger, 0), 13);
    EXPECT_EQ(a.reduce(ts::monoid<int, int (*)(int, int)>{0, larger}), 13);
    a.sort(greater);
    EXPECT_EQ(a.get(ts::point<1>(1)), 11);
    const auto combine = [](int x, int y) { return larger(x, y); };
    EXPECT_EQ(a.scan(ts::monoid<int, decltype(combine)>{0, combine}).get(ts::point<1>(6)), 13);
    EXPECT_EQ(a.scan(ts::monoid<int, int (*)(int, int)>{0, larger}).get(ts::point<1>(6)), 13);
    a.accumulate(ts::array<int, 1>(ts::range(0, 2), 12), ts::monoid<int, int (*)(int, int)>{0, larger});
    EXPECT_EQ(a.get(ts::point<1>(0)) + a.get(ts::point<1>(1)), 25);
    a.fill(7);
    a.accumulate_ghosts(ts::monoid<int, int (*)(int, int)>{0, larger});
    EXPECT_EQ(a.reduce(ts::op::sum), 49);
  });
}

TEST(contract_test, what_a_place_outside_the_group_may_do) {
  at_places(3, [] {
    const ts::place_group on{ts::place(2), ts::place(1)};
    plane a(ts::dist<2>::block(k_box, on), {.ghost = 1, .name = "u"});  // made at place 0, which is none of them
    a.fill(3);
    a.update_ghosts();
    EXPECT_EQ(a.reduce(ts::op::sum), 90);
    const plane_ref h = a.ref();
    EXPECT_EQ(h.dist(), a.dist());
    EXPECT_EQ(h.get({5, 4}), 3);
    h.set({5, 4}, 4);
    EXPECT_EQ(h.get_future({5, 4}).get(), 4);
    const std::vector<std::function<void()>> not_here{[h] { static_cast<void>(h.resident()); },
                                                      [h] { static_cast<void>(h.blocks()); },
                                                      [h] { h.send_ghosts(); },
                                                      [h] { h.wait_for_ghosts(); },
                                                      [h] { static_cast<void>(h.exchange()); },
                                                      [h] { static_cast<void>(h.neighbours()); },
                                                      [h] { static_cast<void>(h(0, 0)); }};
    for (const auto& call : not_here) {
      expect<ts::place_error>(call, "'u' at place 0, which is none of the places");
    }
  });
}

TEST(contract_test, a_place_with_several_blocks_has_no_local) {
  at_places(2, [] {
    plane a(ts::dist<2>::cyclic(k_box), {.ghost = 1, .name = "u"});
    expect<ts::usage_error>([h = a.ref()] { static_cast<void>(h.local()); }, "place 0 has 3 blocks of 'u'");
    EXPECT_EQ(a.ref().blocks().size(), 3U);
    EXPECT_EQ(a.ref().blocks()[1].number(), 1U);
    const auto sum = a.ref().resident() | a.ref().ghosts();
    EXPECT_EQ(sum, ts::region<2>(k_box));  // rows 0, 2, 4 and those beside them
    EXPECT_EQ(a.ref().interior() | a.ref().boundary(), a.ref().resident());
  });
}

TEST(contract_test, an_array_that_outlives_its_run_is_of_no_use) {
  std::unique_ptr<plane> kept;
  at_places(2, [&] { kept = std::make_unique<plane>(ts::dist<2>::block(k_box), ts::array_options<2>{.name = "u"}); });
  at_places(2, [&] {
    plane other(ts::dist<2>::block(k_box), {.name = "other"});  // which may lie where that one did
    expect<ts::usage_error>([&] { static_cast<void>(kept->ref().blocks()); }, "of an array that is not there");
    EXPECT_THROW(kept->fill(1), ts::error);
    EXPECT_THROW(kept->for_each(set_to_one), ts::error);
    EXPECT_EQ(other.reduce(ts::op::sum), 0);
  });
  EXPECT_THROW(kept->for_each(set_to_one), ts::usage_error);  // outside of tasks
  kept.reset();
}

TEST(contract_test, what_atomic_blocks_and_steps_may_do) {
  at_places(2, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
    plane b(a.dist(), {.name = "b"});
    const plane_ref h = a.ref();
    const std::vector<std::function<void()>> refused{[&] { h.send_ghosts(); },
                                                     [&] { h.wait_for_ghosts(); },
                                                     [&] { static_cast<void>(h.get({5, 0})); },
                                                     [&] { h.set({5, 0}, 1); },
                                                     [&] { ts::copy(a, b); },
                                                     [&] { a.fill(1); },
                                                     [&] { static_cast<void>(a.get(k_box)); },
                                                     [&] { a.update_ghosts(); },
                                                     [&] { static_cast<void>(a.min_at()); }};
    for (const auto& call : refused) {
      EXPECT_THROW(ts::atomic(call), ts::atomic_use_error);
    }
    int rounds = 0;
    ts::lockstep(
        0, 1, [&] { return rounds++ == 0; },
        [h](int) {
          h.send_ghosts();
          static_cast<void>(h.ghosts_ready());
          EXPECT_THROW(h.wait_for_ghosts(), ts::usage_error);
        });
    ts::at(ts::place(1), [h] { h.update_ghosts(); });
    h.wait_for_ghosts();
  });
}

TEST(contract_test, what_an_exception_leaves_open_a_later_task_may_close) {
  at_places(2, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
    const plane_ref h = a.ref();
    EXPECT_THROW(ts::at_each(ts::places(),
                             [h] {
                               h.send_ghosts();
                               if (ts::here().id() == 1) {
                                 throw std::runtime_error("in between");
                               }
                               h.wait_for_ghosts();
                             }),
                 ts::multiple_exceptions);
    ts::at(ts::place(1), [h] { h.wait_for_ghosts(); });
    a.update_ghosts();
  });
}

TEST(contract_test, groups_name_themselves_and_their_members) {
  at_places(2, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "a"});
    plane b(a.dist(), {.ghost = {2, 1}, .name = "b"});
    ts::ghost_group g(a, b);
    ts::at_each(ts::places(), [k = g.ref(), h = a.ref()] {
      k.send_ghosts();
      expect<ts::usage_error>([h] { h.send_ghosts(); }, "send_ghosts of 'a' at place");
      expect<ts::usage_error>([h] { h.send_ghosts(); }, "the group of 'a', 'b' is being exchanged there");
      expect<ts::usage_error>([k] { k.send_ghosts(); }, "exchange 1 of the group of 'a', 'b' is open at place");
      k.wait_for_ghosts(ts::range(0, 6) * ts::range(0, 5));
      EXPECT_TRUE(k.ghosts_ready());
      EXPECT_TRUE(k.ghosts_ready(ts::range(0, 6) * ts::range(0, 5)));
      std::set<ts::place> whose;
      while (const std::optional<ts::place> from = k.wait_for_any_ghosts()) {  // it stands for its place
        EXPECT_TRUE(whose.insert(*from).second);
      }
      EXPECT_EQ(whose, std::set<ts::place>{ts::here().next()});
      expect<ts::usage_error>([k] { k.wait_for_ghosts(); }, "no exchange of the group of 'a', 'b' is open");
      h.send_ghosts();
      expect<ts::usage_error>([k] { k.send_ghosts(); },
                              "send_ghosts of the group of 'a', 'b': exchange 1 of 'a' is open at place");
      h.wait_for_ghosts();
    });
  });
}

TEST(contract_test, results_keep_options_and_know_who_may_use_them) {
  at_places(2, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = {2, 1}, .periodic = {true, false}, .name = "u"});
    a.for_each([](double& x) { x = 1; });
    const auto b = a.map([](ts::point<2> p, double x) { return static_cast<int>(p[0]) + static_cast<int>(x); });
    EXPECT_EQ(b.options().name, "u");
    EXPECT_EQ(b.options().ghost[0].lower, 2);
    EXPECT_TRUE(b.options().periodic[0]);
    const auto [least, value] = b.min_at();
    EXPECT_EQ(least, ts::point<2>(0, 0));  // of equal ones the least point
    EXPECT_EQ(value, 1);
    EXPECT_EQ(b.max_at().first, ts::point<2>(5, 0));
    EXPECT_EQ(a.scan_exclusive(ts::op::product).get({0, 3}), 1);
    EXPECT_EQ(b.reduce([](int x, int y) { return x + y; }, 0), 5 * (1 + 2 + 3 + 4 + 5 + 6));
    const int of_all = ts::at(ts::place(1), [h = b.ref()] { return h.reduce_local(ts::op::sum); });
    EXPECT_EQ(of_all, 5 * (4 + 5 + 6));
    EXPECT_EQ(a.get(ts::box<2>()).size(), 0U);
    expect<ts::usage_error>([&] { static_cast<void>(a.get({6, 0})); }, "(6,0) is not in the region");
    expect<ts::usage_error>([&] { a.accumulate(ts::array<double, 2>(k_box + ts::point<2>(1, 0)), ts::op::sum); },
                            "is not in the array's region");
    const ts::dist_array<double, 2> none(ts::dist<2>::block(ts::region<2>()), {.name = "none"});
    expect<ts::usage_error>([&] { static_cast<void>(none.min_at()); }, "min_at of 'none', which has no elements");
    EXPECT_EQ(none.reduce(ts::op::sum), 0);
  });
}

}  // namespace
