// SPDX-License-Identifier: Apache-2.0
// Starting: run and runtime.
#pragma once

#include <tactus/base/config.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/options.hpp>
#include <tactus/scheduler/impl/may_begin.hpp>
#include <tactus/version.hpp>
#include <tactus/wire/impl/pack.hpp>
#include <tactus/wire/impl/travel_facts.hpp>

#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {

struct runtime_stats;  // trace/stats.hpp

namespace detail {

class run_control;

/// From now on an error of ours that nobody catches ends the process with its text and a status, as described at run. Once
/// in a process; later calls do nothing.
TACTUS_API void answer_for_uncaught_errors() noexcept;

/// How the result of a body comes to the other processes of a run.
struct run_result {
  void* object = nullptr;
  std::vector<std::byte> (*save)(const void* object) = nullptr;  // null: it does not travel
  void (*load)(void* object, std::span<const std::byte> bytes, byte_order order) = nullptr;
};

/// Runs body(argument) as the root task inside the root finish; rethrows what escaped, body's own exception included. In a process that is
/// not the first one waits for what that does, and fills the result.
TACTUS_OF_THESE_HEADERS TACTUS_API void run_root_task(run_control& control, void (*body)(void*), void* argument,
                                                      const run_result* result);

template <class R>
run_result result_in(std::optional<R>& into) {
  run_result how{&into};
  if constexpr (facts_of<R>::why == refusal::none) {
    how.save = [](const void* object) {
      const R& value = **static_cast<const std::optional<R>*>(object);
      std::vector<std::byte> bytes(packed_bytes(value));
      pack(bytes.data(), bytes.size(), value);
      return bytes;
    };
    how.load = [](void* object, std::span<const std::byte> bytes, byte_order order) {
      const auto read = [&]<byte_order Order>() {
        reader<Order> in(bytes, 0);
        static_cast<std::optional<R>*>(object)->emplace(unpack<R>(in));
      };
      if (order == byte_order::same) {
        read.template operator()<byte_order::same>();
      } else if constexpr (facts_of<R>::swaps) {
        read.template operator()<byte_order::swapped>();
      } else {
        throw_not_swapped(0);
      }
    };
  }
  return how;
}

struct run_verb;

/// A communicator, whose type a program that includes <tactus/mpi.hpp> makes one.
template <class Comm>
struct communicator_type : std::false_type {};

/// Runs body on `control` and returns its value.
template <class Body>
std::invoke_result_t<Body&> run_on(run_control& control, Body& body) {
  using R = std::invoke_result_t<Body&>;
  if constexpr (std::is_void_v<R>) {
    auto call = [&body] { body(); };  // an object even where body is a function or const
    run_root_task(control, [](void* c) { (*static_cast<decltype(call)*>(c))(); }, &call, nullptr);
  } else if constexpr (std::is_reference_v<R>) {
    std::remove_reference_t<R>* result = nullptr;
    auto keep = [&] {
      R r = body();
      result = std::addressof(r);
    };
    const run_result stays_there;
    run_root_task(control, [](void* k) { (*static_cast<decltype(keep)*>(k))(); }, &keep, &stays_there);
    return static_cast<R>(*result);
  } else {
    std::optional<std::remove_cv_t<R>> result;
    auto keep = [&] { result.emplace(body()); };
    const run_result goes_everywhere = result_in(result);
    run_root_task(control, [](void* k) { (*static_cast<decltype(keep)*>(k))(); }, &keep, &goes_everywhere);
    return std::move(*result);
  }
}

}  // namespace detail

/// Workers that outlive a run: made once, parked between runs. Several runtimes may be active at once, each entered from a thread
/// that is in no task; a runtime runs one body at a time. Tasks of different runtimes share memory, std::atomics and external
/// promises; other handles are of the runtime in whose task they were made.
/// Errors: config_error and resource_error where it is made; usage_error and what escapes from the program where it runs.
/// \snippet 05_embedded.cpp runtime
/// \ingroup running
class runtime {
public:
  /// Starts the workers. Throws config_error for a bad field or TACTUS_* variable (if options.env), resource_error if a worker cannot be
  /// started.
  explicit runtime(const config& options = {}) : runtime(options, 0, nullptr, nullptr) {}

  /// The same; `--tactus-*` flags override options. See argc() and argv().
  runtime(const config& options, int argc, char* const* argv) : runtime(options, argc, argv, nullptr) {}

  /// For the processes of an MPI communicator, each of which makes it: the places are these, in the order of their ranks. With
  /// <tactus/mpi.hpp>. The communicator may be freed at once: a copy of it is used. Errors: as above, and config_error where it is null or
  /// joins two groups.
  /// \param options the same in all of them
  /// \param processes an MPI_Comm
  template <class Comm>
    requires detail::communicator_type<Comm>::value
  runtime(const config& options, Comm processes)
      : runtime(options, detail::communicator_type<Comm>::erased(processes)) {}

  /// Ends the workers. During a run, which can be only where the process ends (exit in a task of a static runtime), it leaves them
  /// to the end of the process.
  TACTUS_API ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Runs body() as the root task, on the calling thread and the workers, and returns its value when every task is done.
  /// Throws what finish would, one multiple_exceptions; one deadlock_error if the program got stuck; usage_error inside a task
  /// or while this runtime runs another body.
  template <std::invocable Body>
  decltype(auto) run(Body&& body) {
    return detail::run_on(*run_, body);
  }

