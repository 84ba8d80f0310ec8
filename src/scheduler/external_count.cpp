// SPDX-License-Identifier: Apache-2.0

#include <tactus/scheduler/impl/external_count.hpp>

#include "scheduler/scheduler.hpp"

#include "base/never_destroyed.hpp"
#include "scheduler/process.hpp"
#include "scheduler/run_control.hpp"

namespace tactus::detail {

external_count& external_count::of_process() noexcept {
  static never_destroyed<external_count> counted(nullptr);  // promises may be static
  return counted.get();
}

external_count& external_count::counted_by_caller() noexcept {
  const worker* const w = any_worker();
  external_count& counted = w != nullptr ? w->owner->run().externals() : of_process();
  counted.references_.fetch_add(1, memory_order_relaxed);  // relaxed: the run keeps it alive
  counted.unset_.fetch_add(1, memory_order_relaxed);  // relaxed: the tasks that will wait for it come to know it later
  return counted;
}

void external_count::done() noexcept {
  // seq_cst: after the waiters were sent and before the wake-up; pairs with is_zero() (parking P4)
  if (unset_.fetch_sub(1, memory_order_seq_cst) == 1) {
    const foreign_visit visit;
    if (this == &of_process() || run_ != nullptr) {
      look_again_at(run_);
    }
  }
  release();
}

void external_count::run_ends() noexcept {
  {
    const foreign_visit visit;
    run_ = nullptr;
  }
  release();
}

void external_count::release() noexcept {
  if (references_.fetch_sub(1, memory_order_acq_rel) == 1) {  // acq_rel: the last one sees what the others did
    delete this;
  }
}

}  // namespace tactus::detail
