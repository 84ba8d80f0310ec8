// SPDX-License-Identifier: Apache-2.0
// The floating-point environment: rounding, what is flushed to zero, which exceptions trap. Processors keep it per thread; it belongs
// to the computation, and calling conventions want it kept over a call as the callee-saved registers are.
//
// Switches do not save it. Whoever leaves a stack that is gone on with later looks whether the environment is still that of the run's
// caller, as it nearly always is; if not, it takes its own along. So whatever begins or goes on finds the run's:
// docs/protocols/suspension.md, "What goes with a continuation".
#pragma once

#include <tactus/base/impl/platform.hpp>

#include <cstdint>

#if TACTUS_PORTABLE_CONTEXT || !(defined(__x86_64__) || defined(__aarch64__))
#define TACTUS_PORTABLE_FLOATS 1
#include <cfenv>
#include <cstring>
#else
#define TACTUS_PORTABLE_FLOATS 0
#endif

namespace tactus::detail {

/// What a thread's floating-point instructions obey. Not the flags that they raise: those go nowhere with a task, and are lost where
/// one that lets exceptions of long doubles trap is entered.
class float_environment {
public:
  /// The calling thread's.
  [[nodiscard]] static TACTUS_ALWAYS_INLINE float_environment of_thread() noexcept;

  /// Makes it the calling thread's.
  TACTUS_ALWAYS_INLINE void enter() const noexcept;

  [[nodiscard]] TACTUS_ALWAYS_INLINE bool is_of_thread() const noexcept { return *this == of_thread(); }

  [[nodiscard]] TACTUS_ALWAYS_INLINE bool operator==(const float_environment& other) const noexcept;

private:
#if TACTUS_PORTABLE_FLOATS
  std::fenv_t all_{};  // no flag set
#elif defined(__x86_64__)
  static constexpr std::uint32_t k_flags = 0x3f;

  std::uint32_t vectors_ = 0;  // MXCSR
  std::uint16_t x87_ = 0;      // its control word: long double
#else
  std::uint64_t control_ = 0;  // FPCR; the flags are in another register
#endif
};

#if TACTUS_PORTABLE_FLOATS

inline float_environment float_environment::of_thread() noexcept {
  float_environment now;
  std::fexcept_t flags;
  std::fegetexceptflag(&flags, FE_ALL_EXCEPT);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::fegetenv(&now.all_);
  std::fesetexceptflag(&flags, FE_ALL_EXCEPT);
  return now;
}

inline void float_environment::enter() const noexcept {
  std::fexcept_t flags;
  std::fegetexceptflag(&flags, FE_ALL_EXCEPT);
  std::fesetenv(&all_);
#if defined(__GLIBC__) && defined(__USE_GNU)
  if (::fegetexcept() != 0) {
    return;  // where something traps, what has been raised before it does would, at whatever comes next
  }
#endif
  std::fesetexceptflag(&flags, FE_ALL_EXCEPT);
}

// Whatever else a processor keeps there counts: two that are wrongly taken for different cost a change of the environment.
inline bool float_environment::operator==(const float_environment& other) const noexcept {
  return std::memcmp(&all_, &other.all_, sizeof all_) == 0;
}

#elif defined(__x86_64__)

// Compilers keep volatile asm statements, and calls of functions that change the environment, in their order.
inline float_environment float_environment::of_thread() noexcept {
  float_environment now;
  asm volatile("stmxcsr %0" : "=m"(now.vectors_));
  asm volatile("fnstcw %0" : "=m"(now.x87_));
  return now;
}

inline void float_environment::enter() const noexcept {
  std::uint32_t vectors;
  asm volatile("stmxcsr %0" : "=m"(vectors));
  vectors = (vectors & k_flags) | (vectors_ & ~k_flags);
  asm volatile("ldmxcsr %0" : : "m"(vectors) : "memory");
  // What has been raised by now and is masked no longer would trap at whatever comes next, which has not raised it.
  if ((x87_ & k_flags) != k_flags) [[unlikely]] {
    asm volatile("fnclex" : : : "memory");
  }
  asm volatile("fldcw %0" : : "m"(x87_) : "memory");
}

inline bool float_environment::operator==(const float_environment& other) const noexcept {
  return ((vectors_ ^ other.vectors_) & ~k_flags) == 0 && x87_ == other.x87_;
}

#else

inline float_environment float_environment::of_thread() noexcept {
  float_environment now;
  asm volatile("mrs %0, fpcr" : "=r"(now.control_));
  return now;
}

inline void float_environment::enter() const noexcept { asm volatile("msr fpcr, %0" : : "r"(control_) : "memory"); }

inline bool float_environment::operator==(const float_environment& other) const noexcept {
  return control_ == other.control_;
}

#endif

/// While it lives, the thread that runs the caller has the environment `common`; then whichever that is has the caller's again.
class own_floats_aside {
public:
  TACTUS_ALWAYS_INLINE explicit own_floats_aside(const float_environment& common) noexcept
      : own_(float_environment::of_thread()), differ_(!(own_ == common)) {
    if (differ_) [[unlikely]] {
      common.enter();
    }
  }
  TACTUS_ALWAYS_INLINE ~own_floats_aside() {
    if (differ_) [[unlikely]] {
      own_.enter();
    }
  }
  own_floats_aside(const own_floats_aside&) = delete;
  own_floats_aside& operator=(const own_floats_aside&) = delete;

private:
  const float_environment own_;
  const bool differ_;
};

}  // namespace tactus::detail
