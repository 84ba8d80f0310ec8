// SPDX-License-Identifier: Apache-2.0
// A place-flexible task that is bytes, as a frame has them from its spawn on: it runs where it waits, or goes on as it is.
#pragma once

#include <tactus/place/impl/flexible_spawn.hpp>
#include <tactus/place/impl/wired_call.hpp>

#include "place/frame.hpp"

#include <cstdint>
#include <memory>

namespace tactus::detail {

class place_node;

class framed_call final : public flexible_call {
public:
  /// Of the calling task, at its spawn for place `to`. std::bad_alloc: nothing has changed.
  framed_call(place_node& here, int to, std::unique_ptr<task_name> its_name, wired_call& call);

  /// One that has come with this frame, which says `said`. std::bad_alloc.
  framed_call(const place_node& here, frame_ptr frame, const call_frame& said, const wired_type& type);

  void operator()() override;
  [[nodiscard]] const char* label() const noexcept override;

  /// Whether place `to` can read it. Machines that are alike write closures as they are, others field by field.
  [[nodiscard]] bool may_go(const place_node& here, int to) const noexcept;

  /// Its frame, for place `to`, as a task of that finish with these flags besides; then the call is empty.
  [[nodiscard]] frame_ptr leave(const place_node& here, int to, std::uint64_t key, std::uint8_t flags) noexcept;

private:
  frame_ptr frame_;
  const wired_type* type_;
  int from_;        // who has written it
  bool for_alike_;  // and for whom: for machines as that one
};

}  // namespace tactus::detail
