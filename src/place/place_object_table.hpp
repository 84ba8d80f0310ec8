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
  place_object_table(std::size_t places, std::size_t here) noexcept;

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

  /// By a thread without a task: place 0 of the run that has made it, if that is of this process, is to end it as soon as a task of it
  /// comes by. std::bad_alloc.
  static void end_later(place_object_name name);
  [[nodiscard]] std::vector<place_object_name> take_later() noexcept;

  /// Whether there is an object of that name, found or not, in this table; in one of any runtime of this process.
  [[nodiscard]] bool has(place_object_name name) noexcept;
  [[nodiscard]] static bool any_has(place_object_name name) noexcept;

  // Ends are numbered by place 0, in the order in which they begin: 1 and up. Each is done once at each place, in any order.

  /// At place 0: the number of one that begins; how many have begun.
  [[nodiscard]] std::uint64_t begin_end() noexcept;
  [[nodiscard]] std::uint64_t ends_begun() noexcept;

  /// That one is done here. std::bad_alloc.
  void end_is_done(std::uint64_t number);

  /// Waits until the first n are done here. deadlock_error, resource_error.
  void wait_for_ends(std::uint64_t n);

  // An end that begins here gets its number from place 0, a while later where that is of another process.

  void ask_for_number() noexcept;
  void is_numbered();

  /// Waits until all that were asked for have come. deadlock_error, resource_error.
  void wait_for_numbers();

private:
  struct waiter : wait_point {
    const std::uint64_t* counter = nullptr;
    std::uint64_t wanted = 0;
  };

  void wait_until(const std::uint64_t& counter, std::uint64_t wanted);
  waiter* take_ready_locked() noexcept;
  static void resume(waiter* ready);

  void withdraw_locked(place_object_name name) noexcept;
  place_object& entry_for(std::uint32_t index);
  place_object* entry_of_locked(place_object_name name) noexcept;
  static bool enlist(wait_point& p);
  static void cancel(wait_point& p);

  place_object_table* older_;  // of those that the process has
  const std::size_t places_;
  const std::size_t here_;
  place_objects objects_;
  std::mutex mutex_;  // protects what follows, and the making of chunks
  std::vector<std::unique_ptr<place_object[]>> chunks_;
  std::vector<std::uint32_t> free_;       // indices that this place may give
  std::uint32_t next_ = 0;                // of indices, in rows of one for each place
  std::uint64_t ends_begun_ = 0;          // at place 0
  std::vector<place_object_name> later_;  // to be ended, at place 0
  std::uint64_t ends_done_ = 0;           // all up to this number
  std::vector<std::uint64_t> early_;      // done, and behind one that is not
  std::uint64_t numbers_asked_ = 0;
  std::uint64_t numbers_come_ = 0;
  waiter* waiting_ = nullptr;
};

}  // namespace tactus::detail
