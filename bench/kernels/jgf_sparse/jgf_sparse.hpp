// SPDX-License-Identifier: Apache-2.0
// Problem jgf_sparse: SparseMatmult of the Java Grande Forum's multithreaded suite 1.0, section 2: a sparse matrix with
// elements at random places times a vector, added to the result 200 times. 50,000 rows with 250,000 elements in class A,
// 100,000 with 500,000 in B, 500,000 with 2,500,000 in C. work-stealing.txt, figures 14 and 15, has class C.
//
// Elements are stored as the suite does, each with its row and its column, and divided by rows, so that no two tasks write
// to one. The suite brings together the elements of each thread's rows and leaves them in their order; here those of each
// row are together, so that the same order serves any number of parts. Within a row it is the order of the suite.
// The suite's threads go through all iterations on their own; here an iteration is a step, as it is where a product is made
// of the last one.
// The result, added up over all elements in the order in which they were drawn, has to be the suite's value to 1e-12, as in
// its sequential version; the multithreaded one allows 1e-10, because its order depends on the number of threads.
// The unit is one element in one iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class jgf_sparse_problem {
public:
  explicit jgf_sparse_problem(const options& o);

  template <class Steps>
  void solve(Steps& steps) {
    for (int i = 0; i < k_iterations; ++i) steps.each(size(), [this](part rows) { add_product(rows); });
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return k_iterations * elements(); }
  void report(nlohmann::json& line) const;

  [[nodiscard]] std::size_t size() const { return class_.rows; }
  [[nodiscard]] std::size_t elements() const { return class_.elements; }

  /// The result, each row as often as it has elements.
  [[nodiscard]] double sum() const;

private:
  /// What the suite fixes for a class.
  struct problem_class {
    char name;
    std::size_t rows;
    std::size_t elements;
    double sum;
  };

  static constexpr int k_iterations = 200;

  static const problem_class& class_named(const std::string& name);
  void make_matrix();

  // The loop, out of line so that every competitor runs the same code, whatever compiled the competitor.
  void add_product(part rows);

  const problem_class& class_;
  std::vector<std::size_t> row_begin_;  // one more than rows
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  std::vector<std::uint32_t> rows_as_drawn_;
  std::vector<double> vector_;
  std::vector<double> result_;
};

}  // namespace bench
