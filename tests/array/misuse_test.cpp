// SPDX-License-Identifier: Apache-2.0
// Misuse of distributed arrays: it is told at once, and the error names the call, the thing and the remedy.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

using plane = ts::dist_array<double, 2>;
using plane_ref = ts::dist_array_ref<double, 2>;
const ts::box<2> k_box = ts::range(0, 6) * ts::range(0, 5);

void at_places(int n, const std::function<void()>& body) { ts::run(ts::config{.threads = 1, .places = n}, body); }

template <class E>
void expect(const std::function<void()>& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown: " << words;
  } catch (const E& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << words << " is not in: " << e.what();
  }
}

TEST(misuse_test, widths_that_cannot_be_counted_are_refused) {
  at_places(2, [] {
    const auto d = ts::dist<2>::block(k_box);
    const ts::index_t most = std::numeric_limits<ts::index_t>::max();
    expect<ts::usage_error>(
        [&] { const plane a(d, {.ghost = most, .outer = true, .name = "u"}); },
        "'u' is to have 9223372036854775807 layers of ghosts along axis 0 around indices from 0 to 6");
    expect<ts::usage_error>([&] { const plane a(d, {.ghost = {1, most / 2}, .periodic = true}); }, "along axis 1");
    const auto far = ts::dist<1>::block(ts::range(most - 8, most));
    expect<ts::usage_error>([&] { const ts::dist_array<int, 1> a(far, {.ghost = 1}); }, "more than can be counted");
    const ts::dist_array<int, 1> a(far, {.name = "without ghosts"});
    EXPECT_EQ(a.get(ts::point<1>(most - 1)), 0);
    EXPECT_THROW(plane(d, {.ghost = most / 8, .outer = true}), ts::usage_error);           // too many cells
    ts::dist_array<int, 1> all(ts::dist<1>::block(ts::range(0, 4)), {.ghost = most / 4});  // clipped
    all.fill(3);
    all.update_ghosts();
    EXPECT_EQ(all.ref()(3), 3);
  });
}

TEST(misuse_test, a_ref_of_an_array_that_has_ended_is_told_at_once_and_everywhere) {
  at_places(3, [] {
    plane_ref gone;
    for (int i = 0; i < 100; ++i) {  // what is left of it ends in no particular order
      {
        const plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
        gone = a.ref();
      }
      const char* const words = "of an array that is not there: it has ended";
      expect<ts::usage_error>([gone] { static_cast<void>(gone.local()); }, words);
      expect<ts::usage_error>([gone] { gone.send_ghosts(); }, words);
      expect<ts::usage_error>([gone] { ts::at(ts::place(2), [gone] { static_cast<void>(gone(5, 0)); }); }, words);
    }
  });
}

TEST(misuse_test, an_array_that_was_moved_from_is_told) {
  at_places(2, [] {
    const auto d = ts::dist<2>::block(k_box);
    plane a(d, {.ghost = 1, .name = "a"});
    plane b = std::move(a);
    const std::string words = "a dist_array was used that has been moved from";
    // NOLINTBEGIN(bugprone-use-after-move): that it is told
    expect<ts::usage_error>([&] { ts::copy(a, b); }, words);
    expect<ts::usage_error>([&] { ts::copy(b, a); }, words);
    expect<ts::usage_error>([&] { static_cast<void>(redistributed(a, d)); }, words);
    expect<ts::usage_error>([&] { b.map_from([](double x) { return x; }, a); }, words);
    expect<ts::usage_error>([&] { a.move_to(d); }, words);
    expect<ts::usage_error>([&] { const ts::transfer<double, 2> t(a, b); }, words);
    EXPECT_EQ(a.region(), ts::region<2>(k_box));
    EXPECT_EQ(a.dist(), b.dist());
    // NOLINTEND(bugprone-use-after-move)
  });
}

