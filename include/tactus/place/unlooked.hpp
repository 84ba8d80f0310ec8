// SPDX-License-Identifier: Apache-2.0
// unlooked: a closure that nobody looks into before it travels.
#pragma once

#include <tactus/base/impl/standard.hpp>

namespace tactus {
namespace detail {
struct unlooked_tag {
  explicit unlooked_tag() = default;
};
}  // namespace detail

/// An attribute for what runs f at another place: leaves out the look for references to a stack in a closure. Closures travel as their
/// bytes, and one of at most 64 bytes in which a word lies within the stack of a task is refused with a place_error, since what lies there
/// is not at the other place. Where the compiler cannot tell padding, only those without any are looked at
/// (clang), or none (g++ 12, once a program has asked whether that closure, or a class with it, can be assigned). A number that looks
/// like such an address would be refused too; then this helps, or to send it as an argument.
/// Errors: none of its own.
/// \snippet 16_travels.cpp unlooked
/// \ingroup places
inline constexpr detail::unlooked_tag unlooked{};

}  // namespace tactus
