// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "distribution.hpp"
#include "ghia.hpp"
#include "numbers.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace lattice_boltzmann {
namespace {

constexpr std::uint64_t k_most_steps = std::uint64_t{1} << 40U;

// Options that are right each by itself, and not together; empty: they are.
std::string conflict(const CLI::App& given, const options& o) {
  if (o.ghia && !has_ghia(o.reynolds)) {
    return fmt::format("--ghia: the table has Reynolds numbers 100, 400 and 1000, not {}", o.reynolds);
  }
  if ((o.distribution == "grid") == o.grid.empty()) {
    return "--grid is for --distribution grid, which needs it: --distribution grid --grid 2 1";
  }
  if (given.count("--tile") != 0 && o.distribution != "block_cyclic" && o.distribution != "morton" &&
      o.distribution != "hilbert") {
    return "--tile is for --distribution block_cyclic, morton and hilbert";
  }
  if (given.count("--tolerance") != 0 && !o.ghia) {
    return "--tolerance is that of --ghia, which is not given";
  }
  if (given.count("--steady") != 0 && o.steps != 0) {
    return "--steady is for a flow without a number of --steps";
  }
  if (o.save_every != 0 && o.save_file.empty()) {
    return "--save-every needs the name of a file: --save FILE";
  }
  return {};
}

}  // namespace

std::variant<options, int> parse_options(int argc, char** argv) {
  CLI::App app("Flow in a square cavity whose lid moves, by the lattice Boltzmann method D2Q9 on a distributed array.");
  app.name("lattice_boltzmann");
  options o;
  bool progress = false;
  app.add_option("--size", o.size, "cells along each side")->check(CLI::Range(4, 32768))->capture_default_str();
  app.add_option("--reynolds", o.reynolds, "Reynolds number")
      ->check(apps::number_between(0.01, 1e6))
      ->capture_default_str();
  app.add_option("--lid", o.lid, "speed of the lid, in cells a step; the error grows with its square")
      ->check(apps::number_between(1e-6, 0.3))
      ->capture_default_str();
  app.add_option("--steps", o.steps, "how many; 0: until the flow is steady")
      ->transform(apps::whole_number(k_most_steps))
      ->capture_default_str();
  app.add_option("--steady", o.steady,
                 "the flow is steady when no velocity changes by more in 1000 steps, in speeds of the lid")
      ->check(apps::number_between(1e-14, 1.0))
      ->capture_default_str();
  app.add_option("--collision", o.collision, "bgk: one relaxation time; trt: two, good for high Reynolds numbers")
      ->check(CLI::IsMember({"bgk", "trt"}))
      ->capture_default_str();
  app.add_option("--distribution", o.distribution, "of the cells over the places")
      ->check(CLI::IsMember(distribution_names()))
      ->capture_default_str();
  app.add_option("--grid", o.grid, "parts along x and y")->expected(2)->check(CLI::Range(1, 1024))->type_name("X Y");
  app.add_option("--tile", o.tile, "side of the tiles of block_cyclic, morton and hilbert")
      ->check(CLI::Range(1, 32768))
      ->capture_default_str();
  app.add_flag("--verify", o.verify, "run a plain serial kernel too, and compare all cells bit by bit");
  app.add_flag("--ghia", o.ghia,
               "compare with the table of Ghia, Ghia and Shin (1982): Reynolds numbers 100, 400, 1000");
  app.add_option("--tolerance", o.tolerance, "of that, in speeds of the lid")
      ->check(apps::number_between(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--picture", o.picture_file, "draw speed, and stream lines, as PNG")->type_name("FILE");
  app.add_option("--save", o.save_file, "write the flow when all steps are done, to go on with it")->type_name("FILE");
  app.add_option("--save-every", o.save_every, "write it after so many steps, too; 0: only then")
      ->transform(apps::whole_number(k_most_steps))
      ->capture_default_str();
  app.add_option("--restart", o.restart_file,
                 "begin with such a flow, of the same size; on any places, and with another Reynolds number if need be")
      ->type_name("FILE");
  app.add_option("--json", o.json_file, "write what came out as JSON")->type_name("FILE");
  app.add_flag("--progress", progress, "show progress on stderr also when it is not a terminal");
  app.footer(
      "Places and workers: --tactus-places=2, --tactus-threads=1 and so on, which --tactus-help lists; or mpirun, for "
      "the\n"
      "program that is linked with tactus::mpi.\n"
      "Exit code: 0 when all that was asked for is right; 1 when something is not, the flow did not become steady, or "
      "a\n"
      "file could not be read or written; 2 for a wrong command line, 64 for a wrong --tactus option.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (const std::string what = conflict(app, o); !what.empty()) {
    apps::tell(what + "\nRun with --help for more information.\n");
    return 2;
  }
  o.progress = apps::progress_style_for_stderr(progress);
  return o;
}

}  // namespace lattice_boltzmann
