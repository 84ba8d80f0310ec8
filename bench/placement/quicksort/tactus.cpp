// SPDX-License-Identifier: Apache-2.0
#include "placement/placed_runtime.hpp"
#include "placement/quicksort/tactus_quicksort.hpp"

namespace {

class tactus_quicksort {
public:
  tactus_quicksort(const bench::options& o, bench::quicksort_problem& p)
      : problem_(p), runtime_(bench::placed_config(o)) {}

  void pass() {
    runtime_.run([this] { bench::sort_with_tasks(problem_.data(), problem_.grain()); });
    problem_.ran(runtime_.figures());
  }

private:
  bench::quicksort_problem& problem_;
  bench::placed_runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::quicksort_problem, tactus_quicksort>(argc, argv, "quicksort", "tactus");
}