  /// How many arguments are left after the `--tactus-*` flags.
  [[nodiscard]] int argc() const noexcept { return options_.argc(); }

  /// These arguments; argv()[argc()] is null.
  [[nodiscard]] char** argv() noexcept { return options_.arguments.data(); }

  /// What its workers have counted since it was made. Any thread; inside a run as stats(). With trace/stats.hpp.
  [[nodiscard]] TACTUS_API runtime_stats stats() const;

  /// The configuration in force: everything resolved.
  [[nodiscard]] const config& options() const noexcept { return options_.values; }

private:
  friend struct detail::run_verb;

  TACTUS_API runtime(const config& options, int argc, char* const* argv, const detail::communicator* processes);
  runtime(const config& options, const detail::communicator& processes) : runtime(options, 0, nullptr, &processes) {}

  detail::resolved_options options_;
  std::unique_ptr<detail::run_control> run_;
};

namespace detail {

struct run_verb {
  template <class Body>
    requires std::invocable<Body&> || std::invocable<Body&, int, char**>
  decltype(auto) operator()(int argc, char** argv, Body&& body) const {
    return (*this)(config{}, argc, argv, body);
  }

  template <class Body>
    requires std::invocable<Body&> || std::invocable<Body&, int, char**>
  decltype(auto) operator()(const config& options, int argc, char** argv, Body&& body) const {
    answer_for_uncaught_errors();
    check_that_a_run_may_begin();  // before workers are started for it
    try {
      runtime rt(options, argc, argv);
      const auto call = [&]() -> decltype(auto) {
        if constexpr (std::invocable<Body&, int, char**>) {
          return body(rt.argc(), rt.argv());
        } else {
          return body();
        }
      };
      using R = std::invoke_result_t<decltype(call)&>;
      if constexpr (std::is_void_v<R>) {
        run_on(*rt.run_, call);
        return 0;
      } else {
        return run_on(*rt.run_, call);
      }
    } catch (...) {
      throw;  // without any handler the runtime would not end, and its timeline not be written
    }
  }

  template <std::invocable Body>
  std::invoke_result_t<Body&> operator()(const config& options, Body&& body) const {
    check_that_a_run_may_begin();  // before workers are started for it
    try {
      runtime rt(options);
      return run_on(*rt.run_, body);
    } catch (...) {
      throw;  // as above
    }
  }

  template <std::invocable Body>
  std::invoke_result_t<Body&> operator()(Body&& body) const {
    return (*this)(config{}, body);
  }
};

}  // namespace detail

/// For main: runs a program as the root task of a runtime made for it, and returns when every task is done. Flags `--tactus-*`
/// and TACTUS_* variables set the configuration, and `--tactus-help` lists them.
/// \param argc, argv those of main; body gets them without the flags
/// \param body called as body(argc, argv), or else without arguments
/// \return body's value; 0 where it returns nothing
/// Errors: config_error for a bad flag or variable; what escapes from the program in one multiple_exceptions; deadlock_error
/// where it got stuck; usage_error inside a task; resource_error where a worker cannot be started.
///
/// From the first such call on, an error of Tactus that nobody in the process catches ends it without a core: its text goes to
/// stderr, and the exit status is 64 for config_error, 70 for deadlock_error, 1 for any other, multiple_exceptions too. What
/// stdout and std::cout hold is written out before, unless another thread keeps stdout locked; nothing is destroyed and no
/// other file is flushed, as after std::abort. All else goes to the terminate handler that was there. The other forms of run
/// leave this to the program.
///
/// Where mpirun has started several processes of a program that is linked with tactus::mpi, each calls run, with the same configuration and
/// in the same order. The body runs in the first one, and all return what it returns, or throw what escapes there; place_error in the
/// others where that does not travel. exit() in a task ends them all.
///
/// Suspends: never; the calling thread is the first worker until it returns.
/// Visibility: what the tasks did happens before the return.
/// Cost: the threads are started and ended. A runtime keeps them for the next run.
/// \snippet 01_async_finish.cpp main
/// \ingroup running
#ifdef DOXYGEN
template <class Body>
decltype(auto) run(int argc, char** argv, Body&& body);

/// The same under a configuration that flags and environment may override.
/// \param options what holds where neither a flag nor a variable says otherwise
/// \param argc, argv those of main
/// \param body called as body(argc, argv), or else without arguments
/// \return body's value; 0 where it returns nothing
/// \ingroup running
template <class Body>
decltype(auto) run(const config& options, int argc, char** argv, Body&& body);

/// Embedded in any program: runs body as the root task under a configuration.
/// \param options the configuration; variables override it unless config::env is false
/// \param body called without arguments
/// \return body's value
/// \ingroup running
template <class Body>
std::invoke_result_t<Body> run(const config& options, Body&& body);

/// The same under the default configuration.
/// \param body called without arguments
/// \return body's value
/// \ingroup running
template <class Body>
std::invoke_result_t<Body> run(Body&& body);
#else
inline constexpr detail::run_verb run{};
#endif

}  // namespace tactus
