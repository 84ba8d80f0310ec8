// SPDX-License-Identifier: Apache-2.0
// What a phaser knows about its accumulators. docs/protocols/phaser.md.
#pragma once

#include <tactus/base/impl/api.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace tactus::detail {

struct sender;
struct worker;

class accumulator_base {
public:
  TACTUS_API accumulator_base() noexcept;
  accumulator_base(const accumulator_base&) = delete;
  accumulator_base& operator=(const accumulator_base&) = delete;
  virtual ~accumulator_base() = default;

  /// Never used again, unlike the address.
  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }

  /// Everybody has arrived in `phase`: makes its result, once however often it is called, and before the phase turns. Results from
  /// `oldest` on may still be asked for by tasks that only wait; ~0: by none.
  virtual void complete(worker* w, std::uint64_t phase, std::uint64_t oldest) noexcept = 0;

  /// What complete() has made of `phase`, if anything, is void: somebody may have sent since.
  virtual void complete_again(std::uint64_t phase) noexcept = 0;

  /// Nobody is left who signals: completes `phase`, which begins, and those after it that some have sent to and that nobody will turn.
  virtual void complete_rest(worker* w, std::uint64_t phase, std::uint64_t oldest) noexcept = 0;

  /// Nobody asks any more for what these have sent. By whoever turns the phase.
  virtual void forget(std::span<const std::unique_ptr<sender>> senders) noexcept = 0;

private:
  const std::uint64_t key_;
};

}  // namespace tactus::detail
