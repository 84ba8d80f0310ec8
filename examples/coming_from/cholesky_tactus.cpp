// SPDX-License-Identifier: Apache-2.0
// Cholesky's factorisation by blocks, with a future for each step of a block. What it was: cholesky_openmp.cpp.
#include <tactus/tactus.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace ts = tactus;

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

// a := its own factor
void factor(double* a) {
  for (std::size_t j = 0; j < k_side; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < k_side; ++i) a[i * k_side + j] -= a[i * k_side + k] * a[j * k_side + k];
    }
    if (a[j * k_side + j] <= 0) throw std::domain_error("not positive definite");
    const double root = std::sqrt(a[j * k_side + j]);
    for (std::size_t i = j; i < k_side; ++i) a[i * k_side + j] /= root;
  }
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

// A step of the computation, which writes one block. None: there was no step yet.
using step = ts::future<void>;

// Waits for all of them, then throws what one of them threw.
void wait_for(std::initializer_list<step> steps) {
  std::exception_ptr failure;
  for (const step& s : steps) {
    try {
      if (s.valid()) s.get();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void cholesky(matrix& m) {
  std::vector<step> steps(k_blocks * k_blocks);  // the last one that writes a block
  const auto last = [&steps](std::size_t i, std::size_t j) -> step& { return steps[i * k_blocks + j]; };
  ts::finish([&] {
    for (std::size_t k = 0; k < k_blocks; ++k) {
      last(k, k) = ts::async_future([&m, k, kk = last(k, k)] {
        wait_for({kk});
        factor(m.block(k, k));
      });
      for (std::size_t i = k + 1; i < k_blocks; ++i) {
        last(i, k) = ts::async_future([&m, i, k, kk = last(k, k), ik = last(i, k)] {
          wait_for({kk, ik});
          divide(m.block(k, k), m.block(i, k));
        });
      }
      for (std::size_t i = k + 1; i < k_blocks; ++i) {
        for (std::size_t j = k + 1; j <= i; ++j) {
          last(i, j) = ts::async_future([&m, i, j, k, ik = last(i, k), jk = last(j, k), ij = last(i, j)] {
            wait_for({ik, jk, ij});
            subtract(m.block(i, k), m.block(j, k), m.block(i, j));
          });
        }
      }
    }
  });
  last(k_blocks - 1, k_blocks - 1).get();  // depends on all others, and throws what one of them threw
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

bool refuses(matrix m) {
  try {
    cholesky(m);
    return false;
  } catch (const std::domain_error&) {
    return true;
  }
}

int factorise() {
  matrix m;
  for (std::size_t row = 0; row < k_rows; ++row) {
    for (std::size_t column = 0; column <= row; ++column) m.at(row, column) = given(row, column);
  }
  matrix bad = m;
  bad.at(k_rows / 2, k_rows / 2) = -1;

  cholesky(m);
  const ts::monoid max{0.0, [](double x, double y) { return std::max(x, y); }};
  const double error = ts::reduce(std::size_t{0}, k_rows, max, [&](std::size_t row) { return error_in_row(m, row); });
  const bool refused = refuses(bad);

  std::printf("factored: %s, the other one refused: %s\n", error < 1e-9 ? "yes" : "no", refused ? "yes" : "no");
  return error < 1e-9 && refused ? 0 : 1;
}

int main(int argc, char** argv) { return ts::run(argc, argv, factorise); }

// Prints: factored: yes, the other one refused: yes
