// SPDX-License-Identifier: Apache-2.0
#include <tactus/array/region.hpp>

#include <vector>

namespace tactus::detail {
namespace {

__extension__ using wide = __int128;  // products of two indices

// Which of the rows are corners of the hull below the points (number of the row, height of it).
template <class Height>
std::vector<index_t> corners_below(index_t rows, Height height) {
  std::vector<index_t> corners;
  const auto is_above = [&](index_t middle, index_t first, index_t last) {  // the line from first to last, or on it
    return static_cast<wide>(height(middle) - height(first)) * (last - first) >=
           static_cast<wide>(height(last) - height(first)) * (middle - first);
  };
  for (index_t row = 0; row < rows; ++row) {
    while (corners.size() >= 2 && is_above(corners.back(), corners[corners.size() - 2], row)) {
      corners.pop_back();
    }
    corners.push_back(row);
  }
  return corners;
}

// Whether no point with integral coordinates lies below its row and in the hull.
template <class Height>
bool none_is_missing_below(index_t rows, Height height) {
  const std::vector<index_t> corners = corners_below(rows, height);
  for (std::size_t k = 0; k + 1 < corners.size(); ++k) {
    const index_t first = corners[k];
    const index_t last = corners[k + 1];
    for (index_t row = first + 1; row < last; ++row) {
      const auto below = static_cast<wide>(height(row) - 1 - height(first)) * (last - first);
      if (below >= static_cast<wide>(height(last) - height(first)) * (row - first)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

bool are_rows_of_convex(std::span<const std::pair<index_t, index_t>> rows) {
  const auto n = static_cast<index_t>(rows.size());
  return none_is_missing_below(n, [rows](index_t row) { return rows[static_cast<std::size_t>(row)].first; }) &&
         none_is_missing_below(n, [rows](index_t row) { return -rows[static_cast<std::size_t>(row)].second; });
}

}  // namespace tactus::detail
