// SPDX-License-Identifier: Apache-2.0
// The kernels DST, KC, DP, MIS, MST, BY, DS and DR: right answers in every form, the counts that can be worked out by
// hand, and verifiers that notice every kind of wrong answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tactus/task/run.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "support/program.hpp"
#include "x10/imsuite/engines/async_finish.hpp"
#include "x10/imsuite/engines/counting.hpp"
#include "x10/imsuite/engines/serial.hpp"
#include "x10/imsuite/generate.hpp"
#include "x10/imsuite/kernels.hpp"
#include "x10/imsuite/text.hpp"

namespace bench::imsuite {
namespace {

// What the tests need -----------------------------------------------------------------------------------------------

/// Serial, but the nodes of each step come in a random order: what must not depend on the order of mail shows.
class shuffled_engine {
public:
  explicit shuffled_engine(std::uint64_t seed) : random_(seed) {}

  template <class Hints, class... Steps>
  void round(std::size_t n, const Hints& /*hints*/, const Steps&... steps) {
    (each(n, steps), ...);
  }

  template <class F>
  void each(std::size_t n, const F& f) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    run(std::move(order), f);
  }

  template <class Alive, class Hints, class... Steps>
  void persistent(std::size_t n, const Alive& alive, const Hints& /*hints*/, const Steps&... steps) {
    std::vector<std::size_t> here;
    const auto come = [&] {
      here.clear();
      for (std::size_t i = 0; i < n; ++i) {
        if (alive(i)) here.push_back(i);
      }
      return !here.empty();
    };
    while (come()) (run(here, steps), ...);
  }

  template <class F>
  void atomic(const F& f) {
    f();
  }

private:
  template <class F>
  void run(std::vector<std::size_t> order, const F& f) {
    for (std::size_t left = order.size(); left > 0; --left) {
      const std::size_t chosen = random_.bits() % left;
      std::swap(order[chosen], order[left - 1]);
      f(order[left - 1]);
    }
  }

  draws random_;
};

static_assert(engine<shuffled_engine>);

/// A thread for each node and std::barrier between the steps: the meaning of the clocked form, without the library.
class thread_engine {
public:
  template <class Hints, class... Steps>
  void round(std::size_t n, const Hints& /*hints*/, const Steps&... steps) {
    fork(n, [&](std::size_t i, std::barrier<>& all) { walk(i, all, steps...); });
  }

  template <class F>
  void each(std::size_t n, const F& f) {
    fork(n, [&](std::size_t i, std::barrier<>& /*all*/) { f(i); });
  }

  template <class Alive, class Hints, class... Steps>
  void persistent(std::size_t n, const Alive& alive, const Hints& /*hints*/, const Steps&... steps) {
    fork(n, [&](std::size_t i, std::barrier<>& all) {
      while (alive(i)) walk(i, all, steps...);
      all.arrive_and_drop();
    });
  }

  template <class F>
  void atomic(const F& f) {
    const std::lock_guard hold(mutex_);
    f();
  }

private:
  template <class Walk>
  static void fork(std::size_t n, const Walk& walk_of) {
    std::barrier<> all(static_cast<std::ptrdiff_t>(n));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < n; ++i) threads.emplace_back([&, i] { walk_of(i, all); });
  }

  template <class... Steps>
  static void walk(std::size_t i, std::barrier<>& all, const Steps&... steps) {
    for_each_step(
        [&](auto k, const auto& step) {
          if constexpr (k > 0) all.arrive_and_wait();
          step(i);
        },
        steps...);
  }

  std::mutex mutex_;
};

static_assert(engine<thread_engine>);

template <class State>
using input_of = typename kernel<State>::input;

template <class State, class Engine>
void run_and_verify(Engine& e, State& state) {
  kernel<State>::run(e, state);
  kernel<State>::verify(state);
}

template <class State>
void run_serially(State& state) {
  serial_engine serial;
  run_and_verify(serial, state);
}

std::vector<recipe> small_recipes() {
  std::vector<recipe> all;
  for (const family shape :
       {family::chain, family::star, family::complete, family::random, family::spmin, family::spmax}) {
    for (const std::size_t n : {2U, 3U, 8U, 17U, 40U}) {
      for (const std::uint64_t seed : {1U, 2U, 3U}) all.push_back({shape, n, seed});
    }
  }
  return all;
}

