// SPDX-License-Identifier: Apache-2.0
// What programs with TACTUS_CHECKED are told of their ghosts. Its build defines that.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#ifndef TACTUS_CHECKED
#error "this test is of programs with TACTUS_CHECKED"
#endif

namespace {
namespace ts = tactus;

using plane = ts::dist_array<double, 2>;
const ts::box<2> k_box = ts::range(0, 12) * ts::range(0, 9);

template <class F>
std::string usage_error_of(F&& call) {
  try {
    call();
  } catch (const ts::usage_error& e) {
    return e.what();
  }
  return "nothing";
}
void expect(const std::function<void()>& call, const std::string& words) {
  const std::string text = usage_error_of(call);
  EXPECT_NE(text.find(words), std::string::npos) << "'" << words << "' is not in: " << text;
}

// body(ref) at each of three places, of an array whose rows are divided; copied, and as between processes.
template <class F>
void at_three_places(F body) {
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    ts::run(ts::config{.threads = 2, .places = 3, .local_copy = copies}, [&] {
      plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
      ts::at_each(ts::places(), [body, h = a.ref()] { body(h); });
    });
  }
}

TEST(checked_test, an_index_that_is_not_stored_is_told) {
  at_three_places([](const auto& h) {
    const auto u = h.local();
    expect([u] { static_cast<void>(u(-2, 0)); },
           "(-2,0) is not in " + to_string(u.stored()) + " of 'u' at place " + std::to_string(ts::here().id()));
    const ts::array<double, 2> own(k_box);
    expect([&own] { static_cast<void>(own(12, 0)); }, "(12,0) is not in " + to_string(k_box) + ", which the view has");
  });
}

TEST(checked_test, ghosts_of_a_group_that_ended_open_may_be_written) {
  ts::run(ts::config{.threads = 1, .places = 2}, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "a"});
    std::optional<ts::ghost_group> alone(std::in_place, a);
    ts::at_each(ts::places(), [k = alone->ref()] { k.send_ghosts(); });
    alone.reset();
    a.fill(1);
    a.update_ghosts();
    ts::at_each(ts::places(), [h = a.ref()] { h.ghosts().each([&](const ts::point<2>& p) { EXPECT_EQ(h(p), 1); }); });
  });
}

TEST(checked_test, a_ghost_that_was_written_is_told_at_the_next_send) {
  at_three_places([](const auto& h) {
    h.update_ghosts();
    h.update_ghosts();  // nothing was written
    const auto u = h.local();
    const ts::point<2> ghost(ts::here().id() == 2 ? 7 : u.resident().hi[0], 3);
    u[ghost] += 1;
    expect([h] { h.send_ghosts(); },
           "ghost " + to_string(ghost) + " of 'u' was written at place " + std::to_string(ts::here().id()) +
               " since exchange 2; such writes are lost: accumulate_ghosts gives them to their owners");
    EXPECT_EQ(h.exchange(), 2U);  // it has not begun
    u[ghost] -= 1;
    h.update_ghosts();
    EXPECT_EQ(h.exchange(), 3U);
  });
}

TEST(checked_test, what_is_contributed_or_filled_is_not_told) {
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    ts::run(ts::config{.threads = 1, .places = 3, .local_copy = copies}, [&] {
      plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
      a.update_ghosts();
      a.fill(2);
      a.update_ghosts();
      ts::at_each(ts::places(), [h = a.ref()] {
        const auto u = h.local();
        h.ghosts().each([&](const ts::point<2>& p) { u[p] = 1; });
        h.accumulate_ghosts(ts::op::sum);
        h.update_ghosts();
      });
      EXPECT_EQ(a.reduce(ts::op::sum), 12 * 9 * 2 + 4 * 9);
    });
  }
}

TEST(checked_test, ghosts_are_no_numbers_until_they_come) {
  ts::run(ts::config{.threads = 1, .places = 2}, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
    a.fill(1);
    const auto h = a.ref();
    h.send_ghosts();  // the other place has not begun: nothing can have come
#if !TACTUS_ASAN
    EXPECT_TRUE(std::isnan(h.local()(6, 4)));
#endif
    ts::at(ts::place(1), [h] { h.update_ghosts(); });
    h.wait_for_ghosts();
    EXPECT_EQ(h.local()(6, 4), 1);
  });
}

#if TACTUS_ASAN
void read_too_early() {
  ts::run(ts::config{.threads = 1, .places = 2}, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
    const auto h = a.ref();
    h.send_ghosts();
    const auto u = h.local();
    std::printf("%g\n", u(6, 4));
  });
}
TEST(checked_test, the_sanitizer_sees_a_ghost_that_is_read_too_early) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(read_too_early(), "use-after-poison");
}
#endif

TEST(checked_test, a_cell_that_was_promised_to_be_kept_is_told) {
  if (support::k_tsan) GTEST_SKIP() << "who breaks the promise writes what a neighbour copies: a data race, as it says";
  at_three_places([](const auto& h) {
    const auto u = h.local();
    h.send_ghosts(ts::ghost_source::kept);
    h.wait_for_ghosts();
    h.send_ghosts(ts::ghost_source::copied);
    u[u.resident().lo] += 1;  // what was sent was sent
    h.wait_for_ghosts();
    h.send_ghosts(ts::ghost_source::kept);
    const ts::point<2> cell(ts::here().id() == 0 ? u.resident().hi[0] - 1 : u.resident().lo[0], 5);
    u[cell] += 1;
    expect([h] { h.wait_for_ghosts(); }, "cell " + to_string(cell) + " of 'u' was written at place " +
                                             std::to_string(ts::here().id()) +
                                             " while exchange 3 was open, to which ghost_source::kept had promised it");
    h.update_ghosts();
  });
}

