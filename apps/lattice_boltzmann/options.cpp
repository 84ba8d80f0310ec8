// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "command_line.hpp"
#include "distribution.hpp"
#include "ghia.hpp"
#include "numbers.hpp"

#include <fmt/format.h>

namespace lattice_boltzmann {
namespace {

constexpr std::uint64_t k_most_steps = std::uint64_t{1} << 40U;

void refuse_if(bool is_wrong, const char* option, const std::string& why) {
  if (is_wrong) throw CLI::ValidationError(option, why);
}

// Options that are right each by itself, and not together.
void refuse_conflicts(const CLI::App& given, const options& o) {
  const bool has_tiles = o.distribution == "block_cyclic" || o.distribution == "morton" || o.distribution == "hilbert";
  refuse_if(o.ghia && !has_ghia(o.reynolds), "--ghia",
            fmt::format("the table has Reynolds numbers 100, 400 and 1000, not {}", o.reynolds));
  refuse_if((o.distribution == "grid") == o.grid.empty(), "--grid",
            "is for --distribution grid, which needs it: --distribution grid --grid 2 1");
  refuse_if(given.count("--tile") != 0 && !has_tiles, "--tile", "is for block_cyclic, morton and hilbert");
  refuse_if(given.count("--steady") != 0 && o.steps != 0, "--steady", "is for a flow without a number of --steps");
}

}  // namespace

std::variant<options, int> parse_options(int argc, char** argv) {
  CLI::App app("Flow in a square cavity whose lid moves, by the lattice Boltzmann method D2Q9 on a distributed array.",
               "lattice_boltzmann");
  options o;
  bool progress = false;
  app.add_option("--grid", o.grid, "parts along x and y")->expected(2)->check(CLI::Range(1, 1024))->type_name("X Y");
  app.option_defaults()->always_capture_default();
  app.add_option("--size", o.size, "cells along each side")->check(CLI::Range(4, 32768));
  app.add_option("--reynolds", o.reynolds, "Reynolds number")->check(apps::number_between(0.01, 1e6));
  app.add_option("--lid", o.lid, "speed of the lid, in cells a step; the error grows with its square")
      ->check(apps::number_between(1e-6, 0.3));
  app.add_option("--steps", o.steps, "how many; 0: until the flow is steady")
      ->transform(apps::whole_number(k_most_steps));
  app.add_option("--steady", o.steady,
                 "the flow is steady when no velocity changes by more in 1000 steps, in speeds of the lid")
      ->check(apps::number_between(1e-14, 1.0));
  app.add_option("--collision", o.collision, "bgk: one relaxation time; trt: two, good for high Reynolds numbers")
      ->check(CLI::IsMember({"bgk", "trt"}));
  app.add_option("--distribution", o.distribution, "of the cells over the places")
      ->check(CLI::IsMember(distributions()));
  app.add_option("--tile", o.tile, "side of the tiles of block_cyclic, morton and hilbert")
      ->check(CLI::Range(1, 32768));
  app.add_flag("--verify", o.verify, "run a plain serial kernel too, and compare all cells bit by bit");
  auto* const ghia = app.add_flag(
      "--ghia", o.ghia, "compare with the table of Ghia, Ghia and Shin (1982): Reynolds numbers 100, 400, 1000");
  app.add_option("--tolerance", o.tolerance, "of that, in speeds of the lid")
      ->check(apps::number_between(0.0, 1.0))
      ->needs(ghia);
  app.add_option("--picture", o.picture_file, "draw speed, and stream lines, as PNG")->type_name("FILE");
  auto* const save = app.add_option("--save", o.save_file, "write the flow when all steps are done, to go on with it")
                         ->type_name("FILE");
  app.add_option("--save-every", o.save_every, "write it after so many steps, too; 0: only then")
      ->transform(apps::whole_number(k_most_steps))
      ->needs(save);
  app.add_option("--restart", o.restart_file,
                 "begin with such a flow, of the same size; on any places, and with another Reynolds number if need be")
      ->type_name("FILE");
  app.add_option("--json", o.json_file, "write what came out as JSON")->type_name("FILE");
  app.add_flag("--progress", progress, "show progress on stderr also when it is not a terminal");
  app.footer(
      "Places and workers: --tactus-places=2, --tactus-threads=1 and so on, which --tactus-help lists; or mpirun, for\n"
      "the program that is linked with tactus::mpi.\n"
      "Exit code: 0 when all that was asked for is right; 1 when something is not, the flow did not become steady,\n"
      "or a file could not be read or written; 2 for a wrong command line, 64 for a wrong --tactus option.");
  app.callback([&] { refuse_conflicts(app, o); });
  if (const auto done = apps::parse(app, argc, argv)) return *done;
  o.progress = apps::progress_style_for_stderr(progress);
  return o;
}

}  // namespace lattice_boltzmann
