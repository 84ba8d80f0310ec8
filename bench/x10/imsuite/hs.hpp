// SPDX-License-Identifier: Apache-2.0
// HS: leader election in a two-way ring, after Hirschberg and Sinclair. In phase p every node still in the race sends
// its id 2^p hops both ways; larger nodes swallow it, and who gets both messages back goes on. Two advances in a
// round, no atomic block, hardly any work: what it takes is the cost of the barrier.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class hs_state {
public:
  enum class travel : std::uint8_t { none, outbound, inbound };

  struct message {
    std::int64_t uid = 0;
    std::uint32_t hop = 0;  ///< how far an outbound message still goes; 1 for an inbound one
    travel way = travel::none;
  };

  /// Where the messages of one neighbour arrive; written by this neighbour in one step, by the owner in others.
  struct slot {
    message held;
    bool fresh = false;  ///< arrived in this round
  };

  struct node {
    std::int64_t id = 0;
    std::uint32_t phase = 0;
    bool in_race = true;
    slot from_plus;
    slot from_minus;
    message to_plus;           ///< to be delivered in this round
    message to_minus;          ///< likewise
    std::uint32_t leader = 0;  ///< the answer: index of the leader
  };

  explicit hs_state(hs_input in, std::uint64_t load_iterations = 0);
  void reset();

  [[nodiscard]] std::size_t plus(std::size_t i) const { return i + 1 == nodes.size() ? 0 : i + 1; }
  [[nodiscard]] std::size_t minus(std::size_t i) const { return i == 0 ? nodes.size() - 1 : i - 1; }

  /// The first step of a phase: who is in the race begins.
  void send_own(std::size_t i);
  /// The three steps of a round.
  void process(std::size_t i);
  void deliver(std::size_t i);
  void age(std::size_t i);
  /// The leader tells the others.
  void announce(std::size_t i);

  const hs_input input;
  const std::uint64_t load;
  std::vector<node> nodes;
};

template <class Engine>
void run_hs(Engine& engine, hs_state& s) {
  const std::size_t n = s.nodes.size();
  // The published program has floor(log2 n) phases; rounding up changes nothing at powers of two, and at other sizes
  // lets the last messages reach half round the ring, without which two nodes may remain.
  const auto phases = static_cast<unsigned>(std::bit_width(n - 1));
  for (unsigned phase = 0; phase < phases; ++phase) {
    engine.each(n, [&s](std::size_t i) { s.send_own(i); });
    for (std::size_t round = 0; round < std::size_t{2} << phase; ++round) {
      engine.round(
          n, hint::lazy, [&s](std::size_t i) { s.process(i); }, [&s](std::size_t i) { s.deliver(i); },
          [&s](std::size_t i) {
            s.age(i);
            burn(s.load);
          });
    }
  }
  engine.each(n, [&s](std::size_t i) { s.announce(i); });
}

/// Every node names the one with the largest id, which alone is still in the race.
void verify_hs(const hs_state& s);

inline void hs_state::send_own(std::size_t i) {
  const node& sender = nodes[i];
  if (!sender.in_race) return;
  const message own{sender.id, std::uint32_t{1} << sender.phase, travel::outbound};
  nodes[plus(i)].from_minus = {own, false};
  nodes[minus(i)].from_plus = {own, false};
}

inline void hs_state::process(std::size_t i) {
  node& here = nodes[i];
  here.to_plus = here.to_minus = {};
  here.in_race = false;
  // What comes from one side goes on to the other, or back when it has gone far enough.
  const auto pass = [&here](const message& m, message& onward, message& back) {
    if (m.way == travel::none) return;
    if (m.uid == here.id && m.way == travel::outbound) here.in_race = true;  // it came round the ring
    if (m.uid <= here.id) return;
    if (m.way == travel::inbound) {
      onward = m;
    } else if (m.hop > 1) {
      onward = {m.uid, m.hop - 1, travel::outbound};
    } else {
      back = {m.uid, 1, travel::inbound};
    }
  };
  pass(here.from_plus.held, here.to_minus, here.to_plus);
  pass(here.from_minus.held, here.to_plus, here.to_minus);
  const auto returned = [&here](const message& m) {
    return m.way == travel::inbound && m.uid == here.id && m.hop == 1;
  };
  if (returned(here.from_plus.held) && returned(here.from_minus.held)) {
    ++here.phase;
    here.in_race = true;
  }
}

inline void hs_state::deliver(std::size_t i) {
  const node& sender = nodes[i];
  if (sender.to_plus.way != travel::none) nodes[plus(i)].from_minus = {sender.to_plus, true};
  if (sender.to_minus.way != travel::none) nodes[minus(i)].from_plus = {sender.to_minus, true};
}

inline void hs_state::age(std::size_t i) {
  for (slot* s : {&nodes[i].from_plus, &nodes[i].from_minus}) {
    if (!s->fresh) s->held = {};
    s->fresh = false;
  }
}

}  // namespace bench::imsuite
