// SPDX-License-Identifier: Apache-2.0
// Where each place keeps its objects of place_locals: a table that all places index alike.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

/// The name of a place_local, the same at all places.
struct place_object_name {
  /// That of no place_local. Not 0, which is that of entries without an object: whoever used such a name could meet one that is about to get
  /// its object, or to lose it.
  static constexpr std::uint64_t k_of_none = ~std::uint64_t{0};

  std::uint32_t index = 0;
  std::uint64_t generation = k_of_none;  ///< no other one of the run has it; not 0

  friend bool operator==(const place_object_name&, const place_object_name&) = default;
};

/// What a place has of it.
struct place_object {
  void* object = nullptr;
  void (*destroy)(void*) noexcept = nullptr;
  atomic<std::uint64_t> generation{0};  ///< of the name; 0: there is no object
};

/// Of one place.
class place_objects {
public:
  static constexpr std::size_t k_in_chunk = 256;
  static constexpr std::size_t k_chunks = 4096;

  /// The object of that name; null if there is none, or no more. Any worker of the place.
  [[nodiscard]] TACTUS_ALWAYS_INLINE void* find(place_object_name name) const noexcept {
    // acquire: what the chunk consists of; pairs with entry_for()
    const place_object* const chunk = chunks_[name.index / k_in_chunk].load(memory_order_acquire);
    if (chunk == nullptr) [[unlikely]] {
      return nullptr;
    }
    const place_object& entry = chunk[name.index % k_in_chunk];
    // acquire: the object; pairs with put_object()
    return entry.generation.load(memory_order_acquire) == name.generation ? entry.object : nullptr;
  }

private:
  friend class place_object_table;
  atomic<place_object*> chunks_[k_chunks] = {};
};

/// A name that no place has an object for yet. resource_error: there are too many; std::bad_alloc.
[[nodiscard]] TACTUS_API place_object_name name_place_object();

/// How many ends of place_locals have begun, all places together; none for a task that is one of these. Suspends; throws what at() does.
[[nodiscard]] TACTUS_API std::uint64_t ends_before_making();

/// By a task at each place: waits until the first n of them are done there. Suspends; deadlock_error, resource_error.
TACTUS_API void wait_for_ends(std::uint64_t n);

/// The calling task's place has this object now. std::bad_alloc: the object is the caller's.
TACTUS_API void put_place_object(place_object_name name, void* object, void (*destroy)(void*) noexcept);

/// Ends the object of the calling task's place, if there is one.
TACTUS_API void end_place_object(place_object_name name) noexcept;

/// Ends those of all places, by tasks of the run's own finish.
TACTUS_API void end_place_objects(place_object_name name) noexcept;

/// Throws place_error: the object of that name is gone, or was never made; usage_error where another runtime of the process has it.
[[noreturn]] TACTUS_API void throw_no_place_object(const char* call, place_object_name name);

}  // namespace tactus::detail
