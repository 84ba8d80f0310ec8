// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/by.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {
namespace {

constexpr std::uint32_t k_seed_of_coin = 100;

/// The least eccentricity: so many rounds of flooding each iteration has, whether or not all nodes hear from all.
std::uint32_t radius(const graph& g) {
  if (g.n == 0 || !connected(g)) throw std::invalid_argument("BY: needs a connected graph");
  std::uint32_t least = k_unreached;
  for (std::size_t i = 0; i < g.n; ++i) least = std::min(least, eccentricity(g, i));
  return least;
}

/// What may be, as a set: bit v stands for "it may be v".
using may_be = std::uint8_t;
constexpr may_be k_zero = 1;
constexpr may_be k_one = 2;
constexpr may_be k_undecided = 4;
constexpr may_be only(std::uint8_t vote) { return vote == 1 ? k_one : k_zero; }

/// The votes counted anew: who hears whom follows from distances, and what a traitor is heard to say is an open
/// question where its messages go over different neighbours.
class recount {
public:
  explicit recount(const by_state& state) : state_(state), n_(state.nodes.size()), heard_(n_) {
    find_sources();
    std::vector<may_be> vote(n_);
    for (std::size_t i = 0; i < n_; ++i) vote[i] = only(state.input.vote[i]);
    decision_.assign(n_, k_undecided);
    for (std::size_t iteration = 0; iteration < state.iterations(); ++iteration) vote = count(vote);
  }

  /// The decisions that node i may have come to; k_undecided among them if it may have come to none.
  [[nodiscard]] may_be decision(std::size_t i) const { return decision_[i]; }

private:
  struct source {
    std::uint32_t index;
    may_be lie;  ///< of a traitor: what it may be heard to say; 0: a loyal node, heard to say its vote
  };

  void find_sources() {
    std::vector<bool> traitor(n_);
    for (const std::uint32_t t : state_.input.traitor) traitor[t] = true;
    for (std::uint32_t s = 0; s < n_; ++s) {
      const std::vector<std::uint32_t> distance = distances(state_.input.g, s);
      const std::vector<may_be> lie = traitor[s] ? rumours(s, distance) : std::vector<may_be>(n_);
      for (std::size_t i = 0; i < n_; ++i) {
        if (i != s && !traitor[i] && distance[i] <= state_.rounds) heard_[i].push_back({s, lie[i]});
      }
    }
  }

  /// What each node may hear first of traitor s: over any neighbour that is one hop nearer to it.
  [[nodiscard]] std::vector<may_be> rumours(std::uint32_t s, const std::vector<std::uint32_t>& distance) const {
    std::vector<may_be> lie(n_);
    draws random(s);
    for (const std::uint32_t j : state_.input.g.neighbours[s]) lie[j] = only(random.bit());
    for (std::uint32_t hop = 1; hop < state_.rounds; ++hop) {
      for (std::size_t i = 0; i < n_; ++i) {
        if (distance[i] != hop) continue;
        for (const std::uint32_t j : state_.input.g.neighbours[i]) {
          if (distance[j] == hop + 1) lie[j] |= lie[i];
        }
      }
    }
    return lie;
  }

  /// One iteration; returns the votes of the loyal nodes for the next.
  std::vector<may_be> count(const std::vector<may_be>& vote) {
    std::vector<may_be> next(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      std::size_t least = vote[i] == k_one ? 1 : 0;
      std::size_t most = vote[i] == k_zero ? 0 : 1;
      for (const source& s : heard_[i]) {
        const may_be said = s.lie == 0 ? vote[s.index] : s.lie;
        least += said == k_one ? 1 : 0;
        most += said == k_zero ? 0 : 1;
      }
      may_be decision = decision_[i] & static_cast<may_be>(k_zero | k_one);
      for (std::size_t ones = least; ones <= most; ++ones) {
        const std::size_t zeros = heard_[i].size() + 1 - ones;
        const std::uint8_t majority = ones > zeros ? 1 : 0;
        const std::size_t tally = std::max(ones, zeros);
        next[i] |= only(tally > state_.threshold() ? majority : 0);
        if ((decision_[i] & k_undecided) != 0) decision |= tally > state_.certainty() ? only(majority) : k_undecided;
      }
      decision_[i] = decision;
    }
    return next;
  }

  const by_state& state_;
  std::size_t n_;
  std::vector<std::vector<source>> heard_;
  std::vector<may_be> decision_;
};

}  // namespace

by_state::by_state(by_input given, std::uint64_t load_of_task)
    : input(std::move(given)), load(load_of_task), rounds(radius(input.g)), coin(draws(k_seed_of_coin).bit() == 1) {
  reset();
}

void by_state::reset() {
  nodes.assign(input.g.n, node{});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].vote = input.vote[i];
    nodes[i].heard.assign(nodes.size(), 0);
    nodes[i].heard[i] = 1;
  }
  for (const std::uint32_t t : input.traitor) {
    nodes[t].traitor = true;
    draws random(t);
    for (std::size_t k = 0; k < input.g.neighbours[t].size(); ++k) nodes[t].lies.push_back(random.bit());
  }
}

void verify_by(const by_state& state) {
  const recount counted(state);
  may_be common = k_zero | k_one;  // decisions to which all loyal nodes may have come; none at all counts as 0
  std::size_t loyal = 0;
  std::size_t ones = 0;
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    const by_state::node& v = state.nodes[i];
    if (v.traitor) continue;
    const may_be found = v.permanent ? only(v.decision) : k_undecided;
    const may_be expected = counted.decision(i);
    if ((expected & found) == 0) {
      throw wrong_answer("BY: node " + std::to_string(i) + " cannot have decided " +
                         (v.permanent ? std::to_string(v.decision) : "nothing"));
    }
    if (!v.permanent && v.decision != 0) throw wrong_answer("BY: node " + std::to_string(i) + " did not decide for 1");
    if ((expected & (k_zero | k_undecided)) == 0) common &= k_one;
    if ((expected & k_one) == 0) common &= k_zero;
    ++loyal;
    ones += v.decision;
  }
  if (ones != 0 && ones != loyal && common != 0) {
    throw wrong_answer("BY: " + std::to_string(ones) + " of " + std::to_string(loyal) +
                       " loyal nodes decided for 1, the others for 0");
  }
}

}  // namespace bench::imsuite
