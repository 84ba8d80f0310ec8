// SPDX-License-Identifier: Apache-2.0
// What comes part by part: frames that come alone, and long ranges.
#pragma once

#include <tactus/place/impl/frame_block.hpp>

#include "mpi/part_requests.hpp"
#include "place/ranges.hpp"

#include <cstddef>
#include <list>
#include <optional>
#include <vector>

#include <mpi.h>

namespace tactus::detail {

/// By who talks to MPI.
class part_receiver {
public:
  /// One of the two.
  struct whole {
    int from = 0;
    frame_ptr frame;
    range_wait* wait = nullptr;
  };

  explicit part_receiver(MPI_Comm comm) noexcept : comm_(comm) {}

  /// All three: std::bad_alloc.
  void expect(int from, frame_ptr frame, int tag);
  void expect(range_wait& wait);
  void expect(const unwanted_ranges& ranges);

  /// One that is there. std::bad_alloc.
  [[nodiscard]] std::optional<whole> take();

  /// Parts that are being received.
  [[nodiscard]] std::size_t parts() const noexcept { return parts_.size(); }

private:
  struct coming : whole {
    std::size_t left = 0;  // parts
    // Of what is wanted by nobody, the lengths of the parts behind this one, the last first: they come into the same memory.
    bool is_unwanted = false;
    int tag = 0;
    std::vector<std::size_t> behind{};
  };

  void receive_unwanted(std::list<coming>::iterator what);
  void receive(std::list<coming>::iterator what, std::byte* into, std::size_t bytes, int tag);

  const MPI_Comm comm_;
  part_requests<std::list<coming>::iterator> parts_;
  std::list<coming> coming_;
};

}  // namespace tactus::detail
