// SPDX-License-Identifier: Apache-2.0
// Keeps what a hang report looks at alive while workers run: docs/protocols/hang.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/platform.hpp>

#include <cstdint>

namespace tactus::detail {

class report_gate {
public:
  /// By whoever has just taken something out of a report's sight, before it goes on to destroy it: waits while a report is made.
  /// No lock is held. One load while there is none.
  static TACTUS_ALWAYS_INLINE void pass() noexcept {
    // What took it out of sight is not read after the gate by the compiler; for the processor the report runs a fence (H1).
    atomic_signal_fence(memory_order_seq_cst);
    if (g_up.load(memory_order_acquire) != 0) [[unlikely]] {  // acquire: the report has read; pairs with lower()
      wait();
    }
  }

  /// One report at a time. False: this kernel has no fence for all processors, and the gate stays down.
  [[nodiscard]] static bool raise() noexcept;
  static void lower() noexcept;

private:
  TACTUS_NOINLINE static void wait() noexcept;

  static inline atomic<std::uint32_t> g_up{0};
};

}  // namespace tactus::detail