TEST(checked_test, two_tasks_in_one_exchange_are_told) {
  ts::run(ts::config{.threads = 2, .places = 2}, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "u"});
    const auto h = a.ref();
    h.send_ghosts();
    std::string told;
    ts::finish([&] {
      ts::async(ts::spawn_policy::work_first, [h] { h.wait_for_ghosts(); });  // waits for place 1
      told = usage_error_of([h] { h.wait_for_ghosts(); });
      ts::async_at(ts::place(1), [h] { h.update_ghosts(); });
    });
    EXPECT_NE(told.find("two tasks are in an exchange of 'u' at place 0 at once"), std::string::npos) << told;
    ts::at_each(ts::places(), [h] { h.update_ghosts(); });
  });
}

TEST(checked_test, members_of_groups_are_looked_at_too) {
  ts::run(ts::config{.threads = 1, .places = 2}, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "a"});
    ts::dist_array<int, 2> b(a.dist(), {.ghost = 2, .name = "b"});
    ts::ghost_group both(a, b);
    ts::at_each(ts::places(), [k = both.ref(), h = b.ref(), of_a = a.ref()] {
      k.update_ghosts();
      k.update_ghosts();
      const auto u = h.local();
      const ts::point<2> ghost(ts::here().id() == 0 ? 6 : 5, 0);
      u[ghost] = 5;
      expect([k] { k.send_ghosts(); }, "ghost " + to_string(ghost) + " of 'b' was written");
      EXPECT_EQ(of_a.local()[ghost], 0) << "nothing was sent, so the ghosts of the others are what they were";
      u[ghost] = 0;
      k.update_ghosts();
    });
  });
}

// A group puts, whatever a member does by itself.
TEST(checked_test, an_array_by_shift_may_be_exchanged_alone_and_in_a_group) {
  ts::run(ts::config{.threads = 1, .places = 4}, [] {
    plane a(ts::dist<2>::block(ts::range(0, 8) * ts::range(0, 8), ts::grid<2>{2, 2}),
            {.ghost = 1, .exchange = ts::ghost_exchange::shift, .name = "u"});
    a.for_each([](const ts::point<2>& p, double& x) { x = static_cast<double>(10 * p[0] + p[1]); });
    ts::ghost_group g(a);
    for (int k = 0; k < 2; ++k) {
      g.update_ghosts();
      a.update_ghosts();
    }
    ts::at_each(ts::places(), [h = a.ref(), k = g.ref()] {
      const auto u = h.local();
      const ts::point<2> ghost(u.resident().lo[0] == 0 ? 4 : 3, u.resident().lo[1] + 1);
      EXPECT_EQ(u[ghost], static_cast<double>(10 * ghost[0] + ghost[1]));
      u[ghost] += 1;
      expect([k] { k.send_ghosts(); }, "ghost " + to_string(ghost) + " of 'u' was written");
      expect([h] { h.send_ghosts(); }, "ghost " + to_string(ghost) + " of 'u' was written");
    });
  });
}

TEST(checked_test, rows_of_cells_that_are_not_stored_are_told) {
  at_three_places([](const auto& h) {
    const auto u = h.local();
    const ts::box<2> s = u.stored();
    const std::string where = " of 'u' at place " + std::to_string(ts::here().id());
    const ts::box<2> wide{s.lo, s.hi + ts::point<2>(0, 3)};
    expect([u, wide] { static_cast<void>(u.rows(wide)); }, to_string(wide) + " is not in " + to_string(s) + where);
    const ts::box<2> high{s.lo, s.hi + ts::point<2>(1, 0)};
    expect([u, high] { static_cast<void>(u.rows(high)); }, to_string(high) + " is not in " + to_string(s) + where);
    std::ptrdiff_t rows = 0;
    for (const auto row : u.rows(s)) {
      rows += row.empty() ? 0 : 1;
    }
    EXPECT_EQ(rows, s.extent(0));
    for (const auto row : u.rows(ts::box<2>{s.hi + ts::point<2>(5, 5), s.hi})) {
      ADD_FAILURE() << row.size() << " cells of none";
    }
  });
}

bool g_copies_throw = false;
struct thrower {
  int n = 0;
  thrower() = default;
  thrower(const thrower& other) : n(other.n) {
    if (g_copies_throw) {
      throw std::runtime_error("no room");
    }
  }
  thrower& operator=(const thrower&) = default;
  ~thrower() = default;
  template <class Archive>
  void serialize(Archive& ar) {
    ar & n;
  }
};

TEST(checked_test, ghosts_are_what_they_were_after_a_send_that_throws) {
  ts::run(ts::config{.threads = 1, .places = 2}, [] {
    plane a(ts::dist<2>::block(k_box), {.ghost = 1, .name = "a"});
    ts::dist_array<thrower, 2> b(a.dist(), {.ghost = 1, .name = "b"});
    ts::ghost_group both(a, b);
    a.fill(3);
    both.update_ghosts();
    const auto u = a.ref().local();
    for (const auto promised : {ts::ghost_source::copied, ts::ghost_source::kept}) {
      g_copies_throw = true;
      EXPECT_THROW(both.ref().send_ghosts(promised), std::runtime_error);
      g_copies_throw = false;
      EXPECT_EQ(u(6, 4), 3);
    }
    u(6, 4) = 4;
    expect([&] { both.ref().send_ghosts(); }, "ghost (6,4) of 'a' was written at place 0 since exchange");
    u(6, 4) = 3;
    both.update_ghosts();
    EXPECT_EQ(both.ref().exchange(), 2U);
  });
}

}  // namespace
