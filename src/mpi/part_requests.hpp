// SPDX-License-Identifier: Apache-2.0
// Requests of what goes part by part.
#pragma once

#include "mpi/checked.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <mpi.h>

namespace tactus::detail {

/// Both sides of a way count by it, and MPI counts no more than 2^31 - 1 bytes. What nobody wants is received into memory for one part, which is
/// to be had where there was none for all.
inline constexpr std::size_t k_longest_part = std::size_t{16} << 20U;

/// `Of`: what a part belongs to. By who talks to MPI.
template <class Of>
class part_requests {
public:
  /// Calls begin(offset, bytes, request) of each part, which starts it. Returns how many there are. std::bad_alloc.
  template <class Begin>
  std::size_t start(Of of, std::size_t bytes, Begin begin) {
    std::size_t parts = 0;
    for (std::size_t at = 0; at < bytes; at += k_longest_part, ++parts) {
      of_.push_back(of);
      begin(at, static_cast<int>(std::min(bytes - at, k_longest_part)), &requests_.emplace_back(MPI_REQUEST_NULL));
    }
    return parts;
  }

  /// What a part that is complete, and is forgotten here, belongs to. Of many parts some are asked for in a look, and the next ones in the next
  /// look: that takes as long however many there are.
  [[nodiscard]] std::optional<Of> take() {
    if (first_ >= requests_.size()) {
      first_ = 0;
    }
    const std::size_t asked = std::min(requests_.size() - first_, k_asked_at_once);
    int which = MPI_UNDEFINED;
    int done = 0;
    if (asked != 0) {
      check_mpi(MPI_Testany(static_cast<int>(asked), requests_.data() + first_, &which, &done, MPI_STATUS_IGNORE),
                "MPI_Testany");
    }
    if (done == 0 || which == MPI_UNDEFINED) {
      first_ += asked;
      return std::nullopt;
    }
    const std::size_t at = first_ + static_cast<std::size_t>(which);
    const Of of = std::exchange(of_[at], of_.back());
    requests_[at] = requests_.back();
    requests_.pop_back();
    of_.pop_back();
    return of;
  }

  [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }
  /// Who looks all the time asks this first: what take() returns takes longer to be read than to be made where there is nothing.
  [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }

private:
  static constexpr std::size_t k_asked_at_once = 128;

  std::vector<MPI_Request> requests_;  // in no order
  std::vector<Of> of_;                 // each
  std::size_t first_ = 0;              // that is asked for next
};

}  // namespace tactus::detail
