// SPDX-License-Identifier: Apache-2.0
// The product of two matrices, tile by tile, with Global Arrays. What it becomes: product_tactus.cpp.
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>

constexpr int k_n = 60;
constexpr int k_tile = 20;
constexpr int k_tiles = k_n / k_tile;

using tile = std::array<double, std::size_t{k_tile} * k_tile>;

double& at(tile& t, int i, int j) { return t[static_cast<std::size_t>(i * k_tile + j)]; }

// The corners of a tile, which belong to it.
struct corners {
  corners(int i, int j) : lo{i * k_tile, j * k_tile}, hi{i * k_tile + k_tile - 1, j * k_tile + k_tile - 1} {}
  std::array<int, 2> lo, hi;
};

// Each process sets what it has.
template <class F>
void set(int array, F value) {
  std::array<int, 2> lo{};
  std::array<int, 2> hi{};
  NGA_Distribution(array, GA_Nodeid(), lo.data(), hi.data());
  if (lo[0] < 0 || hi[0] < lo[0]) return;
  double* cells = nullptr;
  int row = 0;
  NGA_Access(array, lo.data(), hi.data(), &cells, &row);
  for (int i = lo[0]; i <= hi[0]; ++i) {
    for (int j = lo[1]; j <= hi[1]; ++j) cells[(i - lo[0]) * row + (j - lo[1])] = value(i, j);
  }
  NGA_Release_update(array, lo.data(), hi.data());
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 1 << 16, 1 << 16);
  char a_name[] = "a";
  char b_name[] = "b";
  char c_name[] = "c";
  char counter_name[] = "counter";
  std::array<int, 2> extents{k_n, k_n};
  const int a = NGA_Create(C_DBL, 2, extents.data(), a_name, nullptr);
  const int b = NGA_Create(C_DBL, 2, extents.data(), b_name, nullptr);
  const int c = NGA_Create(C_DBL, 2, extents.data(), c_name, nullptr);
  int one = 1;
  const int counter = NGA_Create(C_LONG, 1, &one, counter_name, nullptr);
  set(a, [](int i, int j) { return i + j; });
  set(b, [](int i, int j) { return i == j ? 2.0 : 0.0; });
  GA_Zero(c);
  GA_Zero(counter);
  GA_Sync();

  int row = k_tile;
  int first = 0;
  for (long t = NGA_Read_inc(counter, &first, 1); t < k_tiles * k_tiles * k_tiles;
       t = NGA_Read_inc(counter, &first, 1)) {
    const int i = static_cast<int>(t) / (k_tiles * k_tiles);
    const int j = static_cast<int>(t) / k_tiles % k_tiles;
    const int k = static_cast<int>(t) % k_tiles;
    tile x{};
    tile y{};
    tile z{};
    corners of_x(i, k);
    corners of_y(k, j);
    corners of_z(i, j);
    NGA_Get(a, of_x.lo.data(), of_x.hi.data(), x.data(), &row);
    NGA_Get(b, of_y.lo.data(), of_y.hi.data(), y.data(), &row);
    for (int p = 0; p < k_tile; ++p) {
      for (int q = 0; q < k_tile; ++q) {
        for (int r = 0; r < k_tile; ++r) at(z, p, q) += at(x, p, r) * at(y, r, q);
      }
    }
    double alpha = 1;
    NGA_Acc(c, of_z.lo.data(), of_z.hi.data(), z.data(), &row, &alpha);
  }
  GA_Sync();

  const double dot = GA_Ddot(c, a);
  if (GA_Nodeid() == 0) std::printf("%.0f\n", dot);
  GA_Terminate();
  MPI_Finalize();
}

// Prints: 29382000
