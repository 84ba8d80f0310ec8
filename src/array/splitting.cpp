// SPDX-License-Identifier: Apache-2.0
#include <tactus/array/impl/splitting.hpp>

#include <tactus/base/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace tactus::detail {
namespace {

constexpr double k_line = 8;  // elements in a cache line

// Lines of faces that are sent and received, and of what the largest part has beyond the mean, in lines read and written.
double cost_of(std::span<const std::ptrdiff_t> extents, std::span<const std::ptrdiff_t> grid, std::size_t places) {
  double cells = 1;
  double all = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    cells *= std::ceil(static_cast<double>(extents[d]) / static_cast<double>(grid[d]));
    all *= static_cast<double>(extents[d]);
  }
  double cost = (cells - all / static_cast<double>(places)) * 2 / k_line;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (grid[d] > 1) {
      const double depth = std::max(1.0, std::ceil(static_cast<double>(extents[d]) / static_cast<double>(grid[d])));
      const double lines_of_cell = d + 1 == extents.size() ? 2 : 2 / k_line;
      cost += 2 * cells / depth * lines_of_cell;
    }
  }
  return cost;
}

struct search_for_grid {
  std::span<const std::ptrdiff_t> extents;
  std::span<const std::size_t> divided;
  std::size_t places;
  std::vector<std::ptrdiff_t> grid;
  std::vector<std::ptrdiff_t> best;
  double best_cost = std::numeric_limits<double>::infinity();

  void from(std::size_t next, std::size_t left) {
    const std::size_t axis = divided[next];
    if (next + 1 == divided.size()) {
      grid[axis] = static_cast<std::ptrdiff_t>(left);
      if (const double cost = cost_of(extents, grid, places); cost < best_cost) {
        best_cost = cost;
        best = grid;
      }
      return;
    }
    for (std::size_t parts = left; parts >= 1; --parts) {  // of equals the one with the most along slow axes
      if (left % parts == 0) {
        grid[axis] = static_cast<std::ptrdiff_t>(parts);
        from(next + 1, left / parts);
      }
    }
  }
};

constexpr unsigned k_most_bits = 32;

using coordinates = std::vector<std::uint32_t>;

// From coordinates to the transposed index along Hilbert's curve: the method of J. Skilling, "Programming the Hilbert curve", 2004.
void to_hilbert(coordinates& x, unsigned bits) {
  const std::size_t n = x.size();
  for (std::uint32_t q = std::uint32_t{1} << (bits - 1); q > 1; q >>= 1U) {
    const std::uint32_t below = q - 1;
    for (std::size_t i = 0; i < n; ++i) {
      if ((x[i] & q) != 0) {
        x[0] ^= below;
      } else {
        const std::uint32_t exchanged = (x[0] ^ x[i]) & below;
        x[0] ^= exchanged;
        x[i] ^= exchanged;
      }
    }
  }
  for (std::size_t i = 1; i < n; ++i) {
    x[i] ^= x[i - 1];
  }
  std::uint32_t last = 0;
  for (std::uint32_t q = std::uint32_t{1} << (bits - 1); q > 1; q >>= 1U) {
    if ((x[n - 1] & q) != 0) {
      last ^= q - 1;
    }
  }
  for (std::uint32_t& i : x) {
    i ^= last;
  }
}

// Bit by bit from the highest, of each the coordinates in turn: 64 of them in a word.
std::vector<std::uint64_t> interleaved(const coordinates& x, unsigned bits) {
  std::vector<std::uint64_t> key;
  unsigned filled = 64;
  for (unsigned bit = bits; bit-- > 0;) {
    for (const std::uint32_t i : x) {
      if (filled == 64) {
        key.push_back(0);
        filled = 0;
      }
      key.back() |= std::uint64_t{(i >> bit) & 1U} << (63 - filled);
      ++filled;
    }
  }
  return key;
}

}  // namespace

std::vector<std::ptrdiff_t> choose_grid(std::span<const std::ptrdiff_t> extents, std::span<const std::size_t> divided,
                                        std::size_t places) {
  search_for_grid s{extents, divided, places, std::vector<std::ptrdiff_t>(extents.size(), 1), {}};
  s.from(0, places);
  return s.best;
}

std::vector<double> checked_shares(const char* call, const std::vector<double>& shares, std::size_t members) {
  const std::string what = std::string("tactus::dist::") + call + ": ";
  if (shares.empty()) {
    return std::vector<double>(members, 1 / static_cast<double>(members));
  }
  if (shares.size() != members) {
    throw usage_error(what + std::to_string(shares.size()) + (shares.size() == 1 ? " share for " : " shares for ") +
                      std::to_string(members) + (members == 1 ? " place" : " places") + "; give one for each, or none");
  }
  double sum = 0;
  for (const double share : shares) {
    if (!(share >= 0) || !std::isfinite(share)) {
      throw usage_error(what + "a share is " + std::to_string(share) + "; it must be a number, and not negative");
    }
    sum += share;
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw usage_error(what + "the shares come to " + std::to_string(sum) + "; one of them must be above 0");
  }
  std::vector<double> of_one(shares);
  for (double& share : of_one) {
    share /= sum;
  }
  return of_one;
}

std::vector<std::size_t> cut_into_runs(std::span<const double> work, std::span<const double> shares) {
  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  std::vector<std::size_t> members;
  std::size_t member = 0;
  double reached = shares.front() * all;
  double before = 0;
  for (const double piece : work) {
    while (member + 1 < shares.size() && before + piece / 2 >= reached) {
      reached += shares[++member] * all;
    }
    members.push_back(member);
    before += piece;
  }
  return members;
}

std::vector<std::size_t> along_curve(curve which, std::span<const std::ptrdiff_t> extents) {
  struct cell {
    std::vector<std::uint64_t> key;
    std::size_t number;
  };
  constexpr std::size_t k_most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(cell);
  std::size_t cells = 1;
  unsigned bits = 1;
  for (const std::ptrdiff_t e : extents) {
    const auto extent = static_cast<std::uint64_t>(e);
    if (extent > std::uint64_t{1} << k_most_bits) {
      throw usage_error("tactus: a curve passes at most 2^32 tiles along an axis, and there are " + std::to_string(e) +
                        "; make the tiles larger");
    }
    bits = std::max(bits, extent > 1 ? static_cast<unsigned>(std::bit_width(extent - 1)) : 1U);
    if (extent != 0 && cells > k_most / extent) {
      throw usage_error("tactus: a curve is to pass more tiles than can be counted; make the tiles larger");
    }
    cells *= static_cast<std::size_t>(extent);
  }
  std::vector<cell> order;
  order.reserve(cells);
  for (std::size_t number = 0; number < cells; ++number) {
    coordinates x(extents.size());
    std::size_t rest = number;
    for (std::size_t d = extents.size(); d-- > 0;) {
      x[d] = static_cast<std::uint32_t>(rest % static_cast<std::size_t>(extents[d]));
      rest /= static_cast<std::size_t>(extents[d]);
    }
    if (which == curve::hilbert) {
      to_hilbert(x, bits);
    }
    order.push_back({interleaved(x, bits), number});
  }
  std::sort(order.begin(), order.end(), [](const cell& a, const cell& b) { return a.key < b.key; });
  std::vector<std::size_t> numbers;
  numbers.reserve(cells);
  for (const cell& c : order) {
    numbers.push_back(c.number);
  }
  return numbers;
}

void throw_bad_work(const char* call, const char* where, double work) {
  throw usage_error(std::string("tactus::dist::") + call + ": the work of " + where + " is " + std::to_string(work) +
                    "; it must be a number, and not negative");
}

}  // namespace tactus::detail