std::string text_of(const recipe& r) {
  return "family " + std::to_string(static_cast<int>(r.shape)) + ", " + std::to_string(r.n) + " nodes, seed " +
         std::to_string(r.seed);
}

graph chain(std::size_t n) { return generate_graph({family::chain, n, 1}); }
graph complete(std::size_t n) { return generate_graph({family::complete, n, 1}); }
graph star(std::size_t n) { return generate_graph({family::star, n, 1}); }

graph two_pairs() {
  graph g;
  g.n = 4;
  g.neighbours = {{1}, {0}, {3}, {2}};
  return g;
}

// What does not depend on the order of tasks ------------------------------------------------------------------------

std::vector<std::int64_t> answer(const dst_state& s) {
  std::vector<std::int64_t> levels;
  for (const auto& v : s.nodes) levels.push_back(v.discovered.load());
  return levels;
}

std::vector<std::int64_t> answer(const kc_state& s) {
  std::vector<std::int64_t> committees;
  for (const auto& v : s.nodes) committees.push_back(v.committee);
  return committees;
}

std::vector<std::int64_t> answer(const dp_state& s) {
  std::vector<std::int64_t> all;
  for (const auto& v : s.nodes) all.insert(all.end(), {v.leader, v.best, v.distance, v.still});
  return all;
}

std::vector<std::int64_t> answer(const mis_state& s) {
  std::vector<std::int64_t> members;
  for (const auto& v : s.nodes) members.push_back(v.in_set ? 1 : 0);
  return members;
}

std::vector<std::int64_t> answer(const mst_state& s) {
  std::vector<std::int64_t> parents;
  for (const auto& v : s.nodes) parents.push_back(v.parent);
  return parents;
}

/// What a node hears of a traitor depends on the order of mail, and its decision may.
std::vector<std::int64_t> answer(const by_state& s) { return {s.rounds, s.coin ? 1 : 0}; }

std::vector<std::int64_t> answer(const ds_state& s) {
  std::vector<std::int64_t> members;
  for (const auto& v : s.nodes) members.push_back(v.member ? 1 : 0);
  return members;
}

std::vector<std::int64_t> answer(const dr_state& s) {
  std::vector<std::int64_t> all;
  for (const auto& row : s.table) {
    for (const auto& route : row) all.insert(all.end(), {route.cost, route.parent, route.next});
  }
  return all;
}

// Every form ---------------------------------------------------------------------------------------------------------

template <class State>
class imsuite_kernel : public testing::Test {};

using states = testing::Types<dst_state, kc_state, dp_state, mis_state, mst_state, by_state, ds_state, dr_state>;
TYPED_TEST_SUITE(imsuite_kernel, states);

TYPED_TEST(imsuite_kernel, is_right_on_every_family) {
  for (const recipe& r : small_recipes()) {
    SCOPED_TRACE(text_of(r));
    TypeParam state(generate<input_of<TypeParam>>(r));
    EXPECT_NO_THROW(run_serially(state));
  }
}

TYPED_TEST(imsuite_kernel, is_right_whatever_the_order_of_nodes_and_counts_the_same) {
  for (const recipe& r : small_recipes()) {
    SCOPED_TRACE(text_of(r));
    TypeParam state(generate<input_of<TypeParam>>(r));
    run_serially(state);
    const auto expected = answer(state);
    for (std::uint64_t order = 0; order < 4; ++order) {
      shuffled_engine shuffled(order);
      state.reset();
      EXPECT_NO_THROW(run_and_verify(shuffled, state));
      EXPECT_EQ(answer(state), expected);
    }
  }
}

TYPED_TEST(imsuite_kernel, is_right_with_a_finish_for_each_step) {
  for (const int workers : {1, 3}) {
    tactus::runtime runtime(tactus::config{.threads = workers, .env = false});
    for (const recipe& r : small_recipes()) {
      if (r.seed != 1) continue;
      SCOPED_TRACE(text_of(r) + ", " + std::to_string(workers) + " workers");
      TypeParam state(generate<input_of<TypeParam>>(r));
      run_serially(state);
      const auto expected = answer(state);
      state.reset();
      async_finish_engine forks;
      runtime.run([&] { kernel<TypeParam>::run(forks, state); });
      EXPECT_NO_THROW(kernel<TypeParam>::verify(state));
      EXPECT_EQ(answer(state), expected);
    }
  }
}

