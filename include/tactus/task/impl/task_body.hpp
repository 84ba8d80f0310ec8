// SPDX-License-Identifier: Apache-2.0
// What a task consists of: its closure, and how its body runs and ends. docs/protocols/finish.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/worker.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace tactus::detail {

/// Keeps the exception being handled for the finish that the current task belongs to.
TACTUS_API void keep_failure() noexcept;

/// The same of one that was caught before.
void keep_failure(std::exception_ptr e) noexcept;

/// Runs the body of a task; nothing escapes.
template <class Fn>
TACTUS_ALWAYS_INLINE void run_task_body(Fn& function) noexcept {
  try {
    static_cast<void>(function());
  } catch (...) {
    keep_failure();
  }
}

TACTUS_ALWAYS_INLINE void end_task_frame(task_frame& frame) noexcept {
  if (frame.locals != nullptr) [[unlikely]] {
    destroy_locals(frame);
  }
}

// ---- closures ----

/// A closure that lies in its task without further thought: copying it runs no user code, so it can neither throw nor suspend.
template <class Fn>
inline constexpr bool is_plain_closure =
    std::is_trivially_copyable_v<Fn> && std::is_trivially_copy_constructible_v<Fn> &&
    std::is_trivially_destructible_v<Fn>;

/// One so small that a copy on the spawner's stack does not matter.
inline constexpr std::size_t k_most_copied = 256;

/// Hands f, or a copy where that is as good, to a function of the long way. A closure whose address is asked for anywhere exists in
/// memory everywhere, and copying it as a whole there waits until what stored its parts is done: 6 ns on the short ways.
template <class F, class Then>
TACTUS_ALWAYS_INLINE void by_copy(F&& f, Then&& then) {
  using Fn = std::decay_t<F>;
  if constexpr (is_plain_closure<Fn> && sizeof(Fn) <= k_most_copied) {
    const Fn copy(f);
    then(copy);
  } else {
    then(std::forward<F>(f));
  }
}

/// A closure of any type, on the heap: for what is rare enough that every closure being compiled for it once more would cost more.
class any_closure {
public:
  template <class F>
  static any_closure make(F&& f) {
    using Fn = std::decay_t<F>;
    return any_closure(
        new Fn(std::forward<F>(f)), [](void* o) { static_cast<void>((*static_cast<Fn*>(o))()); },
        [](void* o) noexcept { delete static_cast<Fn*>(o); });
  }
  any_closure(any_closure&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), call_(other.call_), destroy_(other.destroy_) {}
  any_closure& operator=(any_closure&&) = delete;
  ~any_closure() {
    if (object_ != nullptr) {
      destroy_(object_);
    }
  }
  void operator()() { call_(object_); }

private:
  any_closure(void* object, void (*call)(void*), void (*destroy)(void*) noexcept) noexcept
      : object_(object), call_(call), destroy_(destroy) {}

  void* object_;
  void (*call_)(void*);
  void (*destroy_)(void*) noexcept;
};

/// A closure whose task has a name.
class named_closure {
public:
  named_closure(task_name* name, any_closure f) noexcept : name_(name), function_(std::move(f)) {}
  void operator()() {
    current_worker()->task->locals = name_;
    function_();
  }

private:
  task_name* name_;  // the task's, once it runs
  any_closure function_;
};

/// What a closure of the library's runs for the program, which timelines call it by.
template <class Closure>
struct labelled {
  using type = Closure;
};
template <class Closure>
  requires requires { typename Closure::timeline_label_of; }
struct labelled<Closure> {
  using type = typename Closure::timeline_label_of;
};

/// A closure of the library's that says by timeline_label() what timelines call it.
struct knows_its_label {};

/// A closure too large or too strictly aligned to lie where tasks keep theirs: it lies on the heap.
template <class Fn>
class boxed {
public:
  using timeline_label_of = typename labelled<Fn>::type;

  template <class F>
  explicit boxed(std::in_place_t, F&& f) : function_(std::make_unique<Fn>(std::forward<F>(f))) {}
  decltype(auto) operator()() { return (*function_)(); }

private:
  std::unique_ptr<Fn> function_;
};

// ---- bodies in the timeline ----

/// The number of what the running task is about to spawn, on `w`, which has a timeline: a task; the body of an at() at another place; a
/// share of a loop, which has one only where a profile asks whom it helps.
enum class traced_child : std::uint8_t { task, body_elsewhere, share };
[[nodiscard]] std::uint64_t number_of_traced_child(worker* w, traced_child kind = traced_child::task) noexcept;

/// A closure of any type for a task that goes into the timeline: whatever it costs, it costs only there.
class traced_closure {
public:
  template <class F>
  static traced_closure make(F&& f) {
    const char* const label = label_for<std::decay_t<F>>(f);
    return traced_closure(any_closure::make(std::forward<F>(f)), label);
  }
  /// A share of a loop, which the timeline calls by this name.
  static traced_closure share(const char* name, any_closure f) noexcept { return {std::move(f), name}; }

  TACTUS_API void operator()();

  /// The running task is about to spawn it.
  void note_spawn(worker* w, traced_child kind = traced_child::task) noexcept {
    number_ = number_of_traced_child(w, kind);
  }

  /// 0: its spawn is not noted.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  template <class Closure>
  static const char* label_of() noexcept {
    return label_of_type<typename labelled<Closure>::type>();
  }
  /// The same of one that may know it itself.
  template <class Closure>
  static const char* label_for(const Closure& f) noexcept {
    if constexpr (std::is_base_of_v<knows_its_label, Closure>) {
      return f.timeline_label();
    } else {
      return label_of<Closure>();
    }
  }

private:
  traced_closure(any_closure function, const char* label) noexcept : function_(std::move(function)), label_(label) {}

  // Tells closures of one function apart: clang has the line in what it makes of the signature, g++ a number in the type's name and
  // nothing elsewhere. Without type information g++ calls them all the same there.
  template <class Closure>
  static const char* label_of_type() noexcept {
#if defined(__GXX_RTTI) && !defined(__clang__)
    return typeid(Closure).name();
#else
    return __PRETTY_FUNCTION__;
#endif
  }

  any_closure function_;
  const char* label_;
  std::uint64_t number_ = 0;  // of the task, from its spawn on
};

/// A closure of any type, and what timelines call it: where the library goes on, so that no code is made for each type.
class labelled_closure : public knows_its_label {
public:
  template <class F>
  static labelled_closure make(F&& f) {
    const char* const label = traced_closure::label_for<std::decay_t<F>>(f);
    return labelled_closure(any_closure::make(std::forward<F>(f)), label);
  }

  void operator()() { function_(); }
  [[nodiscard]] const char* timeline_label() const noexcept { return label_; }
  [[nodiscard]] any_closure function() && noexcept { return std::move(function_); }

private:
  labelled_closure(any_closure function, const char* label) noexcept : function_(std::move(function)), label_(label) {}

  any_closure function_;
  const char* label_;
};

/// Calls what the running task consists of, for the timeline. A task whose spawn was not noted has no number yet.
TACTUS_API void run_traced(const char* label, void (*body)(void*), void* argument, std::uint64_t number = 0);

/// Calls f, the rest of a share of a loop that was handed over; where there is a timeline it shows the share by this name.
template <class F>
void run_share(const char* name, F&& f) {
  if (current_worker()->timeline == nullptr) [[likely]] {
    f();
    return;
  }
  run_traced(name, [](void* g) { (*static_cast<std::remove_reference_t<F>*>(g))(); }, &f);
}

}  // namespace tactus::detail
