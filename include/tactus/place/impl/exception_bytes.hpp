// SPDX-License-Identifier: Apache-2.0
// Exceptions on their way from place to place.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/place.hpp>

#include <cstddef>
#include <exception>
#include <span>
#include <vector>

namespace tactus::detail {

/// The bytes of an exception, null too, that leaves `here`: its type, its text and its data; of a multiple_exceptions or deadlock_error
/// those of all that are in it, however deep. Runs user code, so in the task that let it escape: what() and the serialize of registered
/// types; what that throws makes a remote_exception of it. Throws std::bad_alloc only.
[[nodiscard]] TACTUS_API std::vector<std::byte> exception_to_bytes(const std::exception_ptr& thrown, place here);

/// The exception again. The bytes say themselves in which order they are, since they may come as an argument. `sent_by`: for the error if
/// they are damaged, a place_error.
[[nodiscard]] TACTUS_API std::exception_ptr exception_of_bytes(std::span<const std::byte> bytes, place sent_by);

}  // namespace tactus::detail
