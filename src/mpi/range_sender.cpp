// SPDX-License-Identifier: Apache-2.0
#include "mpi/range_sender.hpp"

#include "mpi/checked.hpp"
#include "mpi/part_receiver.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tactus::detail {

void range_sender::add(int to, frame_ptr frame) {
  peer& p = peers_[static_cast<std::size_t>(to)];
  if (!std::exchange(p.has_tags, true)) {
    p.free_tags.resize(k_tags);
    std::iota(p.free_tags.rbegin(), p.free_tags.rend(), k_first_tag);
  }
  p.held.push_back(std::move(frame));
}

// MPI_Issend: no range has left before the receive that its task posts has met it (ranges R1).
void range_sender::send(std::list<sent>::iterator of, std::span<const std::byte> bytes, int tag) {
  for (std::size_t at = 0; at < bytes.size(); at += k_longest_part) {
    const std::size_t part = std::min(bytes.size() - at, k_longest_part);
    ++of->left;
    of_.push_back(of);
    check_mpi(MPI_Issend(bytes.data() + at, static_cast<int>(part), MPI_BYTE, of->to, tag, comm_,
                         &requests_.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Issend");
  }
}

int range_sender::reap() {
  while (!requests_.empty()) {
    int which = MPI_UNDEFINED;
    int done = 0;
    check_mpi(MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &which, &done, MPI_STATUS_IGNORE),
              "MPI_Testany");
    if (done == 0 || which == MPI_UNDEFINED) {
      break;
    }
    const auto s = of_[static_cast<std::size_t>(which)];
    requests_.erase(requests_.begin() + which);
    of_.erase(of_.begin() + which);
    if (--s->left == 0) {
      const int to = s->to;
      peers_[static_cast<std::size_t>(to)].free_tags.push_back(s->tag);
      sent_.erase(s);
      return to;
    }
  }
  return -1;
}

void range_sender::forget_held() noexcept {
  for (peer& p : peers_) {
    p.held.clear();
  }
}

}  // namespace tactus::detail
