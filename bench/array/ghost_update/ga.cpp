// SPDX-License-Identifier: Apache-2.0
// Global Arrays' GA_Update_ghosts. Its ghosts are always periodic.
#include <ga.h>
#include <macdecls.h>

#include "array/ghost_update/ghost_update.hpp"
#include "support/mpi_ranks.hpp"

namespace {

class ga_ghost_update {
public:
  ga_ghost_update(const bench::options& o, bench::ghost_update_problem& p) : problem_(p) {
    if (!o.periodic) throw std::invalid_argument("ghost_update: ga has periodic ghosts only; say --periodic");
    GA_Initialize();
    MA_init(C_DBL, k_buffers, k_buffers);
    const bench::ghost_setting& s = p.setting();
    const auto n = s.extent();
    int dims[3];
    int width[] = {1, 1, 1};
    int parts[3];
    std::vector<int> begins;
    for (std::size_t d = 0; d < 3; ++d) {
      dims[d] = static_cast<int>(n[d]);
      parts[d] = static_cast<int>(s.grid[d]);
      for (std::ptrdiff_t i = 0; i < s.grid[d]; ++i) begins.push_back(static_cast<int>(i * s.size));
    }
    std::string name = "u";
    array_ = NGA_Create_ghosts_irreg(C_DBL, 3, dims, width, name.data(), parts, begins.data());
    if (array_ == 0) throw std::runtime_error("GA could not make the array");
    int lo[3];
    int hi[3];
    NGA_Distribution(array_, GA_Nodeid(), lo, hi);
    for (std::size_t d = 0; d < 3; ++d) {
      own_.lo[d] = lo[d];
      own_.hi[d] = hi[d] + 1;
    }
  }
  ~ga_ghost_update() {
    GA_Destroy(array_);
    GA_Terminate();
  }
  ga_ghost_update(const ga_ghost_update&) = delete;
  ga_ghost_update& operator=(const ga_ghost_update&) = delete;

  void pass() {
    int dims[3];
    int steps[2];
    double* cells = nullptr;
    NGA_Access_ghosts(array_, dims, &cells, steps);
    bench::duration took;
    std::uint64_t here = bench::ghost_updates(
        problem_.setting(), own_, problem_.next_pass(),
        [&](auto i, auto j, auto k) -> double& {
          return cells[((i - own_.lo[0] + 1) * steps[0] + j - own_.lo[1] + 1) * steps[1] + k - own_.lo[2] + 1];
        },
        [this](std::uint64_t) { GA_Update_ghosts(array_); }, [] { MPI_Barrier(MPI_COMM_WORLD); }, took);
    NGA_Release_update_ghosts(array_);
    std::uint64_t wrong = 0;
    MPI_Allreduce(&here, &wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    problem_.done(wrong, took);
  }

private:
  static constexpr Integer k_buffers = 4'000'000;  // doubles on each of its two stores; what is sent is copied there

  bench::ghost_update_problem& problem_;
  int array_ = 0;
  bench::ghost_setting::box own_{};
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::ghost_update_problem, ga_ghost_update>(argc, argv, "ghost_update", "ga");
}
