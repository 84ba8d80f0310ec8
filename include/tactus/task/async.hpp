// SPDX-License-Identifier: Apache-2.0
// async: spawns a task.
#pragma once

#include <tactus/task/batched.hpp>
#include <tactus/task/impl/spawn.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tactus {

/// Attribute of async: the name that reports, timelines and error texts give the task.
/// Errors: none but std::bad_alloc.
/// Cost: an allocation for the name; the closure of a queued child lies on the heap.
/// \snippet reference.cpp named
/// \ingroup tasks
struct named {
  /// \param task_name any text; it need not be unique
  explicit named(std::string task_name) : name(std::move(task_name)) {}
  std::string name;  ///< as given
};

/// Attribute of async: a wish, that the child run on the worker of this number modulo the workers. Children of equal numbers
/// find in its caches what those before them left there. It is queued for that worker, whatever the policy; one that has
/// nothing else to do takes it all the same, so no worker waits for another because of it.
/// Errors: none, any number will do.
/// Cost: a lock, where that worker is another one than the caller's.
/// Source: work-stealing.txt, section 7.
/// \snippet reference.cpp affinity
/// \ingroup tasks
struct affinity {
  /// \param wanted_worker for example the number of a block of data
  explicit affinity(std::size_t wanted_worker) noexcept : worker(wanted_worker) {}
  std::size_t worker;  ///< as given
};

namespace detail {

/// What later rooms register a child for, from the spawn to its start. Destroyed before that, it takes the registrations back.
class registration {
public:
  registration() = default;
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;
  virtual ~registration() = default;

  /// The child has started: makes them its own.
  virtual void begin(task_frame& child) noexcept = 0;
};

struct spawn_attributes;

/// An attribute of a later room.
template <class A>
concept registering_attribute = requires(const A& a, spawn_attributes& all) { a.register_at(all); };

/// What the attributes of one async add up to.
struct spawn_attributes {
  spawn_policy policy;
  std::unique_ptr<task_name> name;
  std::unique_ptr<registration> registered;
  std::size_t wanted_worker = 0;                 // where an affinity is among them
  void (*at_last)(spawn_attributes&) = nullptr;  // registers what the others have not named

  void apply(spawn_policy p) noexcept { policy = p; }
  void apply(batched_attribute) noexcept {}  // beside others it does nothing
  void apply(affinity a) noexcept { wanted_worker = a.worker; }
  void apply(named n) { name = std::make_unique<task_name>(std::move(n.name)); }
  template <registering_attribute A>
  void apply(const A& a) {
    a.register_at(*this);
  }