TEST(misuse_test, a_distribution_over_places_that_are_not_there_is_refused) {
  ts::dist<2> wide;
  at_places(4, [&wide] { wide = ts::dist<2>::block(k_box); });
  at_places(2, [&wide] {
    expect<ts::place_error>([&] { const plane a(wide, {.ghost = 1, .name = "u"}); },
                            "'u' is to be at place 2, and this run has 2 places");
    plane b(ts::dist<2>::block(k_box), {.name = "b"});
    expect<ts::place_error>([&] { b.move_to(wide); }, "this run has 2 places");
    EXPECT_THROW(static_cast<void>(redistributed(b, wide)), ts::place_error);
    b.fill(1);
  });
}

TEST(misuse_test, more_bytes_than_there_can_be_are_refused) {
  at_places(1, [] {
    const ts::index_t far = ts::index_t{1} << 61;
    const ts::region<1> r(std::vector<ts::box<1>>{ts::range(0, 1), ts::range(far, far + 1)});
    const auto d = ts::dist<1>::constant(r);
    using line = ts::dist_array<double, 1>;
    expect<ts::resource_error>([&] { const line a(d, {.storage = ts::block_storage::bounding_box, .name = "u"}); },
                               "'u' needs ");
  });
}

TEST(misuse_test, a_box_outside_is_told_before_memory_is_asked_for) {
  at_places(1, [] {
    const ts::dist_array<double, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.name = "u"});
    const ts::box<1> outside = ts::range(0, ts::index_t{1} << 46);
    expect<ts::usage_error>([&] { static_cast<void>(a.get(outside)); }, "(4) is not in the array's region");
    expect<ts::usage_error>([&] { static_cast<void>(a.ref().get(outside)); }, "(4) is not in the array's region");
  });
}

TEST(misuse_test, shift_needs_a_grid_and_the_error_names_what_has_none) {
  at_places(2, [] {
    const auto one = [](const ts::point<2>&) { return 1.0; };
    const auto first = [](const ts::point<2>& p) { return ts::place(p[0] % 2 == 0 ? 0 : 1); };
    const std::vector<std::pair<ts::dist<2>, std::string>> irregular{
        {ts::dist<2>::hilbert(k_box, {2, 2}, one), "hilbert(...)"},
        {ts::dist<2>::morton(k_box, {1, 1}, one), "morton(...)"},
        {ts::dist<2>::cyclic(k_box, 1), "cyclic(...)"},
        {ts::dist<2>::block_cyclic(k_box, 0, 1), "block_cyclic(...)"},
        {ts::dist<2>::from(k_box, first), "from(...)"},
        {ts::dist<2>::cyclic(k_box).nodes(), "cyclic(...).nodes()"},
        {ts::dist<2>::block(k_box) | (ts::region<2>(k_box) - ts::range(1, 2) * ts::range(1, 2)), "block(...) | ..."}};
    for (const auto& [d, name] : irregular) {
      const std::string words = "'u': shift needs parts in a grid; " + name + " has none.";
      const auto make = [](const ts::dist<2>& on) {
        const plane a(on, {.exchange = ts::ghost_exchange::shift, .name = "u"});
      };
      expect<ts::usage_error>([&, &on = d] { make(on); }, words);
      expect<ts::usage_error>([&, &on = d] { ts::at(ts::place(1), make, on); }, words);  // as it has come there
    }
  });
}

TEST(misuse_test, an_operator_that_elements_do_not_have_is_misuse_of_the_call) {
  at_places(2, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
    const plane_ref h = a.ref();
    const ts::op none = ts::op::bit_xor;
    const std::string why = ": the type has no operator bit_xor";
    expect<ts::usage_error>([&] { static_cast<void>(a.reduce(none)); }, "tactus: reduce" + why);
    expect<ts::usage_error>([&] { static_cast<void>(a.scan(none)); }, "tactus: scan" + why);
    expect<ts::usage_error>([&] { a.accumulate(ts::array<double, 2>(k_box), none); }, "tactus: accumulate" + why);
    expect<ts::usage_error>([&] { a.accumulate_ghosts(none); }, "tactus: accumulate_ghosts" + why);
    expect<ts::usage_error>([&] { static_cast<void>(h.reduce_local(none)); }, "tactus: reduce_local" + why);
    expect<ts::usage_error>([&] { h.send_contributions(none); }, "tactus: send_contributions" + why);
    a.update_ghosts();  // nothing is open
  });
}