TYPED_TEST(imsuite_kernel, is_right_with_a_thread_for_each_node) {
  for (const family shape : {family::chain, family::star, family::random, family::spmax}) {
    const recipe r{shape, 16, 7};
    SCOPED_TRACE(text_of(r));
    TypeParam state(generate<input_of<TypeParam>>(r));
    run_serially(state);
    const auto expected = answer(state);
    state.reset();
    thread_engine threads;
    EXPECT_NO_THROW(run_and_verify(threads, state));
    EXPECT_EQ(answer(state), expected);
  }
}

TYPED_TEST(imsuite_kernel, starts_anew_after_a_reset) {
  TypeParam state(generate<input_of<TypeParam>>({family::spmax, 64, 5}));
  counting_engine first;
  run_and_verify(first, state);
  const auto expected = answer(state);
  state.reset();
  EXPECT_THROW(kernel<TypeParam>::verify(state), wrong_answer);
  counting_engine second;
  run_and_verify(second, state);
  EXPECT_EQ(answer(state), expected);
  EXPECT_EQ(second.seen().advances, first.seen().advances);
  EXPECT_EQ(second.seen().atomics, first.seen().atomics);
}

TYPED_TEST(imsuite_kernel, gives_the_same_answer_under_load) {
  const auto input = generate<input_of<TypeParam>>({family::spmax, 24, 2});
  TypeParam idle(input);
  TypeParam busy(input, 100);
  run_serially(idle);
  run_serially(busy);
  EXPECT_EQ(busy.load, 100U);
  EXPECT_EQ(answer(busy), answer(idle));
}

// Figure 14 ----------------------------------------------------------------------------------------------------------

template <class State>
counts counts_of(input_of<State> input) {
  State state(std::move(input));
  counting_engine e;
  run_and_verify(e, state);
  return e.seen();
}

TEST(imsuite_counts, of_dst_follow_from_the_levels_of_the_tree) {
  // A chain of four from its end: phases 0 to 3 with 1 + phase barriers each. An invitation and two blocks of the answer
  // for each of three edges; echoes from one node in phase 1 and from two in phase 2.
  const counts seen = counts_of<dst_state>({chain(4), 0});
  EXPECT_EQ(seen.advances, 4U * (1 + 2 + 3 + 4));
  EXPECT_EQ(seen.atomics, 3U * 3 + 1 + 2);
}

TEST(imsuite_counts, of_dst_are_two_for_every_invitation_that_is_declined) {
  // In a triangle the root invites both others, who then invite each other, already having parents.
  const counts seen = counts_of<dst_state>({complete(3), 0});
  EXPECT_EQ(seen.advances, 3U * (1 + 2));
  EXPECT_EQ(seen.atomics, 2U * 3 + 2 * 2);
}

TEST(imsuite_counts, of_kc_are_three_advances_for_each_turn_and_hop) {
  for (const std::uint32_t k : {1U, 2U, 3U, 5U}) {
    kc_input input = generate<kc_input>({family::spmax, 32, 1});
    input.k = k;
    EXPECT_EQ(counts_of<kc_state>(input).advances, 32U * k * (k - 1) * 3);
  }
}

TEST(imsuite_counts, of_kc_on_a_pair) {
  // k = 2, ids 5 and 9. Both poll in each of two turns: 4 blocks. Node 0 leads both, invites itself and sends that to
  // node 1, in the second turn again; what node 1 holds of the first turn goes back to node 0 in the second, too.
  const counts seen = counts_of<kc_state>({chain(2), 2, {5, 9}});
  EXPECT_EQ(seen.advances, 2U * 2 * 3);
  EXPECT_EQ(seen.atomics, 4U + 1 + 2);
}

TEST(imsuite_counts, of_dp_on_a_pair) {
  // The larger id is known after pulse 1, its owner hears so in pulse 2, notices silence in 3 and 4, and ends; the other
  // node ends in pulse 5. Two messages in each of four pulses, one in the fifth, and one at the end of each node.
  const counts seen = counts_of<dp_state>({chain(2), {1, 2}});
  EXPECT_EQ(seen.advances, 2U * 5 * 3);
  EXPECT_EQ(seen.atomics, 4U * 2 + 1 + 2);
}

