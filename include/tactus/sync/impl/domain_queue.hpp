// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for the lock of atomic blocks, or for a condition, in the order in which they are to go on.
#pragma once

#include <tactus/scheduler/impl/suspend.hpp>

#include <exception>

namespace tactus::detail {

/// One that waits for the lock, or for a condition and then has the lock. Lives on its stack.
struct domain_waiter : wait_point {
  bool (*holds)(void*) = nullptr;  ///< null: for the lock alone
  void* condition = nullptr;
  float_environment floats;    ///< of its task
  std::exception_ptr failure;  ///< of the condition; then the task does not have the lock
  bool owns = false;           ///< it was given the lock; else it was only woken
  bool in_vain = false;        ///< it has been woken and found the lock taken
};

/// Linked by their `next`. By the holder of the lock.
class domain_queue {
public:
  [[nodiscard]] bool is_empty() const noexcept { return first_ == nullptr; }

  /// Null: there is none.
  [[nodiscard]] domain_waiter* first() const noexcept { return first_; }

  void append(domain_waiter* p) noexcept {
    p->next = nullptr;
    if (last_ == nullptr) {
      first_ = p;
    } else {
      last_->next = p;
    }
    last_ = p;
  }

  void prepend(domain_waiter* p) noexcept {
    p->next = first_;
    first_ = p;
    if (last_ == nullptr) {
      last_ = p;
    }
  }

  /// Null: there is none.
  domain_waiter* take_first() noexcept {
    domain_waiter* const p = first_;
    if (p != nullptr) {
      first_ = static_cast<domain_waiter*>(p->next);
      if (first_ == nullptr) {
        last_ = nullptr;
      }
    }
    return p;
  }

private:
  domain_waiter* first_ = nullptr;
  domain_waiter* last_ = nullptr;
};

}  // namespace tactus::detail