  /// All attributes have been applied, and the function is still the caller's.
  void register_rest() {
    if (at_last != nullptr) {
      std::exchange(at_last, nullptr)(*this);
    }
  }
};

/// What the types of an async's attributes tell: ways that none of them needs are not compiled for its closure.
struct attribute_kinds {
  bool registering = false;
  bool placing = false;
};

template <class... Attributes>
inline constexpr attribute_kinds kinds_of{(registering_attribute<std::decay_t<Attributes>> || ...),
                                          (std::is_same_v<std::decay_t<Attributes>, affinity> || ...)};

/// A closure whose task is registered somewhere.
template <class Fn>
class registered_closure : public knows_its_label {
public:
  template <class F>
  registered_closure(std::unique_ptr<registration> e, F&& f)
      : registered_(std::move(e)), function_(std::forward<F>(f)) {}
  registered_closure(registered_closure&&) noexcept(std::is_nothrow_move_constructible_v<Fn>) = default;
  void operator()() {
    registered_->begin(*current_worker()->task);
    static_cast<void>(function_());
  }
  [[nodiscard]] const char* timeline_label() const noexcept { return traced_closure::label_for(function_); }

private:
  std::unique_ptr<registration> registered_;  // goes last: captures are gone before registrations that were not begun
  Fn function_;
};

template <class A>
concept spawn_attribute = requires(spawn_attributes& all, A&& a) { all.apply(std::forward<A>(a)); };

template <class F>
concept task_function = std::constructible_from<std::decay_t<F>, F> && std::invocable<std::decay_t<F>&>;

template <attribute_kinds Kinds, class F>
void spawn_in_step(spawn_attributes& attributes, F&& f);

template <attribute_kinds Kinds>
auto request_of(const spawn_attributes& attributes) noexcept {
  if constexpr (Kinds.placing) {
    return affine_request{attributes.wanted_worker, attributes.name.get()};
  } else {
    return spawn_request{attributes.policy, attributes.name.get()};
  }
}

// In a frame of its own: closures may be large.
template <attribute_kinds Kinds, class F>
TACTUS_NOINLINE void spawn_registered(spawn_attributes& attributes, F&& f) {
  registered_closure<std::decay_t<F>> with_registrations(std::move(attributes.registered), std::forward<F>(f));
  spawn_as_asked(current_worker(), request_of<Kinds>(attributes), std::move(with_registrations));
}

template <attribute_kinds Kinds, class F>
TACTUS_ALWAYS_INLINE void spawn_with(worker* w, spawn_attributes& attributes, F&& f) {
  if (Kinds.registering && attributes.registered != nullptr) {
    if constexpr (Kinds.registering) {
      spawn_registered<Kinds>(attributes, std::forward<F>(f));
    }
  } else if constexpr (Kinds.placing) {
    spawn_as_asked(w, request_of<Kinds>(attributes), std::forward<F>(f));
  } else {
    spawn_slowly(w, request_of<Kinds>(attributes), std::forward<F>(f));
  }
  static_cast<void>(attributes.name.release());  // the child has it, or has had it
}

// Applies the attributes, then spawns the last argument.
template <attribute_kinds Kinds, class Last>
TACTUS_ALWAYS_INLINE void async_with(worker* w, spawn_attributes& attributes, Last&& f) {
  if constexpr (Kinds.registering) {
    attributes.register_rest();
  }
  if (w == nullptr) [[unlikely]] {
    spawn_in_step<Kinds>(attributes, std::forward<Last>(f));
    return;
  }
  spawn_with<Kinds>(w, attributes, std::forward<Last>(f));
}

template <attribute_kinds Kinds, class Attribute, class... Rest>
  requires(sizeof...(Rest) > 0)
void async_with(worker* w, spawn_attributes& attributes, Attribute&& attribute, Rest&&... rest) {
  attributes.apply(std::forward<Attribute>(attribute));
  async_with<Kinds>(w, attributes, std::forward<Rest>(rest)...);
}

template <class... Args>
inline constexpr bool are_attributes_then_function = false;
template <class F>
inline constexpr bool are_attributes_then_function<F> = task_function<F>;
template <class A, class... Rest>
  requires(sizeof...(Rest) > 0)
inline constexpr bool are_attributes_then_function<A, Rest...> =
    spawn_attribute<A> && are_attributes_then_function<Rest...>;

/// Queues f with these attributes: with the affinity among them if that is to count.
TACTUS_API void queue_with(spawn_attributes& attributes, bool has_affinity, labelled_closure f);

/// Spawns f in a step of lockstep, which must not move or stop; elsewhere the call is misuse.
template <attribute_kinds Kinds, class F>
void spawn_in_step(spawn_attributes& attributes, F&& f) {
  if (!in_step()) {
    throw_outside_task("async");
  }
  const unrestricted_scope shown;
  queue_with(attributes, Kinds.placing, labelled_closure::make(std::forward<F>(f)));
}

struct async_verb {
  template <task_function F>
  TACTUS_ALWAYS_INLINE void operator()(F&& f) const {
    worker* const w = current_worker();
    if (w == nullptr) [[unlikely]] {
      by_copy(std::forward<F>(f), []<class G>(G&& g) { spawn_restricted(std::forward<G>(g)); });
      return;
    }
    spawn(w, std::forward<F>(f));
  }

