// SPDX-License-Identifier: Apache-2.0
#include "mpi/part_receiver.hpp"

#include "place/frame.hpp"

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
  const auto what = coming_.emplace(coming_.end());
  what->from = ranges.from;
  what->is_unwanted = true;
  what->tag = ranges.tag;
  for (const std::size_t bytes : ranges.lengths) {
    for (std::size_t at = 0; at < bytes; at += k_longest_part) {
      what->behind.push_back(std::min(bytes - at, k_longest_part));
    }
  }
  if (what->behind.empty()) {
    coming_.erase(what);
    return;
  }
  what->frame = make_block_at_any_rate(*std::max_element(what->behind.begin(), what->behind.end()));
  std::reverse(what->behind.begin(), what->behind.end());
  receive_unwanted(what);
}

// One after the other: so many bytes nobody has counted on.
void part_receiver::receive_unwanted(std::list<coming>::iterator what) {
  const std::size_t bytes = what->behind.back();
  what->behind.pop_back();
  receive(what, what->frame->data(), bytes, what->tag);
}

void part_receiver::receive(std::list<coming>::iterator what, std::byte* into, std::size_t bytes, int tag) {
  what->left = parts_.start(what, bytes, [&](std::size_t at, int part, MPI_Request* request) {
    check_mpi(MPI_Irecv(into + at, part, MPI_BYTE, what->from, tag, comm_, request), "MPI_Irecv");
  });
}

std::optional<part_receiver::whole> part_receiver::take() {
  while (!parts_.empty()) {
    const auto part = parts_.take();
    if (!part) {
      break;
    }
    const auto what = *part;
    if (--what->left == 0) {
      if (what->is_unwanted && !what->behind.empty()) {
        receive_unwanted(what);
        continue;
      }
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
