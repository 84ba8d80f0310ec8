// SPDX-License-Identifier: Apache-2.0
// What neighbours may do and when: write cells that are kept, put into ghosts, use a slot again.
#include <tactus/array/dist_array.hpp>
#include <tactus/tactus.hpp>

#include "support/page_trap.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

namespace {
namespace ts = tactus;

void at_places(int n, ts::copying copies, const std::function<void()>& body) {
  ts::run(ts::config{.threads = 1, .places = n, .local_copy = copies}, body);
}

// Breaks the promise, to see whether something was packed.
TEST(exchange_order_test, what_is_kept_is_packed_for_other_processes_only) {
  for (const ts::copying copies : {ts::copying::automatic, ts::copying::serialize}) {
    at_places(2, copies, [copies] {
      ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 2)), {.ghost = 1, .name = "u"});
      const auto h = a.ref();
      a.fill(1);
      ts::at(ts::place(0), [h] {
        h.send_ghosts(ts::ghost_source::kept);
        h(0) = 2;
      });
      const long got = ts::at(ts::place(1), [h]() -> long {
        h.update_ghosts();
        return h(0);
      });
      EXPECT_EQ(got, copies == ts::copying::automatic ? 2 : 1);
      ts::at(ts::place(0), [h] { h.wait_for_ghosts(); });
    });
  }
}

constexpr ts::index_t k_cells = 1 << 13;  // several pages

// Whoever copies the cells of place 1 into ghosts here stops in the midst.
std::optional<support::page_trap> g_trap;
void set_trap(const ts::view<long, 1>& u) { g_trap.emplace(&u(k_cells + k_cells / 2)); }

TEST(exchange_order_test, who_keeps_cells_waits_until_they_have_been_copied) {
  at_places(2, ts::copying::automatic, [] {
    ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 2 * k_cells)),
                              {.ghost = ts::width(0, k_cells), .name = "u"});
    const auto h = a.ref();
    ts::at(ts::place(1), [h] {
      const auto u = h.local();
      u.resident().each([&](ts::point<1> p) { u[p] = 1; });
      h.send_ghosts(ts::ghost_source::kept);
    });
    set_trap(h.local());
    ts::finish([&] {
      ts::async_at(ts::place(1), [h] {
        support::page_trap::wait_until_reached();
        ts::async(ts::spawn_policy::help_first, [] { support::page_trap::let_go(); });  // when this task waits
        h.wait_for_ghosts();
        const auto u = h.local();
        u.resident().each([&](ts::point<1> p) { u[p] = -1; });
        support::page_trap::let_go();
      });
      ts::async_at(ts::place(0), [h] {
        h.update_ghosts();
        const auto u = h.local();
        ts::index_t wrong = 0;
        h.ghosts().each([&](ts::point<1> p) { wrong += u[p] == 1 ? 0 : 1; });
        EXPECT_EQ(wrong, 0);
      });
    });
    g_trap.reset();
  });
}

// Place 1 sends to place 0, and stops while it sends to place 2. Meanwhile place 0 ends that exchange and sends the next, to where it sent in
// the last.
TEST(exchange_order_test, slots_are_empty_before_others_hear_of_the_next_exchange) {
  at_places(3, ts::copying::automatic, [] {
    ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 3 * k_cells)),
                              {.ghost = ts::width(k_cells, 1), .name = "u"});
    const auto h = a.ref();
    ts::at_each(ts::places(), [h] { h.update_ghosts(); });
    for (const int p : {0, 2}) {
      ts::at(ts::place(p), [h] { h.send_ghosts(); });
    }
    ts::at(ts::place(2), [h] { set_trap(h.local()); });
    ts::finish([&] {
      ts::async_at(ts::place(1), [h] {
        h.update_ghosts();
        h.update_ghosts();
      });
      ts::async_at(ts::place(0), [h] {
        support::page_trap::wait_until_reached();
        h.wait_for_ghosts();
        h.send_ghosts();
        support::page_trap::let_go();
        h.wait_for_ghosts();
      });
      ts::async_at(ts::place(2), [h] {
        h.wait_for_ghosts();
        h.update_ghosts();
      });
    });
    g_trap.reset();
  });
}

