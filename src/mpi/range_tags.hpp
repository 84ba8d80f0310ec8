// SPDX-License-Identifier: Apache-2.0
// Tags of frames whose ranges go beside them. docs/protocols/ranges.md.
#pragma once

namespace tactus::detail {

inline constexpr int k_first_range_tag = 16;
inline constexpr int k_most_range_tags = 16'000;  // of each process for each other one; MPI has 32,768 or more

}  // namespace tactus::detail
