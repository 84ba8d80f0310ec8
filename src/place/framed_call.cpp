// SPDX-License-Identifier: Apache-2.0
#include "place/framed_call.hpp"

#include "base/probe.hpp"
#include "place/call_table.hpp"
#include "place/place_node.hpp"

#include <string>
#include <utility>

namespace tactus::detail {

framed_call::framed_call(place_node& here, int to, std::unique_ptr<task_name> its_name, wired_call& call)
    : type_(&call.entry()), from_(here.number()), for_alike_(here.peer(to).is_alike) {
  worker* const w = current_worker();
  if (w->timeline != nullptr) [[unlikely]] {
    traced_as = number_of_traced_child(w);
  }
  call_frame what{.head = {.kind = message_kind::task, .flags = k_may_move, .from = from_, .to = to},
                  .token = token_of(*type_, for_alike_ ? token_kind::of_build : token_kind::of_name),
                  .designated = to,
                  .traced = traced_as};
  if (its_name != nullptr) {
    what.name = its_name->text;
  }
  try {
    finish_call(call.block(), call.size(), what, here.traces(), here.order());
  } catch (...) {
    if (worker* const now = current_worker(); now->timeline != nullptr) [[unlikely]] {
      profile_not_spawned(now, traced_as);
    }
    throw;
  }
  frame_ = std::move(call.block());
  name = std::move(its_name);
  bytes = frame_->bytes;
  designated = to;
  is_framed = true;
}

framed_call::framed_call(const place_node& here, frame_ptr frame, const call_frame& said, const wired_type& type)
    : frame_(std::move(frame)), type_(&type), from_(said.head.from), for_alike_(here.peer(from_).is_alike) {
  if (!said.name.empty()) {
    name = std::make_unique<task_name>(std::string(said.name));
  }
  traced_as = said.traced;
  bytes = frame_->bytes;
  designated = said.designated;
  moves = said.head.moves;
  is_framed = true;
}

const char* framed_call::label() const noexcept { return type_->label(); }

void framed_call::operator()() {
  const place_node& here = place_node::of(current_worker());
  call_frame said;
  static_cast<void>(read_call(frame_->frame(), here.peer(from_).order, here.traces(), said));  // as it was when it came
  type_->run({said.payload, from_, here.peer(from_).order, for_alike_, &frame_}, nullptr);
}

bool framed_call::may_go(const place_node& here, int to) const noexcept {
  return (from_ == here.number() || for_alike_) && here.peer(to).is_alike == for_alike_;
}

frame_ptr framed_call::leave(const place_node& here, int to, std::uint64_t key, std::uint8_t flags) noexcept {
  frame_head head;
  static_cast<void>(read_head(frame_->frame(), here.order(), head));  // by this place, or one that is alike
  head.from = here.number();
  head.to = to;
  head.moves = moves;
  head.object = key;
  head.flags = static_cast<std::uint8_t>((head.flags & ~k_takes_no_room) | flags);
  write_head(*frame_, head, here.order());
  return std::move(frame_);
}

}  // namespace tactus::detail
