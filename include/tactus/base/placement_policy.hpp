// SPDX-License-Identifier: Apache-2.0
// Who decides at which place a place-flexible task runs, and how these policies can be tuned.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstdint>

namespace tactus {

/// At which place a place-flexible task runs. What a program computes does not depend on it; `hybrid` is the one to recommend, the
/// others are there to compare with. A task that is not flexible never moves, nor does one that has started.
/// Errors: config_error for another name in TACTUS_PLACEMENT or `--tactus-placement`.
/// Source: hybrid-placement.txt, section 6.
/// \snippet reference.cpp placement_tuning
/// \ingroup places
enum class placement_policy : std::uint8_t {
  none,          ///< at its designated place
  work_dealing,  ///< algorithm 1 of the paper: a new task goes to a place that says it starves, one for each time it says so
  eager_dealing,  ///< each new task goes where least is to be done: all places are asked
  lifeline,       ///< a place that starves asks at random, then its lifelines, which remember it (Saraswat et al. 2011)
  hybrid,  ///< as lifeline, but a place asks before its queue is empty, and is given every second task, not the older half
  random_stealing,  ///< a place that starves asks at random until it gets something
  sender_threshold,  ///< a place with many tasks looks for one with few, for each new task (Eager, Lazowska, Zahorjan 1986)
  proportional,      ///< a place that starves and its partner share in the ratio of their speeds (Lau, Lu, Leung 2006)
};

/// Numbers of the placement policies; those of a policy that is not chosen do nothing.
/// Errors: config_error where a runtime is made with a value that is not allowed; the text says what is.
/// \snippet reference.cpp placement_tuning
/// \ingroup places
struct placement_tuning {
  int failed_steals = 0;  ///< a place starves when a worker has looked so often in vain; 0: as often as it has workers
  int random_steals = 1;  ///< lifeline, hybrid: how many places are asked at random before the lifelines
  int lifeline_base =
      4;           ///< lifeline, hybrid: base of the hypercube; a place has a lifeline for each digit of its number
  int probes = 3;  ///< sender_threshold: how many places are tried
  double threshold = 2;    ///< sender_threshold: with so many waiting tasks for each worker a place has enough
  bool look_ahead = true;  ///< hybrid: ask before the queue is empty
  bool interleave = true;  ///< hybrid: give every second task, not the older half
  bool guard = true;       ///< hybrid: keep so many small tasks as would be done before they could arrive elsewhere
};

}  // namespace tactus
