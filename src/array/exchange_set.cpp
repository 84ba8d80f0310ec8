// SPDX-License-Identifier: Apache-2.0
#include "array/exchange_set.hpp"

#include <tactus/scheduler/impl/worker.hpp>

#include "array/put_exchange.hpp"
#include "array/shift_exchange.hpp"

#include <utility>

namespace tactus::detail {
namespace {

int current_place() noexcept {
  const worker* const w = any_worker();
  return w == nullptr ? 0 : w->place;
}

}  // namespace

exchange& exchange_group::add(std::vector<int> places, exchange_cells& cells, exchange_manner manner) {
  const auto which = static_cast<std::uint32_t>(all_.size());
  if (manner.stages.empty()) {
    all_.push_back(std::make_unique<put_exchange>(*this, which, places, cells, std::move(manner)));
  } else {
    all_.push_back(std::make_unique<shift_exchange>(*this, which, places, cells, std::move(manner)));
  }
  return *all_.back();
}

void exchange_group::arrive(channel_message&& m) noexcept {
  if (m.bytes.size() < k_head) {
    end_out_of_turn("an array", m.from, current_place(), 0, 0);
  }
  const message_head h = read_head(m.bytes, m.order, m.from);
  if (h.which >= all_.size()) {
    end_out_of_turn("an array", m.from, current_place(), h.number, 0);
  }
  all_[h.which]->arrive(h, std::move(m));
}

std::unique_ptr<exchange_set> make_exchange_set(std::uint64_t key) { return std::make_unique<exchange_group>(key); }

}  // namespace tactus::detail