TEST(imsuite_counts, of_mis_on_a_pair) {
  // One round: a value each way; the winner marks the loser, takes the edge away on both sides and, as an edge of the
  // loser, once more on both sides.
  const counts seen = counts_of<mis_state>({chain(2)});
  EXPECT_EQ(seen.advances, 2U * 3);
  EXPECT_EQ(seen.atomics, 2U + 1 + 2 + 2);
}

TEST(imsuite_counts, of_mst_on_a_pair) {
  // One barrier each to go down, to report and to turn round, four to merge, two to spread the root's name. Two nodes
  // ask to join, one adds a child and names itself to it.
  const counts seen = counts_of<mst_state>({chain(2), {0, 7, 7, 0}});
  EXPECT_EQ(seen.advances, 2U * (1 + 1 + 1 + 4 + 2));
  EXPECT_EQ(seen.atomics, 2U + 1 + 1);
}

TEST(imsuite_counts, of_by_are_one_atomic_block_for_each_vote_that_is_passed_on) {
  // All are neighbours: one round in each of 8 / 8 + 1 iterations.
  by_input near{complete(8), std::vector<std::uint8_t>(8, 1), {}};
  EXPECT_EQ(counts_of<by_state>(near).advances, 8U * 2);
  EXPECT_EQ(counts_of<by_state>(near).atomics, 2U * 8 * 7);
  // A chain of five has radius 2 and a single iteration: 8 votes, then each node passes on what it got to all its
  // neighbours, one vote at the ends and two to two neighbours in the middle.
  by_input far{chain(5), std::vector<std::uint8_t>(5, 1), {}};
  EXPECT_EQ(counts_of<by_state>(far).advances, 5U * 2);
  EXPECT_EQ(counts_of<by_state>(far).atomics, 8U + 2 * 1 + 3 * 4);
}

TEST(imsuite_counts, of_ds_on_a_star) {
  // Only the centre is active, so it is a candidate for certain; it offers itself to three leaves and covers them.
  const counts seen = counts_of<ds_state>({star(4)});
  EXPECT_EQ(seen.advances, 4U * 8);
  EXPECT_EQ(seen.atomics, 3U + 3);
  EXPECT_EQ(seen.clocked_tasks, 4U);
}

TEST(imsuite_counts, of_dr_are_none) {
  const counts seen = counts_of<dr_state>(generate<dr_input>({family::spmax, 32, 1}));
  EXPECT_EQ(seen.advances, 0U);
  EXPECT_EQ(seen.atomics, 0U);
  EXPECT_EQ(seen.forked_tasks, 32U);
}

/// Figure 14 itself, where the published inputs are at hand: their folder in DEV_IMSUITE_INPUTS.
class figure_14 : public testing::Test {
protected:
  void SetUp() override {
    const char* folder = std::getenv("DEV_IMSUITE_INPUTS");
    if (folder == nullptr) GTEST_SKIP() << "DEV_IMSUITE_INPUTS is not set";
    folder_ = folder;
  }

  template <class State>
  void expect(const std::string& file, std::uint64_t advances, std::uint64_t atomics) const {
    SCOPED_TRACE(file);
    const counts seen = counts_of<State>(read_file<input_of<State>>((folder_ / file).string()));
    EXPECT_EQ(seen.advances, advances);
    EXPECT_EQ(seen.atomics, atomics);
  }

private:
  std::filesystem::path folder_;
};

TEST_F(figure_14, counts_are_ours) {
  expect<kc_state>("inputkcommitte_512_-spmax.txt", 9216, 107182);
  expect<by_state>("inputbyzantine_128_-spmax.txt", 4352, 537064);
  expect<dst_state>("inputbfsDijkstra_512_-spmax.txt", 5120, 14694);
  expect<mis_state>("inputmis_512_-spmax.txt", 6144, 44320);
  expect<mst_state>("inputmst_512_-spmax.txt", 81408, 7246);
  expect<ds_state>("inputdominatingSet_128_-spmax.txt", 5232, 599);
  expect<dp_state>("inputleader_elect_dp_512_-spmax.txt", 16896, 102772);
}

