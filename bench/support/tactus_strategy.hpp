// SPDX-License-Identifier: Apache-2.0
// An accumulator's strategy as the command line names it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tactus/tactus.hpp>

namespace bench {

/// For so many tasks on one phaser or clock. Its maker is registered too until it has spawned them all, so that nobody's
/// first phase ends before: it has to fit into a fixed number of places.
inline tactus::strategy strategy_named(const std::string& name, std::uint64_t tasks) {
  using tactus::strategy;
  if (name == "eager") return strategy::eager;
  if (name == "eager_with_delay") return strategy::eager_with_delay;
  if (name == "dynamic_lazy") return strategy::dynamic_lazy;
  if (name == "fixed_lazy") return strategy::fixed_lazy(tasks + 1);
  if (name == "tree") return strategy::tree;
  if (name == "per_worker") return strategy::per_worker;
  if (name == "automatic") return strategy::automatic;
  throw std::invalid_argument("no strategy is named '" + name + "'");
}

}  // namespace bench
