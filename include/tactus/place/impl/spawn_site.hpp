// SPDX-License-Identifier: Apache-2.0
// Where a program spawns tasks at places: the line of the call, which comes with the place that it names.
#pragma once

#include <tactus/place/place.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tactus::detail {

struct task_name;
struct place_flexible_verb;

/// Of a call.
struct source_line {
  const char* file;
  std::uint32_t line;
};

/// A place, and the line of the call that it is given to: a default argument behind a pack of others is never used, one of a conversion
/// is.
class sited_place {
public:
  constexpr sited_place(place p = {}, const char* file = __builtin_FILE(),  // NOLINT(google-explicit-constructor)
                        std::uint32_t line = __builtin_LINE()) noexcept
      : where(p), site{file, line} {}

  /// Of what is a place by a conversion of its own.
  template <std::convertible_to<place> P>
    requires(!std::same_as<std::remove_cvref_t<P>, place> && !std::same_as<std::remove_cvref_t<P>, sited_place>)
  constexpr sited_place(P&& p, const char* file = __builtin_FILE(),  // NOLINT: as above
                        std::uint32_t line = __builtin_LINE())
      : where(std::forward<P>(p)), site{file, line} {}

  template <class Call>
  void spawn(std::unique_ptr<task_name> name, Call&& call) const {
    spawn_from(site, where.id(), std::move(name), std::forward<Call>(call));
  }

  place where;
  source_line site;
};

/// What the library spawns in the name of a task: it brings its result home; it reaches what is at another place. Nothing else may move it.
enum class library_spawn : std::uint8_t { none, result, access };
struct library_place {
  constexpr library_place(place p, library_spawn kind) noexcept : where(p), what(kind) {}

  template <class Call>
  void spawn(std::unique_ptr<task_name> name, Call&& call) const {
    spawn_by_library(what, where.id(), std::move(name), std::forward<Call>(call));
  }

  place where;
  library_spawn what;
};
[[nodiscard]] constexpr library_place with_result(place p) noexcept { return {p, library_spawn::result}; }
[[nodiscard]] constexpr library_place to_reach(place p) noexcept { return {p, library_spawn::access}; }

/// place_flexible without more, and the line of the call that it is given to.
class sited_flexible {
public:
  constexpr sited_flexible(const place_flexible_verb& /*all alike*/,  // NOLINT(google-explicit-constructor)
                           const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) noexcept
      : site{file, line} {}

  source_line site;
};

/// What is said at a site of the tasks that it spawns.
enum class spawn_kind : std::uint8_t { plain, flexible, sensitive };

/// What becomes of one.
enum class flexibility : bool { may_move, stays };

/// One spawn, as those see it who count it or say whether its task moves.
struct spawn_facts {
  source_line site;
  spawn_kind kind;
  int to;                 ///< its designated place
  std::size_t bytes;      ///< of its function and arguments, as they travel
  const task_name* name;  ///< null: it has none
};

}  // namespace tactus::detail
