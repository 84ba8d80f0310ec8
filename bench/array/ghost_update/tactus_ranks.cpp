// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names. Built besides so that those of odd numbers play machines of the other byte order,
// which the library can for its tests; and so that nobody asks which order a neighbour has.
#include <utility>

#include "array/ghost_update/tactus_ghosts.hpp"
#include "support/mpi_ranks.hpp"

#ifdef TACTUS_PLAYS_SWAPPED
#include "place/engine.hpp"
#endif

namespace {

class tactus_ghost_update {
public:
  tactus_ghost_update(const bench::options& o, bench::ghost_update_problem& p)
      : problem_(p), ghosts_(p.setting(), bench::ghost_form_of(p), steps(o.body_ns)), runtime_(config_of(o)) {
    run([] { return std::uint64_t{0}; });
  }

  void pass() {
    const std::uint64_t number = problem_.next_pass();
    problem_.done(run([this, number] { return ghosts_.pass(number); }), bench::g_ghosts_took);
  }

private:
  static tactus::config config_of(const bench::options& o) {
#ifdef TACTUS_PLAYS_SWAPPED
    tactus::detail::let_odd_places_play_swapped(true);
#endif
    return bench::config_of_places(o, o.threads);
  }

  // The same at all ranks.
  static std::uint64_t steps(double ns) {
    std::uint64_t n = bench::steps_taking(ns);
    MPI_Bcast(&n, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return n;
  }

  template <class Body>
  std::uint64_t run(Body&& body) {
    return runtime_.run(std::forward<Body>(body));
  }

  bench::ghost_update_problem& problem_;
  bench::tactus_ghosts ghosts_;
  tactus::runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::ghost_update_problem, tactus_ghost_update>(
      argc, argv, "ghost_update", BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
