// SPDX-License-Identifier: Apache-2.0
// Exchange by shift: along one axis after the other, corners by way of neighbours. docs/protocols/ghosts.md, "Shift".
#pragma once

#include "array/exchange_here.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tactus::detail {

class shift_exchange final : public exchange_here {
public:
  shift_exchange(exchange_group& set, std::uint32_t which, const std::vector<int>& places, exchange_cells& cells,
                 exchange_manner manner);

private:
  struct stage {
    std::size_t first = 0;  // of its links
    std::size_t count = 0;
    atomic<std::size_t> missing[2];  // by parity: messages, and that the stage before is complete
  };

  void begin(std::uint64_t e, ghost_source promised) override;
  void has_come(std::size_t n, std::uint64_t e, const actor& by) noexcept override { count_down(stage_of_[n], e, by); }
  [[nodiscard]] bool may_close() const noexcept override;
  void closed(std::uint64_t e) noexcept override;
  [[nodiscard]] bool keeps_what_came() const noexcept override { return true; }

  void count_down(std::size_t k, std::uint64_t e, const actor& by) noexcept;
  void forward(std::size_t k, std::uint64_t e, const actor& by) noexcept;

  const std::size_t count_;
  std::unique_ptr<stage[]> stages_;
  std::vector<std::size_t> stage_of_;  // by link
  std::vector<reply_bytes> packed_;    // by link: what is to go in the open exchange, and has not gone
};

}  // namespace tactus::detail
