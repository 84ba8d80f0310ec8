// SPDX-License-Identifier: Apache-2.0
// Depth first with a stack of its own: the recursion of the paper would overflow the native one.
#include <vector>

#include "tasks/spanning_tree/spanning_tree.hpp"

namespace {

class serial {
public:
  serial(const bench::options& /*o*/, bench::spanning_problem& p) : problem_(p) {}
  void pass() {
    to_visit_.push_back(bench::spanning_problem::k_root);
    while (!to_visit_.empty()) {
      const bench::vertex u = to_visit_.back();
      to_visit_.pop_back();
      for (const bench::vertex v : problem_.neighbours(u)) {
        if (problem_.label_alone(v, u)) to_visit_.push_back(v);
      }
    }
  }

private:
  bench::spanning_problem& problem_;
  std::vector<bench::vertex> to_visit_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::spanning_problem, serial>(argc, argv, "spanning_tree", "serial");
}
