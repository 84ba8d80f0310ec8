// SPDX-License-Identifier: Apache-2.0
// The place_locals of one place: their objects, the names that it has given, and what still has to end.
#pragma once

#include <tactus/place/impl/place_objects.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tactus::detail {

class place_object_table {
public:
  place_object_table(std::size_t places, std::size_t here) noexcept : places_(places), here_(here) {}

  /// Ends what is left: the runtime goes.
  ~place_object_table();
  place_object_table(const place_object_table&) = delete;
  place_object_table& operator=(const place_object_table&) = delete;

  [[nodiscard]] const place_objects& objects() const noexcept { return objects_; }

  /// Which index a name gets: one that may still be ended somewhere, so that its making has to wait for that; or a new one.
  enum class choice : std::uint8_t { any_index, fresh_index };

  [[nodiscard]] place_object_name name(choice wanted);
  void forget(place_object_name name) noexcept;

  void put(place_object_name name, void* object, void (*destroy)(void*) noexcept);
  void end(place_object_name name) noexcept;

  /// It is to end, and not found any more. By a task at any place of this process.
  void withdraw(place_object_name name) noexcept;

  // Ends are numbered by place 0, in the order in which they begin: 1 and up. Each is done once at each place, in any order.

  /// At place 0: the number of one that begins; how many have begun.
  [[nodiscard]] std::uint64_t begin_end() noexcept;
  [[nodiscard]] std::uint64_t ends_begun() noexcept;

  /// That one is done here. std::bad_alloc.
  void end_is_done(std::uint64_t number);

  /// Waits until the first n are done here. deadlock_error, resource_error.
  void wait_for_ends(std::uint64_t n);

private:
  struct waiter : wait_point {
    std::uint64_t ends = 0;
  };

  place_object& entry_for(std::uint32_t index);
  place_object* entry_of_locked(place_object_name name) noexcept;
  static bool enlist(wait_point& p);
  static void cancel(wait_point& p);

  const std::size_t places_;
  const std::size_t here_;
  place_objects objects_;
  std::mutex mutex_;  // protects what follows, and the making of chunks
  std::vector<std::unique_ptr<place_object[]>> chunks_;
  std::vector<std::uint32_t> free_;   // indices that this place may give
  std::uint32_t next_ = 0;            // of indices, in rows of one for each place
  std::uint64_t ends_begun_ = 0;      // at place 0
  std::uint64_t ends_done_ = 0;       // all up to this number
  std::vector<std::uint64_t> early_;  // done, and behind one that is not
  waiter* waiting_ = nullptr;
};

}  // namespace tactus::detail
