// SPDX-License-Identifier: Apache-2.0
// The engines keep the interface that the kernels rely on, and the kernels HS, LCR, BF and VC give right answers on
// each of them, with the counts of figure 14; their verifiers reject what is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <tactus/tactus.hpp>
#include <vector>

#include "tests/imsuite_engines.hpp"
#include "x10/imsuite/engines/async_finish.hpp"
#include "x10/imsuite/engines/clocked.hpp"
#include "x10/imsuite/engines/counting.hpp"
#include "x10/imsuite/engines/lockstep.hpp"
#include "x10/imsuite/engines/serial.hpp"
#include "x10/imsuite/problem.hpp"
#include "x10/imsuite/text.hpp"

namespace bench::imsuite {
namespace {

/// body() as the root task of a runtime, once for each of several numbers of workers.
template <class Body>
void with_workers(const Body& body) {
  for (const int threads : {1, 2, 4}) {
    SCOPED_TRACE(threads);
    tactus::config c;
    c.threads = threads;
    c.env = false;
    tactus::run(c, body);
  }
}

TEST(imsuite_engines, serial_keeps_the_interface) {
  serial_engine engine;
  keeps_the_interface(engine);
}

TEST(imsuite_engines, counting_keeps_the_interface) {
  counting_engine engine;
  keeps_the_interface(engine);
}

TEST(imsuite_engines, async_finish_keeps_the_interface) {
  with_workers([] {
    async_finish_engine engine;
    keeps_the_interface(engine);
  });
}

TEST(imsuite_engines, clocked_keeps_the_interface_however_tasks_wait) {
  for (const waiting w : {waiting::own, waiting::eager, waiting::lazy, waiting::automatic}) {
    with_workers([w] {
      clocked_engine engine(w);
      keeps_the_interface(engine);
    });
  }
}

TEST(imsuite_engines, lockstep_keeps_the_interface) {
  with_workers([] {
    lockstep_engine engine;
    keeps_the_interface(engine);
  });
}

TEST(imsuite_engines, serial_solves_rings_and_trees) {
  serial_engine engine;
  solves_rings_and_trees(engine);
}

TEST(imsuite_engines, async_finish_solves_rings_and_trees) {
  with_workers([] {
    async_finish_engine engine;
    solves_rings_and_trees(engine);
  });
}

TEST(imsuite_engines, clocked_solves_rings_and_trees) {
  with_workers([] {
    clocked_engine engine;
    solves_rings_and_trees(engine);
  });
}

TEST(imsuite_engines, lockstep_solves_rings_and_trees) {
  with_workers([] {
    lockstep_engine engine;
    solves_rings_and_trees(engine);
  });
}

TEST(imsuite_counting, counts_rounds) {
  counting_engine engine;
  const auto nothing = [](std::size_t /*i*/) {};
  engine.round(10, hint::lazy, nothing, nothing, nothing);
  engine.each(10, nothing);
  engine.atomic([] {});
  EXPECT_EQ(engine.seen().advances, 20u);
  EXPECT_EQ(engine.seen().clocked_tasks, 20u);
  EXPECT_EQ(engine.seen().forked_tasks, 40u);
  EXPECT_EQ(engine.seen().atomics, 1u);
}

TEST(imsuite_counting, counts_persistent_tasks_while_they_stay) {
  counting_engine engine;
  std::vector<int> left{3, 0, 1};
  engine.persistent(
      3, [&](std::size_t i) { return left[i] > 0; }, hint::lazy, [&](std::size_t i) { --left[i]; },
      [](std::size_t /*i*/) {}, [](std::size_t /*i*/) {});
  EXPECT_EQ(engine.seen().advances, 4u * 2);
  EXPECT_EQ(engine.seen().clocked_tasks, 3u);
  EXPECT_EQ(engine.seen().forked_tasks, 3u * 3 * 3) << "three iterations, three steps, three nodes";
}

template <class State>
counts counted(const recipe& r) {
  counting_engine engine;
  State state(generate<typename kernel<State>::input>(r));
  kernel<State>::run(engine, state);
  kernel<State>::verify(state);
  return engine.seen();
}

// These kernels' counts depend on nothing but what the generated inputs share with the published ones: the number of
// nodes, for BF the root's eccentricity and the number of edges, for VC the chain.
TEST(imsuite_figure_14, hs) {
  const counts c = counted<hs_state>({family::ring, 512, 1});
  EXPECT_EQ(c.advances, 1046528u);
  EXPECT_EQ(c.atomics, 0u);
}

TEST(imsuite_figure_14, lcr) {
  const counts c = counted<lcr_state>({family::ring, 512, 1});
  EXPECT_EQ(c.advances, 262144u);
  EXPECT_EQ(c.atomics, 0u);
}

TEST(imsuite_figure_14, bf) {
  const counts c = counted<bf_state>({family::spmax, 512, 1});
  EXPECT_EQ(c.advances, 1536u);
  EXPECT_EQ(c.atomics, 9214u);
}

TEST(imsuite_figure_14, vc) {
  const counts c = counted<vc_state>({family::chain, 512, 1});
  EXPECT_EQ(c.advances, 2048u);
  EXPECT_EQ(c.atomics, 0u);
}

TEST(imsuite_figure_14, does_not_change_with_the_load) {
  options o;
  o.kernel = "LCR";
  o.size = 16;
  const imsuite_problem without(o);
  o.load = 1000;
  const imsuite_problem with(o);
  EXPECT_EQ(without.counted().advances, with.counted().advances);
}

/// The verifier takes the state, and does not when corrupt(state) has changed it.
template <class State, class Corrupt>
void is_rejected_after(const State& right, const Corrupt& corrupt) {
  State wrong = right;
  EXPECT_NO_THROW(kernel<State>::verify(wrong));
  corrupt(wrong);
  EXPECT_THROW(kernel<State>::verify(wrong), wrong_answer);
}

TEST(imsuite_verifiers, lcr_accepts_only_the_largest_id_at_every_node) {
  serial_engine engine;
  const auto right = solved<lcr_state>(engine, {family::ring, 12, 1});
  EXPECT_THROW(verify_lcr(lcr_state(right.input)), wrong_answer) << "nothing was run";
  for (std::size_t i = 0; i < 12; ++i) {
    is_rejected_after(right, [i](lcr_state& s) { s.nodes[i].leader = (s.nodes[i].leader + 1) % 12; });
    is_rejected_after(right, [i](lcr_state& s) { --s.nodes[i].leader_id; });
    is_rejected_after(right, [i](lcr_state& s) { s.nodes[i].leads = !s.nodes[i].leads; });
  }
  is_rejected_after(right, [](lcr_state& s) {  // all agree on another one
    for (auto& node : s.nodes) node.leader = (s.leader + 1) % 12;
  });
}

TEST(imsuite_verifiers, hs_accepts_only_the_largest_id_at_every_node) {
  serial_engine engine;
  const auto right = solved<hs_state>(engine, {family::ring, 12, 1});
  EXPECT_THROW(verify_hs(hs_state(right.input)), wrong_answer) << "nothing was run";
  for (std::size_t i = 0; i < 12; ++i) {
    is_rejected_after(right, [i](hs_state& s) { s.nodes[i].leader = (s.nodes[i].leader + 1) % 12; });
    is_rejected_after(right, [i](hs_state& s) { s.nodes[i].in_race = !s.nodes[i].in_race; });
  }
  is_rejected_after(right, [](hs_state& s) {  // all agree on another one
    for (auto& node : s.nodes) node.leader = (node.leader + 1) % 12;
  });
}

TEST(imsuite_verifiers, bf_accepts_only_the_least_distances) {
  serial_engine engine;
  const auto right = solved<bf_state>(engine, {family::spmin, 40, 1});
  EXPECT_THROW(verify_bf(bf_state(right.input)), wrong_answer) << "nothing was run";
  for (std::size_t i = 0; i < 40; ++i) {
    is_rejected_after(right, [i](bf_state& s) { ++s.nodes[i].distance; });
    is_rejected_after(right, [i](bf_state& s) { --s.nodes[i].distance; });
  }
}

TEST(imsuite_verifiers, vc_looks_at_every_node_and_edge) {
  serial_engine engine;
  const auto right = solved<vc_state>(engine, {family::spmin, 40, 1});
  EXPECT_THROW(verify_vc(vc_state(right.input)), wrong_answer) << "nothing was run";
  for (std::size_t i = 0; i < 40; ++i) {
    is_rejected_after(right, [i](vc_state& s) { s.nodes[i].colour = 3; });
    is_rejected_after(right, [i](vc_state& s) { s.nodes[i].colour = s.nodes[s.input.g.neighbours[i].front()].colour; });
  }
}

TEST(imsuite_vc, colours_from_any_root) {
  serial_engine engine;
  for (std::uint32_t root = 0; root < 60; ++root) {
    auto input = generate<vc_input>({family::spmin, 60, root});
    input.root = root;
    const auto distance = distances(input.g, root);
    for (std::uint32_t i = 0; i < 60; ++i) {
      input.parent[i] = 0;
      for (const std::uint32_t j : input.g.neighbours[i]) {
        if (distance[j] + 1 == distance[i]) input.parent[i] = j;
      }
    }
    vc_state state(input);
    run_vc(engine, state);
    EXPECT_NO_THROW(verify_vc(state)) << root;
  }
}

TEST(imsuite_problem, runs_the_kernel_of_the_command_line) {
  serial_engine engine;
  for (const std::string name : {"HS", "LCR", "BF", "VC"}) {
    options o;
    o.kernel = name;
    o.size = 16;
    imsuite_problem p(o);
    p.reset();
    EXPECT_THROW(p.verify(), wrong_answer) << name;
    p.run(engine);
    EXPECT_NO_THROW(p.verify()) << name;
    EXPECT_EQ(p.operations(), p.counted().advances);
    nlohmann::json line;
    p.report(line);
    EXPECT_EQ(line["kernel"], name);
    EXPECT_EQ(line["size"], 16);
  }
}

TEST(imsuite_problem, takes_a_published_file_where_there_is_one) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "imsuite_engines_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "inputleader_elect_lcr_3.txt") << "3\n30\n10\n20\n";
  const auto input_of = [&](const std::string& kernel_name, std::uint64_t size) {
    options o;
    o.kernel = kernel_name;
    o.size = size;
    o.inputs = folder.string();
    nlohmann::json line;
    imsuite_problem(o).report(line);
    return line["input"].get<std::string>();
  };
  EXPECT_EQ(input_of("LCR", 3), (folder / "inputleader_elect_lcr_3.txt").string());
  EXPECT_EQ(input_of("LCR", 4), "generated ring, seed 1");
  EXPECT_EQ(input_of("BF", 3), "generated spmax, seed 1");
  std::ofstream(folder / "inputbfsBellmanFord_3_-spmax.txt") << "3\n0\n010\n101\n011\n";
  EXPECT_THROW(input_of("BF", 3), input_error) << "a wrong file is no missing file";
  std::filesystem::remove_all(folder);
}

TEST(imsuite_problem, refuses_an_unknown_kernel) {
  options o;
  o.kernel = "XX";
  EXPECT_THROW(imsuite_problem{o}, std::invalid_argument);
}

}  // namespace
}  // namespace bench::imsuite
