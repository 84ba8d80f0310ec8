// SPDX-License-Identifier: Apache-2.0
#include "mpi/range_sender.hpp"

#include <utility>

namespace tactus::detail {
namespace {

constinit int g_tags = k_most_range_tags;  // by who makes the runtime, before that

}  // namespace

void let_ranges_have_tags(int n) noexcept { g_tags = n; }

range_sender::range_sender(MPI_Comm comm, std::size_t ranks)
    : comm_(comm), end_of_tags_(k_first_range_tag + g_tags), peers_(ranks) {}

void range_sender::add(int to, frame_ptr frame) {
  peer& p = peers_[static_cast<std::size_t>(to)];
  // Of all tags that may have been used by then, so that they come back without memory.
  const std::size_t tags = static_cast<std::size_t>(p.next_tag - k_first_range_tag) + p.held.size() + 1;
  if (p.free_tags.capacity() < tags) {
    p.free_tags.reserve(2 * tags);
  }
  kept& k = p.held.emplace_back();
  k.to = to;
  k.frame = std::move(frame);
}

// MPI_Issend: no range has left before the receive that its task posts has met it (ranges R1).
void range_sender::send(std::list<kept>::iterator of, std::span<const std::byte> bytes, int tag) {
  of->left += parts_.start(of, bytes.size(), [&](std::size_t at, int part, MPI_Request* request) {
    check_mpi(MPI_Issend(bytes.data() + at, part, MPI_BYTE, of->to, tag, comm_, request), "MPI_Issend");
  });
}

int range_sender::reap(gone_frames& gone) {
  while (!parts_.empty()) {
    const auto part = parts_.take();
    if (!part) {
      break;
    }
    const auto s = *part;
    if (--s->left == 0) {
      const int to = s->to;
      peers_[static_cast<std::size_t>(to)].free_tags.push_back(s->tag);
      gone.splice(gone.end(), sent_, s);
      return to;
    }
  }
  return -1;
}

void range_sender::forget_held(gone_frames& gone) noexcept {
  for (peer& p : peers_) {
    gone.splice(gone.end(), p.held);
  }
}

}  // namespace tactus::detail
