// SPDX-License-Identifier: Apache-2.0
#include "mpi/part_receiver.hpp"

#include "mpi/checked.hpp"

#include <algorithm>
#include <utility>

namespace tactus::detail {

void part_receiver::expect(int from, frame_ptr frame, int tag) {
  const auto what = coming_.emplace(coming_.end());
  what->from = from;
  what->frame = std::move(frame);
  receive(what, what->frame->data(), what->frame->bytes, tag);
}

// From the time of its last receive on the wait may be over.
void part_receiver::expect(range_wait& wait) {
  const auto what = coming_.emplace(coming_.end());
  what->from = wait.from;
  what->wait = &wait;
  receive(what, wait.into, wait.bytes, wait.tag);
}

void part_receiver::expect(const unwanted_ranges& ranges) {
  for (const std::size_t bytes : ranges.lengths) {
    const auto what = coming_.emplace(coming_.end());
    what->from = ranges.from;
    what->is_unwanted = true;
    what->frame = make_frame_block(bytes);
    receive(what, what->frame->data(), bytes, ranges.tag);
  }
}

void part_receiver::receive(std::list<coming>::iterator what, std::byte* into, std::size_t bytes, int tag) {
  for (std::size_t at = 0; at < bytes; at += k_longest_part) {
    const std::size_t part = std::min(bytes - at, k_longest_part);
    ++what->left;
    of_.push_back(what);
    check_mpi(MPI_Irecv(into + at, static_cast<int>(part), MPI_BYTE, what->from, tag, comm_,
                        &requests_.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Irecv");
  }
}

std::optional<part_receiver::whole> part_receiver::take() {
  while (!requests_.empty()) {
    int which = MPI_UNDEFINED;
    int done = 0;
    check_mpi(MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &which, &done, MPI_STATUS_IGNORE),
              "MPI_Testany");
    if (done == 0 || which == MPI_UNDEFINED) {
      break;
    }
    const auto what = of_[static_cast<std::size_t>(which)];
    requests_.erase(requests_.begin() + which);
    of_.erase(of_.begin() + which);
    if (--what->left == 0) {
      const bool is_wanted = !what->is_unwanted;
      whole came = std::move(*what);
      coming_.erase(what);
      if (is_wanted) {
        return came;
      }
    }
  }
  return std::nullopt;
}

}  // namespace tactus::detail
