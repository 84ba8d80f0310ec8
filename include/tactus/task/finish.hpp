// SPDX-License-Identifier: Apache-2.0
// finish: runs a body and waits for every task spawned in it.
#pragma once

#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/task/impl/spawn.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace tactus {
namespace detail {

struct finish_verb {
  template <std::invocable Body>
  TACTUS_ALWAYS_INLINE std::invoke_result_t<Body> operator()(Body&& body) const {
    using R = std::invoke_result_t<Body>;
    if constexpr (std::is_reference_v<R>) {
      std::remove_reference_t<R>* result = nullptr;
      (*this)([&] {
        R r = std::forward<Body>(body)();
        result = std::addressof(r);
      });
      return static_cast<R>(*result);
    } else {
      finish_scope scope;
      scope.open(worker_for("finish"));
      std::conditional_t<std::is_void_v<R>, nothing, std::optional<std::remove_cv_t<R>>> result;
      try {
        if constexpr (std::is_void_v<R>) {
          std::forward<Body>(body)();
        } else {
          result.emplace(std::forward<Body>(body)());
        }
      } catch (...) {
        scope.add_failure(std::current_exception());
      }
      scope.close_and_throw();
      if constexpr (!std::is_void_v<R>) {
        return std::move(*result);
      }
    }
  }

  // For attributes that wrap the body: clocked.
  template <class Attribute, class Body>
    requires requires(const Attribute& a, Body&& b) { a.in_finish(std::forward<Body>(b)); }
  decltype(auto) operator()(const Attribute& attribute, Body&& body) const {
    return attribute.in_finish(std::forward<Body>(body));
  }

private:
  struct nothing {};
};

}  // namespace detail

/// Runs body in the calling task, then waits until every task spawned in it, and in those tasks, transitively, has ended.
/// Tasks spawned by an inner finish are joined there.
/// \param body called once, without arguments
/// \return body's value
/// Errors: exceptions that escape from body and tasks are collected and rethrown here as one multiple_exceptions, after all
/// tasks have ended. usage_error outside a task.
/// Suspends: may, and goes on on any worker. While it waits, tasks of this finish may run on the caller's stack.
/// Visibility: what the tasks did happens before the return.
/// Cost: 2 ns when nothing was spawned; no allocation, and nothing atomic while one worker does all.
/// Source: work-stealing.txt, sections 3.3.1 and 4.3.
/// \snippet 01_async_finish.cpp fibonacci
/// \ingroup tasks
#ifdef DOXYGEN
template <class Body>
std::invoke_result_t<Body> finish(Body&& body);

/// finish(clocked, body): the same with a new clock, on which the calling task is registered until the body ends.
/// \param body called once, with the clock
/// \return body's value
/// Errors: as finish(body).
/// \snippet 08_clocks.cpp clocked
/// \ingroup tasks
template <class Body>
std::invoke_result_t<Body, clock> finish(clocked, Body&& body);
#else
inline constexpr detail::finish_verb finish{};
#endif

}  // namespace tactus
