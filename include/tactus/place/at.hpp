// SPDX-License-Identifier: Apache-2.0
// at: the calling task goes on at another place, for one call.
#pragma once

#include <tactus/place/impl/at_wait.hpp>
#include <tactus/place/impl/exception_bytes.hpp>
#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/received_call.hpp>
#include <tactus/place/place.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {
namespace detail {

struct no_value {};

/// What comes back from the body of an at(): in the frame of the caller.
template <class R>
struct at_outcome {
  std::conditional_t<std::is_void_v<R>, std::optional<no_value>, std::optional<R>> value;
  std::vector<std::byte> bytes;  // of an exception
  bool failed = false;
  std::exception_ptr error;  // where there is no memory for its bytes

  /// By the body, at its place, of the exception being handled. Runs user code.
  void fail(int where) noexcept {
    failed = true;
    try {
      bytes = exception_to_bytes(std::current_exception(), place(place::unchecked{where}));
    } catch (...) {
      error = std::current_exception();
    }
  }

  /// By the body, at its place.
  template <class Call>
  void fill(Call& call) {
    if constexpr (std::is_void_v<R>) {
      call();
    } else {
      value.emplace(call());
    }
  }

  /// By the caller, of what has come from place `where`.
  R take(int where) {
    if (failed) {
      std::rethrow_exception(error != nullptr ? error : exception_of_bytes(bytes, place(place::unchecked{where})));
    }
    if constexpr (!std::is_void_v<R>) {
      return std::move(*value);
    }
  }
};

/// The body, as it is sent.
template <class Call, class R>
struct at_body {
  template <class F>
  at_body(message_header h, at_wait* c, at_outcome<R>* into, F&& f)
      : header(h), caller(c), outcome(into), call(std::forward<F>(f)) {}

  void run() noexcept {
    if (current_worker()->timeline != nullptr) [[unlikely]] {
      run_traced(
          traced_closure::label_of<Call>(), [](void* self) { static_cast<at_body*>(self)->fill_outcome(); }, this,
          caller->traced_as);
    } else {
      fill_outcome();
    }
  }

  void fill_outcome() noexcept {
    try {
      outcome->fill(call);
    } catch (...) {
      outcome->fail(current_worker()->place);
    }
  }

  message_header header;
  at_wait* caller;
  at_outcome<R>* outcome;
  Call call;
};

/// As run_queued(), of what ends by its reply.
template <class Body>
void run_at_body(queued_task* m, worker* w) {
  task_frame frame;
  begin_queued(w, frame);
  Body* const body = std::launder(reinterpret_cast<Body*>(m->storage));
  at_wait* const caller = body->caller;
  body_values values(caller->origin, caller->elsewhere, caller->name, caller->designated);
  frame.locals = &values;
  body->run();
  std::destroy_at(body);
  end_task_frame(frame);
  caller->elsewhere = values.elsewhere;
  w = current_worker();  // the body may have gone on elsewhere
  w->task = by_itself(frame.below);
  end_body(w, m, caller);
}

/// The result of a call that has come as bytes from place `from`.
template <class R, byte_order Order>
R result_of_bytes(std::span<const std::byte> bytes, int from, range_source* apart) {
  reader<Order> in(bytes, from, apart);
  if constexpr (std::is_void_v<R>) {
    in.expect_end();
  } else {
    R result = unpack<R>(in);
    in.expect_end();
    return result;
  }
}
template <class R>
R result_of(std::span<const std::byte> bytes, byte_order order, int from, range_source* apart = nullptr) {
  return order == byte_order::same ? result_of_bytes<R, byte_order::same>(bytes, from, apart)
                                   : result_of_bytes<R, byte_order::swapped>(bytes, from, apart);
}

/// Runs `call` here, as the body of an at().
template <class R>
R call_here(wired_call& call) {
  reply_bytes reply;
  call.run_here(&reply);
  return result_of<R>(reply.bytes(), order_here(), current_worker()->place);
}
template <class R, class Call>
R call_here(Call& call) {
  return call();
}

/// Runs `call` at place `to` as part of the calling task.
template <class R>
R call_there(int to, wired_call&& call) {
  const received_reply reply = call_by_bytes(to, std::move(call));
  if (reply.failed) {
    std::rethrow_exception(exception_of_bytes(reply.bytes, place(place::unchecked{to})));
  }
  return result_of<R>(reply.bytes, reply.order, to, ranges_of(reply.block));
}
template <class R, class Call>
R call_there(int to, Call&& call) {
  if constexpr (!fits_queued<at_body<Call, R>>) {
    boxed<Call> in_box(std::in_place, std::forward<Call>(call));
    return call_there<R>(to, std::move(in_box));
  } else {
    using Body = at_body<Call, R>;
    at_outcome<R> outcome;
    at_wait wait;
    wait.to = to;
    const message_header h(message_kind::at_request, current_worker()->place);  // its finish comes with the wait
    Body body(h, &wait, &outcome, std::forward<Call>(call));  // before the worker is asked for: a copy may suspend
    wait.request = make_queued<Body, run_at_body<Body>>(current_worker(), std::move(body));
    try {
      wait_for_body(wait);
    } catch (...) {
      unmake_queued<Body>(wait.request);
      throw;
    }
    return outcome.take(to);
  }
}

/// The body of an at() that stays: registered nowhere.
class unregistered_here {
public:
  unregistered_here() noexcept : values_(current_worker()->task) {
    begin_queued(current_worker(), frame_);
    frame_.locals = &values_;
  }
  ~unregistered_here() {
    end_task_frame(frame_);
    current_worker()->task = frame_.below;
  }
  unregistered_here(const unregistered_here&) = delete;
  unregistered_here& operator=(const unregistered_here&) = delete;

private:
  task_frame frame_;
  body_values values_;
};

struct at_verb {
  template <class F, class... Args>
  auto operator()(place where, F&& f, Args&&... args) const -> received_result<std::decay_t<F>, std::decay_t<Args>...> {
    using R = received_result<std::decay_t<F>, std::decay_t<Args>...>;
    if constexpr (!std::is_void_v<R>) {
      check_result_travels<R>();
    }
    check_target(worker_for("at"), where.id(), "at");
    return with_sent_call<answer::result, way::straight>(
        "at", look::into_closure, where.id(),
        [where]<class Call>(Call&& call) -> R {
          if (where.id() == current_worker()->place) {
            const unregistered_here apart;
            return call_here<R>(call);
          }
          return call_there<R>(where.id(), std::forward<Call>(call));
        },
        std::forward<F>(f), std::forward<Args>(args)...);
  }
};

}  // namespace detail

/// Calls f(args...) at place p as part of the calling task, which waits meanwhile, and returns its value. The body is registered on no
/// clock or phaser; of each task_local it has the value that the task has at p. Tasks that it spawns are joined by the caller's innermost finish.
/// \param p any place of the run
/// \param f, args as for async_at
/// \return what f returns, as a copy; it has to travel
/// Errors: what f throws, from another place as remote_exception says; else those of async_at.
/// Suspends: yes, unless p is the caller's place; goes on on any worker of its place. In a program that is stuck the body is told, and its
/// end is the end of this call.
/// Visibility: what the caller did happens before f, and what f did before the return.
/// Cost: below a microsecond to a place of this process with a worker that has nothing to do.
/// Source: ghost-regions.txt, section III; X10 2.6.
/// \snippet 17_places.cpp at
/// \ingroup places
#ifdef DOXYGEN
template <class F, class... Args>
std::invoke_result_t<F, Args...> at(place p, F&& f, Args&&... args);
#else
inline constexpr detail::at_verb at{};
#endif

}  // namespace tactus
