// SPDX-License-Identifier: Apache-2.0
// Long ranges of a message that are sent from where they lie and received where they stay. docs/protocols/ranges.md.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tactus::detail {

/// From so many bytes on, and so many of a message: the others are among its bytes. Who writes and who reads a message count alike.
inline constexpr std::size_t k_long_range = 64 * 1024;
inline constexpr std::size_t k_most_ranges = 64;

/// What belongs to the memory of a message besides its bytes.
class message_extra {
public:
  message_extra() = default;
  message_extra(const message_extra&) = delete;
  message_extra& operator=(const message_extra&) = delete;
  virtual ~message_extra() = default;

  /// Of its ranges together.
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
};

/// What ranges lie in.
struct range_owner {
  range_owner() = default;
  range_owner(const range_owner&) = delete;
  range_owner& operator=(const range_owner&) = delete;
  virtual ~range_owner() = default;
};
template <class T>
struct range_owner_of final : range_owner {
  explicit range_owner_of(T&& x) : object(std::move(x)) {}
  T object;
};

/// At the sender, until they have left.
class sent_ranges final : public message_extra {
public:
  /// std::bad_alloc.
  void add(const void* first, std::size_t bytes) {
    ranges_.emplace_back(static_cast<const std::byte*>(first), bytes);
    bytes_ += bytes;
  }
  void keep(std::unique_ptr<range_owner> owner) noexcept { owner_ = std::move(owner); }

  [[nodiscard]] std::span<const std::span<const std::byte>> ranges() const noexcept { return ranges_; }
  [[nodiscard]] std::size_t bytes() const noexcept override { return bytes_; }

private:
  std::vector<std::span<const std::byte>> ranges_;
  std::size_t bytes_ = 0;
  std::unique_ptr<range_owner> owner_;
};

/// At the receiver, by the task that makes objects of the message. Those that are left when it ends are received for nobody.
class range_source : public message_extra {
public:
  /// How long the next one is; 0: there is none.
  [[nodiscard]] virtual std::size_t next() const noexcept = 0;

  /// Receives it to there. Suspends.
  virtual void take(std::byte* into) noexcept = 0;
};

}  // namespace tactus::detail