// Verifiers ----------------------------------------------------------------------------------------------------------

/// A finished run on a generated input.
template <class State>
State finished(const recipe& r = {family::spmax, 32, 4}) {
  State state(generate<input_of<State>>(r));
  run_serially(state);
  return state;
}

TEST(verifier, of_dst_wants_each_node_to_be_a_child_once) {
  dst_state s({complete(5), 0});
  run_serially(s);
  s.nodes[0].children.push_back(1);
  EXPECT_THROW(verify_dst(s), wrong_answer);
  s.nodes[0].children = {1, 2, 3};
  EXPECT_THROW(verify_dst(s), wrong_answer);
}

TEST(verifier, of_dst_wants_parents_one_hop_nearer_to_the_root) {
  dst_state s({complete(4), 0});
  run_serially(s);
  s.nodes[3].parent = 2;  // a neighbour, but as far from the root
  std::erase(s.nodes[0].children, 3U);
  s.nodes[2].children.push_back(3);
  EXPECT_THROW(verify_dst(s), wrong_answer);
}

TEST(verifier, of_dst_wants_parents_and_children_to_agree) {
  dst_state s({chain(4), 0});
  run_serially(s);
  s.nodes[3].parent = 1;
  EXPECT_THROW(verify_dst(s), wrong_answer);
}

TEST(verifier, of_dst_wants_nodes_found_in_the_phase_of_their_distance) {
  dst_state s({chain(4), 0});
  run_serially(s);
  s.nodes[3].discovered.store(2);
  EXPECT_THROW(verify_dst(s), wrong_answer);
}

TEST(verifier, of_kc_wants_a_committee_for_each_node) {
  auto s = finished<kc_state>();
  s.nodes[3].committee = kc_state::k_nobody;
  EXPECT_THROW(verify_kc(s), wrong_answer);
}

TEST(verifier, of_kc_wants_small_committees) {
  auto s = finished<kc_state>();
  for (auto& v : s.nodes) v.committee = 0;
  EXPECT_THROW(verify_kc(s), wrong_answer);
}

TEST(verifier, of_kc_wants_the_committees_that_invitations_make) {
  auto s = finished<kc_state>();
  for (std::size_t i = 0; i < s.nodes.size(); ++i) s.nodes[i].committee = static_cast<std::uint32_t>(i);
  EXPECT_THROW(verify_kc(s), wrong_answer);
}

TEST(verifier, of_dp_wants_the_node_with_the_largest_id) {
  auto s = finished<dp_state>();
  const std::uint32_t leader = s.nodes[0].leader;
  s.nodes[7].leader = dp_state::k_nobody;
  EXPECT_THROW(verify_dp(s), wrong_answer);
  for (auto& v : s.nodes) v.leader = leader == 0 ? 1 : leader - 1;
  EXPECT_THROW(verify_dp(s), wrong_answer);
}

TEST(verifier, of_mis_wants_an_independent_and_maximal_set) {
  auto s = finished<mis_state>();
  for (auto& v : s.nodes) {
    v.in_set = !v.in_set;
    EXPECT_THROW(verify_mis(s), wrong_answer);
    v.in_set = !v.in_set;
  }
  EXPECT_NO_THROW(verify_mis(s));
}

TEST(verifier, of_mst_wants_the_lightest_tree) {
  // A triangle with weights 1, 2 and 3: the tree takes 0-1 and 1-2. The heavier 0-2 in place of 1-2 is a tree, too.
  mst_state s({complete(3), {0, 1, 3, 1, 0, 2, 3, 2, 0}});
  run_serially(s);
  for (auto& v : s.nodes) {
    v.parent = mst_state::k_nobody;
    v.children.clear();
  }
  s.nodes[1].parent = 0;
  s.nodes[2].parent = 0;
  s.nodes[0].children = {1, 2};
  EXPECT_THROW(verify_mst(s), wrong_answer);
}

