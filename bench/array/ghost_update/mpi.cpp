// SPDX-License-Identifier: Apache-2.0
// The forms of mpi_forms.hpp, over the MPI that the build names.
#include <memory>

#include <sched.h>

#include "array/ghost_update/mpi_forms.hpp"
#include "support/mpi_ranks.hpp"

namespace {

using bench::ghost_setting;
using bench::mpi_block;

class updates {
public:
  virtual ~updates() = default;
  virtual double* cells() = 0;
  virtual void update() = 0;
};

/// pack, types, both by persistent requests, and shift.
class by_messages final : public updates {
public:
  by_messages(const mpi_block& b, bool types, bool persistent, bool shift) : cells_(b.room()) {
    for (std::size_t axis = shift ? 0 : 3; axis < (shift ? 3 : 4); ++axis) {
      stages_.push_back(
          std::make_unique<bench::ghost_messages>(b, cells_.data(), b.neighbours(axis), types, persistent));
    }
  }
  double* cells() override { return cells_.data(); }
  void update() override {
    for (const auto& stage : stages_) stage->exchange();
  }

private:
  std::vector<double> cells_;
  std::vector<std::unique_ptr<bench::ghost_messages>> stages_;
};

/// MPI_Neighbor_alltoallw. The same neighbour may be there in several directions; then what comes from it is in the order in which it
/// sends: by direction, and so are mine from it only where directions are taken in opposite order.
class by_neighbours final : public updates {
public:
  explicit by_neighbours(const mpi_block& b)
      : waiting_(b.waiting()), cells_(b.room()), with_(b.neighbours()), types_(b, cells_.data(), with_, true, false) {
    std::vector<int> from;
    std::vector<int> to;
    for (std::size_t i = 0; i < with_.size(); ++i) {
      to.push_back(with_[i].rank);
      type_out_.push_back(types_.type(i, false));
      const std::size_t opposite = with_.size() - 1 - i;
      from.push_back(with_[opposite].rank);
      type_in_.push_back(types_.type(opposite, true));
    }
    ones_.assign(with_.size(), 1);
    zeros_.assign(with_.size(), 0);
    const int n = static_cast<int>(with_.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, from.data(), MPI_UNWEIGHTED, n, to.data(), MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph_);
  }
  ~by_neighbours() override { MPI_Comm_free(&graph_); }

  double* cells() override { return cells_.data(); }
  void update() override {
    if (!waiting_.gives_way()) {
      MPI_Neighbor_alltoallw(cells_.data(), ones_.data(), zeros_.data(), type_out_.data(), cells_.data(), ones_.data(),
                             zeros_.data(), type_in_.data(), graph_);
      return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ineighbor_alltoallw(cells_.data(), ones_.data(), zeros_.data(), type_out_.data(), cells_.data(), ones_.data(),
                            zeros_.data(), type_in_.data(), graph_, &request);
    waiting_.one(request);
  }

private:
  const bench::mpi_waiting waiting_;
  std::vector<double> cells_;
  std::vector<mpi_block::neighbour> with_;
  bench::ghost_messages types_;
  std::vector<MPI_Datatype> type_out_;
  std::vector<MPI_Datatype> type_in_;
  std::vector<int> ones_;
  std::vector<MPI_Aint> zeros_;
  MPI_Comm graph_ = MPI_COMM_NULL;
};

/// Memory that the ranks of one machine share.
class by_window final : public updates {
public:
  explicit by_window(const mpi_block& b) : block_(b), with_(b.neighbours()) {
    void* mine = nullptr;
    const auto bytes = static_cast<MPI_Aint>(k_signs * sizeof(sign) + b.room() * sizeof(double));
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window_);
    for (int r = 0; r < b.setting().places(); ++r) {
      MPI_Aint size = 0;
      int unit = 0;
      void* memory = nullptr;
      MPI_Win_shared_query(window_, r, &size, &unit, &memory);
      parts_.push_back(static_cast<sign*>(memory));
    }
    std::memset(mine, 0, static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < k_signs; ++i) new (parts_[static_cast<std::size_t>(b.rank())] + i) sign;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~by_window() override {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window_);
  }

  double* cells() override { return cells_of(block_.rank()); }

