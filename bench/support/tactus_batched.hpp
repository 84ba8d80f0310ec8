// SPDX-License-Identifier: Apache-2.0
// Of programs whose tasks are so small that they may share entries: with --shape batched they have that attribute.
#pragma once

#include <stdexcept>
#include <tactus/tactus.hpp>
#include <utility>

#include "support/program.hpp"

namespace bench {

enum class tasks : bool { single, batched };

/// As the command line has it.
inline tasks tasks_of(const options& o) {
  if (o.shape.empty()) return tasks::single;
  if (o.shape == "batched") return tasks::batched;
  throw std::invalid_argument("--shape is batched or nothing, not '" + o.shape + "'");
}

/// A task of the kind. Known when compiled, so that neither kind pays for the other.
template <tasks Kind, class F>
void spawn(F&& f) {
  if constexpr (Kind == tasks::batched) {
    tactus::async(tactus::batched, std::forward<F>(f));
  } else {
    tactus::async(std::forward<F>(f));
  }
}

}  // namespace bench
