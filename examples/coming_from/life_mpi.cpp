// SPDX-License-Identifier: Apache-2.0
// Conway's game of life on a torus, its rows divided over processes by hand. What it becomes: life_tactus.cpp.
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int k_rows = 30;
constexpr int k_columns = 40;
constexpr int k_generations = 100;

struct board {  // this process's rows, and one of each neighbour above and below them
  explicit board(int rows) : cells(static_cast<std::size_t>((rows + 2) * k_columns)) {}
  int& at(int i, int j) { return cells[static_cast<std::size_t>((i + 1) * k_columns + (j + k_columns) % k_columns)]; }
  std::vector<int> cells;
};

bool is_born(int i, int j) { return (i * 7 + j * 13) % 5 == 0 || (i * j) % 7 == 3; }

void grow(board& from, board& to, int first, int last) {
  for (int i = first; i < last; ++i) {
    for (int j = 0; j < k_columns; ++j) {
      int around = -from.at(i, j);
      for (int y = i - 1; y <= i + 1; ++y) {
        for (int x = j - 1; x <= j + 1; ++x) around += from.at(y, x);
      }
      to.at(i, j) = around == 3 || (around == 2 && from.at(i, j) == 1) ? 1 : 0;
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int above = (rank + size - 1) % size;
  const int below = (rank + 1) % size;
  const int first = rank * k_rows / size;
  const int rows = (rank + 1) * k_rows / size - first;

  board now(rows);
  board next(rows);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < k_columns; ++j) now.at(i, j) = is_born(first + i, j) ? 1 : 0;
  }

  for (int n = 0; n < k_generations; ++n) {
    std::array<MPI_Request, 4> open{};
    MPI_Irecv(&now.at(-1, 0), k_columns, MPI_INT, above, 0, MPI_COMM_WORLD, &open[0]);
    MPI_Irecv(&now.at(rows, 0), k_columns, MPI_INT, below, 1, MPI_COMM_WORLD, &open[1]);
    MPI_Isend(&now.at(rows - 1, 0), k_columns, MPI_INT, below, 0, MPI_COMM_WORLD, &open[2]);
    MPI_Isend(&now.at(0, 0), k_columns, MPI_INT, above, 1, MPI_COMM_WORLD, &open[3]);
    grow(now, next, 1, rows - 1);
    MPI_Waitall(4, open.data(), MPI_STATUSES_IGNORE);
    grow(now, next, 0, 1);
    grow(now, next, rows - 1, rows);
    std::swap(now, next);
  }

  int mine = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < k_columns; ++j) mine += now.at(i, j);
  }
  int alive = 0;
  MPI_Reduce(&mine, &alive, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d alive\n", alive);
  MPI_Finalize();
}

// Prints: 151 alive
