// SPDX-License-Identifier: Apache-2.0
// Two substances that react and diffuse, with a DMDA of PETSc. What it becomes: gray_scott_tactus.cpp.
#include <petscdmda.h>

#include <cstdio>

constexpr PetscInt k_n = 40;
constexpr int k_steps = 200;

struct field {
  PetscScalar u, v;
};

void set_up(DM da, Vec global) {
  PetscInt left, low, columns, rows;
  DMDAGetCorners(da, &left, &low, nullptr, &columns, &rows, nullptr);
  field** x;
  DMDAVecGetArray(da, global, &x);
  for (PetscInt i = low; i < low + rows; ++i) {
    for (PetscInt j = left; j < left + columns; ++j) {
      const bool is_inside = i >= 15 && i < 25 && j >= 17 && j < 23;
      x[i][j] = is_inside ? field{0.5, 0.25} : field{1, 0};
    }
  }
  DMDAVecRestoreArray(da, global, &x);
}

void step(DM da, Vec local, Vec global) {
  PetscInt left, low, columns, rows;
  DMDAGetCorners(da, &left, &low, nullptr, &columns, &rows, nullptr);
  DMGlobalToLocalBegin(da, global, INSERT_VALUES, local);
  DMGlobalToLocalEnd(da, global, INSERT_VALUES, local);
  field** x;
  field** y;
  DMDAVecGetArrayRead(da, local, &x);
  DMDAVecGetArray(da, global, &y);
  for (PetscInt i = low; i < low + rows; ++i) {
    for (PetscInt j = left; j < left + columns; ++j) {
      const field c = x[i][j];
      const PetscScalar du = x[i - 1][j].u + x[i + 1][j].u + x[i][j - 1].u + x[i][j + 1].u - 4 * c.u;
      const PetscScalar dv = x[i - 1][j].v + x[i + 1][j].v + x[i][j - 1].v + x[i][j + 1].v - 4 * c.v;
      const PetscScalar reacting = c.u * c.v * c.v;
      y[i][j] = {c.u + 0.16 * du - reacting + 0.035 * (1 - c.u), c.v + 0.08 * dv + reacting - 0.1 * c.v};
    }
  }
  DMDAVecRestoreArray(da, global, &y);
  DMDAVecRestoreArrayRead(da, local, &x);
}

int main(int argc, char** argv) {
  PetscInitialize(&argc, &argv, nullptr, nullptr);
  DM da;
  DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC, DMDA_STENCIL_STAR, k_n, k_n, PETSC_DECIDE,
               PETSC_DECIDE, 2, 1, nullptr, nullptr, &da);
  DMSetUp(da);
  Vec global;
  Vec local;
  DMCreateGlobalVector(da, &global);
  DMCreateLocalVector(da, &local);

  set_up(da, global);
  for (int n = 0; n < k_steps; ++n) step(da, local, global);

  PetscReal u;
  PetscReal v;
  VecStrideNorm(global, 0, NORM_1, &u);
  VecStrideNorm(global, 1, NORM_1, &v);
  PetscPrintf(PETSC_COMM_WORLD, "u %.4f, v %.4f\n", static_cast<double>(u), static_cast<double>(v));

  VecDestroy(&local);
  VecDestroy(&global);
  DMDestroy(&da);
  PetscFinalize();
}

// Prints: u 1518.6950, v 29.6597