// All sleep at place 0 when the message of place 1 comes: who waits for a box runs before who closes, or after it.
TEST(exchange_order_test, who_waits_for_a_box_goes_on_when_another_task_closes) {
  for (const ts::copying copies : {ts::copying::automatic, ts::copying::serialize}) {
    for (const bool closer_first : {false, true}) {
      at_places(2, copies, [closer_first] {
        ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 1, .name = "u"});
        a.fill(1);
        const auto h = a.ref();
        h.send_ghosts();
        const auto close = [h] { ts::async(ts::spawn_policy::help_first, [h] { h.wait_for_ghosts(); }); };
        ts::finish([&] {
          if (closer_first) {
            close();
          }
          for (int k = 0; k < 4; ++k) {
            ts::async(ts::spawn_policy::help_first, [h] {
              h.wait_for_ghosts(ts::range(2, 3));
              EXPECT_EQ(h(2), 1);
            });
          }
          if (!closer_first) {
            close();
          }
          ts::yield();
          ts::at(ts::place(1), [h] { h.update_ghosts(); });
        });
        a.update_ghosts();
      });
    }
  }
}

// Where all meet, the second of them tells nobody once more, and takes nothing of the exchanges after.
TEST(exchange_order_test, of_two_tasks_that_close_one_is_told) {
  for (const ts::ghost_sync sync : {ts::ghost_sync::pairwise, ts::ghost_sync::barrier}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      ts::run(ts::config{.threads = 1, .places = 2, .seed = seed}, [sync] {
        ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 1, .sync = sync, .name = "u"});
        const auto h = a.ref();
        h.send_ghosts();
        int told = 0;
        ts::finish([&] {
          for (int k = 0; k < 2; ++k) {
            ts::async(ts::spawn_policy::help_first, [h, &told] {
              try {
                h.wait_for_ghosts();
              } catch (const ts::usage_error&) {
                ++told;
              }
            });
          }
          ts::yield();
          ts::at(ts::place(1), [h] { h.update_ghosts(); });
        });
        EXPECT_EQ(told, 1);
        for (int k = 0; k < 3; ++k) {
          a.update_ghosts();
        }
      });
    }
  }
}

// On two workers, in any of the rounds in which all meet.
TEST(exchange_order_test, of_two_tasks_that_close_at_once_one_is_told) {
  for (const ts::copying copies : {ts::copying::automatic, ts::copying::serialize}) {
    for (int run = 0; run < 10; ++run) {
      std::atomic<int> told{0};
      const auto close = [&told](const ts::dist_array_ref<long, 1>& h) {
        try {
          h.wait_for_ghosts();
        } catch (const ts::usage_error&) {
          ++told;
        }
      };
      ts::run(ts::config{.threads = 2, .places = 5, .local_copy = copies}, [&close] {
        ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 10)),
                                  {.ghost = 1, .sync = ts::ghost_sync::barrier, .name = "u"});
        for (int k = 0; k < 5; ++k) {
          ts::at_each(ts::places(), [h = a.ref(), close] {
            h.send_ghosts();
            ts::finish([&] {
              ts::async(ts::spawn_policy::help_first, [&] { close(h); });
              close(h);
            });
          });
        }
        a.update_ghosts();
      });
      EXPECT_EQ(told, 5 * 5);
    }
  }
}

// Place 2 does not come: place 0 has told place 1 that it is here, and tells it once only.
TEST(exchange_order_test, a_barrier_that_has_thrown_may_be_waited_for_again) {
  std::atomic<int> stuck{0};
  const auto in_a_run = [&stuck] {
    ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 6)),
                              {.ghost = 1, .sync = ts::ghost_sync::barrier, .name = "u"});
    ts::finish([&] {
      for (int p = 0; p < 2; ++p) {
        ts::async_at(ts::place(p), [h = a.ref(), &stuck] {
          h.send_ghosts();
          for (int again = 0; again < 2; ++again) {
            try {
              h.wait_for_ghosts();
            } catch (const ts::deadlock_error&) {
              ++stuck;
            }
          }
        });
      }
    });
  };
  EXPECT_THROW(at_places(3, ts::copying::automatic, in_a_run), ts::deadlock_error);
  EXPECT_EQ(stuck, 4);
}

TEST(exchange_order_test, nothing_is_put_where_ghosts_may_still_be_read) {
  at_places(2, ts::copying::automatic, [] {
    ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 2)), {.ghost = 1, .name = "u"});
    const auto h = a.ref();
    a.fill(1);
    ts::at_each(ts::places(), [h] { h.update_ghosts(); });
    ts::at(ts::place(1), [h] {
      h(1) = 2;
      h.send_ghosts();
    });
    ts::at(ts::place(0), [h] {
      EXPECT_EQ(h(1), 1);
      h.update_ghosts();
      EXPECT_EQ(h(1), 2);
    });
    ts::at(ts::place(1), [h] { h.wait_for_ghosts(); });
  });
}

}  // namespace
