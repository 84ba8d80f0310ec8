// SPDX-License-Identifier: Apache-2.0
// The exchanges of one object at one place, behind one channel.
#pragma once

#include <tactus/array/impl/exchange.hpp>
#include <tactus/place/impl/channel.hpp>

#include "array/exchange_here.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tactus::detail {

class exchange_group final : public exchange_set, public channel_end {
public:
  explicit exchange_group(std::uint64_t k) noexcept : channel_end(k) {}
  ~exchange_group() override { close(); }

  exchange& add(std::vector<int> places, exchange_cells& cells, exchange_manner manner) override;
  void open() override { channel_end::open(); }
  void arrive(channel_message&& m) noexcept override;

  [[nodiscard]] exchange_here& at(std::uint32_t which) noexcept { return *all_[which]; }

private:
  std::vector<std::unique_ptr<exchange_here>> all_;
};

}  // namespace tactus::detail
