// SPDX-License-Identifier: Apache-2.0
// The one door to atomics. No other file of the library includes <atomic> or names std::memory_order.
//
// How they are used here:
//  - Each atomic has one sentence at its declaration: what the word means and who writes it.
//  - Each operation names its order and, in a comment beside it, the reason and the partner:
//        bottom_.store(b + 1, memory_order_release);  // publishes the slot; pairs with the acquire in steal() (I2)
//    The number is that of the invariant in the protocol's page under docs/protocols.
//  - The default order, sequentially consistent, is a fine first version. A weaker one comes with its argument and
//    with a test or model that fails when it is weakened once more.
//  - A word that has only one writer is advanced by a relaxed load and a store, never by a read-modify-write:
//    on x86 that is the difference between one cycle and twenty.
//  - There is no stand-alone thread fence behind this door: ThreadSanitizer does not follow fences, and would report races
//    that are none and miss others. Where a store must be ordered before a later load, both are sequentially consistent
//    or one of them is a read-modify-write.
//  - Nothing spins without a bound. A short wait for another running worker calls cpu_relax() and then suspends or parks.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <atomic>

namespace tactus::detail {

using std::atomic;
using std::atomic_flag;
using std::atomic_ref;
using std::atomic_signal_fence;
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

/// Tells the processor that this is a polling loop: frees the sibling hyperthread and avoids the penalty of leaving
/// the loop on a mispredicted load. Orders nothing between threads; costs 10 to 140 cycles depending on the model.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace tactus::detail
