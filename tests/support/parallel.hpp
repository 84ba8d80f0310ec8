// SPDX-License-Identifier: Apache-2.0
// For tests in which two tasks must run at one time: an event that is waited for by keeping the worker busy.
#pragma once

#include <atomic>
#include <thread>

namespace support {

/// Set once. await() holds on to the worker on purpose, so whoever sets it has to run on another one.
class event {
public:
  // release: what came before set() is visible after await(); pairs with the acquire there
  void set() { set_.store(true, std::memory_order_release); }

  void await() const {
    // acquire: pairs with the release in set()
    while (!set_.load(std::memory_order_acquire)) std::this_thread::yield();
  }

private:
  std::atomic<bool> set_{false};
};

}  // namespace support
