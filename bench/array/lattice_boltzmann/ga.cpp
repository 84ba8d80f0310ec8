// SPDX-License-Identifier: Apache-2.0
// Global Arrays; the ghosts by GA_Update_ghosts, whose axes are periodic: what it brings from the other end nobody reads. Forms:
//   rows     two arrays, the populations before a step and after it, in rows as the plain kernel has them
//   sample   one array, of cells of 27 numbers (ga_sample.hpp)
#include <ga.h>
#include <macdecls.h>

#include <vector>

#include "array/lattice_boltzmann/flow_block.hpp"
#include "array/lattice_boltzmann/ga_sample.hpp"
#include "array/lattice_boltzmann/ranks_done.hpp"
#include "support/mpi_ranks.hpp"

namespace {

using bench::flow_setting;
using index = std::ptrdiff_t;

// One array, while it exists. Axis `whole` is not divided, and has so many numbers and no ghosts; the others are x and y.
class ga_cells {
public:
  ga_cells(const flow_setting& s, std::size_t whole, int numbers) {
    const std::array<index, 2> counts{s.parts_x(), s.parts_y()};
    std::array<int, 3> dims{};
    std::array<int, 3> width{};
    std::array<int, 3> parts{};
    std::vector<int> begins;
    for (std::size_t d = 0, axis = 0; d < 3; ++d) {
      const index count = d == whole ? 1 : counts[axis++];
      dims[d] = d == whole ? numbers : static_cast<int>(s.size);
      width[d] = d == whole ? 0 : 1;
      parts[d] = static_cast<int>(count);
      for (index i = 0; i < count; ++i) begins.push_back(static_cast<int>(s.part(i, count).lo));
    }
    char name[] = "cells";
    number_ = NGA_Create_ghosts_irreg(C_DBL, 3, dims.data(), width.data(), name, parts.data(), begins.data());
    if (number_ == 0) throw std::runtime_error("GA could not make an array");
    std::array<int, 3> lo{};
    std::array<int, 3> hi{};
    NGA_Distribution(number_, GA_Nodeid(), lo.data(), hi.data());
    const std::size_t last = whole == 2 ? 1 : 2;
    x = {lo[0], hi[0] + 1};
    y = {lo[last], hi[last] + 1};
    std::array<int, 3> with_ghosts{};
    std::array<int, 2> rows{};
    NGA_Access_ghosts(number_, with_ghosts.data(), &first, rows.data());
    step_middle = rows[1];
    step_x = index{rows[0]} * rows[1];
    first += step_x + (whole == 2 ? step_middle : 1);
  }
  ~ga_cells() {
    NGA_Release_update_ghosts(number_);
    GA_Destroy(number_);
  }
  ga_cells(const ga_cells&) = delete;
  ga_cells& operator=(const ga_cells&) = delete;

  void update() const { GA_Update_ghosts(number_); }

  double* first = nullptr;  // of the rank's own numbers
  index step_x = 0;
  index step_middle = 0;
  flow_setting::range x, y;

private:
  int number_ = 0;
};

// Two arrays.
class by_rows {
public:
  static constexpr bench::flow_match k_match = bench::flow_match::bits;

  explicit by_rows(const flow_setting& s)
      : setting_(s), arrays_{ga_cells(s, 1, k_rows), ga_cells(s, 1, k_rows)}, blocks_{of(arrays_[0]), of(arrays_[1])} {
    blocks_[0].rest();
  }

  double steps(std::uint64_t n) {
    return bench::flow_steps(setting_, n, blocks_, [this](const bench::flow_block& b) {
      arrays_[b.first == arrays_[0].first ? 0 : 1].update();
    });
  }
  [[nodiscard]] bench::flow_digest digest() const { return blocks_[0].digest(); }

private:
  static constexpr int k_rows = lattice_boltzmann::k_populations;

  static bench::flow_block of(const ga_cells& a) { return {a.first, a.step_x, a.step_middle, a.x, a.y}; }

  const flow_setting setting_;
  const std::array<ga_cells, 2> arrays_;
  std::array<bench::flow_block, 2> blocks_;
};

// One.
class as_sample {
public:
  static constexpr bench::flow_match k_match = bench::flow_match::rounded;

  explicit as_sample(const flow_setting& s)
      : setting_(s),
        array_(s, 2, bench::sample_cells::k_numbers),
        cells_{array_.first, array_.step_x, array_.x, array_.y} {
    cells_.rest();
  }

  double steps(std::uint64_t n) {
    double seconds = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      cells_.keep();
      const bench::stopwatch watch;
      array_.update();
      seconds += watch.elapsed().seconds;
      cells_.collide(setting_.size, setting_.lid(), setting_.how().even);
    }
    return seconds;
  }
  [[nodiscard]] bench::flow_digest digest() const { return cells_.digest(); }

private:
  const flow_setting setting_;
  const ga_cells array_;
  const bench::sample_cells cells_;
};

class ga_flow {
public:
  ga_flow(const bench::options& o, bench::lattice_boltzmann_problem& p) : problem_(p), is_sample_(o.form == "sample") {
    GA_Initialize();
    MA_init(C_DBL, k_buffers, k_buffers);
  }
  ~ga_flow() { GA_Terminate(); }
  ga_flow(const ga_flow&) = delete;
  ga_flow& operator=(const ga_flow&) = delete;

  void pass() { is_sample_ ? pass_of<as_sample>() : pass_of<by_rows>(); }

private:
  static constexpr Integer k_buffers = 200'000;  // doubles on each of its two stores, which messages are copied to

  template <class Flow>
  void pass_of() {
    memory_.forget();
    const flow_setting& s = problem_.setting();
    Flow flow(s);
    flow.steps(s.k_warm);
    GA_Sync();
    const bench::stopwatch watch;
    const double seconds = flow.steps(s.steps);
    GA_Sync();
    const bench::duration took = watch.elapsed();
    bench::all_done(problem_, {flow.digest(), seconds, memory_.peak()}, took, Flow::k_match);
  }

  bench::lattice_boltzmann_problem& problem_;
  bench::memory_watch memory_;
  const bool is_sample_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::lattice_boltzmann_problem, ga_flow>(argc, argv, "lattice_boltzmann", "ga");
}
