// SPDX-License-Identifier: Apache-2.0
// What ThreadSanitizer and AddressSanitizer must be told about stacks. Everything here is empty in a plain build.
//
// ThreadSanitizer keeps a shadow call stack per fiber: one is made with each pooled stack and kept with it (it dies at 8,128
// of them). AddressSanitizer needs the bounds of the stack that runs, and keeps frames of its own ("fake stacks") per fiber.
#pragma once

#include <tactus/base/impl/platform.hpp>

#include <cstddef>

#if TACTUS_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if TACTUS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tactus::detail {

/// What the sanitizers know of one stack.
struct stack_sanitizer {
#if TACTUS_TSAN
  void* fiber = nullptr;
#endif

  void create() noexcept {
#if TACTUS_TSAN
    fiber = __tsan_create_fiber(0);
#endif
  }

  void destroy() noexcept {
#if TACTUS_TSAN
    if (fiber != nullptr) {
      __tsan_destroy_fiber(fiber);
      fiber = nullptr;
    }
#endif
  }

  /// Frames that were left without returning keep their red zones: clear them before the stack is used again.
  static void forget_frames([[maybe_unused]] const void* low, [[maybe_unused]] const void* top) noexcept {
#if TACTUS_ASAN
    __asan_unpoison_memory_region(
        low, static_cast<std::size_t>(static_cast<const char*>(top) - static_cast<const char*>(low)));
#endif
  }
};

/// What the sanitizers know of one computation: the stack it runs on and, while it is parked, its fake frames.
struct context_sanitizer {
#if TACTUS_TSAN
  void* fiber = nullptr;
#endif
#if TACTUS_ASAN
  const void* low = nullptr;
  std::size_t bytes = 0;
  void* fake = nullptr;
#endif

  /// Of a computation that is about to start on a stack.
  static context_sanitizer on([[maybe_unused]] const stack_sanitizer& stack, [[maybe_unused]] const void* low,
                              [[maybe_unused]] const void* top) noexcept {
    context_sanitizer c;
#if TACTUS_TSAN
    c.fiber = stack.fiber;
#endif
#if TACTUS_ASAN
    c.low = low;
    c.bytes = static_cast<std::size_t>(static_cast<const char*>(top) - static_cast<const char*>(low));
#endif
    return c;
  }
};

/// Whether the computation that is left will go on later.
enum class leaving : bool { for_ever, for_now };

/// Called right before a switch, on the stack that is left, by a function that is not instrumented. `current` is the running
/// worker's record of what it runs; it becomes `next`.
TACTUS_NO_SANITIZE inline void sanitizer_switch([[maybe_unused]] leaving how, [[maybe_unused]] context_sanitizer& left,
                                                [[maybe_unused]] context_sanitizer& current,
                                                [[maybe_unused]] const context_sanitizer& next) noexcept {
#if TACTUS_ASAN
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(how == leaving::for_now ? &fake : nullptr, next.low, next.bytes);
  __sanitizer_finish_switch_fiber(next.fake, nullptr, nullptr);
  left = current;
  left.fake = fake;
  current = next;
#elif TACTUS_TSAN
  left = current;
  current = next;
#endif
#if TACTUS_TSAN
  __tsan_switch_to_fiber(next.fiber, 0);
#endif
}

/// What the sanitizers say runs now, for a thread's own stack.
inline context_sanitizer sanitizer_this_thread() noexcept {
  context_sanitizer c;
#if TACTUS_TSAN
  c.fiber = __tsan_get_current_fiber();
#endif
#if TACTUS_ASAN
  // Ask by a switch to nowhere: the finish call tells the bounds of the stack that was left.
  void* fake = nullptr;
  const void* low = nullptr;
  std::size_t bytes = 0;
  char here = 0;
  __sanitizer_start_switch_fiber(&fake, &here, 1);
  __sanitizer_finish_switch_fiber(fake, &low, &bytes);
  __sanitizer_start_switch_fiber(&fake, low, bytes);
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
  c.low = low;
  c.bytes = bytes;
#endif
  return c;
}

/// What ThreadSanitizer cannot see, since it knows neither fences on all processors nor plain words read by reports: what the
/// caller of the first has done happens before what the caller of the second, with the same address, does.
inline void sanitizer_publish([[maybe_unused]] const void* address) noexcept {
#if TACTUS_TSAN
  __tsan_release(const_cast<void*>(address));
#endif
}
inline void sanitizer_look_at([[maybe_unused]] const void* address) noexcept {
#if TACTUS_TSAN
  __tsan_acquire(const_cast<void*>(address));
#endif
}

}  // namespace tactus::detail
