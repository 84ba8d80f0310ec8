// SPDX-License-Identifier: Apache-2.0
// PETSc's DMDA, with a stencil that is a box. Forms:
//   global   DMGlobalToLocal: the vector that solvers work on has no ghosts, and is copied into one that has
//   local    DMLocalToLocal: the ghosts of a vector that has some
// Axes are PETSc's the other way round: its first one is the fastest in memory.
#include <petscdmda.h>

#include "array/ghost_update/ghost_update.hpp"
#include "support/mpi_ranks.hpp"

namespace {

void check(PetscErrorCode error) {
  if (error != 0) throw std::runtime_error("PETSc ended a call with error " + std::to_string(error));
}

class petsc_ghost_update {
public:
  petsc_ghost_update(const bench::options&, bench::ghost_update_problem& p) : problem_(p) {
    if (p.form() != "global" && p.form() != "local") p.refuse_form("global or local");
    check(PetscInitializeNoArguments());
    const bench::ghost_setting& s = p.setting();
    const DMBoundaryType ends = s.periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
    const auto n = s.extent();
    const auto number = [](std::ptrdiff_t i) { return static_cast<PetscInt>(i); };
    check(DMDACreate3d(PETSC_COMM_WORLD, ends, ends, ends, DMDA_STENCIL_BOX, number(n[2]), number(n[1]), number(n[0]),
                       number(s.grid[2]), number(s.grid[1]), number(s.grid[0]), 1, 1, nullptr, nullptr, nullptr,
                       &grid_));
    check(DMSetUp(grid_));
    check(DMCreateGlobalVector(grid_, &global_));
    check(DMCreateLocalVector(grid_, &local_));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  ~petsc_ghost_update() {
    leave();
    check(VecDestroy(&local_));
    check(VecDestroy(&global_));
    check(DMDestroy(&grid_));
    check(PetscFinalize());
  }
  petsc_ghost_update(const petsc_ghost_update&) = delete;
  petsc_ghost_update& operator=(const petsc_ghost_update&) = delete;

  void pass() {
    const bench::ghost_setting& s = problem_.setting();
    const bench::ghost_setting::box own = s.block(rank_);
    bench::duration took;
    const auto meet = [this] {
      leave();
      MPI_Barrier(MPI_COMM_WORLD);
    };
    std::uint64_t here =
        problem_.form() == "global"
            ? bench::ghost_updates(
                  s, own, problem_.next_pass(),
                  [this, &own](auto i, auto j, auto k) -> double& {
                    const bool is_own = i >= own.lo[0] && i < own.hi[0] && j >= own.lo[1] && j < own.hi[1] &&
                                        k >= own.lo[2] && k < own.hi[2];
                    return is_own ? entered(resident_, global_)[i][j][k] : entered(all_, local_)[i][j][k];
                  },
                  [this](std::uint64_t) {
                    leave();
                    check(DMGlobalToLocal(grid_, global_, INSERT_VALUES, local_));
                  },
                  meet, took)
            : bench::ghost_updates(
                  s, own, problem_.next_pass(),
                  [this](auto i, auto j, auto k) -> double& { return entered(all_, local_)[i][j][k]; },
                  [this](std::uint64_t) {
                    leave();
                    check(DMLocalToLocalBegin(grid_, local_, INSERT_VALUES, local_));
                    check(DMLocalToLocalEnd(grid_, local_, INSERT_VALUES, local_));
                  },
                  meet, took);
    std::uint64_t wrong = 0;
    MPI_Allreduce(&here, &wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    problem_.done(wrong, took);
  }

private:
  // PETSc has the cells during an update, and a program only after it has asked for them. That makes tables of pointers to rows, for which
  // the clock does not wait: between two updates that are timed nobody asks.
  double*** entered(double***& cells, Vec of) {
    if (cells == nullptr) check(DMDAVecGetArray(grid_, of, &cells));
    return cells;
  }
  void leave() {
    if (all_ != nullptr) check(DMDAVecRestoreArray(grid_, local_, &all_));
    if (resident_ != nullptr) check(DMDAVecRestoreArray(grid_, global_, &resident_));
    all_ = resident_ = nullptr;
  }

  bench::ghost_update_problem& problem_;
  DM grid_ = nullptr;
  Vec global_ = nullptr;
  Vec local_ = nullptr;
  double*** all_ = nullptr;  // with ghosts; null while PETSc has them
  double*** resident_ = nullptr;
  int rank_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::ghost_update_problem, petsc_ghost_update>(argc, argv, "ghost_update", "petsc");
}
