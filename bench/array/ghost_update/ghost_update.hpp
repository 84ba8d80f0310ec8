// SPDX-License-Identifier: Apache-2.0
// Problem ghost_update: places have a block of `--size` cells along each of three axes, doubles, and a layer of copies of their
// neighbours' cells around it, which is brought up to date `--phases` times. The unit is one update of all places. Grids of places are
// given as 4x2x1, the first axis slowest in memory; how the ghosts are updated is each competitor's `--form`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace bench {

/// What all places know. Goes from process to process as its bytes.
struct ghost_setting {
  using index = std::ptrdiff_t;
  using triple = std::array<index, 3>;
  struct box {
    triple lo, hi;
  };

  triple grid{2, 1, 1};
  index size = 100;  // of a block, along each axis
  bool periodic = false;
  std::uint64_t updates = 0;

  [[nodiscard]] int places() const { return static_cast<int>(grid[0] * grid[1] * grid[2]); }
  [[nodiscard]] triple extent() const { return {grid[0] * size, grid[1] * size, grid[2] * size}; }

  /// Where a place is in the grid, and which one is there.
  [[nodiscard]] triple seat(int place) const {
    const index p = place;
    return {p / (grid[1] * grid[2]), p / grid[2] % grid[1], p % grid[2]};
  }
  [[nodiscard]] int at_seat(const triple& s) const {
    return static_cast<int>((s[0] * grid[1] + s[1]) * grid[2] + s[2]);
  }

  [[nodiscard]] box block(int place) const {
    box b{};
    const triple s = seat(place);
    for (std::size_t d = 0; d < 3; ++d) {
      b.lo[d] = s[d] * size;
      b.hi[d] = b.lo[d] + size;
    }
    return b;
  }

  /// With its ghosts: without those beyond the ends of an axis, unless these are neighbours.
  [[nodiscard]] box with_ghosts(const box& block) const {
    box b = block;
    for (std::size_t d = 0; d < 3; ++d) {
      if (periodic || b.lo[d] != 0) --b.lo[d];
      if (periodic || b.hi[d] != grid[d] * size) ++b.hi[d];
    }
    return b;
  }

  /// Without the layer of cells that others have ghosts of.
  [[nodiscard]] static box inside(box b) {
    for (std::size_t d = 0; d < 3; ++d) {
      ++b.lo[d];
      --b.hi[d];
    }
    return b;
  }

  /// That of a cell in one exchange; those of ghosts beyond the ends are of the cells at the other end.
  [[nodiscard]] double value(index i, index j, index k, std::uint64_t exchange) const {
    const triple n = extent();
    const index c = ((i + n[0]) % n[0] * n[1] + (j + n[1]) % n[1]) * n[2] + (k + n[2]) % n[2];
    return static_cast<double>(c) + static_cast<double>(exchange) * 0x1p30;
  }
};

/// f(i, j, k) for each cell of a box that is not in a smaller one in it.
template <class F>
void each_around(ghost_setting::box outer, const ghost_setting::box& inner, F&& f) {
  const auto each = [&f](const ghost_setting::box& b) {
    for (auto i = b.lo[0]; i < b.hi[0]; ++i) {
      for (auto j = b.lo[1]; j < b.hi[1]; ++j) {
        for (auto k = b.lo[2]; k < b.hi[2]; ++k) f(i, j, k);
      }
    }
  };
  for (std::size_t d = 0; d < 3; ++d) {
    ghost_setting::box below = outer;
    ghost_setting::box above = outer;
    below.hi[d] = outer.lo[d] = inner.lo[d];
    above.lo[d] = outer.hi[d] = inner.hi[d];
    each(below);
    each(above);
  }
}

/// What one place does in a pass. cell(i, j, k) is the place's own of a cell of the whole grid, u(update) does one, and meet() returns when
/// all places have called it. Returns how many ghosts were not what they had to be. Before the clock there are some updates which make
/// memory and caches warm, and after it is one more, of other values, so that an exchange that brings old ones is seen.
template <class Cell, class Update, class Meet>
std::uint64_t ghost_updates(const ghost_setting& s, const ghost_setting::box& block, std::uint64_t pass, Cell&& cell,
                            Update&& update, Meet&& meet, duration& took) {
  constexpr int k_warm = 3;
  const ghost_setting::box all = s.with_ghosts(block);
  const ghost_setting::box inside = s.inside(block);
  const auto give = [&](std::uint64_t exchange) {
    each_around(block, inside, [&](auto i, auto j, auto k) { cell(i, j, k) = s.value(i, j, k, exchange); });
  };
  const auto wrong = [&](std::uint64_t exchange) {
    std::uint64_t n = 0;
    each_around(all, block, [&](auto i, auto j, auto k) {
      if (!(cell(i, j, k) == s.value(i, j, k, exchange))) ++n;
    });
    return n;
  };
  give(2 * pass);
  for (int i = 0; i < k_warm; ++i) update(0);
  each_around(all, block, [&](auto i, auto j, auto k) { cell(i, j, k) = -1; });
  meet();
  const stopwatch watch;
  for (std::uint64_t u = 0; u < s.updates; ++u) update(u);
  meet();
  took = watch.elapsed();
  std::uint64_t found = wrong(2 * pass);
  give(2 * pass + 1);
  update(0);
  found += wrong(2 * pass + 1);
  meet();
  return found;
}

