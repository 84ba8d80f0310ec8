// SPDX-License-Identifier: Apache-2.0
// The errors of Tactus: one base class, one class per kind of misuse or failure.
// Thrown by every room; catch tactus::error to see them all.
#pragma once

#include <tactus/base/impl/api.hpp>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tactus {

/// Base of every exception that the library itself makes: catch it to see them all. In a task it is thrown where it happens; what
/// leaves a task comes out of its finish inside of a multiple_exceptions.
/// Thrown: itself of files that are damaged or out of reach (dist_array::load, save); else what derives from it.
/// \snippet reference.cpp error
/// \ingroup errors
class TACTUS_API error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A call in the wrong place: outside a task, a second run while one is active, a promise set twice.
/// Thrown: in the misuser, before anything has changed.
/// \snippet reference.cpp usage_error
/// \ingroup errors
class TACTUS_API usage_error : public error {
public:
  using error::error;
};

/// An operation on a clock that the task is not registered on, or a registration that could make a finish wait for ever.
/// Thrown: in the misuser, before anything has changed.
/// \snippet 11_split_phase.cpp clock_use_error
/// \ingroup errors
class TACTUS_API clock_use_error : public error {
public:
  using error::error;
};

/// An operation on a phaser, an accumulator or a stream that the task is not registered for or that its mode does not allow, and what
/// their rules forbid besides.
/// Thrown: in the misuser, before anything has changed.
/// \snippet reference.cpp phaser_use_error
/// \ingroup errors
class TACTUS_API phaser_use_error : public error {
public:
  using error::error;
};

/// An operation inside an atomic block, or its condition, that may not stand there: whatever spawns, waits, signals, registers or
/// drops.
/// Thrown: in the misuser, before anything has changed.
/// \snippet reference.cpp atomic_use_error
/// \ingroup errors
class TACTUS_API atomic_use_error : public error {
public:
  using error::error;
};

/// A bad configuration value, or a name that nearly is one of ours; the text names the variable, the value and what is
/// allowed.
/// Thrown: by run and the constructor of runtime, before any worker has started.
/// \snippet reference.cpp config_error
/// \ingroup errors
class TACTUS_API config_error : public error {
public:
  using error::error;
};

/// A limit was reached: of stacks, of memory or room on a disk, of the number of teams or place_locals, of how deep objects lie. The text
/// names it, and how to raise it where that can be done.
/// Thrown: by what needs one more stack, a spawn or a wait, before it has begun; by run where a worker or another thread cannot be started; by
/// what sends more than memory_bytes allows, or objects that lie too deep; by what makes, saves or loads a dist_array; by place_local and
/// team.
/// \snippet reference.cpp resource_error
/// \ingroup errors
class TACTUS_API resource_error : public error {
public:
  using error::error;
};

/// The last promise handle went away before a value or an exception was set.
/// Thrown: by future::get, of those who wait already and of those who ask later.
/// \snippet reference.cpp broken_promise
/// \ingroup errors
class TACTUS_API broken_promise : public error {
public:
  using error::error;
};

/// A place that is not there, an object used at another place than its own, a closure that names the stack it was made on, or a message
/// that cannot be what its sender has sent.
/// Thrown: in the misuser, before anything has changed; a damaged message, where it is read.
/// \snippet 16_travels.cpp place_error
/// \ingroup errors
class TACTUS_API place_error : public error {
public:
  using error::error;
};

#ifndef DOXYGEN
class multiple_exceptions;
namespace detail {
/// One that has gone from place to place: its text is that of its sender, who knows from which tasks its elements came.
[[nodiscard]] multiple_exceptions exceptions_that_say(std::string what, std::vector<std::exception_ptr> collected);
}  // namespace detail
#endif

/// What escaped from the body and the tasks of one finish, in no particular order; not empty where a finish throws it.
/// Nested finishes nest: an inner multiple_exceptions is one element of the outer one.
/// Copies share the list.
/// Thrown: by finish, for_each, reduce, lockstep and run, when all their tasks have ended; by at_each, by what makes a place_local, and by
/// operations of a whole dist_array; also where it is only one.
/// Source: X10's MultipleExceptions; work-stealing.txt leaves exceptions open.
/// \snippet 04_exceptions.cpp multiple_exceptions
/// \ingroup errors
class TACTUS_API multiple_exceptions : public error {
public:
  /// Takes the collected exceptions; the text quotes the first 16 with their types, as in `std::runtime_error: "disk
  /// full"`, and counts the rest. Of one that is no std::exception it tells the type, a nested one stands in brackets;
  /// long messages are clipped.
  explicit multiple_exceptions(std::vector<std::exception_ptr> collected);

  /// The same; from[i] says from where collected[i] escaped, for the text, as in "task 'reader'". Empty, or missing:
  /// nobody knows.
  multiple_exceptions(std::vector<std::exception_ptr> collected, const std::vector<std::string>& from);

  /// With a text, and no elements: for programs that throw one themselves.
  explicit multiple_exceptions(const std::string& what);

  // Declared so that a move copies: a moved-from exception keeps its list.
  multiple_exceptions(const multiple_exceptions&) noexcept = default;             ///< shares the list
  multiple_exceptions& operator=(const multiple_exceptions&) noexcept = default;  ///< shares the list
  ~multiple_exceptions() override;

  /// The direct elements.
  [[nodiscard]] const std::vector<std::exception_ptr>& exceptions() const noexcept;

  /// The leaves: every element that is itself a multiple_exceptions is replaced by its own leaves.
  [[nodiscard]] std::vector<std::exception_ptr> flattened() const;

private:
  struct shared_list;

  // Counts the references to a list. The last one frees it and what lies below it without recursion, however deep that
  // is.
  class list_handle {
  public:
    explicit list_handle(shared_list* adopted) noexcept : list_(adopted) {}
    list_handle(const list_handle& other) noexcept;
    list_handle& operator=(const list_handle& other) noexcept;
    ~list_handle();

    [[nodiscard]] shared_list& operator*() const noexcept { return *list_; }
    [[nodiscard]] shared_list* operator->() const noexcept { return list_; }
    [[nodiscard]] shared_list* give_up() noexcept { return std::exchange(list_, nullptr); }

  private:
    shared_list* list_;
  };

  struct contents;
  explicit multiple_exceptions(const contents& what_it_says);
#ifndef DOXYGEN
  friend multiple_exceptions detail::exceptions_that_say(std::string what, std::vector<std::exception_ptr> collected);
#endif

  list_handle list_;
};

/// No task was running or ready, nothing was in flight and no external promise was unset: the program was stuck.
/// Thrown: by every wait but that of a finish and that for the body of an at, and once, unwrapped, by run, whose text lists the waiting
/// tasks.
/// \snippet reference.cpp deadlock_error
/// \ingroup errors
class TACTUS_API deadlock_error : public error {
public:
  /// With a text, and nothing else that escaped.
  explicit deadlock_error(const std::string& what) : deadlock_error(what, {}) {}

  /// With what else escaped from the program.
  deadlock_error(const std::string& what, std::vector<std::exception_ptr> others);

  // As for multiple_exceptions: a move copies.
  deadlock_error(const deadlock_error&) noexcept = default;             ///< shares the list
  deadlock_error& operator=(const deadlock_error&) noexcept = default;  ///< shares the list
  ~deadlock_error() override = default;

  /// What else escaped from the program, deadlock errors left out. Empty where a wait throws it.
  [[nodiscard]] const std::vector<std::exception_ptr>& exceptions() const noexcept { return *list_; }

private:
  std::shared_ptr<const std::vector<std::exception_ptr>> list_;
};

}  // namespace tactus
