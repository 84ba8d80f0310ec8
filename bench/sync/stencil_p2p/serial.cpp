// SPDX-License-Identifier: Apache-2.0
// All blocks of a task, then the next task's, where that is allowed: the rows of a wavefront. Else phase by phase.
#include "sync/stencil_p2p/stencil_p2p.hpp"

namespace {

class serial {
public:
  serial(const bench::options& /*o*/, bench::stencil_problem& p) : problem_(p) {}

  void pass() {
    if (problem_.is_wavefront()) {
      for (std::uint64_t i = 0; i < problem_.tasks(); ++i) {
        for (std::uint64_t j = 0; j < problem_.phases(); ++j) problem_.make(i, j);
      }
    } else {
      for (std::uint64_t j = 0; j < problem_.phases(); ++j) {
        for (std::uint64_t i = 0; i < problem_.tasks(); ++i) problem_.make(i, j);
      }
    }
  }

private:
  bench::stencil_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::stencil_problem, serial>(argc, argv, "stencil_p2p", "serial");
}
