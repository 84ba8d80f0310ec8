// SPDX-License-Identifier: Apache-2.0
// Cholesky's factorisation by blocks, with OpenMP's task depend. What it becomes: cholesky_tactus.cpp.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

constexpr std::size_t k_blocks = 12, k_side = 24, k_rows = k_blocks * k_side;

// The lower triangle of a symmetric matrix, by blocks.
struct matrix {
  std::vector<double> elements = std::vector<double>(k_rows * k_rows);

  double* block(std::size_t i, std::size_t j) { return &elements[(i * k_blocks + j) * k_side * k_side]; }
  double& at(std::size_t row, std::size_t column) {
    return block(row / k_side, column / k_side)[row % k_side * k_side + column % k_side];
  }
};

double given(std::size_t row, std::size_t column) {
  return row == column ? k_rows : 1 / (1 + std::abs(static_cast<double>(row) - static_cast<double>(column)));
}

// a := its own factor; false if there is none, for the matrix is not positive definite.
bool factor(double* a) {
  for (std::size_t j = 0; j < k_side; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < k_side; ++i) a[i * k_side + j] -= a[i * k_side + k] * a[j * k_side + k];
    }
    if (a[j * k_side + j] <= 0) return false;
    const double root = std::sqrt(a[j * k_side + j]);
    for (std::size_t i = j; i < k_side; ++i) a[i * k_side + j] /= root;
  }
  return true;
}

// b := b / transposed l
void divide(const double* l, double* b) {
  for (std::size_t i = 0; i < k_side; ++i) {
    for (std::size_t j = 0; j < k_side; ++j) {
      for (std::size_t k = 0; k < j; ++k) b[i * k_side + j] -= b[i * k_side + k] * l[j * k_side + k];
      b[i * k_side + j] /= l[j * k_side + j];
    }
  }
}

// c := c - a * transposed b
void subtract(const double* a, const double* b, double* c) {
  for (std::size_t i = 0; i < k_side; ++i) {
    for (std::size_t j = 0; j < k_side; ++j) {
      for (std::size_t k = 0; k < k_side; ++k) c[i * k_side + j] -= a[i * k_side + k] * b[j * k_side + k];
    }
  }
}

bool cholesky(matrix& m) {
  std::atomic<bool> failed = false;  // no exception may leave a task
#pragma omp parallel
#pragma omp single
  for (std::size_t k = 0; k < k_blocks; ++k) {
    double* const kk = m.block(k, k);
#pragma omp task depend(inout : kk[0])
    if (!failed && !factor(kk)) failed = true;
    for (std::size_t i = k + 1; i < k_blocks; ++i) {
      double* const ik = m.block(i, k);
#pragma omp task depend(in : kk[0]) depend(inout : ik[0])
      if (!failed) divide(kk, ik);
    }
    for (std::size_t i = k + 1; i < k_blocks; ++i) {
      for (std::size_t j = k + 1; j <= i; ++j) {
        const double* const ik = m.block(i, k);
        const double* const jk = m.block(j, k);
        double* const ij = m.block(i, j);
#pragma omp task depend(in : ik[0], jk[0]) depend(inout : ij[0])
        if (!failed) subtract(ik, jk, ij);
      }
    }
  }
  return !failed;
}

// By how much the product of the factor and itself, transposed, misses what was given.
double error_in_row(matrix& l, std::size_t row) {
  double largest = 0;
  for (std::size_t column = 0; column <= row; ++column) {
    double sum = -given(row, column);
    for (std::size_t k = 0; k <= column; ++k) sum += l.at(row, k) * l.at(column, k);
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

int main() {
  matrix m;
  for (std::size_t row = 0; row < k_rows; ++row) {
    for (std::size_t column = 0; column <= row; ++column) m.at(row, column) = given(row, column);
  }
  matrix bad = m;
  bad.at(k_rows / 2, k_rows / 2) = -1;

  const bool factored = cholesky(m);
  double error = 0;
#pragma omp parallel for reduction(max : error)
  for (std::size_t row = 0; row < k_rows; ++row) error = std::max(error, error_in_row(m, row));
  const bool refused = !cholesky(bad);

  std::printf("factored: %s, the other one refused: %s\n", factored && error < 1e-9 ? "yes" : "no",
              refused ? "yes" : "no");
  return factored && error < 1e-9 && refused ? 0 : 1;
}

// Prints: factored: yes, the other one refused: yes
