// SPDX-License-Identifier: Apache-2.0
// Exceptions that cross places: what becomes of a type that nobody has registered, and how a type is registered.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/exception_registry.hpp>
#include <tactus/place/place.hpp>
#include <tactus/place/travels.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace tactus {

/// An exception of another place whose type is not known to travel; what() is its text. Known are the types of the standard library that
/// carry a text and nothing else, `bad_alloc` and its like, `system_error` of the standard's categories, those of Tactus, and whatever a
/// register_exception names; a class derived from one of them is not. Without RTTI no type is known but multiple_exceptions and
/// deadlock_error.
/// One that crosses once more stays as it is. Between places of one process it is the same, so that a program behaves alike.
/// Thrown: by finish, by at and by futures, of what escaped from a task or a body at another place.
/// \snippet 16_travels.cpp remote_exception
/// \ingroup errors
class TACTUS_API remote_exception : public error {
public:
  /// Of an exception of that type, with that text, at that place.
  remote_exception(std::string type_name, tactus::place where, const std::string& what)
      : error(what), type_name_(std::make_shared<const std::string>(std::move(type_name))), place_(where) {}

  /// With a text, of a type without a name, at place 0: for programs that throw one themselves.
  explicit remote_exception(const std::string& what) : remote_exception({}, {}, what) {}

  // Declared so that a move copies: a moved-from exception keeps its name.
  remote_exception(const remote_exception&) noexcept = default;             ///< shares the name
  remote_exception& operator=(const remote_exception&) noexcept = default;  ///< shares the name
  ~remote_exception() override = default;

  /// The type that was thrown, as a program spells it.
  [[nodiscard]] const std::string& type_name() const noexcept { return *type_name_; }

  /// Where it was first made ready to cross.
  [[nodiscard]] tactus::place place() const noexcept { return place_; }

private:
  std::shared_ptr<const std::string> type_name_;
  tactus::place place_;
};

/// Makes exceptions of type E cross places as what they are: `register_exception<E>`, as an inline constant in the header of E, is all that it takes. E
/// travels by a `serialize`, as any class does; a text that its base keeps is not seen. It must be the type that is thrown, not a base of
/// it. Several for one type, as a program and a plugin have them, are as good as one. A plugin takes its own along when it is unloaded,
/// which must not happen while messages with such exceptions are under way.
///
/// What the serialize of E throws where it is sent, or anything but a place_error where it arrives, makes the exception a remote_exception.
/// Errors: none. Any thread; also before main.
/// \snippet 16_travels.cpp register_exception
/// \ingroup errors
template <class E>
class register_exception
#ifndef DOXYGEN
    : detail::registered_exception
#endif
{
  static_assert(std::derived_from<E, std::exception>, "an exception that crosses places derives from std::exception");

public:
  register_exception() noexcept : detail::registered_exception(detail::exception_crossing_of<E>()) {
    detail::check_value_travels<E>();
  }
};

}  // namespace tactus
