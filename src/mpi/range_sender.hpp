// SPDX-License-Identifier: Apache-2.0
// Frames whose long ranges are on their way beside them. docs/protocols/ranges.md.
#pragma once

#include <tactus/place/impl/frame_block.hpp>
#include <tactus/wire/impl/long_ranges.hpp>

#include "mpi/part_requests.hpp"
#include "mpi/range_tags.hpp"

#include <cstddef>
#include <list>
#include <span>
#include <vector>

#include <mpi.h>

namespace tactus::detail {

/// By who talks to MPI.
class range_sender {
  struct kept {
    int to = 0;
    int tag = 0;
    frame_ptr frame;
    std::size_t left = 0;  // parts
  };

public:
  /// To be destroyed without the lock: what ranges lie in is the program's, and may call MPI as it goes (ranges R6).
  using gone_frames = std::list<kept>;

  range_sender(MPI_Comm comm, std::size_t ranks) : comm_(comm), peers_(ranks) {}

  /// Keeps a frame until there is a tag for its ranges. All of these: std::bad_alloc.
  void add(int to, frame_ptr frame);

  /// Sends the ranges of those for `to` that have one now. Before them announce(tag, frame) sends the frame, and what says that they come;
  /// returns a tag under which the frame's bytes are to go by themselves, or 0.
  template <class F>
  void let_go(int to, F announce) {
    peer& p = peers_[static_cast<std::size_t>(to)];
    while (!p.held.empty() && p.has_tag()) {
      const auto s = p.held.begin();
      sent_.splice(sent_.end(), p.held, s);
      s->tag = p.take_tag();
      if (const int tag = announce(s->tag, *s->frame); tag != 0) {
        send(s, s->frame->frame(), tag);
      }
      for (const std::span<const std::byte> range : ranges_of(*s->frame)) {
        send(s, range, s->tag);
      }
    }
  }

  /// Lets go of one frame whose ranges have all left. Returns for whom there is a tag again, or -1.
  [[nodiscard]] int reap(gone_frames& gone);

  [[nodiscard]] bool has_sent_all() const noexcept { return parts_.size() == 0; }

  /// What has not been announced is for nobody.
  void forget_held(gone_frames& gone) noexcept;

  [[nodiscard]] static std::span<const std::span<const std::byte>> ranges_of(const frame_block& frame) noexcept {
    return static_cast<const sent_ranges*>(frame.extra)->ranges();
  }

private:
  struct peer {
    std::vector<int> free_tags;        // of those that have been used
    int next_tag = k_first_range_tag;  // which has not
    std::list<kept> held;

    [[nodiscard]] bool has_tag() const noexcept {
      return !free_tags.empty() || next_tag < k_first_range_tag + k_most_range_tags;
    }
    int take_tag() noexcept {
      if (free_tags.empty()) {
        return next_tag++;
      }
      const int tag = free_tags.back();
      free_tags.pop_back();
      return tag;
    }
  };

  void send(std::list<kept>::iterator of, std::span<const std::byte> bytes, int tag);

  const MPI_Comm comm_;
  std::vector<peer> peers_;
  part_requests<std::list<kept>::iterator> parts_;
  std::list<kept> sent_;
};

}  // namespace tactus::detail
