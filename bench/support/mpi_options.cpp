// SPDX-License-Identifier: Apache-2.0
#include "support/mpi_options.hpp"

namespace bench {

void add_mpi_options(CLI::App& app, options& o, const std::string& problem, const std::string& competitor) {
  const bool is_by_hand = competitor == "openmpi" || competitor == "mpich";
  if (is_by_hand && (problem == "rank_messages" || problem == "ghost_update" || problem == "lattice_boltzmann")) {
    app.add_option(
           "--wait", o.wait,
           "in MPI's own calls, by tests and yields, or by tests, yields and short sleeps; else whatever the number "
           "of processors asks for")
        ->check(CLI::IsMember({"calls", "tests", "naps"}));
  }
  if (is_by_hand && problem == "rank_messages") {
    app.add_option("--form", o.form, "sum1m: where the sums go")->check(CLI::IsMember({"apart", "in_place"}));
  }
  if (competitor == "openmpi" && problem == "ghost_update") {
    app.add_option("--copies", o.copies, "of a long message: 1, out of the other process; 2, by shared memory")
        ->check(CLI::Range(1, 2));
  }
  const bool is_over_openmpi =
      competitor.find("openmpi") != std::string::npos || competitor == "petsc" || competitor == "ga";
  if (is_over_openmpi && problem != "rank_start") {
    app.add_option("--launch", o.launch,
                   "each rank bound to a processor, or unbound, and giving way while it waits; else whatever the "
                   "number of processors asks for")
        ->check(CLI::IsMember({"bound", "yielding"}));
  }
}

}  // namespace bench