class ghost_update_problem {
public:
  explicit ghost_update_problem(const options& o) : form_(o.form) {
    setting_.grid = parse_grid(o.grid);
    setting_.size = o.size != 0 ? static_cast<std::ptrdiff_t>(o.size) : 100;
    setting_.periodic = o.periodic;
    setting_.updates = o.phases != 0 ? o.phases : 100;
    if (setting_.places() != o.threads) {
      throw std::invalid_argument("ghost_update: a grid of " + o.grid + " is of " + std::to_string(setting_.places()) +
                                  " places, and --threads says " + std::to_string(o.threads));
    }
    if (setting_.size < 3 || setting_.size * setting_.places() > 10'000) {
      throw std::invalid_argument("ghost_update: --size is from 3 to 10,000 cells over all places");
    }
  }

  [[nodiscard]] const ghost_setting& setting() const { return setting_; }
  [[nodiscard]] const std::string& form() const { return form_; }
  [[nodiscard]] std::uint64_t next_pass() { return ++passes_; }

  /// What came of a pass, over all places.
  void done(std::uint64_t wrong_ghosts, const duration& took) {
    wrong_ = wrong_ghosts;
    took_ = took;
    is_done_ = true;
  }

  void reset() { is_done_ = false; }
  [[nodiscard]] duration timed_part() const { return took_; }
  void verify() const {
    if (!is_done_ || wrong_ != 0) {
      throw wrong_answer(std::to_string(wrong_) + " ghosts have other values than their owners gave them");
    }
  }
  [[nodiscard]] std::uint64_t operations() const { return setting_.updates; }
  void report(nlohmann::json& line) const {
    line["form"] = form_;
    line["grid"] = setting_.grid;
    line["size"] = setting_.size;
  }

  [[noreturn]] void refuse_form(const char* known) const {
    throw std::invalid_argument(std::string("ghost_update: --form is ") + known + ", not '" + form_ + "'");
  }

private:
  static ghost_setting::triple parse_grid(const std::string& text) {
    ghost_setting::triple grid{};
    std::size_t at = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      std::size_t used = 0;
      try {
        grid[d] = std::stol(text.substr(at), &used);
      } catch (const std::logic_error&) {
        used = 0;
      }
      at += used;
      if (used == 0 || grid[d] < 1 || grid[d] > 1024 || (d < 2 ? text.substr(at, 1) != "x" : at != text.size())) {
        throw std::invalid_argument("ghost_update: --grid is of three numbers, as 4x2x1; not '" + text + "'");
      }
      ++at;
    }
    return grid;
  }

  ghost_setting setting_;
  std::string form_;
  std::uint64_t passes_ = 0;
  std::uint64_t wrong_ = 0;
  duration took_;
  bool is_done_ = false;
};

/// A block with its ghosts, dense, with room for ghosts on all sides: what rivals keep their cells in.
class ghosted_block {
public:
  ghosted_block(const ghost_setting& s, int place)
      : own_(s.block(place)), side_(s.size + 2), cells_(static_cast<std::size_t>(side_ * side_ * side_)) {}

  [[nodiscard]] const ghost_setting::box& own() const { return own_; }
  [[nodiscard]] double& operator()(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
    return cells_[static_cast<std::size_t>(((i - own_.lo[0] + 1) * side_ + (j - own_.lo[1] + 1)) * side_ +
                                           (k - own_.lo[2] + 1))];
  }
  [[nodiscard]] double* data() { return cells_.data(); }
  [[nodiscard]] std::ptrdiff_t side() const { return side_; }

private:
  ghost_setting::box own_;
  std::ptrdiff_t side_;
  std::vector<double> cells_;
};

}  // namespace bench
