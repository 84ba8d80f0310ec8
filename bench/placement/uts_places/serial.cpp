// SPDX-License-Identifier: Apache-2.0
#include "placement/uts_places/uts_places.hpp"

namespace {

class serial {
public:
  serial(const bench::options& /*o*/, bench::uts_places_problem& p) : problem_(p) {}
  void pass() {
    problem_.with_tree([this](const auto& tree) {
      std::vector known{tree.root()};
      bench::uts_size found;
      visit_some(tree, known, SIZE_MAX, found);
      problem_.add(found);
    });
  }

private:
  bench::uts_places_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::uts_places_problem, serial>(argc, argv, "uts_places", "serial");
}