TEST(verifier, of_mst_wants_a_single_tree_of_edges) {
  const auto intact = finished<mst_state>();
  const auto child = static_cast<std::uint32_t>(
      std::ranges::find_if(intact.nodes, [](const auto& v) { return v.parent != mst_state::k_nobody; }) -
      intact.nodes.begin());
  const std::uint32_t parent = intact.nodes[child].parent;

  mst_state lost = intact;
  std::erase(lost.nodes[parent].children, child);
  EXPECT_THROW(verify_mst(lost), wrong_answer);

  mst_state doubled = intact;
  doubled.nodes[parent].children.push_back(child);
  EXPECT_THROW(verify_mst(doubled), wrong_answer);

  mst_state second_root = intact;
  second_root.nodes[child].parent = mst_state::k_nobody;
  EXPECT_THROW(verify_mst(second_root), wrong_answer);

  mst_state no_edge({chain(3), {0, 1, 9, 1, 0, 2, 9, 2, 0}});
  run_serially(no_edge);
  no_edge.nodes = std::vector<mst_state::node>(3);
  no_edge.nodes[0].children = {1, 2};
  no_edge.nodes[1].parent = 0;
  no_edge.nodes[2].parent = 0;
  EXPECT_THROW(verify_mst(no_edge), wrong_answer);

  mst_state cycle({complete(4), {0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 6, 0}});
  run_serially(cycle);
  cycle.nodes = std::vector<mst_state::node>(4);  // 0 alone, 1 -> 2 -> 3 -> 1
  for (const auto& [v, next] : {std::pair{1U, 2U}, std::pair{2U, 3U}, std::pair{3U, 1U}}) {
    cycle.nodes[v].children = {next};
    cycle.nodes[next].parent = v;
  }
  EXPECT_THROW(verify_mst(cycle), wrong_answer);
}

TEST(verifier, of_by_wants_what_the_votes_say) {
  for (const std::uint8_t vote : std::vector<std::uint8_t>{0, 1}) {
    by_state s({complete(16), std::vector<std::uint8_t>(16, vote), {5}});
    run_serially(s);
    for (std::size_t i = 0; i < s.nodes.size(); ++i) {
      if (i == 5) continue;
      by_state::node& v = s.nodes[i];
      ASSERT_TRUE(v.permanent);
      EXPECT_EQ(v.decision, vote);
      v.decision = vote == 1 ? 0 : 1;
      EXPECT_THROW(verify_by(s), wrong_answer) << "node " << i << " says the opposite";
      v.decision = 0;
      v.permanent = false;
      EXPECT_THROW(verify_by(s), wrong_answer) << "node " << i << " says nothing";
      v.decision = vote;
      v.permanent = true;
    }
    EXPECT_NO_THROW(verify_by(s));
    for (auto& v : s.nodes) v.decision = vote == 1 ? 0 : 1;
    EXPECT_THROW(verify_by(s), wrong_answer) << "all say the opposite";
  }
}

/// Sixteen nodes of which one is a traitor that tells its two neighbours different votes; all others are neighbours,
/// but for those two. They hear the traitor over either of the two, and the votes for 1 are as many as not yet count: what
/// is decided depends on the order of mail.
by_input open_vote() {
  std::uint32_t traitor = 0;
  const auto lies_differ = [](std::uint32_t t) {
    draws random(t);
    const std::uint8_t first = random.bit();
    return first != random.bit();
  };
  while (!lies_differ(traitor)) ++traitor;
  const std::uint32_t left = (traitor + 1) % 16;
  const std::uint32_t right = (traitor + 2) % 16;
  by_input input{complete(16), std::vector<std::uint8_t>(16, 0), {traitor}};
  for (std::uint32_t i = 0; i < 16; ++i) {
    std::erase_if(input.g.neighbours[i], [&](std::uint32_t j) {
      const auto near = [&](std::uint32_t v) { return v == left || v == right; };
      return (i == traitor && !near(j)) || (j == traitor && !near(i)) || (near(i) && near(j));
    });
  }
  for (std::size_t ones = 0; ones < by_state(input).threshold(); ++ones) input.vote[(traitor + 1 + ones) % 16] = 1;
  return input;
}

TEST(verifier, of_by_takes_any_order_of_mail_but_wants_one_decision) {
  by_state s(open_vote());
  ASSERT_EQ(s.rounds, 2U);
  for (std::uint64_t order = 0; order < 16; ++order) {
    SCOPED_TRACE(order);
    s.reset();
    shuffled_engine shuffled(order);
    EXPECT_NO_THROW(run_and_verify(shuffled, s));
  }
  for (const std::uint8_t decision : std::vector<std::uint8_t>{0, 1}) {
    for (auto& v : s.nodes) {
      v.permanent = true;
      v.decision = decision;
    }
    EXPECT_NO_THROW(verify_by(s)) << "all for " << int{decision};
    s.nodes[s.input.traitor.front() == 15 ? 14 : 15].decision = decision == 1 ? 0 : 1;
    EXPECT_THROW(verify_by(s), wrong_answer) << "all but one for " << int{decision};
  }
}

