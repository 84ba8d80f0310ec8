// SPDX-License-Identifier: Apache-2.0
// How a distributed array is stored, and how its ghosts are exchanged.
#pragma once

#include <tactus/array/width.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tactus {

/// How ghosts get to who needs them. For now shift is checked and then carried out as put: the ghosts are the same, the messages are not.
/// Errors: none.
/// \snippet 20_ghosts.cpp options
/// \ingroup arrays
enum class ghost_exchange : std::uint8_t {
  automatic,  ///< the library chooses: put
  put,        ///< each place sends to all its neighbours at once
  shift,      ///< along one axis after the other, corners by way of the neighbours; the parts have to form a grid
  barrier     ///< put, with ghost_sync::barrier
};

/// Who waits for whom in an exchange.
/// Errors: none.
/// \snippet 20_ghosts.cpp options
/// \ingroup arrays
enum class ghost_sync : std::uint8_t {
  pairwise,  ///< neighbours for each other
  barrier    ///< all places that have cells for all others
};

/// Where the blocks of a place lie.
/// Errors: none.
/// \snippet 20_ghosts.cpp options
/// \ingroup arrays
enum class block_storage : std::uint8_t {
  each,         ///< each by itself, dense, with its ghosts
  bounding_box  ///< all in one dense box around them: dist_array_ref::local() is of all
};

/// What a task says of its resident cells when it sends ghosts.
/// Errors: none.
/// \snippet 20_ghosts.cpp options
/// \ingroup arrays
enum class ghost_source : std::uint8_t {
  copied,  ///< it may write them at once
  kept     ///< it does not write them before the exchange has been waited for
};

/// The options of a dist_array over N axes.
/// Errors: usage_error of per_axis, for a list of another length than N or 1.
/// \snippet 20_ghosts.cpp options
/// \ingroup arrays
template <std::size_t N>
struct array_options {
  widths<N> ghost = 0;                 ///< layers of ghosts on each side
  per_axis<bool, N> periodic = false;  ///< whether the ends of an axis are neighbours
  per_axis<bool, N> outer = false;  ///< whether cells beyond an end that is not periodic are stored: the program's own
  bool corners = true;              ///< whether ghosts that differ along several axes are exchanged
  ghost_exchange exchange = ghost_exchange::automatic;  ///< how
  ghost_sync sync = ghost_sync::pairwise;               ///< who waits for whom
  block_storage storage = block_storage::each;          ///< where blocks lie
  std::string name = "array";                           ///< in errors and reports

  /// For archives.
  template <class Archive>
  void serialize(Archive& ar) {
    for (std::size_t d = 0; d < N; ++d) {
      ar& ghost[d].lower& ghost[d].upper& periodic[d] & outer[d];
    }
    ar & corners & exchange & sync & storage & name;
  }
};

}  // namespace tactus
