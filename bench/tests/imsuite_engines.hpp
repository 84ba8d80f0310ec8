// SPDX-License-Identifier: Apache-2.0
// What every engine of imsuite has to keep, as functions that tests call with each of them. They may run in a task, which
// changes threads: so no SCOPED_TRACE here, its stack belongs to a thread.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/generate.hpp"
#include "x10/imsuite/kernels.hpp"

namespace bench::imsuite {

/// Every step runs once for each node, and only when the step before has ended for all.
template <class Engine>
void keeps_steps_apart(Engine& engine, std::size_t n) {
  std::array<std::atomic<std::size_t>, 4> ended{};
  std::atomic<std::size_t> too_early{0};
  std::vector<std::array<int, 4>> ran(n);
  const auto step = [&](std::size_t k) {
    return [&, k](std::size_t i) {
      if (k > 0 && ended[k - 1].load() != n) ++too_early;
      ++ran[i][k];
      ++ended[k];
    };
  };
  engine.round(n, std::array{hint::eager, hint::lazy, hint::eager}, step(0), step(1), step(2), step(3));
  EXPECT_EQ(too_early.load(), 0u) << n;
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(ran[i], (std::array{1, 1, 1, 1})) << i << " of " << n;
}

/// Rounds follow each other; each joins its tasks; one step alone is a round too.
template <class Engine>
void joins_each_round(Engine& engine, std::size_t n) {
  std::vector<int> value(n);
  for (int round = 0; round < 20; ++round) {
    const auto check_and_add = [&](std::size_t i) { value[i] += value[i] == 2 * round ? 1 : 1000; };
    const auto add = [&](std::size_t i) { ++value[i]; };
    if (round % 2 == 0) {
      engine.round(n, hint::lazy, check_and_add, add);
    } else {
      engine.round(n, hint::eager, check_and_add);
      engine.each(n, add);
    }
  }
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(value[i], 40) << i << " of " << n;
}

/// What a step reads of others is what they wrote before the barrier.
template <class Engine>
void shows_the_neighbours_writes(Engine& engine, std::size_t n) {
  struct record {
    std::size_t value;
    std::size_t received;
  };
  std::vector<record> ring(n);
  for (std::size_t i = 0; i < n; ++i) ring[i] = {i, 0};
  for (std::size_t round = 0; round < n; ++round) {
    engine.round(
        n, hint::lazy, [&](std::size_t i) { ring[(i + 1) % n].received = ring[i].value; },
        [&](std::size_t i) { ring[i].value = ring[i].received; });
  }
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(ring[i].value, i) << "after a whole turn";
}

/// Node i takes part in i % 5 iterations. Between the first and the last step of an iteration all keep together.
template <class Engine>
void lets_nodes_leave(Engine& engine, std::size_t n) {
  struct record {
    std::size_t left;
    std::size_t begun = 0;
    std::size_t ended = 0;
    std::size_t met = 0;  // of all that took part, those seen to have begun
  };
  std::vector<record> nodes(n);
  for (std::size_t i = 0; i < n; ++i) nodes[i] = {i % 5};
  engine.persistent(
      n, [&](std::size_t i) { return nodes[i].left != 0; }, hint::lazy, [&](std::size_t i) { ++nodes[i].begun; },
      [&](std::size_t i) {
        for (std::size_t j = 0; j < n; ++j) {
          if (j % 5 >= nodes[i].begun) nodes[i].met += nodes[j].begun == nodes[i].begun ? 1u : 0u;
        }
      },
      [&](std::size_t i) {
        ++nodes[i].ended;
        --nodes[i].left;
      });
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t company = 0;
    for (std::size_t iteration = 1; iteration <= i % 5; ++iteration) {
      for (std::size_t j = 0; j < n; ++j) company += j % 5 >= iteration ? 1u : 0u;
    }
    EXPECT_EQ(nodes[i].begun, i % 5) << i << " of " << n;
    EXPECT_EQ(nodes[i].ended, i % 5) << i << " of " << n;
    EXPECT_EQ(nodes[i].met, company) << i << " of " << n;
  }
}

/// A plain counter survives increments by all.
template <class Engine>
void excludes_in_atomic(Engine& engine, std::size_t n) {
  std::size_t counter = 0;
  const auto add = [&](std::size_t /*i*/) {
    for (int k = 0; k < 50; ++k) engine.atomic([&] { ++counter; });
  };
  engine.atomic([&] { ++counter; });
  engine.each(n, add);
  engine.round(n, hint::eager, add, add);
  EXPECT_EQ(counter, 1 + 150 * n) << n;
}

template <class Engine>
void keeps_the_interface(Engine& engine) {
  for (const std::size_t n : {1u, 2u, 13u, 64u}) {
    keeps_steps_apart(engine, n);
    joins_each_round(engine, n);
    shows_the_neighbours_writes(engine, n);
    lets_nodes_leave(engine, n);
    excludes_in_atomic(engine, n);
  }
}

/// Makes the input, runs the kernel twice and verifies both answers; the state of the second run.
template <class State, class Engine>
State solved(Engine& engine, const recipe& r) {
  State state(generate<typename kernel<State>::input>(r));
  for (int run = 0; run < 2; ++run) {
    state.reset();
    kernel<State>::run(engine, state);
    EXPECT_NO_THROW(kernel<State>::verify(state)) << kernel<State>::name << " " << name_of(r.shape) << " " << r.n;
  }
  return state;
}

/// HS, LCR, BF and VC on small inputs.
template <class Engine>
void solves_rings_and_trees(Engine& engine) {
  for (const std::size_t n : {2u, 3u, 8u, 21u, 64u}) {
    solved<hs_state>(engine, {family::ring, n, n});
    solved<lcr_state>(engine, {family::ring, n, n});
    for (const family shape :
         {family::spmax, family::random, family::complete, family::spmin, family::chain, family::star}) {
      solved<bf_state>(engine, {shape, n, n});
      solved<vc_state>(engine, {shape, n, n});
    }
  }
}

/// The other eight kernels on small inputs.
template <class Engine>
void solves_graphs(Engine& engine) {
  for (const family shape :
       {family::spmax, family::random, family::complete, family::spmin, family::chain, family::star}) {
    for (const std::size_t n : {2u, 3u, 8u, 21u}) {
      const recipe r{shape, n, n};
      solved<kc_state>(engine, r);
      solved<by_state>(engine, r);
      solved<dst_state>(engine, r);
      solved<mis_state>(engine, r);
      solved<mst_state>(engine, r);
      solved<ds_state>(engine, r);
      solved<dp_state>(engine, r);
      solved<dr_state>(engine, r);
    }
  }
}

}  // namespace bench::imsuite