  template <class First, class... Rest>
    requires(sizeof...(Rest) > 0 && are_attributes_then_function<First, Rest...>)
  void operator()(First&& first, Rest&&... rest) const {
    if constexpr (requires { first.spawn(std::forward<Rest>(rest)...); }) {
      first.spawn(std::forward<Rest>(rest)...);  // the one attribute has a short way of its own
      return;
    }
    worker* const w = current_worker();
    spawn_attributes attributes{w != nullptr ? w->policy : spawn_policy::help_first, nullptr, nullptr};
    async_with<kinds_of<First, Rest...>>(w, attributes, std::forward<First>(first), std::forward<Rest>(rest)...);
  }

  template <task_function F>
  TACTUS_ALWAYS_INLINE void operator()(spawn_policy policy, F&& f) const {
    worker* const w = current_worker();
    if (w == nullptr) [[unlikely]] {
      by_copy(std::forward<F>(f), []<class G>(G&& g) { spawn_restricted(std::forward<G>(g)); });
      return;
    }
    spawn(w, policy, std::forward<F>(f));
  }

  template <task_function F>
  TACTUS_ALWAYS_INLINE void operator()(batched_attribute, F&& f) const {
    worker* const w = current_worker();
    if (w == nullptr) [[unlikely]] {
      by_copy(std::forward<F>(f), []<class G>(G&& g) { spawn_restricted(std::forward<G>(g)); });
      return;
    }
    batched_attribute::spawn_at(w, w->policy, std::forward<F>(f));
  }

  template <task_function F>
  TACTUS_ALWAYS_INLINE void operator()(spawn_policy policy, batched_attribute, F&& f) const {
    worker* const w = current_worker();
    if (w == nullptr) [[unlikely]] {
      by_copy(std::forward<F>(f), []<class G>(G&& g) { spawn_restricted(std::forward<G>(g)); });
      return;
    }
    batched_attribute::spawn_at(w, policy, std::forward<F>(f));
  }

  template <task_function F>
  TACTUS_ALWAYS_INLINE void operator()(batched_attribute together, spawn_policy policy, F&& f) const {
    (*this)(policy, together, std::forward<F>(f));
  }

private:
  template <class F>
  TACTUS_NOINLINE static void spawn_restricted(F&& f) {
    spawn_attributes attributes{spawn_policy::help_first, nullptr, nullptr};
    spawn_in_step<attribute_kinds{}>(attributes, std::forward<F>(f));
  }
};

}  // namespace detail

/// Spawns f as a child of the calling task. The child may outlive its parent; the innermost finish around the call joins it.
/// f is copied or moved in before async returns or the child starts; its result is discarded, and an exception that escapes
/// from it goes to that finish.
/// \param attributes any of spawn_policy::work_first or help_first (else the runtime's policy decides), named("text"),
/// affinity(worker), batched, clocked(clock...), phased(phaser...) and phased_all, in any order
/// \param f what the child calls, without arguments
/// Errors: all before anything was spawned: what copying f throws; usage_error outside a task; resource_error where the child
/// would start at once and no stack may be taken; std::bad_alloc; those of the attributes.
/// Suspends: with help_first never; otherwise the caller may go on on another worker.
/// Visibility: what the caller did before happens before the child.
/// Cost: 5 to 10 ns; closures above 48 bytes (queued; with a name or in a step of lockstep, any) or 2 KiB (run at once) lie on the heap. A child that
/// is queued for another worker, as its affinity asks, costs a lock.
/// Source: work-stealing.txt, section 4; escaping asyncs, section 3.1.
/// \snippet 01_async_finish.cpp fibonacci
/// \ingroup tasks
#ifdef DOXYGEN
template <class... Attributes, class F>
void async(Attributes&&... attributes, F&& f);
#else
// A function object, so that argument-dependent lookup never finds std::async instead.
inline constexpr detail::async_verb async{};
#endif

}  // namespace tactus
