// SPDX-License-Identifier: Apache-2.0
#include <tactus/array/region.hpp>

#include <vector>

namespace tactus::detail {
namespace {

__extension__ using wide = __int128;  // products of two indices

using row_range = std::pair<index_t, index_t>;

bool has_points(const row_range& row) noexcept { return row.first < row.second; }

index_t quotient_above(wide a, wide b) noexcept {  // b > 0
  const wide q = a / b;
  return static_cast<index_t>(q * b < a ? q + 1 : q);
}

// The lowest points with integral coordinates on or above the lower side of the hull of the points (row, height of it), row by row. The
// first and the last row have points.
template <class Height>
std::vector<index_t> lower_side(std::span<const row_range> rows, Height height) {
  std::vector<index_t> corners;
  const auto is_above = [&](index_t middle, index_t first, index_t last) {  // the line from first to last, or on it
    return wide{height(middle) - height(first)} * (last - first) >=
           wide{height(last) - height(first)} * (middle - first);
  };
  for (index_t row = 0; row < static_cast<index_t>(rows.size()); ++row) {
    if (!has_points(rows[static_cast<std::size_t>(row)])) {
      continue;
    }
    while (corners.size() >= 2 && is_above(corners.back(), corners[corners.size() - 2], row)) {
      corners.pop_back();
    }
    corners.push_back(row);
  }
  std::vector<index_t> side{height(0)};
  for (std::size_t k = 0; k + 1 < corners.size(); ++k) {
    const index_t first = corners[k];
    const index_t last = corners[k + 1];
    for (index_t row = first + 1; row <= last; ++row) {
      side.push_back(height(first) + quotient_above(wide{height(last) - height(first)} * (row - first), last - first));
    }
  }
  return side;
}

}  // namespace

bool are_rows_of_convex(std::span<const row_range> rows) {
  if (rows.empty()) {
    return true;
  }
  const std::vector<index_t> lower =
      lower_side(rows, [rows](index_t row) { return rows[static_cast<std::size_t>(row)].first; });
  const std::vector<index_t> upper =
      lower_side(rows, [rows](index_t row) { return 1 - rows[static_cast<std::size_t>(row)].second; });
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const bool is_right = has_points(rows[row]) ? lower[row] == rows[row].first && -upper[row] == rows[row].second - 1
                                                : lower[row] > -upper[row];  // no such point between the sides
    if (!is_right) {
      return false;
    }
  }
  return true;
}

}  // namespace tactus::detail
