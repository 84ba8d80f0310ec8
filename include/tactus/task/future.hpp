// SPDX-License-Identifier: Apache-2.0
// future, promise, async_future: one value (or exception) that tasks wait for.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/task/async.hpp>
#include <tactus/task/impl/future_state.hpp>

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

namespace tactus {

template <class T>
class promise;

/// A value that is there or will be: a copyable handle to shared state. T may be void or a reference.
/// Handles may be copied and destroyed on any thread, several tasks may wait on copies; one handle is used by one at a time.
/// Errors: usage_error for a call on a handle that refers to nothing; get() says what else.
/// \snippet 02_futures.cpp async_future
/// \ingroup values
template <class T>
class future {
public:
#ifndef DOXYGEN
  using stays_at_its_place = void;
#endif

  /// Refers to nothing: every call but assignment is usage_error.
  future() noexcept = default;

  /// Whether it refers to something.
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(state_); }

  /// Whether get() would return or throw at once. Any thread; never suspends.
  [[nodiscard]] bool ready() const { return state("ready").ready(); }

  /// The value: const T&, living as long as a handle does. T& for a reference, nothing for void.
  /// Suspends the task, never the worker thread, until it is there. Rethrows the exception that took the value's place;
  /// broken_promise if nothing can come any more; deadlock_error if the program is stuck; resource_error if the task would have to
  /// wait and no stack may be taken; usage_error outside a task; place_error where a task of another place would have to wait. What the setter did before happens before the return.
  /// Cost: 2 ns if ready, else about 50 ns on both sides together.
  decltype(auto) get() const& {
    auto& s = state("get");
    s.wait();
    return s.value();
  }

  /// The value itself: moved out of the shared state by its last user, else copied if T can be.
  T get() && {
    auto& s = state("get");
    s.wait();
    const auto keep = std::exchange(state_, {});
    return s.take_value(keep.sole_owner());
  }

private:
  friend class promise<T>;
  friend struct detail::async_future_verb;
  friend struct detail::at_future_verb;

  explicit future(detail::state_handle<T> s) noexcept : state_(std::move(s)) {}

  detail::future_state<T>& state(const char* call) const {
    if (!state_) {
      throw usage_error(std::string("tactus::future::") + call +
                        ": this future refers to nothing; assign one from async_future or promise");
    }
    return *state_;
  }

  detail::state_handle<T> state_;
};

/// The type of external, for functions that make a promise of the kind that they are told.
/// Errors: none.
/// \snippet 05_embedded.cpp external
/// \ingroup values
struct external_t {
  /// Explicit: a promise is not made external by empty braces.
  explicit external_t() = default;
};

/// Tag of a promise that any thread may fulfil: promise<T> p(external).
/// Errors: none. A promise without it throws usage_error where a thread that is in no task fulfils it.
/// \snippet 05_embedded.cpp external
/// \ingroup values
inline constexpr external_t external{};

/// The other end of a future: a copyable handle to shared state, fulfilled once through any copy.
/// When the last copy goes away unfulfilled, the future throws broken_promise.
/// A plain promise is fulfilled by tasks only, so a program whose tasks all wait for it is known to be stuck. One that is made outside
/// of tasks is for one runtime: that whose task first waits for it or fulfils it. An external one may be made, fulfilled and destroyed
/// on any thread, and shared by runtimes; while it is unset the program counts as alive.
/// Errors: usage_error where it is fulfilled a second time or by whom it is not for; std::bad_alloc.
/// \snippet 02_futures.cpp promise
/// \ingroup values
template <class T>
class promise {
public:
#ifndef DOXYGEN
  using stays_at_its_place = void;
#endif

  /// For tasks to fulfil.
  promise() : fulfiller_(detail::fulfilled_by::tasks) {}

  /// For any thread to fulfil.
  explicit promise(external_t) : fulfiller_(detail::fulfilled_by::anybody) {}

  /// May be called more than once: all futures share the state.
  [[nodiscard]] future<T> get_future() const { return future<T>(fulfiller_.state("get_future")); }

