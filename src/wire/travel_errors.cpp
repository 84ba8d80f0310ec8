// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/error.hpp>
#include <tactus/wire/impl/formats.hpp>

#include "base/type_name.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>

namespace tactus::detail {

namespace {

std::string damaged_message(int from) { return "message of place " + std::to_string(from) + " is damaged: "; }

}  // namespace

void throw_cut_short(int from, std::uint64_t asked, std::uint64_t offset, std::uint64_t left) {
  throw place_error(damaged_message(from) + "at byte " + std::to_string(offset) + " it speaks of " +
                    std::to_string(asked) + " bytes or elements, and " + std::to_string(left) + " bytes are left");
}

void throw_damaged(int from, const char* what, std::uint64_t offset) {
  throw place_error(damaged_message(from) + what + ", before byte " + std::to_string(offset));
}

void throw_not_swapped(int other, unlike which) {
  if (which == unlike::goes) {
    throw place_error(
        "a function cannot go to place " + std::to_string(other) +
        ", whose machine stores numbers in another way: it captures something whose fields cannot be "
        "seen, or is called by its address; give what it captures as arguments, and a lambda for a function");
  }
  throw place_error(
      "message of place " + std::to_string(other) +
      ", a machine of another byte order, cannot be read: it holds a long double, or a class that is sent as bytes and "
      "shows no fields; give that class a serialize");
}

void throw_unwritable(unwritable why, std::size_t counted, const std::type_info* declared) {
  switch (why) {
    case unwritable::too_deep:
      throw resource_error("objects that go to another place hold each other more than " +
                           std::to_string(k_most_levels) +
                           " levels deep; a class that is a list needs a serialize that goes through it in a loop");
    case unwritable::not_as_counted:
      throw usage_error(
          "a serialize has written another number of bytes than it has counted (" + std::to_string(counted) +
          " with all else): it runs twice and has to do the same, and nobody may change the object meanwhile");
    case unwritable::valueless:
      throw usage_error("a variant that has lost its value by an exception cannot travel to another place");
    case unwritable::sliced: break;
  }
  throw usage_error("a unique_ptr to " + demangled(declared->name()) +
                    " leads to an object of a derived class, of which only that much would travel to another place");
}

}  // namespace tactus::detail
