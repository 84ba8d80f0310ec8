// SPDX-License-Identifier: Apache-2.0
// What a compiler says of a type that does not travel. C++20 takes no text there but a literal, so the number of the argument, its type
// and the part of it that is to blame stand in the name of the template that fails:
// cannot_travel<refusal, argument<2>, type, because_of<part>>.
#pragma once

#include <tactus/wire/impl/travel_facts.hpp>

#include <cstddef>

namespace tactus::detail {

// What it is that cannot travel.
template <std::size_t Number>
struct argument {};
struct sent_result {};
struct sent_value {};  // what a serialize hands to &, or a message is read into

template <class Part>
struct because_of {};

template <refusal Why, class What, class T, class Because>
struct cannot_travel;

#define TACTUS_CANNOT_TRAVEL(why, reason)                                                                     \
  template <class What, class T, class Because>                                                               \
  struct cannot_travel<refusal::why, What, T, Because> {                                                      \
    static_assert(sizeof(What) == 0,                                                                          \
                  "the argument or result that this template names cannot travel to another place: " reason); \
  }
TACTUS_CANNOT_TRAVEL(address,
                     "it is or holds a pointer, which means nothing there; send what it points to, or a global_ref");
TACTUS_CANNOT_TRAVEL(reference, "it is or holds a reference; send the object itself, or a global_ref");
TACTUS_CANNOT_TRAVEL(
    view, "it is or holds a view (span, string_view) of memory of this place; send a vector, a string or an array");
TACTUS_CANNOT_TRAVEL(shared, "it is or holds a shared_ptr or weak_ptr; send the object itself, or a global_ref");
TACTUS_CANNOT_TRAVEL(
    by_object,
    "it is or holds a set or map whose comparator or hash has a state, which would not go along; use one without, or "
    "a class with a serialize");
TACTUS_CANNOT_TRAVEL(place_bound, "it is or holds an object of Tactus that belongs to the place where it was made");
TACTUS_CANNOT_TRAVEL(no_length, "it is or holds a unique_ptr to an array, whose length nobody knows; send a vector");
TACTUS_CANNOT_TRAVEL(
    not_made,
    "it is or holds a class with a serialize that cannot be made there: it needs a default constructor and a "
    "move, or static T load(Ar&)");
TACTUS_CANNOT_TRAVEL(abstract, "it is or holds a unique_ptr to an abstract class");
TACTUS_CANNOT_TRAVEL(is_const, "it is or holds a class with const fields and no serialize");
TACTUS_CANNOT_TRAVEL(many_choices, "it is or holds a variant of more than 255 alternatives");
TACTUS_CANNOT_TRAVEL(
    no_serialize,
    "it is or holds a class of which nothing is known: neither bytes that can be copied, nor fields that "
    "can be seen, nor a serialize(Ar&, T&)");
#undef TACTUS_CANNOT_TRAVEL

template <class What, class T>
constexpr void check_what() {
  using known = facts_of<T>;
  if constexpr (known::why != refusal::none) {
    static_cast<void>(sizeof(cannot_travel<known::why, What, std::remove_cv_t<T>, because_of<typename known::part>>));
  }
}

// To be called, not asserted: what fails says it once, and clang calls an assertion of it no constant besides.

/// Does not compile unless a T travels, and says which argument of the call it is.
template <std::size_t Number, class T>
constexpr void check_travels() {
  check_what<argument<Number>, T>();
}

/// The same for what f returns.
template <class T>
constexpr void check_result_travels() {
  check_what<sent_result, T>();
}

/// The same for anything else.
template <class T>
constexpr void check_value_travels() {
  check_what<sent_value, T>();
}

}  // namespace tactus::detail
