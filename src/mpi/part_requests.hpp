// SPDX-License-Identifier: Apache-2.0
// Requests of what goes part by part, each of at most so many bytes as MPI counts in one message.
#pragma once

#include "mpi/checked.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <mpi.h>

namespace tactus::detail {

inline constexpr std::size_t k_longest_part = std::size_t{1} << 30U;

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

  /// What a part that is complete, and is forgotten here, belongs to.
  [[nodiscard]] std::optional<Of> take() {
    int which = MPI_UNDEFINED;
    int done = 0;
    if (!requests_.empty()) {
      check_mpi(MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &which, &done, MPI_STATUS_IGNORE),
                "MPI_Testany");
    }
    if (done == 0 || which == MPI_UNDEFINED) {
      return std::nullopt;
    }
    const Of of = of_[static_cast<std::size_t>(which)];
    requests_.erase(requests_.begin() + which);
    of_.erase(of_.begin() + which);
    return of;
  }

  [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }

private:
  std::vector<MPI_Request> requests_;
  std::vector<Of> of_;  // each
};

}  // namespace tactus::detail
