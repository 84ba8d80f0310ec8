// SPDX-License-Identifier: Apache-2.0
// Exchanges of an array that has no ghosts: nothing goes, but they are counted, and mistakes are told of as everywhere.
#pragma once

#include <tactus/array/impl/exchange.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/place_objects.hpp>
#include <tactus/place/place.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tactus::detail {

/// Which of the two: ghosts from their owners, or contributions to those.
enum class exchange_way : std::uint8_t { forward, backward };

/// Both ways at one place, by its tasks. `call` is the program's, for errors.
class idle_exchanges {
public:
  /// Of the array of that name, which stays.
  idle_exchanges(const std::string& array, place here) noexcept : array_(array), here_(here) {}

  /// usage_error, unless none is open, of the array or of a group that it is a member of.
  void check_closed(const char* call) const { check(call, nullptr); }

  /// usage_error: none is open that way.
  void check_open(const char* call, exchange_way way) const { check(call, &way); }

  /// usage_error: one is open.
  void open(const char* call, exchange_way way) {
    check_closed(call);
    state& s = of(way);
    s.is_open = true;
    ++s.begun;
  }
  /// usage_error: none is open that way.
  void close(const char* call, exchange_way way) {
    check_open(call, way);
    of(way).is_open = false;
  }

  /// How many have begun.
  [[nodiscard]] std::uint64_t begun(exchange_way way) const noexcept { return of(way).begun; }

  /// They are part of that group's exchange, as long as this is open and the group is there. `text`, the group's, says which it is.
  void set_part_of(place_object_name group, const exchange& its, const std::string& text) noexcept {
    group_ = group;
    of_group_ = &its;
    group_text_ = &text;
  }

private:
  struct state {
    std::uint64_t begun = 0;
    bool is_open = false;
  };
  [[nodiscard]] const state& of(exchange_way way) const noexcept { return states_[static_cast<std::size_t>(way)]; }
  [[nodiscard]] state& of(exchange_way way) noexcept { return states_[static_cast<std::size_t>(way)]; }
  // Both questions, for one name in the library. Null: that none is open.
  TACTUS_API void check(const char* call, const exchange_way* open) const;
  void check_closed(const char* call, exchange_way way, const char* remedy) const;

  const std::string& array_;
  const place here_;
  std::array<state, 2> states_{};
  place_object_name group_{};
  const exchange* of_group_ = nullptr;
  const std::string* group_text_ = nullptr;
};

}  // namespace tactus::detail
