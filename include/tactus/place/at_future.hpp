// SPDX-License-Identifier: Apache-2.0
// at_future: a task at a place, whose result comes home.
#pragma once

#include <tactus/place/async_at.hpp>
#include <tactus/place/at.hpp>
#include <tactus/place/impl/flexible_spawn.hpp>
#include <tactus/place/impl/named_function.hpp>
#include <tactus/task/future.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {
namespace detail {

/// The right to fulfil a future of place `home`, on its way: kept by exactly one message or task.
template <class T>
struct future_at_home {
  std::uintptr_t state;  // the complement of its address, as a global_ref has it
  int home;

  [[nodiscard]] future_state<T>& operator*() const noexcept { return *reinterpret_cast<future_state<T>*>(~state); }

  /// At home: fulfilled, and let go.
  void publish() const noexcept {
    wake_waiters(**this);
    if ((**this).release()) {
      delete &**this;
    }
  }
};

/// The task that comes home with the result.
template <class T>
struct bring_value {
  future_at_home<T> to;

  void operator()() const {
    (*to).set_value();
    to.publish();
  }
  template <class V>
  void operator()(V&& value) const {
    try {
      (*to).set_value(std::forward<V>(value));
    } catch (...) {
      (*to).set_exception(std::current_exception());
    }
    to.publish();
  }

  /// The value cannot be made of its bytes.
  void fails(std::exception_ptr why) const {
    (*to).set_exception(std::move(why));
    to.publish();
  }
};

template <class T>
struct bring_exception {
  future_at_home<T> to;
  int from;

  void operator()(const std::vector<std::byte>& bytes) const {
    try {
      (*to).set_exception(exception_of_bytes(bytes, place(place::unchecked{from})));
    } catch (...) {  // they are damaged
      (*to).set_exception(std::current_exception());
    }
    to.publish();
  }
};

/// By the task, of what has escaped from it: another one makes it the future's; as itself where it does not leave its place.
template <class T>
void fail_for_home(future_at_home<T> to, const std::exception_ptr& why) {
  const library_place home = with_result(place(place::unchecked{to.home}));
  if (current_worker()->place == to.home) {
    home.spawn(nullptr, [to, why] {
      (*to).set_exception(why);
      to.publish();
    });
  } else {
    async_at(home, unlooked, bring_exception<T>{to, here().id()}, exception_to_bytes(why, here()));
  }
}

/// The task that makes it. MayMove: it is place-flexible, and what it makes elsewhere is counted.
template <class T, class Fn, bool MayMove = false>
struct make_for_home {
  using timeline_label_of = Fn;

  Fn function;
  future_at_home<T> to;

  template <class... As>
    requires std::is_invocable_v<Fn&, As...>
  void operator()(As&&... arguments) {
    const place home(place::unchecked{to.home});
    std::exception_ptr failed;
    try {
      if constexpr (std::is_void_v<T>) {
        function(std::forward<As>(arguments)...);
        if constexpr (MayMove) {
          if (current_worker()->place != to.home) {
            note_result_home(0);
          }
        }
        async_at(with_result(home), unlooked, bring_value<T>{to});
      } else {
        T result(function(std::forward<As>(arguments)...));
        if (current_worker()->sites != nullptr) [[unlikely]] {
          note_values(0, packed_bytes(result));
        }
        if constexpr (MayMove) {
          if (current_worker()->place != to.home) {
            note_result_home(packed_bytes(result));
          }
        }
        async_at(with_result(home), unlooked, bring_value<T>{to}, std::move(result));
      }
      return;
    } catch (...) {
      failed = std::current_exception();
    }
    fails(failed);
  }

  /// The arguments cannot be made of their bytes, or there is no memory for what goes home.
  void fails(const std::exception_ptr& why) const { fail_for_home(to, why); }
};

struct at_future_verb {
  template <targets_flexibly A, class... Rest>
  auto operator()(const A& how, Rest&&... rest) const {
    return how.spawn_future(std::forward<Rest>(rest)...);
  }

  template <class... Rest>
  auto operator()(sited_flexible here, Rest&&... rest) const {
    return spawn_future_here_flexibly(here, std::forward<Rest>(rest)...);
  }

  template <class... Rest>
  auto operator()(sited_place to, Rest&&... rest) const {
    return spawn_to(to, std::forward<Rest>(rest)...);
  }

  template <class... Rest>
  auto operator()(library_place to, Rest&&... rest) const {
    return spawn_to(to, std::forward<Rest>(rest)...);
  }

  /// Spawns the task that `spawn` makes of the right to fulfil a future, and returns that.
  template <class T, class Spawn>
  static future<T> with_future_at_home(const std::unique_ptr<task_name>& name, Spawn&& spawn) {
    if constexpr (!std::is_void_v<T>) {
      check_result_travels<T>();
    }
    auto state = state_handle<T>::make();
    state->belong_to_task();
    if (name != nullptr) {
      state->set_name(name->text);
    }
    future<T> result(state);
    state->acquire();  // the message's
    try {
      spawn(future_at_home<T>{~reinterpret_cast<std::uintptr_t>(&*state), current_worker()->place});
    } catch (...) {
      static_cast<void>(state->release());  // the handle here is another one
      throw;
    }
    return result;
  }

private:
  template <class Target, class... Rest>
  static auto spawn_to(const Target& to, Rest&&... rest) {
    check_target(worker_for("at_future"), to.where.id(), "at_future");
    remote_attributes attributes;
    return apply_remote_attributes(
        attributes,
        [&]<class F, class... Args>(F&& f, Args&&... args) {
          return spawn<received_result<std::decay_t<F>, std::decay_t<Args>...>>(to, attributes, std::forward<F>(f),
                                                                                std::forward<Args>(args)...);
        },
        std::forward<Rest>(rest)...);
  }

  template <class T, class Target, class F, class... Args>
  static future<T> spawn(const Target& to, remote_attributes& attributes, F&& f, Args&&... args) {
    using Fn = std::decay_t<F>;
    check_call_travels<Fn, std::decay_t<Args>...>();
    if (attributes.how == look::into_closure) {
      look_at_closure(static_cast<const Fn&>(f), lies_on_a_stack, "at_future");
    }
    return with_future_at_home<T>(attributes.name, [&](future_at_home<T> home) {
      with_sent_call<answer::none, way::straight>(
          "at_future", look::none, to.where.id(),
          [&]<class Call>(Call&& call) { to.spawn(std::move(attributes.name), std::forward<Call>(call)); },
          make_for_home<T, sent_function<Fn>>{sent_function<Fn>(std::forward<F>(f)), home},
          std::forward<Args>(args)...);
    });
  }
};

}  // namespace detail

/// Spawns f(args...) as a task at place p and returns the future of its result, which is at the caller's place. The innermost finish joins
/// the task, as async_future's; an exception that escapes from f, or from reading its arguments or its result, stays in the future.
/// \param p any place of the run
/// \param attributes named("text"), unlooked
/// \param f, args as for async_at
/// \return the future of what f returns, as a copy; it has to travel
/// Errors: those of async_at.
/// Suspends: as async_at.
/// Visibility: what the caller did before happens before f, and what f did before the return of future::get.
/// Cost: two tasks, one at each place.
/// \snippet 17_places.cpp at_future
/// \ingroup places
#ifdef DOXYGEN
template <class... Attributes, class F, class... Args>
future<std::invoke_result_t<F, Args...>> at_future(place p, Attributes&&... attributes, F&& f, Args&&... args);
#else
inline constexpr detail::at_future_verb at_future{};
#endif

}  // namespace tactus
