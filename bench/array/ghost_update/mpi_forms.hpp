// SPDX-License-Identifier: Apache-2.0
// Ghosts by MPI as one writes them by hand. Forms:
//   pack                 Isend and Irecv of faces, edges and corners, copied to and from buffers
//   types                the same of datatypes that say where the cells lie
//   persistent_pack, persistent_types  the same by requests that are made once
//   neighbours           MPI_Neighbor_alltoallw of these datatypes
//   shift                pack, along one axis after the other
//   window               memory that the ranks share: each copies into its neighbours' ghosts and raises flags there
// With more ranks than processors who waits tests and gives way, where a call of MPI would spin.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include <mpi.h>

#include "array/ghost_update/ghost_update.hpp"
#include "support/mpi_waiting.hpp"

namespace bench {

/// The ranks' blocks, and what goes where.
class mpi_block {
public:
  using index = std::ptrdiff_t;

  struct neighbour {
    int rank = 0;
    int tag_out = 0;  // the direction in which it lies, and as that one sees it
    int tag_in = 0;
    ghost_setting::box out{};  // cells that go there
    ghost_setting::box in{};   // ghosts that come from there
  };

  mpi_block(const ghost_setting& s, const options& o) : setting_(s), waiting_(o) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    own_ = s.block(rank_);
  }

  [[nodiscard]] const ghost_setting& setting() const { return setting_; }
  [[nodiscard]] const ghost_setting::box& own() const { return own_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] index side() const { return setting_.size + 2; }
  [[nodiscard]] std::size_t room() const { return static_cast<std::size_t>(side() * side() * side()); }
  [[nodiscard]] const mpi_waiting& waiting() const { return waiting_; }

  /// Where a cell, or a ghost, lies in the block that begins `lo`.
  [[nodiscard]] std::size_t at(const ghost_setting::triple& lo, index i, index j, index k) const {
    return static_cast<std::size_t>(((i - lo[0] + 1) * side() + j - lo[1] + 1) * side() + k - lo[2] + 1);
  }
  [[nodiscard]] std::size_t at(index i, index j, index k) const { return at(own_.lo, i, j, k); }

  /// One in each direction that some axis is divided along, or periodic. Along axes before `axis` boxes have their ghosts, along those
  /// behind it they have not; axis 3: all directions at once.
  [[nodiscard]] std::vector<neighbour> neighbours(std::size_t axis = 3) const {
    std::vector<neighbour> all;
    for (index i = -1; i <= 1; ++i) {
      for (index j = -1; j <= 1; ++j) {
        for (index k = -1; k <= 1; ++k) {
          const ghost_setting::triple step{i, j, k};
          bool is_wanted = i != 0 || j != 0 || k != 0;
          for (std::size_t d = 0; axis < 3 && d < 3; ++d) is_wanted = is_wanted && (step[d] != 0) == (d == axis);
          if (is_wanted) add(all, step, axis);
        }
      }
    }
    return all;
  }

private:
  void add(std::vector<neighbour>& all, const ghost_setting::triple& step, std::size_t axis) const {
    neighbour n;
    const ghost_setting::box whole = setting_.with_ghosts(own_);
    ghost_setting::triple seat = setting_.seat(rank_);
    n.out = n.in = own_;
    for (std::size_t d = 0; d < 3; ++d) {
      if (axis < 3 && d < axis) {
        n.out.lo[d] = n.in.lo[d] = whole.lo[d];
        n.out.hi[d] = n.in.hi[d] = whole.hi[d];
      }
      if (step[d] == 0) continue;
      seat[d] += step[d];
      if ((seat[d] < 0 || seat[d] >= setting_.grid[d]) && !setting_.periodic) return;
      seat[d] = (seat[d] + setting_.grid[d]) % setting_.grid[d];
      n.out.lo[d] = step[d] < 0 ? own_.lo[d] : own_.hi[d] - 1;
      n.out.hi[d] = n.out.lo[d] + 1;
      n.in.lo[d] = step[d] < 0 ? own_.lo[d] - 1 : own_.hi[d];
      n.in.hi[d] = n.in.lo[d] + 1;
    }
    n.rank = setting_.at_seat(seat);
    n.tag_out = static_cast<int>(((step[0] + 1) * 3 + step[1] + 1) * 3 + step[2] + 1);
    n.tag_in = 26 - n.tag_out;
    all.push_back(n);
  }

  ghost_setting setting_;
  mpi_waiting waiting_;
  int rank_ = 0;
  ghost_setting::box own_{};
};

