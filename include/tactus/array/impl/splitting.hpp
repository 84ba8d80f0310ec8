// SPDX-License-Identifier: Apache-2.0
// How work is shared out: grids of places, shares of them, orders along curves.
#pragma once

#include <tactus/base/impl/api.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tactus::detail {

/// Parts along each axis: of all ways to write `places` as a product over the axes of `divided`, the one whose largest part has the fewest
/// cache lines in its faces, and is the least larger than the mean. Extents of all axes, in elements of 8 bytes.
[[nodiscard]] TACTUS_API std::vector<std::ptrdiff_t> choose_grid(std::span<const std::ptrdiff_t> extents,
                                                                 std::span<const std::size_t> divided,
                                                                 std::size_t places);

/// `shares`, or equal ones where there are none, so that they come to 1. usage_error where they are not one for each of `members`, or one
/// is negative or no number, or all are 0; `call` is whose parameter it is.
[[nodiscard]] TACTUS_API std::vector<double> checked_shares(const char* call, const std::vector<double>& shares,
                                                            std::size_t members);

/// Of work that comes in pieces, in their order, the member that each goes to: runs that come to the shares, as nearly as pieces allow.
[[nodiscard]] TACTUS_API std::vector<std::size_t> cut_into_runs(std::span<const double> work,
                                                                std::span<const double> shares);

enum class curve : std::uint8_t { morton, hilbert };

/// Numbers of the cells of a grid in the order in which the curve passes them; cells are numbered row by row. usage_error for more than
/// 2^32 along an axis, and for more than can be counted; std::bad_alloc.
[[nodiscard]] TACTUS_API std::vector<std::size_t> along_curve(curve which, std::span<const std::ptrdiff_t> extents);

/// usage_error: `work` of what the text names is no number that work can be.
[[noreturn]] TACTUS_API void throw_bad_work(const char* call, const char* where, double work);

}  // namespace tactus::detail
