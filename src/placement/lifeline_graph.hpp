// SPDX-License-Identifier: Apache-2.0
// Which places a place asks by lifelines.
#pragma once

#include <vector>

namespace tactus::detail {

/// The lifelines of place `here`: a cyclic hypercube, in which for each digit of its number, in this base, there is the place whose digit is
/// the next smaller one that is there, cyclically (Saraswat et al. 2011). Each once, itself not. Strongly connected for any number of places (rule f).
std::vector<int> lifelines_of(int here, int places, int base);

}  // namespace tactus::detail