/// Cells in the order of a box, to or from a dense buffer.
template <bool In>
void copy_box(const mpi_block& b, const ghost_setting::box& c, double* cells, double* buffer) {
  const auto row = static_cast<std::size_t>(c.hi[2] - c.lo[2]);
  for (auto i = c.lo[0]; i < c.hi[0]; ++i) {
    if (row == 1) {
      double* cell = cells + b.at(i, c.lo[1], c.lo[2]);
      for (auto j = c.lo[1]; j < c.hi[1]; ++j, cell += b.side(), ++buffer) In ? * cell = *buffer : * buffer = *cell;
      continue;
    }
    for (auto j = c.lo[1]; j < c.hi[1]; ++j, buffer += row) {
      double* const cell = cells + b.at(i, j, c.lo[2]);
      std::memcpy(In ? cell : buffer, In ? buffer : cell, row * sizeof(double));
    }
  }
}

inline std::size_t cells_in(const ghost_setting::box& b) {
  return static_cast<std::size_t>((b.hi[0] - b.lo[0]) * (b.hi[1] - b.lo[1]) * (b.hi[2] - b.lo[2]));
}

/// One set of messages that go and come at once.
class ghost_messages {
public:
  ghost_messages(const mpi_block& b, double* cells, std::vector<mpi_block::neighbour> with, bool by_types,
                 bool persistent)
      : block_(b), cells_(cells), with_(std::move(with)), by_types_(by_types), persistent_(persistent) {
    for (const auto& n : with_) {
      for (const bool in : {true, false}) {
        ends_.push_back(end_of(n, in ? n.in : n.out));
        end& e = ends_.back();
        void* const memory = by_types_ ? static_cast<void*>(cells_) : e.buffer.data();
        const int count = by_types_ ? 1 : static_cast<int>(e.buffer.size());
        MPI_Request r = MPI_REQUEST_NULL;
        if (persistent_ && in) MPI_Recv_init(memory, count, e.type, n.rank, n.tag_in, MPI_COMM_WORLD, &r);
        if (persistent_ && !in) MPI_Send_init(memory, count, e.type, n.rank, n.tag_out, MPI_COMM_WORLD, &r);
        requests_.push_back(r);
      }
    }
  }
  ~ghost_messages() {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (persistent_) MPI_Request_free(&requests_[i]);
      if (by_types_) MPI_Type_free(&ends_[i].type);
    }
  }
  ghost_messages(ghost_messages&&) = delete;
  ghost_messages& operator=(ghost_messages&&) = delete;

  void exchange() {
    if (!persistent_) {
      for (std::size_t i = 0; i < with_.size(); ++i) begin(2 * i);
    }
    for (std::size_t i = 0; i < with_.size() && !by_types_; ++i) {
      copy_box<false>(block_, with_[i].out, cells_, ends_[2 * i + 1].buffer.data());
      if (!persistent_) begin(2 * i + 1);
    }
    for (std::size_t i = 0; i < with_.size() && by_types_ && !persistent_; ++i) begin(2 * i + 1);
    if (persistent_) MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    block_.waiting().all(requests_);
    for (std::size_t i = 0; i < with_.size() && !by_types_; ++i) {
      copy_box<true>(block_, with_[i].in, cells_, ends_[2 * i].buffer.data());
    }
  }

  /// By the two ends of each neighbour, what comes and what goes.
  [[nodiscard]] MPI_Datatype type(std::size_t neighbour, bool in) const {
    return ends_[2 * neighbour + (in ? 0 : 1)].type;
  }

private:
  struct end {
    MPI_Datatype type = MPI_DOUBLE;
    std::vector<double> buffer;
  };

  [[nodiscard]] end end_of(const mpi_block::neighbour&, const ghost_setting::box& b) const {
    end e;
    if (!by_types_) {
      e.buffer.resize(cells_in(b));
      return e;
    }
    const int side = static_cast<int>(block_.side());
    const int sizes[] = {side, side, side};
    int sub[3];
    int starts[3];
    for (std::size_t d = 0; d < 3; ++d) {
      sub[d] = static_cast<int>(b.hi[d] - b.lo[d]);
      starts[d] = static_cast<int>(b.lo[d] - block_.own().lo[d] + 1);
    }
    MPI_Type_create_subarray(3, sizes, sub, starts, MPI_ORDER_C, MPI_DOUBLE, &e.type);
    MPI_Type_commit(&e.type);
    return e;
  }

  void begin(std::size_t i) {
    const auto& n = with_[i / 2];
    end& e = ends_[i];
    void* const memory = by_types_ ? static_cast<void*>(cells_) : e.buffer.data();
    const int count = by_types_ ? 1 : static_cast<int>(e.buffer.size());
    if (i % 2 == 0) {
      MPI_Irecv(memory, count, e.type, n.rank, n.tag_in, MPI_COMM_WORLD, &requests_[i]);
    } else {
      MPI_Isend(memory, count, e.type, n.rank, n.tag_out, MPI_COMM_WORLD, &requests_[i]);
    }
  }

  const mpi_block& block_;
  double* const cells_;
  const std::vector<mpi_block::neighbour> with_;
  const bool by_types_;
  const bool persistent_;
  std::vector<end> ends_;  // of each neighbour, what comes and what goes
  std::vector<MPI_Request> requests_;
};

}  // namespace bench
