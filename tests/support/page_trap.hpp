// SPDX-License-Identifier: Apache-2.0
// Stops whoever touches a page of memory, in the midst of copying for example, until another thread lets it go on.
#pragma once

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

namespace support {

/// One at a time.
class page_trap {
public:
  /// \param inside an address in a page that belongs to one allocation
  explicit page_trap(void* inside) {
    bytes_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    page_ = reinterpret_cast<std::uintptr_t>(inside) / bytes_ * bytes_;
    is_reached_ = false;
    lets_go_ = false;
    struct sigaction how{};
    how.sa_sigaction = wait_here;
    how.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &how, &before_);
    allow(PROT_NONE);
  }
  ~page_trap() {
    let_go();
    allow(PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &before_, nullptr);
  }
  page_trap(const page_trap&) = delete;
  page_trap& operator=(const page_trap&) = delete;

  /// Returns when somebody stands there.
  static void wait_until_reached() {
    while (!is_reached_) std::this_thread::yield();
  }
  static void let_go() { lets_go_ = true; }

private:
  static void allow(int access) { ::mprotect(reinterpret_cast<void*>(page_), bytes_, access); }

  static void wait_here(int /*signal*/, siginfo_t* what, void* /*context*/) {
    if (reinterpret_cast<std::uintptr_t>(what->si_addr) - page_ >= bytes_) {
      sigaction(SIGSEGV, &before_, nullptr);  // another mistake, which comes again
      return;
    }
    is_reached_ = true;
    while (!lets_go_) std::this_thread::yield();
    allow(PROT_READ | PROT_WRITE);
  }

  static inline std::uintptr_t page_ = 0;
  static inline std::size_t bytes_ = 0;
  static inline std::atomic<bool> is_reached_{false};
  static inline std::atomic<bool> lets_go_{false};
  static inline struct sigaction before_{};
};

}  // namespace support