TEST(verifier, of_ds_wants_a_dominating_and_independent_set) {
  auto s = finished<ds_state>();
  for (auto& v : s.nodes) {
    v.member = !v.member;
    if (v.member) {
      EXPECT_THROW(verify_ds(s), wrong_answer) << "a member has a neighbour in the set";
    }
    v.member = !v.member;
  }
  EXPECT_NO_THROW(verify_ds(s));
  for (auto& v : s.nodes) v.member = false;
  EXPECT_THROW(verify_ds(s), wrong_answer);
}

TEST(verifier, of_dr_wants_the_cheapest_routes) {
  auto s = finished<dr_state>({family::random, 12, 3});
  for (auto& row : s.table) {
    for (auto& route : row) {
      const dr_state::route right = route;
      for (const std::int64_t off : {-1, 1}) {
        route.cost = right.cost + off;
        EXPECT_THROW(verify_dr(s), wrong_answer);
      }
      route.cost = dr_state::k_unreachable;
      EXPECT_THROW(verify_dr(s), wrong_answer);
      route = right;
    }
  }
  EXPECT_NO_THROW(verify_dr(s));
}

TEST(verifier, of_dr_wants_parents_and_first_hops_that_fit) {
  auto s = finished<dr_state>({family::random, 12, 3});
  for (std::size_t source = 0; source < s.table.size(); ++source) {
    for (std::size_t target = 0; target < s.table.size(); ++target) {
      if (target == source) continue;
      dr_state::route& route = s.table[source][target];
      const dr_state::route right = route;
      route.parent = static_cast<std::uint32_t>(target);
      EXPECT_THROW(verify_dr(s), wrong_answer);
      route = right;
      route.next = route.next == 0 ? 1 : 0;
      EXPECT_THROW(verify_dr(s), wrong_answer);
      route = right;
    }
  }
  EXPECT_NO_THROW(verify_dr(s));
}

// Inputs that a kernel cannot work on --------------------------------------------------------------------------------

TEST(imsuite_state, refuses_a_graph_in_pieces_where_the_kernel_would_not_end) {
  EXPECT_THROW(dp_state({two_pairs(), {1, 2, 3, 4}}), std::invalid_argument);
  EXPECT_THROW(mst_state({two_pairs(), std::vector<std::int64_t>(16, 1)}), std::invalid_argument);
  EXPECT_THROW(by_state({two_pairs(), {0, 0, 0, 0}, {}}), std::invalid_argument);
}

TEST(imsuite_state, refuses_routes_over_edges_that_cost_nothing) {
  EXPECT_THROW(dr_state({chain(2), {0, 0, 0, 0}}), std::invalid_argument);
}

TEST(imsuite_state, takes_a_graph_in_pieces_where_the_kernel_ends) {
  dst_state tree({two_pairs(), 2});
  EXPECT_NO_THROW(run_serially(tree));
  kc_state committees({two_pairs(), 3, {4, 3, 2, 1}});
  EXPECT_NO_THROW(run_serially(committees));
  mis_state independent({two_pairs()});
  EXPECT_NO_THROW(run_serially(independent));
  ds_state dominating({two_pairs()});
  EXPECT_NO_THROW(run_serially(dominating));
  dr_state routes({two_pairs(), std::vector<std::int64_t>(16, 1)});
  EXPECT_NO_THROW(run_serially(routes));
  EXPECT_EQ(routes.table[0][2].cost, dr_state::k_unreachable);
}

TEST(draws_of_nodes, differ_from_node_to_node_and_repeat_for_each) {
  draws zero(0);
  draws one(1);
  draws again(0);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = zero.fraction();
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 1);
    EXPECT_NE(x, one.fraction());
    EXPECT_EQ(x, again.fraction());
    sum += x;
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

}  // namespace
}  // namespace bench::imsuite
