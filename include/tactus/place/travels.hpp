// SPDX-License-Identifier: Apache-2.0
// travels: which types go from place to place, and how a class of the program's own is made to.
#pragma once

#include <tactus/wire/impl/pack.hpp>
#include <tactus/wire/impl/travel_facts.hpp>

namespace tactus {

/// Whether values of type T can be sent to another place, as arguments and results. True of
/// - numbers and enums; `std::string`, `array`, `vector`, `deque`, `list`, `pair`, `tuple`, `optional`, `variant`, `unique_ptr`, maps and
///   sets, `chrono` durations and times, `complex` and `bitset`, of what travels;
/// - aggregates of up to 16 fields that travel;
/// - other trivially copyable classes, as their bytes: what is in them is not seen;
/// - classes with a `serialize`, which always has the first word.
///
/// Never: pointers, references, iterators, `span`, `string_view` and other views, `initializer_list`, `std::function`, `shared_ptr`, threads
/// and locks, maps and sets whose comparator or hash has a state, such as a pointer to a function, and what belongs to the place where it was
/// made: futures, promises, monitors, streams, task-locals. A clock, a phaser and an accumulator travel as far as this says, and are of use
/// at their own place only: a phaser or an accumulator that is to go elsewhere is a phaser_use_error, a clock arrives, and its use there is a
/// clock_use_error.
///
/// A `serialize` is one function for both ways: `template <class Ar> void serialize(Ar& ar, T& x) { ar & x.a & x.b; }` beside T, or a
/// member `serialize(Ar& ar)`. It runs twice where x is sent, once to count, and must not change x there; where x arrives, it fills an
/// object made by the default constructor. `Ar::loading` says which. A class without a default constructor has a
/// `static T load(Ar&)` besides, which reads what serialize has written. A class derived from one with a serialize needs its own, or the
/// rest of it stays. Objects may hold each other up to 128 levels deep; a longer list of `unique_ptr` needs a serialize with a loop.
///
/// Errors: by who sends, usage_error where a variant has no value, where a unique_ptr leads to a derived class, and where a serialize writes
/// another number of bytes than it has counted; resource_error for more than 128 levels. By who receives, place_error for a damaged
/// message, or usage_error where the elements of an array are not as many as its points. What a serialize throws passes through. A type
/// that does not travel does not compile: the message names it, its part that is to blame and the number of the argument.
/// Cost: numbers, classes that are mere bytes, and vectors and arrays of such, are copied at once.
/// \snippet 16_travels.cpp travels
/// \ingroup places
template <class T>
inline constexpr bool travels = detail::facts_of<T>::why == detail::refusal::none;

}  // namespace tactus