// As it is, and before anything is done anywhere; whoever is told can go on.
TEST(misuse_test, an_operation_of_the_whole_array_while_an_exchange_is_open_here_does_nothing) {
  at_places(3, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
    plane b(ts::dist<2>::block(k_box), {.name = "v"});
    a.fill(3);
    b.fill(4);
    a.ref().send_ghosts();
    const std::string open = "exchange 1 of 'u' is open at place 0";
    expect<ts::usage_error>([&] { a.fill(1); }, open);
    expect<ts::usage_error>([&] { a.for_each([](const ts::point<2>&, double& x) { x = 1; }); }, open);
    expect<ts::usage_error>([&] { static_cast<void>(a.map([](double x) { return x; })); }, open);
    expect<ts::usage_error>([&] { a.map_from([](double x) { return x; }, b); }, open);
    expect<ts::usage_error>([&] { b.map_from([](double x) { return x; }, a); }, open);
    expect<ts::usage_error>([&] { ts::copy(a, b); }, open);
    expect<ts::usage_error>([&] { ts::copy(b, a); }, open);
    expect<ts::usage_error>([&] { static_cast<void>(a.reduce(ts::op::sum)); }, open);
    expect<ts::usage_error>([&] { static_cast<void>(a.scan(ts::op::sum)); }, open);
    expect<ts::usage_error>([&] { static_cast<void>(a.min_at()); }, open);
    expect<ts::usage_error>([&] { a.update_ghosts(); }, open);
    expect<ts::usage_error>([&] { a.accumulate_ghosts(ts::op::sum); }, open);
    for (const ts::point<2>& p : k_box) {
      EXPECT_EQ(a.get(p), 3);
      EXPECT_EQ(b.get(p), 4);
    }
    ts::at_each(ts::places(), [h = a.ref()] {
      if (ts::here() != ts::place()) h.send_ghosts();
      h.wait_for_ghosts();
    });
    a.fill(5);
    EXPECT_EQ(a.reduce(ts::op::min), 5);
  });
}

// No place has sent when one is told: no neighbour waits for it.
TEST(misuse_test, contributions_of_a_whole_array_refuse_where_another_place_has_an_exchange_open) {
  at_places(4, [] {
    ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 8)), {.ghost = 1, .name = "u"});
    a.fill(1);
    const auto h = a.ref();
    ts::at(ts::place(2), [h] { h.send_ghosts(); });
    expect<ts::multiple_exceptions>([&] { a.accumulate_ghosts(ts::op::sum); },
                                    "accumulate_ghosts: exchange 1 of 'u' is open at place 2");
    ts::at_each(ts::places(), [h] {
      if (ts::here().id() != 2) {
        h.send_ghosts();
      }
      h.wait_for_ghosts();
    });
    a.accumulate_ghosts(ts::op::sum);
    EXPECT_EQ(a.reduce(ts::op::sum), 8 + 6);
  });
}

TEST(misuse_test, a_group_is_refused_at_once_where_the_caller_has_an_exchange_open) {
  at_places(3, [] {
    ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 6)), {.ghost = 1, .name = "u"});
    ts::ghost_group g(a);
    const auto h = a.ref();
    h.send_ghosts();
    expect<ts::usage_error>([&] { g.update_ghosts(); }, "exchange 1 of 'u' is open at place 0");
    ts::at_each(ts::places(), [h] {
      if (ts::here().id() != 0) {
        h.send_ghosts();
      }
      h.wait_for_ghosts();
    });
    g.update_ghosts();
    EXPECT_EQ(g.ref().exchange(), 1U);
  });
}