  // As threads.cpp has it.
  void update() override {
    sign* const own = parts_[static_cast<std::size_t>(block_.rank())];
    const std::uint64_t e = own[k_begun].number.load(std::memory_order_relaxed) + 1;
    own[k_begun].number.store(e, std::memory_order_release);
    for (const auto& n : with_) {
      sign* const there = parts_[static_cast<std::size_t>(n.rank)];
      wait_for(there[k_begun], e);
      put(n);
      there[n.tag_in].number.store(e, std::memory_order_release);
    }
    for (const auto& n : with_) wait_for(own[n.tag_out], e);
  }

private:
  // One for each direction, by where what comes lies, and, in the middle where no direction is, how many updates the rank has begun.
  struct alignas(64) sign {
    std::atomic<std::uint64_t> number{0};
  };
  static constexpr std::size_t k_signs = 27;
  static constexpr std::size_t k_begun = 13;

  [[nodiscard]] double* cells_of(int rank) const {
    return reinterpret_cast<double*>(parts_[static_cast<std::size_t>(rank)] + k_signs);
  }

  void wait_for(const sign& s, std::uint64_t e) const {
    while (s.number.load(std::memory_order_acquire) < e) {
      if (block_.waiting().gives_way()) ::sched_yield();
    }
  }

  void put(const mpi_block::neighbour& n) const {
    const ghost_setting::box& c = n.out;
    const double* const from = cells_of(block_.rank());
    double* const to = cells_of(n.rank);
    // Where my cell is a ghost: beyond the other side of that block.
    const ghost_setting::triple lo = block_.own().lo;
    const std::ptrdiff_t size = block_.setting().size;
    ghost_setting::triple shift{};
    int left = n.tag_out;
    for (std::size_t d = 3; d-- > 0; left /= 3) shift[d] = (left % 3 - 1) * size;
    const ghost_setting::triple there{lo[0] + shift[0], lo[1] + shift[1], lo[2] + shift[2]};
    const auto row = static_cast<std::size_t>(c.hi[2] - c.lo[2]);
    for (auto i = c.lo[0]; i < c.hi[0]; ++i) {
      if (row == 1) {
        const double* f = from + block_.at(i, c.lo[1], c.lo[2]);
        double* t = to + block_.at(there, i, c.lo[1], c.lo[2]);
        for (auto j = c.lo[1]; j < c.hi[1]; ++j, f += block_.side(), t += block_.side()) *t = *f;
        continue;
      }
      for (auto j = c.lo[1]; j < c.hi[1]; ++j) {
        std::memcpy(to + block_.at(there, i, j, c.lo[2]), from + block_.at(i, j, c.lo[2]), row * sizeof(double));
      }
    }
  }

  const mpi_block& block_;
  const std::vector<mpi_block::neighbour> with_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<sign*> parts_;  // of the ranks: their signs, and behind these their cells
};

class mpi_ghost_update {
public:
  mpi_ghost_update(const bench::options& o, bench::ghost_update_problem& p) : problem_(p), block_(p.setting(), o) {
    const std::string& form = p.form();
    if (form == "neighbours") {
      updates_ = std::make_unique<by_neighbours>(block_);
    } else if (form == "window") {
      updates_ = std::make_unique<by_window>(block_);
    } else if (form == "pack" || form == "types" || form == "shift" || form == "persistent_pack" ||
               form == "persistent_types") {
      updates_ = std::make_unique<by_messages>(block_, form.ends_with("types"), form.starts_with("persistent"),
                                               form == "shift");
    } else {
      p.refuse_form("pack, types, persistent_pack, persistent_types, neighbours, shift or window");
    }
  }

  void pass() {
    double* const cells = updates_->cells();
    bench::duration took;
    std::uint64_t here = bench::ghost_updates(
        problem_.setting(), block_.own(), problem_.next_pass(),
        [this, cells](auto i, auto j, auto k) -> double& { return cells[block_.at(i, j, k)]; },
        [this](std::uint64_t) { updates_->update(); }, [this] { block_.waiting().meet(); }, took);
    std::uint64_t wrong = 0;
    MPI_Allreduce(&here, &wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    problem_.done(wrong, took);
  }

private:
  bench::ghost_update_problem& problem_;
  mpi_block block_;
  std::unique_ptr<updates> updates_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::ghost_update_problem, mpi_ghost_update>(argc, argv, "ghost_update",
                                                                                BENCH_COMPETITOR);
}
