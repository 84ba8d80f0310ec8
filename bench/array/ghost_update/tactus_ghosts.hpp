// SPDX-License-Identifier: Apache-2.0
// Ghosts by Tactus's distributed arrays, in one process and over several. Forms:
//   put, shift        one array, update_ghosts()
//   barrier           the same, and all places wait for each other in each update
//   slow, slow_barrier  as put and barrier; between updates each place computes, and one of them, another one each time, up to three
//                     times as long
//   compute           only what the next two compute between updates, at each place
//   whole, split      put; whole computes and then updates, split computes between send_ghosts() and wait_for_ghosts()
//   group, apart      three arrays as a group, and one after the other
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "array/ghost_update/ghost_update.hpp"
#include "support/busy_work.hpp"
#include "support/tactus_pool.hpp"

namespace bench {

enum class ghost_form : std::uint8_t { put, shift, barrier, slow, slow_barrier, compute, whole, split, group, apart };

inline ghost_form ghost_form_of(const ghost_update_problem& p) {
  constexpr std::string_view k_names[] = {"put",     "shift", "barrier", "slow",  "slow_barrier",
                                          "compute", "whole", "split",   "group", "apart"};
  for (std::size_t i = 0; i < std::size(k_names); ++i) {
    if (p.form() == k_names[i]) return static_cast<ghost_form>(i);
  }
  p.refuse_form("put, shift, barrier, slow, slow_barrier, compute, whole, split, group or apart");
}

/// What place 0 has measured in the last pass. Of the process that has place 0.
inline duration g_ghosts_took;

/// One pass at all places, in a run.
class tactus_ghosts {
public:
  tactus_ghosts(const ghost_setting& s, ghost_form form, std::uint64_t steps)
      : setting_(s), form_(form), steps_(steps) {}

  /// Ghosts that were wrong.
  [[nodiscard]] std::uint64_t pass(std::uint64_t number) const {
    namespace ts = tactus;
    const ghost_setting::triple n = setting_.extent();
    const auto dist = ts::dist<3>::block(ts::range(0, n[0]) * ts::range(0, n[1]) * ts::range(0, n[2]),
                                         ts::grid<3>{setting_.grid[0], setting_.grid[1], setting_.grid[2]});
    const bool all_meet = form_ == ghost_form::barrier || form_ == ghost_form::slow_barrier;
    const ts::array_options<3> options{
        .ghost = 1,
        .periodic = setting_.periodic,
        .exchange = form_ == ghost_form::shift ? ts::ghost_exchange::shift : ts::ghost_exchange::put,
        .sync = all_meet ? ts::ghost_sync::barrier : ts::ghost_sync::pairwise,
        .name = "u"};
    std::vector<ts::dist_array<double, 3>> arrays;
    const int count = form_ == ghost_form::group || form_ == ghost_form::apart ? 3 : 1;
    for (int i = 0; i < count; ++i) arrays.emplace_back(dist, options);
    if (count == 1) return one(arrays[0].ref(), number);
    return three(arrays, number);
  }

private:
  using array_ref = tactus::dist_array_ref<double, 3>;

  [[nodiscard]] std::uint64_t one(array_ref h, std::uint64_t number) const {
    return everywhere([self = *this, h, number](const auto& meet, duration& took) {
      const auto u = h.local();
      return ghost_updates(
          self.setting_, self.setting_.block(tactus::here().id()), number,
          [u](auto i, auto j, auto k) -> double& { return u(i, j, k); },
          [&](std::uint64_t exchange) { self.update(h, exchange); }, meet, took);
    });
  }

  // The three have the same values: each is written where the first one is, and read in turn.
  [[nodiscard]] std::uint64_t three(std::vector<tactus::dist_array<double, 3>>& arrays, std::uint64_t number) const {
    namespace ts = tactus;
    const array_ref a = arrays[0].ref();
    const array_ref b = arrays[1].ref();
    const array_ref c = arrays[2].ref();
    if (form_ == ghost_form::apart) {
      return everywhere([self = *this, a, b, c, number](const auto& meet, duration& took) {
        const auto update = [=](std::uint64_t) {
          a.update_ghosts();
          b.update_ghosts();
          c.update_ghosts();
        };
        return self.of_three(a, b, c, number, update, meet, took);
      });
    }
    ts::ghost_group together(arrays[0], arrays[1], arrays[2]);
    return everywhere([self = *this, a, b, c, all = together.ref(), number](const auto& meet, duration& took) {
      const auto update = [all](std::uint64_t) { all.update_ghosts(); };
      return self.of_three(a, b, c, number, update, meet, took);
    });
  }

  template <class Update, class Meet>
  std::uint64_t of_three(array_ref a, array_ref b, array_ref c, std::uint64_t number, const Update& update,
                         const Meet& meet, duration& took) const {
    const auto u = a.local();
    const auto v = b.local();
    const auto w = c.local();
    return ghost_updates(
        setting_, setting_.block(tactus::here().id()), number,
        [u, v, w](auto i, auto j, auto k) { return cell_of_three{u(i, j, k), v(i, j, k), w(i, j, k)}; }, update, meet,
        took);
  }

  struct cell_of_three {
    double &a, &b, &c;
    void operator=(double x) const { a = b = c = x; }
    friend bool operator==(const cell_of_three& cell, double x) { return cell.a == x && cell.b == x && cell.c == x; }
  };

  template <class Body>
  static std::uint64_t everywhere(const Body& body) {
    namespace ts = tactus;
    const ts::place_local<std::uint64_t> wrong(0);
    ts::at_each(ts::places(), [body, found = wrong.ref()] {
      const ts::team all = ts::team::world();
      duration took;
      const std::uint64_t here = body([all] { all.barrier(); }, took);
      *found = all.allreduce(here, ts::op::sum);
      if (ts::here().id() == 0) g_ghosts_took = took;
    });
    return *wrong.ref();
  }

  void update(const array_ref& h, std::uint64_t exchange) const {
    switch (form_) {
      case ghost_form::put:
      case ghost_form::shift:
      case ghost_form::barrier:
      case ghost_form::group:
      case ghost_form::apart: h.update_ghosts(); break;
      case ghost_form::slow:
      case ghost_form::slow_barrier:
        compute(slowed(exchange));
        h.update_ghosts();
        break;
      case ghost_form::compute: compute(steps_); break;
      case ghost_form::whole:
        compute(steps_);
        h.update_ghosts();
        break;
      case ghost_form::split:
        h.send_ghosts();
        compute(steps_);
        h.wait_for_ghosts();
        break;
    }
  }

  // The same choice at all places, of who is slow and how slow.
  [[nodiscard]] std::uint64_t slowed(std::uint64_t exchange) const {
    std::uint64_t random = (exchange + 1) * 0x9e3779b97f4a7c15U;
    random ^= random >> 29U;
    random *= 0xbf58476d1ce4e5b9U;
    random ^= random >> 32U;
    const bool is_slow =
        static_cast<int>(random % static_cast<std::uint64_t>(setting_.places())) == tactus::here().id();
    return is_slow ? steps_ + steps_ * 2 * (random >> 16U & 0xffffU) / 0xffffU : steps_;
  }

  ghost_setting setting_;
  ghost_form form_;
  std::uint64_t steps_;  // of computing, between two updates
};

}  // namespace bench
