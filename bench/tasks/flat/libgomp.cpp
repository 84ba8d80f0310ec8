// SPDX-License-Identifier: Apache-2.0
// libgomp runs a task at once when 64 per thread are waiting, so it defers only in part; this cannot be changed.
#include "support/openmp_team.hpp"
#include "tasks/flat/flat.hpp"

namespace {

class libgomp {
public:
  libgomp(const bench::options& o, bench::flat_problem& p) : team_(o.threads), problem_(p) {}
  void pass() {
    team_.run([this] {
      bench::flat_problem* p = &problem_;
#pragma omp taskgroup
      for (std::uint64_t i = 0; i < p->size(); ++i) {
#pragma omp task firstprivate(p, i)
        p->set(i);
      }
    });
  }

private:
  bench::openmp_team team_;
  bench::flat_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<bench::flat_problem, libgomp>(argc, argv, "flat", "libgomp"); }
