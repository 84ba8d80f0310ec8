// SPDX-License-Identifier: Apache-2.0
// Exchange by put: what a neighbour needs goes there at once, and directly where it may. docs/protocols/ghosts.md, "Put" and "Kept".
#pragma once

#include "array/exchange_here.hpp"

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

class put_exchange final : public exchange_here {
public:
  using exchange_here::exchange_here;

private:
  void begin(std::uint64_t e, ghost_source promised) override;
  [[nodiscard]] bool may_close() const noexcept override {
    return leaving_.load(memory_order_seq_cst) == 0;  // after waiting_, if that was raised; acquire: pairs with claim()
  }

  void send_packed(std::uint64_t e);
  void send_directly(std::uint64_t e, ghost_source promised) noexcept;
  /// Copies to neighbour n, if that has begun e.
  [[nodiscard]] bool put_if_begun(std::size_t n, std::uint64_t e) noexcept;
  [[nodiscard]] bool begins_soon(std::size_t n, std::uint64_t e) noexcept;
  void offer(std::size_t n, std::uint64_t e) noexcept;
  void claim(std::size_t n, std::uint64_t e, const actor& by) noexcept;
  void has_left(const actor& by) noexcept;

  alignas(k_cache_line) atomic<std::uint32_t> leaving_{0};  // neighbours that have yet to get what they were offered
};

}  // namespace tactus::detail
