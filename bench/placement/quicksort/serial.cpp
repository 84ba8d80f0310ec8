// SPDX-License-Identifier: Apache-2.0
#include "placement/quicksort/quicksort.hpp"

namespace {

class serial_quicksort {
public:
  serial_quicksort(const bench::options& /*not used*/, bench::quicksort_problem& p) : problem_(p) {}
  void pass() { bench::sort_sequentially(problem_.data()); }

private:
  bench::quicksort_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::quicksort_problem, serial_quicksort>(argc, argv, "quicksort", "serial");
}
