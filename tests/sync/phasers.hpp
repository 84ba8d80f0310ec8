// SPDX-License-Identifier: Apache-2.0
// What the tests of phasers share: the four modes, their order, and what a refused call says.
#pragma once

#include <tactus/tactus.hpp>

#include "support/caught.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace phasers {

using enum tactus::phaser_mode;

inline constexpr std::array k_modes = {signal_wait_next, signal_wait, signal_only, wait_only};

inline const char* name_of(tactus::phaser_mode mode) {
  switch (mode) {
    case signal_wait_next: return "signal_wait_next";
    case signal_wait: return "signal_wait";
    case signal_only: return "signal_only";
    case wait_only: return "wait_only";
  }
  return "another mode";
}

constexpr bool may_signal(tactus::phaser_mode mode) { return mode != wait_only; }
constexpr bool may_wait(tactus::phaser_mode mode) { return mode != signal_only; }

/// The lattice: whether a task registered in mode `parent` may register a child in mode `child`.
constexpr bool may_hand_on(tactus::phaser_mode parent, tactus::phaser_mode child) {
  if (parent == child) return true;
  if (parent == signal_wait_next) return true;
  return parent == signal_wait && (child == signal_only || child == wait_only);
}

/// What the error of type Error says that f threw.
template <class Error, class F>
std::string complaint_of(F&& f) {
  const auto e = support::caught<Error>(std::forward<F>(f));
  return e ? e->what() : "nothing was thrown";
}

template <class F>
std::string phaser_complaint_of(F&& f) {
  return complaint_of<tactus::phaser_use_error>(std::forward<F>(f));
}

template <class F>
bool is_refused(F&& f) {
  return support::caught<tactus::phaser_use_error>(std::forward<F>(f)).has_value();
}

/// Whether the calling task is registered.
inline bool is_registered(const tactus::phaser& ph) {
  return !is_refused([&] { static_cast<void>(ph.phase()); });
}

/// The mode of the calling task, found by trying what it may do: goes through up to two phases, and waits for whoever else
/// signals in them. It must not have signalled in its phase.
inline std::optional<tactus::phaser_mode> mode_by_trying(const tactus::phaser& ph) {
  const bool signals = !is_refused([&] { ph.signal(); });
  const bool waits = !is_refused([&] { ph.wait(); });
  const bool singles = !is_refused([&] { ph.next_single([] {}); });
  for (const tactus::phaser_mode mode : k_modes) {
    if (may_signal(mode) == signals && may_wait(mode) == waits && (mode == signal_wait_next) == singles) return mode;
  }
  return std::nullopt;
}

}  // namespace phasers
