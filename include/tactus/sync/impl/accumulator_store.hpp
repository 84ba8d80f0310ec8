// SPDX-License-Identifier: Apache-2.0
// What the state of an accumulator asks of the store in which values lie from their send to the end of their phase.
#pragma once

#include <tactus/sync/impl/accumulator_values.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tactus::detail {

struct membership;
struct sender;
struct worker;
template <class T>
struct sender_cell;

/// A value that was sent before its phase was near.
template <class T>
struct early_send {
  sender_cell<T>* cell;  ///< of a store with cells
  std::uint64_t ordinal;
  T value;
};

/// One for each way to keep values: eager_store, cell_store, share_store. Keeps those of k_buffers phases apart.
template <class T>
class accumulator_store {
public:
  accumulator_store() = default;
  accumulator_store(const accumulator_store&) = delete;
  accumulator_store& operator=(const accumulator_store&) = delete;
  virtual ~accumulator_store() = default;

  /// By a member that has not signalled `phase`, whose buffer is free. What the user's function throws; std::bad_alloc.
  virtual void send(worker* w, membership& m, std::uint64_t phase, const T& x) = 0;

  /// The member's cell, made if there is none; null in a store without cells. std::bad_alloc.
  virtual sender_cell<T>* cell_of(membership& m) = 0;

  // ---- by whoever turns the phase ----

  /// Puts a value where it belongs now that its phase is being completed. Of one task's the newest comes first.
  virtual void take_early(worker* w, std::uint64_t phase, const early_send<T>& e) = 0;

  /// The value of the phase, once; runs the user's function.
  virtual T fold(std::uint64_t phase) = 0;

  /// Makes the buffer ready for a phase to which nobody sends before the one being completed has turned, whatever became of that.
  virtual void forget(std::uint64_t /*phase*/) noexcept {}

  /// These have ended, and what they sent is needed no more. Not with the core's lock.
  virtual void take_back(std::span<const std::unique_ptr<sender>> /*senders*/) noexcept {}

  // ---- by anyone, as long as what was sent in that phase is in its buffer ----

  /// In the order of registration. One task may have several, one after the other.
  [[nodiscard]] virtual std::vector<contribution<T>> contributions(std::uint64_t phase) const = 0;
};

}  // namespace tactus::detail