// With or without ghosts: the same calls, the same words.
void expect_misuse_of_exchanges_is_told(ts::index_t width) {
  at_places(2, [width] {
    plane a(ts::dist<2>::block(k_box), {.ghost = width, .name = "u"});
    const auto h = a.ref();
    ts::at_each(ts::places(), [h] {
      const std::string here = "place " + std::to_string(ts::here().id());
      const std::string none = "no exchange of 'u' is open at " + here;
      const auto send = [h] { h.send_ghosts(); };
      const auto contribute = [h] { h.send_contributions(ts::op::sum); };

      contribute();
      expect<ts::usage_error>([h] { h.wait_for_ghosts(); }, "wait_for_ghosts: " + none + ": send_ghosts first");
      expect<ts::usage_error>([h] { h.wait_for_ghosts(k_box); }, "wait_for_ghosts: " + none + ": send_ghosts first");
      expect<ts::usage_error>([h] { static_cast<void>(h.ghosts_ready()); }, "ghosts_ready: " + none);
      expect<ts::usage_error>([h] { static_cast<void>(h.ghosts_ready(k_box)); }, "ghosts_ready: " + none);
      expect<ts::usage_error>([h] { static_cast<void>(h.wait_for_any_ghosts()); }, "wait_for_any_ghosts: " + none);
      const std::string to_contribute = ": exchange 1 of 'u' is open at " + here + ": wait_for_contributions first";
      expect<ts::usage_error>(contribute, "send_contributions" + to_contribute);
      expect<ts::usage_error>(send, "send_ghosts" + to_contribute);
      h.wait_for_contributions();

      send();
      expect<ts::usage_error>([h] { h.wait_for_contributions(); },
                              "wait_for_contributions: " + none + ": send_contributions first");
      const std::string to_wait = ": exchange 1 of 'u' is open at " + here + ": wait_for_ghosts first";
      expect<ts::usage_error>(send, "send_ghosts" + to_wait);
      expect<ts::usage_error>(contribute, "send_contributions" + to_wait);
      h.wait_for_ghosts();

      contribute();
      h.wait_for_contributions();
      EXPECT_EQ(h.exchange(), 1U);  // of ghosts
    });
  });
}

void expect_whole_operations_want_it_closed(ts::index_t width) {
  at_places(2, [width] {
    plane a(ts::dist<2>::block(k_box), {.ghost = width, .name = "u"});
    plane other(a.dist(), {.name = "other"});
    const auto h = a.ref();
    const auto refused = [&](const std::string& is_open) {
      expect<ts::usage_error>([&] { a.fill(1); }, "fill" + is_open);
      expect<ts::usage_error>([&] { a.for_each([](double&) {}); }, "for_each" + is_open);
      expect<ts::usage_error>([&] { static_cast<void>(a.reduce(ts::op::sum)); }, "reduce" + is_open);
      expect<ts::usage_error>([&] { static_cast<void>(a.scan(ts::op::sum)); }, "scan" + is_open);
      expect<ts::usage_error>([&] { ts::copy(a, other); }, "copy" + is_open);
      expect<ts::usage_error>([&] { a.save("no_such_folder/u"); }, "save" + is_open);
      expect<ts::usage_error>([&] { a.update_ghosts(); }, "update_ghosts" + is_open);
    };
    ts::at_each(ts::places(), [h] { h.send_ghosts(); });
    refused(": exchange 1 of 'u' is open at place 0: wait_for_ghosts first");
    ts::at_each(ts::places(), [h] {
      h.wait_for_ghosts();
      h.send_contributions(ts::op::sum);
    });
    refused(": exchange 1 of 'u' is open at place 0: wait_for_contributions first");
    ts::at_each(ts::places(), [h] { h.wait_for_contributions(); });
    a.fill(1);
    EXPECT_EQ(a.reduce(ts::op::sum), 30);
  });
}

TEST(misuse_test, exchanges_without_ghosts_are_told_as_those_with_ghosts) {
  expect_misuse_of_exchanges_is_told(1);
  expect_misuse_of_exchanges_is_told(0);
  expect_whole_operations_want_it_closed(1);
  expect_whole_operations_want_it_closed(0);
}

}  // namespace
