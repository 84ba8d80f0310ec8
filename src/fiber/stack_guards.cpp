// SPDX-License-Identifier: Apache-2.0
#include <tactus/fiber/impl/stack_guards.hpp>

#include <tactus/base/impl/atomic.hpp>

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tactus::detail {
namespace {

constexpr std::size_t k_most_protected = 12'000;  // two mappings each, of 65,530 that a process has

// Of all pools: the mappings are the process's.
constinit atomic<std::size_t> g_protected{0};

constexpr std::uint64_t k_canary = 0x7A67'5AC7'0571'C0DEU;

// Linux 6.13; not in the headers of older C libraries.
constexpr int k_madv_guard_install = 102;

// For many ranges of the caller's own: Linux 6.14.
constexpr long k_sys_process_madvise = 440;
constexpr int k_pidfd_self = -10'000;
constexpr std::size_t k_guards_at_once = 64;

// Emulators of systems answer what they do not know as if they had done it. No signal: the kernel does not find the name of a file there.
bool is_there(const std::byte* guard) noexcept {
  const int before = errno;
  const bool unreadable = ::syscall(SYS_faccessat, AT_FDCWD, guard, F_OK) != 0 && errno == EFAULT;
  errno = before;
  return unreadable;
}

}  // namespace

void stack_guards::install(std::byte* base) {
  if (kind_ == guard_kind::marked) {
    if (::madvise(base, k_bytes, k_madv_guard_install) == 0 && (seen_ || is_there(base))) {
      seen_ = true;
      return;
    }
    kind_ = guard_kind::protected_;
  }
  if (kind_ == guard_kind::protected_) {
    // relaxed, as the next ones: a count that orders nothing
    if (g_protected.fetch_add(1, memory_order_relaxed) < k_most_protected &&
        ::mprotect(base, k_bytes, PROT_NONE) == 0) {
      ++protected_;
      return;
    }
    g_protected.fetch_sub(1, memory_order_relaxed);
    kind_ = guard_kind::canary;
  }
  *reinterpret_cast<std::uint64_t*>(base + k_bytes) = k_canary;
}

void stack_guards::install(std::byte* first, std::size_t n, std::size_t stride) {
  if (many_at_once_ && n > 1 && n <= k_guards_at_once && kind_ == guard_kind::marked) {
    std::array<iovec, k_guards_at_once> guards;
    for (std::size_t i = 0; i < n; ++i) {
      guards[i] = {first + i * stride, k_bytes};
    }
    const long done = ::syscall(k_sys_process_madvise, k_pidfd_self, guards.data(), n, k_madv_guard_install, 0U);
    if (done == static_cast<long>(n * k_bytes) && (seen_ || is_there(first))) {
      seen_ = true;
      return;
    }
    many_at_once_ = false;
  }
  for (std::size_t i = 0; i < n; ++i) {
    install(first + i * stride);
  }
}

stack_guards::~stack_guards() { g_protected.fetch_sub(protected_, memory_order_relaxed); }  // relaxed: as above

bool stack_guards::is_intact(const std::byte* base) noexcept {
  const auto word = *reinterpret_cast<const std::uint64_t*>(base + k_bytes);
  return word == k_canary || word == 0;
}

}  // namespace tactus::detail
