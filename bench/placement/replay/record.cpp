// SPDX-License-Identifier: Apache-2.0
#include "placement/replay/record.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <tactus/tactus.hpp>
#include <vector>

#include "placement/passing_file.hpp"
#include "placement/placed_runtime.hpp"
#include "placement/quicksort/tactus_quicksort.hpp"
#include "placement/turing_ring/tactus_ring.hpp"
#if BENCH_HAS_UTS
#include "tasks/uts/uts.hpp"
#endif

namespace ts = tactus;

namespace bench {
namespace {

constexpr int k_most_recordings = 20;
constexpr int k_recordings_in_vain = 3;
constexpr std::uint64_t k_numbers = 1'000'000;
constexpr std::uint64_t k_ring_steps = 4;

template <class Body>
void run_with_profile(const std::string& file, Body&& body) {
  ts::config c;
  c.threads = 1;
  c.env = false;
  c.profile = file;
  ts::run(c, std::forward<Body>(body));
}

void record_quicksort(options o, const std::string& file) {
  if (o.size == 0) o.size = k_numbers;
  quicksort_problem p(o);
  p.reset();
  run_with_profile(file, [&p] { sort_with_tasks(p.data(), p.grain()); });
  p.verify();
}

void record_turing_ring(options o, const std::string& file) {
  if (o.phases == 0) o.phases = k_ring_steps;
  turing_ring_problem p(o);
  p.reset();
  run_with_profile(file, [&p] { run_with_tasks(p); });
  p.verify();
}

#if BENCH_HAS_UTS
constexpr int k_depth = 6;

// T1's law and seed; only so deep.
uts_shape g_shape{"T1, cut", uts_shape::kind::geometric_fixed, 4, k_depth, 0, 0, 19, {}};

using cut_tree = uts_tree<sha1_random>;

std::atomic<std::uint64_t> g_nodes;

void visit(const cut_tree::node& n) {
  ++g_nodes;
  const cut_tree tree(g_shape);
  const std::uint32_t children = tree.children(n);
  for (std::uint32_t i = 0; i < children; ++i) {
    ts::async_at(ts::place_flexible.named("node"), visit, tree.child(n, i));
  }
}

std::uint64_t nodes_below(const cut_tree& tree, const cut_tree::node& n) {
  std::uint64_t all = 1;
  const std::uint32_t children = tree.children(n);
  for (std::uint32_t i = 0; i < children; ++i) all += nodes_below(tree, tree.child(n, i));
  return all;
}

void record_uts(const options& o, const std::string& file) {
  g_shape.depth = o.size == 0 ? k_depth : static_cast<int>(o.size);
  g_nodes = 0;
  const cut_tree tree(g_shape);
  run_with_profile(file, [&tree] { ts::async_at(ts::place_flexible.named("node"), visit, tree.root()); });
  if (g_nodes != nodes_below(tree, tree.root())) throw wrong_answer("replay: not every node of the tree was visited");
}
#else
void record_uts(const options& /*not used*/, const std::string& /*not used*/) {
  throw refused("replay: the trees of UTS need nettle, with which this was not built");
}
#endif

void record_once(const options& o, const std::string& file) {
  options of_program = o;
  of_program.shape.clear();
  if (o.shape == "quicksort") return record_quicksort(of_program, file);
  if (o.shape == "turing_ring") return record_turing_ring(of_program, file);
  if (o.shape == "uts") return record_uts(of_program, file);
  throw std::invalid_argument("replay: --shape is quicksort, turing_ring, uts or tree, not '" + o.shape + "'");
}

}  // namespace

task_table record(const options& o, const std::string& file) {
  record_once(o, file);
  task_table made = read_table(file);
  // Until that brings hardly anything any more.
  for (int i = 1, in_vain = 0; i < k_most_recordings && in_vain < k_recordings_in_vain; ++i) {
    const passing_file another(".tpp");  // a runtime that finds the name in use takes another one
    record_once(o, another.name());
    const auto total = static_cast<double>(made.total_ns());
    made.keep_shorter(read_table(another.name()));
    in_vain = static_cast<double>(made.total_ns()) > 0.99 * total ? in_vain + 1 : 0;
  }
  return made;
}

void find_labels(const std::string& profile, const std::string& file, const options& o) {
  const int places = places_of(o);
  const std::string command = "'" BENCH_TACTUS "' labels '" + profile + "' -o '" + file + "' --places " +
                              std::to_string(places) + " --workers " + std::to_string(o.threads / places) +
                              " > /dev/null";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("replay: " + command + " failed");
}

}  // namespace bench
