// SPDX-License-Identifier: Apache-2.0
// Whom a place asks at random.
#pragma once

#include <tactus/base/impl/rng.hpp>

#include "placement/placement.hpp"

#include <algorithm>

namespace tactus::detail {

/// Needs another place to be there.
class random_places {
public:
  explicit random_places(const placement_settings& s)
      : draw_(s.seed, static_cast<std::uint64_t>(s.here)), here_(s.here), places_(s.places) {
    if (s.near_group > 1 && s.near_group < s.places) {
      first_near_ = s.here / s.near_group * s.near_group;
      near_ = std::min(s.near_group, s.places - first_near_);
    }
  }

  /// Any but this; half of the time one that is near, if there are such.
  int any() { return near_ > 1 && draw_.chance(1, 2) ? other_of(first_near_, near_) : other_of(0, places_); }

private:
  int other_of(int first, int n) {
    const int drawn = first + static_cast<int>(draw_.below(static_cast<std::uint64_t>(n - 1)));
    return drawn < here_ ? drawn : drawn + 1;
  }

  rng draw_;
  int here_;
  int places_;
  int first_near_ = 0;
  int near_ = 0;
};

}  // namespace tactus::detail
