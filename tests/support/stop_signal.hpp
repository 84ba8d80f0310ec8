// SPDX-License-Identifier: Apache-2.0
// Stops a thread wherever it is, between any two instructions, until another one lets it go on: a race that needs a
// thread to be slow at one place comes in every so many attempts, and not once in a year.
#pragma once

#include <atomic>
#include <csignal>
#include <thread>

#include <pthread.h>

namespace support {

/// One at a time. ThreadSanitizer hands signals on only where the thread calls something that it knows: of no use
/// there.
class stop_signal {
public:
  stop_signal() {
    struct sigaction how{};
    how.sa_handler = [](int) {
      stopped_.store(true, std::memory_order_release);           // release: pairs with stop()
      while (!go_on_.load(std::memory_order_acquire)) continue;  // acquire: pairs with go_on()
      stopped_.store(false, std::memory_order_release);          // release: pairs with go_on()
    };
    sigaction(number(), &how, &before_);
  }
  ~stop_signal() { sigaction(number(), &before_, nullptr); }
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  /// Returns when the thread has stopped; it must not end meanwhile.
  static void stop(pthread_t thread) {
    go_on_.store(false, std::memory_order_relaxed);  // relaxed: the signal is sent after it
    pthread_kill(thread, number());
    while (!stopped_.load(std::memory_order_acquire)) std::this_thread::yield();  // acquire: pairs with the handler
  }

  static void go_on() {
    go_on_.store(true, std::memory_order_release);                               // release: what was done meanwhile
    while (stopped_.load(std::memory_order_acquire)) std::this_thread::yield();  // acquire: pairs with the handler
  }

private:
  static int number() { return SIGRTMIN + 5; }

  static inline std::atomic<bool> stopped_{false};
  static inline std::atomic<bool> go_on_{false};
  struct sigaction before_{};
};

}  // namespace support
