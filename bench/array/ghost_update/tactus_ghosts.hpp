// SPDX-License-Identifier: Apache-2.0
// Ghosts by Tactus's distributed arrays, in one process and over several. Forms:
//   put, shift        one array, update_ghosts()
//   barrier, shift_barrier  the same, and all places wait for each other in each update
//   slow, slow_barrier  as put and barrier; between updates each place computes, and one of them, another one each time, up to three
//                     times as long
//   compute           only what the next two compute between updates, at each place
//   whole, split      put; whole computes and then updates, split computes between send_ghosts() and wait_for_ghosts()
//   group, apart      three arrays as a group, and one after the other
//   independent, lockstep  two grids (two_grids.hpp)
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "array/ghost_update/ghost_update.hpp"
#include "array/ghost_update/two_grids.hpp"
#include "support/busy_work.hpp"
#include "support/tactus_pool.hpp"

namespace bench {

enum class ghost_form : std::uint8_t {
  put,
  shift,
  barrier,
  shift_barrier,
  slow,
  slow_barrier,
  compute,
  whole,
  split,
  group,
  apart,
  independent,
  lockstep
};

inline ghost_form ghost_form_of(const ghost_update_problem& p) {
  constexpr std::string_view k_names[] = {"put",          "shift",       "barrier", "shift_barrier", "slow",
                                          "slow_barrier", "compute",     "whole",   "split",         "group",
                                          "apart",        "independent", "lockstep"};
  for (std::size_t i = 0; i < std::size(k_names); ++i) {
    if (p.form() == k_names[i]) return static_cast<ghost_form>(i);
  }
  p.refuse_form(
      "put, shift, barrier, shift_barrier, slow, slow_barrier, compute, whole, split, group, apart, independent or "
      "lockstep");
}

/// What place 0 has measured in the last pass. Of the process that has place 0.
inline duration g_ghosts_took;

/// One pass at all places, in a run. It goes from place to place by its fields, between machines of different byte orders too.
class tactus_ghosts {
public:
  tactus_ghosts() = default;
  tactus_ghosts(const ghost_setting& s, ghost_form form, std::uint64_t steps)
      : setting_(s), form_(form), steps_(steps) {}

  /// Ghosts that were wrong.
  [[nodiscard]] std::uint64_t pass(std::uint64_t number) const {
    namespace ts = tactus;
    const ts::place_local<std::uint64_t> wrong(0);
    const int count = form_ == ghost_form::group || form_ == ghost_form::apart ? 3 : 1;
    std::vector<ts::dist_array<double, 3>> arrays;
    for (int i = 0; i < count; ++i) arrays.push_back(made_of(setting_));
    if (is_of_two()) {
      const ts::dist_array<double, 3> coarse = made_of(coarser());
      ts::at_each(
          ts::places(),
          [](const tactus_ghosts& self, std::uint64_t pass, wrong_ref found, array_ref u, array_ref v) {
            self.of_two(pass, found, u, v);
          },
          *this, number, wrong.ref(), arrays[0].ref(), coarse.ref());
    } else if (count == 1) {
      ts::at_each(
          ts::places(),
          [](const tactus_ghosts& self, std::uint64_t pass, wrong_ref found, array_ref u) {
            self.of_one(pass, found, u);
          },
          *this, number, wrong.ref(), arrays[0].ref());
    } else {
      const ts::ghost_group all(arrays[0], arrays[1], arrays[2]);
      ts::at_each(
          ts::places(),
          [](const tactus_ghosts& self, std::uint64_t pass, wrong_ref found, const std::vector<array_ref>& each,
             ts::ghost_group_ref together) { self.of_three(pass, found, each, together); },
          *this, number, wrong.ref(), std::vector{arrays[0].ref(), arrays[1].ref(), arrays[2].ref()}, all.ref());
    }
    return *wrong.ref();
  }

  /// How it travels.
  template <class Archive>
  void serialize(Archive& ar) {
    for (auto& parts : setting_.grid) ar & parts;
    ar & setting_.size & setting_.periodic & setting_.updates & form_ & steps_;
  }

private:
  using array_ref = tactus::dist_array_ref<double, 3>;
  using wrong_ref = tactus::place_local_ref<std::uint64_t>;

  [[nodiscard]] bool is_of_two() const { return form_ == ghost_form::independent || form_ == ghost_form::lockstep; }

  // The second of two grids: half as many cells along each axis.
  [[nodiscard]] ghost_setting coarser() const {
    ghost_setting s = setting_;
    s.size = std::max<ghost_setting::index>(s.size / 2, 3);
    return s;
  }

