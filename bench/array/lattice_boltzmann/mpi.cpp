// SPDX-License-Identifier: Apache-2.0
// By hand: packed buffers, Isend and Irecv, of those populations only that go across the border; along x, and then along y with what has
// come along x. With more ranks than processors who waits tests and gives way, where a call of MPI would spin.
#include <mpi.h>

#include <array>
#include <vector>

#include "array/lattice_boltzmann/flow_block.hpp"
#include "array/lattice_boltzmann/ranks_done.hpp"
#include "support/mpi_ranks.hpp"
#include "support/mpi_waiting.hpp"

namespace {

using bench::flow_block;
using index = std::ptrdiff_t;

// One border of a rank's part: three populations go out there, and three come in.
class border {
public:
  border(const bench::flow_setting& s, int rank, index to_x, index to_y) : to_x_(to_x), to_y_(to_y) {
    const index px = rank / s.parts_y() + to_x;
    const index py = rank % s.parts_y() + to_y;
    if (px < 0 || px >= s.parts_x() || py < 0 || py >= s.parts_y()) return;
    other_ = static_cast<int>(px * s.parts_y() + py);
    std::size_t out = 0;
    std::size_t in = 0;
    for (std::size_t q = 0; q < lattice_boltzmann::k_populations; ++q) {
      const index along = to_x * lattice_boltzmann::k_cx[q] + to_y * lattice_boltzmann::k_cy[q];
      if (along > 0) out_[out++] = q;
      if (along < 0) in_[in++] = q;
    }
    const auto x = s.x_of(rank);
    const auto y = s.y_of(rank);
    const index cells = to_x != 0 ? y.hi - y.lo : x.hi - x.lo + 2;
    for (auto& b : buffers_) b.resize(static_cast<std::size_t>(3 * cells));
  }

  void begin(const flow_block& b, std::vector<MPI_Request>& requests) {
    if (other_ < 0) return;
    const auto count = static_cast<int>(buffers_[0].size());
    MPI_Request& in = requests.emplace_back();
    MPI_Irecv(buffers_[1].data(), count, MPI_DOUBLE, other_, 0, MPI_COMM_WORLD, &in);
    double* to = buffers_[0].data();
    each(b, out_, 0, [&to](double& f) { *to++ = f; });
    MPI_Request& out = requests.emplace_back();
    MPI_Isend(buffers_[0].data(), count, MPI_DOUBLE, other_, 0, MPI_COMM_WORLD, &out);
  }

  void end(const flow_block& b) {
    if (other_ < 0) return;
    const double* from = buffers_[1].data();
    each(b, in_, 1, [&from](double& f) { f = *from++; });
  }

private:
  // Of the cells at the border, or `beyond` it.
  template <class F>
  void each(const flow_block& b, const std::array<std::size_t, 3>& populations, index beyond, const F& f) const {
    for (const std::size_t q : populations) {
      if (to_x_ != 0) {
        const index i = to_x_ < 0 ? b.x.lo - beyond : b.x.hi - 1 + beyond;
        for (index j = b.y.lo; j < b.y.hi; ++j) f(*b.at(i, q, j));
      } else {
        const index j = to_y_ < 0 ? b.y.lo - beyond : b.y.hi - 1 + beyond;
        for (index i = b.x.lo - 1; i < b.x.hi + 1; ++i) f(*b.at(i, q, j));
      }
    }
  }

  index to_x_;
  index to_y_;
  int other_ = -1;  // none
  std::array<std::size_t, 3> out_{};
  std::array<std::size_t, 3> in_{};
  std::array<std::vector<double>, 2> buffers_;
};

class mpi_flow {
public:
  mpi_flow(const bench::options& o, bench::lattice_boltzmann_problem& p) : problem_(p), waiting_(o) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    for (const index to : {-1, 1}) {
      borders_[0].emplace_back(p.setting(), rank_, to, 0);
      borders_[1].emplace_back(p.setting(), rank_, 0, to);
    }
  }

  void pass() {
    memory_.forget();
    const bench::flow_setting& s = problem_.setting();
    flow_block whole;
    whole.x = s.x_of(rank_);
    whole.y = s.y_of(rank_);
    whole.step_q = whole.y.hi - whole.y.lo + 2;
    whole.step_x = whole.step_q * static_cast<index>(lattice_boltzmann::k_populations);
    std::array<std::vector<double>, 2> cells;
    std::array<flow_block, 2> blocks{whole, whole};
    for (std::size_t i = 0; i < 2; ++i) {
      const index lead = i == 0 ? 0 : k_apart;
      cells[i].resize(static_cast<std::size_t>((whole.x.hi - whole.x.lo + 2) * whole.step_x + lead));
      blocks[i].first = cells[i].data() + lead + whole.step_x + 1;
    }
    blocks[0].rest();
    const auto update = [this](const flow_block& b) { exchange(b); };
    bench::flow_steps(s, s.k_warm, blocks, update);
    waiting_.meet();
    const bench::stopwatch watch;
    const double seconds = bench::flow_steps(s, s.steps, blocks, update);
    waiting_.meet();
    const bench::duration took = watch.elapsed();
    bench::all_done(problem_, {blocks[0].digest(), seconds, memory_.peak()}, took);
  }

private:
  // So that one block does not begin at the same byte of a page as the other, as in the plain kernel.
  static constexpr index k_apart = 136;

  void exchange(const flow_block& b) {
    for (auto& along : borders_) {
      requests_.clear();
      for (border& each : along) each.begin(b, requests_);
      waiting_.all(requests_);
      for (border& each : along) each.end(b);
    }
  }

  bench::lattice_boltzmann_problem& problem_;
  const bench::mpi_waiting waiting_;
  bench::memory_watch memory_;
  int rank_ = 0;
  std::array<std::vector<border>, 2> borders_;  // along x, and along y
  std::vector<MPI_Request> requests_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::lattice_boltzmann_problem, mpi_flow>(argc, argv, "lattice_boltzmann",
                                                                             BENCH_COMPETITOR);
}
