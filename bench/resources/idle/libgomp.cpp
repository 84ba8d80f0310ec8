// SPDX-License-Identifier: Apache-2.0
#include "resources/idle/idle.hpp"
#include "support/openmp_team.hpp"

namespace {

class libgomp {
public:
  libgomp(const bench::options& o, bench::idle_problem& p) : team_(o.threads), problem_(p) {
    if (p.waiting()) throw std::invalid_argument("idle: libgomp has only the shape parked");
  }

  void pass() {
    team_.run([] {});
    problem_.watch();
  }

private:
  bench::openmp_team team_;
  bench::idle_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<bench::idle_problem, libgomp>(argc, argv, "idle", "libgomp"); }
