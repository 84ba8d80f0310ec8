// SPDX-License-Identifier: Apache-2.0
// Exchanges between neighbouring places: who may write whose ghosts, and who waits for whom. docs/protocols/ghosts.md.
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/place_objects.hpp>
#include <tactus/place/impl/wired_type.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tactus::detail {

/// What is exchanged at one place, by number of neighbour. The exchange says when.
class exchange_cells {
public:
  virtual ~exchange_cells() = default;

  /// What goes to that neighbour, as bytes behind `room` others. What copying elements throws passes through; std::bad_alloc.
  [[nodiscard]] virtual reply_bytes pack(std::size_t neighbour, std::size_t room) = 0;

  /// What has come from it. What copying elements throws passes through.
  virtual void unpack(std::size_t neighbour, std::span<const std::byte> bytes, byte_order order) = 0;

  /// Copies to a neighbour in reach, whose cells are those; not where elements may throw.
  virtual void put(std::size_t neighbour, exchange_cells& there) noexcept = 0;

  /// How long that is, about; exactly so, if it goes as it is.
  [[nodiscard]] virtual std::size_t bytes_to(std::size_t neighbour) const noexcept = 0;

  /// Whether that is the bytes of the elements, as pack_as_it_is() writes them.
  [[nodiscard]] virtual bool goes_as_it_is(std::size_t /*neighbour*/) const noexcept { return false; }
  virtual void pack_as_it_is(std::size_t /*neighbour*/, std::byte* /*at*/) const noexcept {}

  /// After all has been packed: nothing more is read of it. What copying elements throws passes through, and nothing has been changed.
  virtual void leave_packed() {}

  /// How many bytes of elements one exchange sends to other places; where elements are as long as they are, those packed since last asked.
  [[nodiscard]] virtual std::uint64_t take_sent_bytes() noexcept = 0;

  /// Whether all is packed before anything goes: copying elements may throw, or the order of arrival may not matter.
  [[nodiscard]] virtual bool packs_first() const noexcept = 0;

  /// By shift: copies what of the message to `neighbour` has come in that of `from`, an earlier stage's. Any thread. False: that message
  /// is not as long as it has to be.
  [[nodiscard]] virtual bool forward(std::size_t /*neighbour*/, std::span<std::byte> /*message*/, std::size_t /*from*/,
                                     std::span<const std::byte> /*came*/) const noexcept {
    return false;
  }
};

/// How an exchange is told of, and done.
struct exchange_manner {
  std::string of;            ///< "'u'", "the group of 'a' and 'b'"
  const char* send = "";     ///< "send_ghosts"
  const char* wait = "";     ///< "wait_for_ghosts"
  bool meets_all = false;    ///< it ends when all of `members` have come to it
  std::vector<int> members;  ///< places that take part, for that
  std::vector<std::size_t>
      stages;  ///< by shift: how many of the neighbours each stage has, in their order; none: all put at once
};

/// Ghosts of some box, which are waited for: what a report calls them. The box has to stay.
struct ghosts_in {
  template <class Box>
  explicit ghosts_in(const Box& b) noexcept
      : cells(&b), text([](const void* of) { return to_string(*static_cast<const Box*>(of)); }) {}
  const void* cells;
  std::string (*text)(const void* cells);
};

/// One kind of exchange of one object, at one place. All members are of tasks of that place, but for what neighbours in reach do.
class exchange {
public:
  virtual ~exchange() = default;

  [[nodiscard]] virtual bool is_open() const noexcept = 0;

  /// How many have begun here.
  [[nodiscard]] virtual std::uint64_t count() const noexcept = 0;

  /// Opens one; all members give it the same tag. Does not suspend. usage_error: one is open; what packing throws. `promised` of the cells
  /// that go.
  virtual void send(std::uint64_t tag, ghost_source promised) = 0;

  /// Waits until all is here, and closes it. usage_error: none is open, or tags differ; deadlock_error, resource_error.
  virtual void wait() = 0;

  /// Waits for what comes from these neighbours, who bring those ghosts; it stays open, unless another task closes it meanwhile. Any number
  /// of tasks. Throws what wait() does.
  virtual void wait_for(std::span<const std::size_t> neighbours, const ghosts_in& which) = 0;

  /// Whether what comes from these is here. usage_error: none is open.
  [[nodiscard]] virtual bool is_ready(std::span<const std::size_t> neighbours) = 0;

  /// Waits for the next place that has not been told, and says a number of it; none: all have, and it is closed. Throws what wait() does.
  [[nodiscard]] virtual std::optional<std::size_t> wait_for_any() = 0;

  /// usage_error that names `call`, unless none is open, here or of a group that it is a member of.
  virtual void check_closed(const char* call) const = 0;

  /// It is part of an exchange of that group, as long as this is open and the group is there.
  virtual void set_part_of(place_object_name group, const exchange& its) noexcept = 0;
};

/// The exchanges of one object at one place, between which what comes is told apart by their numbers.
class exchange_set {
public:
  virtual ~exchange_set() = default;

  /// With the neighbours at `places`, each once; by shift stage by stage, and this place wherever it is its own. Its number is how many
  /// there were.
  virtual exchange& add(std::vector<int> places, exchange_cells& cells, exchange_manner manner) = 0;

  /// From now on neighbours reach it.
  virtual void open() = 0;
};

/// At the calling task's place, for the object of that key. std::bad_alloc.
[[nodiscard]] TACTUS_API std::unique_ptr<exchange_set> make_exchange_set(std::uint64_t key);

}  // namespace tactus::detail
