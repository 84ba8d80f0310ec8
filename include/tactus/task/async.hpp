// SPDX-License-Identifier: Apache-2.0
// async: spawns a task.
#pragma once

#include <tactus/task/spawn.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tactus {

/// Attribute of async: the name that reports give the task.
struct named {
  explicit named(std::string task_name) : name(std::move(task_name)) {}
  std::string name;
};

namespace detail {

/// What the attributes of one async add up to.
struct spawn_attributes {
  spawn_policy policy;
  std::unique_ptr<task_name> name;

  void apply(spawn_policy p) noexcept { policy = p; }
  void apply(named n) { name = std::make_unique<task_name>(std::move(n.name)); }
};

template <class A>
concept spawn_attribute = requires(spawn_attributes& all, A&& a) { all.apply(std::forward<A>(a)); };

template <class F>
concept task_function = std::constructible_from<std::decay_t<F>, F> && std::invocable<std::decay_t<F>&>;

// Applies the attributes, then spawns the last argument.
template <class Last>
void async_with(worker* w, spawn_attributes& attributes, Last&& f) {
  spawn_with_care(w, attributes.policy, attributes.name.get(), std::forward<Last>(f));
  static_cast<void>(attributes.name.release());  // the child has it, or has had it
}

template <class Attribute, class... Rest>
  requires(sizeof...(Rest) > 0)
void async_with(worker* w, spawn_attributes& attributes, Attribute&& attribute, Rest&&... rest) {
  attributes.apply(std::forward<Attribute>(attribute));
  async_with(w, attributes, std::forward<Rest>(rest)...);
}

template <class... Args>
inline constexpr bool are_attributes_then_function = false;
template <class F>
inline constexpr bool are_attributes_then_function<F> = task_function<F>;
template <class A, class... Rest>
  requires(sizeof...(Rest) > 0)
inline constexpr bool are_attributes_then_function<A, Rest...> =
    spawn_attribute<A> && are_attributes_then_function<Rest...>;

struct async_verb {
  /// async(attributes..., f) spawns f as a child of the calling task. The child may outlive its parent; the innermost finish
  /// around the call joins it. f is copied or moved in before async returns or the child starts; its result is discarded, and
  /// an exception that escapes from it goes to that finish.
  ///
  /// Attributes: spawn_policy::work_first or help_first (else the runtime's policy decides), named("text").
  ///
  /// Errors, all before anything was spawned: what copying f throws; usage_error outside a task; resource_error where the child
  /// would start at once and no stack may be taken; std::bad_alloc.
  /// Suspends: with help_first never; otherwise the caller may go on on another worker.
  /// Visibility: what the caller did before happens before the child.
  /// Cost: 5 to 10 ns; closures above 48 bytes (queued; 40 with a name) or 2 KiB (run at once) lie on the heap.
  /// Source: work-stealing.txt, section 4; escaping asyncs, section 3.1.
  template <task_function F>
  TACTUS_ALWAYS_INLINE void operator()(F&& f) const {
    worker* const w = worker_for("async");
    spawn(w, std::forward<F>(f));
  }

  template <class First, class... Rest>
    requires(sizeof...(Rest) > 0 && are_attributes_then_function<First, Rest...>)
  void operator()(First&& first, Rest&&... rest) const {
    worker* const w = worker_for("async");
    spawn_attributes attributes{w->policy, nullptr};
    async_with(w, attributes, std::forward<First>(first), std::forward<Rest>(rest)...);
  }

  template <task_function F>
  TACTUS_ALWAYS_INLINE void operator()(spawn_policy policy, F&& f) const {
    spawn(worker_for("async"), policy, std::forward<F>(f));
  }
};

}  // namespace detail

/// See detail::async_verb::operator(). A function object, so that argument-dependent lookup never finds std::async instead.
inline constexpr detail::async_verb async{};

}  // namespace tactus
