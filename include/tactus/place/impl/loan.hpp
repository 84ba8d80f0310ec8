// SPDX-License-Identifier: Apache-2.0
// Objects that place-flexible tasks carry: who has one, and who waits for it. docs/protocols/placement.md, "Loans".
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/platform.hpp>

#include <cstddef>

namespace tactus::detail {

/// Objects of this process that are at other places than their own now.
TACTUS_API extern atomic<std::size_t> lent_objects;

/// Throws place_error if this one is.
TACTUS_API void refuse_lent(const void* object);

/// Before the object is used by its name.
TACTUS_ALWAYS_INLINE void look_for_loan(const void* object) {
  if (lent_objects.load(memory_order_relaxed) != 0)
      [[unlikely]] {  // relaxed: who uses what is lent is told as far as seen
    refuse_lent(object);
  }
}

/// By a task at the object's place, for one at place `to`, which carries it from now on: waits until no other one does. Suspends; throws
/// what suspend() throws.
TACTUS_API void lend(const void* object, int to);

/// By a task at the object's place: it is not carried any more.
TACTUS_API void take_home(const void* object) noexcept;

/// Of the name that a task carries an object by: its type, where it is.
template <class Ref>
struct carried_by;

}  // namespace tactus::detail
