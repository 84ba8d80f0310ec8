// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "numbers.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace spanning {
namespace {

using number_pair = std::vector<std::uint64_t>;

constexpr std::array k_versions = {version::serial, version::work_first, version::help_first, version::adaptive,
                                   version::batched};

// "serial" is in every selection: it is what the others are compared with.
std::vector<version> versions_named(const std::vector<std::string>& policies) {
  std::vector<version> all;
  for (const version v : k_versions) {
    const bool named =
        std::ranges::any_of(policies, [v](const std::string& p) { return p == "all" || p == name_of(v); });
    if (named || v == version::serial) {
      all.push_back(v);
    }
  }
  return all;
}

graph_format format_named(const std::string& name) {
  const std::map<std::string, graph_format> formats = {
      {"auto", graph_format::automatic},
      {"edge_list", graph_format::edge_list},
      {"matrix_market", graph_format::matrix_market},
      {"metis", graph_format::metis},
  };
  return formats.at(name);
}

}  // namespace

std::variant<options, int> parse_options(int argc, char** argv) {
  CLI::App app(
      "Spanning forest of an undirected graph by escaping asyncs: under every spawn policy, against a serial "
      "search, each forest verified.");
  app.name("spanning_tree");
  options o;
  std::string path;
  number_pair random;
  number_pair torus;
  number_pair rmat;
  auto* input = app.add_option_group("input", "The graph: exactly one of");
  input
      ->add_option("--input", path,
                   "edge list in SNAP style ('#' comments, two vertex ids per line), Matrix Market or METIS; - for "
                   "standard input")
      ->type_name("FILE");
  input->add_option("--random", random, "N vertices and M random edges")
      ->expected(2)
      ->transform(apps::whole_number())
      ->type_name("N M");
  input->add_option("--torus", torus, "R x C vertices, each joined to four")
      ->expected(2)
      ->transform(apps::whole_number())
      ->type_name("R C");
  input->add_option("--rmat", rmat, "2^SCALE vertices, EDGEFACTOR edges for each, few vertices with most of them")
      ->expected(2)
      ->transform(apps::whole_number())
      ->type_name("SCALE EDGEFACTOR");
  input->require_option(1);

  std::vector<std::string> policies = {"all"};
  std::string format = "auto";
  bool progress = false;
  std::uint64_t memory_mebibytes = 0;
  app.add_option("--format", format,
                 "of the input; auto: matrix_market by its banner or the ending .mtx, metis by .graph or .metis")
      ->check(CLI::IsMember({"auto", "edge_list", "matrix_market", "metis"}))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "of a generated graph; the same seed gives the same graph")
      ->transform(apps::whole_number())
      ->capture_default_str();
  app.add_option(
         "--policy", policies,
         "which versions to measure beside the serial one, with commas; batched: adaptive, and small tasks share "
         "entries of the queue")
      ->check(CLI::IsMember({"all", "serial", "work_first", "help_first", "adaptive", "batched"}))
      ->delimiter(',')
      ->type_name("NAME,...")
      ->capture_default_str();
  app.add_option("--threads", o.settings.threads, "workers; 0: one per usable core")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--memory", memory_mebibytes,
                 "resident MiB at which a policy is refused more stacks; 0: most of what is available")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40))
      ->type_name("MIB")
      ->capture_default_str();
  app.add_option("--reps", o.settings.reps, "repetitions of each version; the table shows medians")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--json", o.json_file, "write the results as JSON")->type_name("FILE");
  app.add_option("--forest", o.forest_file,
                 "write the forest of the last version: lines of vertex and parent, a root's being itself")
      ->type_name("FILE");
  app.add_option("--max-edges", o.max_edges, "refuse larger files; 0: what fits into the available memory")
      ->transform(apps::whole_number())
      ->capture_default_str();
  app.add_flag("--stats", o.settings.stats, "print the runtime's counters to stderr after each run");
  app.add_flag("--progress", progress, "show progress on stderr also when it is not a terminal");
  app.footer(
      "Exit code: 0 when every forest is right; 1 when one is not, or when a policy asked for by name hit a limit;\n"
      "2 for a wrong command line or an input that cannot be used.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }

  if (!random.empty()) {
    o.input = random_input{random[0], random[1]};
  } else if (!torus.empty()) {
    o.input = torus_input{torus[0], torus[1]};
  } else if (!rmat.empty()) {
    o.input = rmat_input{rmat[0], rmat[1]};
  } else {
    o.input = file_input{path, format_named(format)};
  }
  o.all_versions = std::ranges::find(policies, "all") != policies.end();
  o.versions = versions_named(policies);
  o.settings.memory_bytes = memory_mebibytes * 1024 * 1024;
  o.settings.progress = apps::progress_style_for_stderr(progress);
  return o;
}

}  // namespace spanning