  /// Fulfils the promise and makes every waiting task ready. usage_error if it is fulfilled already, or if a plain promise is
  /// fulfilled outside a task; nothing has changed then. What making a T of the arguments throws is what the promise is fulfilled with: get()
  /// throws it. Never suspends.
  template <class... V>
    requires detail::sets_value<T, V...>
  void set_value(V&&... v) const {
    fulfiller_.claim("set_value");
    fulfiller_.fulfil([&](detail::future_state<T>& s) { s.set_value(std::forward<V>(v)...); });
  }

#ifndef DOXYGEN
  // So that braces are a value, too.
  template <class V = T>
    requires detail::sets_value<T, V>
  void set_value(V&& v) const {
    fulfiller_.claim("set_value");
    fulfiller_.fulfil([&](detail::future_state<T>& s) { s.set_value(std::forward<V>(v)); });
  }
#endif

  /// The same with an exception, which get() rethrows. usage_error if it is null.
  void set_exception(std::exception_ptr e) const {
    if (e == nullptr) [[unlikely]] {
      throw usage_error("tactus::promise::set_exception: there is no exception, the pointer is null");
    }
    fulfiller_.claim("set_exception");
    fulfiller_.fulfil([&](detail::future_state<T>& s) { s.set_exception(std::move(e)); });
  }

private:
  detail::promise_handle<T> fulfiller_;
};

namespace detail {

struct async_future_verb {
  template <class... Args>
    requires are_attributes_then_function<Args...>
  auto operator()(Args&&... args) const {
    worker* const w = in_step() ? nullptr : worker_for("async_future");
    spawn_attributes attributes{w != nullptr ? w->policy : spawn_policy::help_first, nullptr, nullptr};
    return spawn_future<kinds_of<Args...>>(attributes, std::forward<Args>(args)...);
  }

private:
  template <attribute_kinds Kinds, class Attribute, class... Rest>
    requires(sizeof...(Rest) > 0)
  static auto spawn_future(spawn_attributes& attributes, Attribute&& attribute, Rest&&... rest) {
    attributes.apply(std::forward<Attribute>(attribute));
    return spawn_future<Kinds>(attributes, std::forward<Rest>(rest)...);
  }

  template <attribute_kinds Kinds, class F>
  static auto spawn_future(spawn_attributes& attributes, F&& f) {
    using Fn = std::decay_t<F>;
    using R = std::invoke_result_t<Fn&>;
    using T = std::conditional_t<std::is_rvalue_reference_v<R>, std::remove_cvref_t<R>,
                                 R>;  // what it names may end with the task
    if constexpr (Kinds.registering) {
      attributes.register_rest();
    }
    auto state = state_handle<T>::make();
    state->belong_to_task();
    if (attributes.name != nullptr) {
      state->set_name(attributes.name->text);
    }
    future<T> result(state);
    fulfilling<T, Fn> task(std::move(state), std::forward<F>(f));
    async_with<Kinds>(current_worker(), attributes, std::move(task));  // copying may have suspended
    return result;
  }

  // The task: runs f and puts what comes out into the state. Not copyable.
  template <class T, class Fn>
  class fulfilling {
  public:
    template <class F>
    fulfilling(state_handle<T> state, F&& f) : state_(std::move(state)), function_(std::forward<F>(f)) {}
    fulfilling(fulfilling&&) noexcept(std::is_nothrow_move_constructible_v<Fn>) = default;

    void operator()() {
      try {
        if constexpr (std::is_void_v<T>) {
          function_();
          state_->set_value();
        } else {
          state_->set_value(function_());
        }
      } catch (...) {
        state_->set_exception(std::current_exception());
      }
      wake_waiters(*state_);
      state_ = {};
    }

  private:
    state_handle<T> state_;
    Fn function_;
  };
};

}  // namespace detail

/// Spawns f as async does and returns the future of its result. Tasks that f spawns are joined by the innermost finish, as f
/// itself is: future::get does not wait for them. An exception that escapes from f stays in the future, and no finish sees it;
/// if nobody ever looks at it, it is counted in stats() and named on stderr when the last handle goes.
/// \param attributes as for async
/// \param f what the child calls, without arguments; it may return a value, a reference or nothing
/// \return the future of what f returns
/// Errors: as async.
/// Suspends: as async.
/// Visibility: what the caller did before happens before the child, and what the child did before the return of get().
/// Cost: above that of async an allocation, and that of future::get.
/// \snippet 02_futures.cpp async_future
/// \ingroup values
#ifdef DOXYGEN
template <class... Attributes, class F>
future<std::invoke_result_t<F>> async_future(Attributes&&... attributes, F&& f);
#else
inline constexpr detail::async_future_verb async_future{};
#endif

}  // namespace tactus