  [[nodiscard]] tactus::dist_array<double, 3> made_of(const ghost_setting& s) const {
    namespace ts = tactus;
    const ghost_setting::triple n = s.extent();
    const auto dist = ts::dist<3>::block(ts::range(0, n[0]) * ts::range(0, n[1]) * ts::range(0, n[2]),
                                         ts::grid<3>{s.grid[0], s.grid[1], s.grid[2]});
    const bool is_shifted = form_ == ghost_form::shift || form_ == ghost_form::shift_barrier;
    const bool all_meet = form_ == ghost_form::barrier || form_ == ghost_form::shift_barrier ||
                          form_ == ghost_form::slow_barrier || form_ == ghost_form::lockstep;
    return ts::dist_array<double, 3>(dist,
                                     {.ghost = 1,
                                      .periodic = s.periodic,
                                      .exchange = is_shifted ? ts::ghost_exchange::shift : ts::ghost_exchange::put,
                                      .sync = all_meet ? ts::ghost_sync::barrier : ts::ghost_sync::pairwise,
                                      .name = "u"});
  }

  void of_one(std::uint64_t number, const wrong_ref& wrong, const array_ref& h) const {
    const auto u = h.local();
    measure(
        number, wrong, [u](auto i, auto j, auto k) -> double& { return u(i, j, k); },
        [&](std::uint64_t exchange) { update(h, exchange); });
  }

  // What the second grid has at its owners and as ghosts is told and compared here, that of the first one by measure().
  void of_two(std::uint64_t number, const wrong_ref& wrong, const array_ref& fine, const array_ref& coarse) const {
    const auto u = fine.local();
    const auto v = coarse.local();
    const ghost_setting s = coarser();
    const ghost_setting::box own = s.block(tactus::here().id());
    two_grids both(fine, coarse, form_ == ghost_form::lockstep);
    const auto give = [&](std::uint64_t exchange) {
      each_around(own, s.inside(own), [&](auto i, auto j, auto k) { v(i, j, k) = s.value(i, j, k, exchange); });
    };
    const auto found = [&](std::uint64_t exchange) {
      std::uint64_t n = 0;
      each_around(s.with_ghosts(own), own, [&](auto i, auto j, auto k) {
        n += v(i, j, k) == s.value(i, j, k, exchange) ? 0U : 1U;
        v(i, j, k) = -1;
      });
      return n;
    };
    give(2 * number);
    measure(
        number, wrong, [u](auto i, auto j, auto k) -> double& { return u(i, j, k); },
        [&](std::uint64_t exchange) { both.step([&] { compute(slowed(exchange)); }); },
        [&] {
          both.finish();
          std::uint64_t n = found(2 * number);
          give(2 * number + 1);
          both.exchange_coarse();
          return n + found(2 * number + 1);
        });
  }

  void of_three(std::uint64_t number, const wrong_ref& wrong, const std::vector<array_ref>& each,
                const tactus::ghost_group_ref& all) const {
    const auto u = each[0].local();
    const auto v = each[1].local();
    const auto w = each[2].local();
    const auto update = [&](std::uint64_t) {
      if (form_ == ghost_form::group) {
        all.update_ghosts();
      } else {
        for (const array_ref& h : each) h.update_ghosts();
      }
    };
    measure(
        number, wrong, [u, v, w](auto i, auto j, auto k) { return cell_of_three{u(i, j, k), v(i, j, k), w(i, j, k)}; },
        update);
  }

  // All three have the same values: each is written where the first one is, and read in turn.
  struct cell_of_three {
    double &a, &b, &c;
    void operator=(double x) const { a = b = c = x; }
    friend bool operator==(const cell_of_three& cell, double x) { return cell.a == x && cell.b == x && cell.c == x; }
  };

  // rest(): what else is wrong, once the clock has stopped.
  template <class Cell, class Update, class Rest>
  void measure(std::uint64_t number, const wrong_ref& wrong, const Cell& cell, const Update& update,
               const Rest& rest) const {
    const tactus::team all = tactus::team::world();
    duration took;
    const std::uint64_t here = ghost_updates(
        setting_, setting_.block(tactus::here().id()), number, cell, update, [all] { all.barrier(); }, took);
    // Where places only compute, no ghosts come.
    *wrong = all.allreduce(form_ == ghost_form::compute ? 0 : here + rest(), tactus::op::sum);
    if (tactus::here().id() == 0) g_ghosts_took = took;
  }
  template <class Cell, class Update>
  void measure(std::uint64_t number, const wrong_ref& wrong, const Cell& cell, const Update& update) const {
    measure(number, wrong, cell, update, [] { return std::uint64_t{0}; });
  }

  void update(const array_ref& h, std::uint64_t exchange) const {
    switch (form_) {
      case ghost_form::put:
      case ghost_form::shift:
      case ghost_form::barrier:
      case ghost_form::shift_barrier:
      case ghost_form::group:
      case ghost_form::apart:
      case ghost_form::independent:
      case ghost_form::lockstep: h.update_ghosts(); break;
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
  ghost_form form_ = ghost_form::put;
  std::uint64_t steps_ = 0;  // of computing, between two updates
};

}  // namespace bench
