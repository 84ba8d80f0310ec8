// SPDX-License-Identifier: Apache-2.0
// What serialize functions are called with: a counter, which finds out how many bytes there will be, a writer, which puts them into
// memory of that size, and a reader, which makes objects of them. How a type is written stands in formats.hpp.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/standard.hpp>
#include <tactus/wire/impl/long_ranges.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <typeinfo>

namespace tactus::detail {

/// Of numbers in a message: whether its sender stores their bytes as this machine does. Settled for each connection.
enum class byte_order : std::uint8_t { same, swapped };

/// Who says what is written. What the library writes by itself is as long as it was counted; a serialize of the user's may not be.
enum class trust : std::uint8_t { library, user };

/// How deep objects of classes may hold each other. A task has one stack, and a message may come from a broken sender.
inline constexpr int k_most_levels = 128;

/// Why a value cannot be written, though its type travels.
enum class unwritable : std::uint8_t { too_deep, not_as_counted, valueless, sliced };

/// `counted`: of not_as_counted; `declared`: of sliced.
[[noreturn]] TACTUS_API void throw_unwritable(unwritable why, std::size_t counted = 0,
                                              const std::type_info* declared = nullptr);
[[noreturn]] TACTUS_API void throw_cut_short(int from, std::uint64_t asked, std::uint64_t offset, std::uint64_t left);
[[noreturn]] TACTUS_API void throw_damaged(int from, const char* what, std::uint64_t offset);
/// What cannot be put right between this place and another one, whose machine stores numbers the other way round: what came from there, or
/// what was to go there.
enum class unlike : std::uint8_t { came, goes };
[[noreturn]] TACTUS_API void throw_not_swapped(int other, unlike which = unlike::came);

/// While an object of a class is written or read.
template <class Archive>
class level {
public:
  explicit level(Archive& of) : of_(of) {
    if (++of_.levels_ > k_most_levels) {
      --of_.levels_;
      of_.refuse_level();
    }
  }
  ~level() { --of_.levels_; }
  level(const level&) = delete;
  level& operator=(const level&) = delete;

private:
  Archive& of_;
};

template <class Archive, class T>
Archive& save_field(Archive& out, const T& x);
template <class Archive, class T>
Archive& load_field(Archive& in, T& x);

/// Counts what a writer would write.
class counter {
public:
  static constexpr bool loading = false;
  static constexpr bool counting = true;
  static constexpr byte_order order = byte_order::same;

  /// `apart`: long ranges do not count.
  explicit counter(bool apart = false) noexcept : goes_apart_(apart) {}

  template <class T>
  counter& operator&(const T& x) {
    return save_field(*this, x);
  }

  /// Whether a range goes apart.
  [[nodiscard]] bool put_apart(const void*, std::size_t n) noexcept {
    if (!goes_apart_ || n < k_long_range || ranges_ == k_most_ranges) {
      return false;
    }
    ++ranges_;
    return true;
  }
  [[nodiscard]] std::size_t ranges() const noexcept { return ranges_; }

  void put(const void*, std::size_t n) noexcept { bytes_ += n; }
  void put_zeros(std::size_t n) noexcept { bytes_ += n; }
  [[nodiscard]] std::size_t position() const noexcept { return bytes_; }

private:
  friend class level<counter>;
  [[noreturn]] static void refuse_level() { throw_unwritable(unwritable::too_deep); }

  std::size_t bytes_ = 0;
  std::size_t ranges_ = 0;
  const bool goes_apart_;
  int levels_ = 0;
};

/// Writes into memory that is as large as a counter has said. Messages go in this machine's order; the other one is for whoever plays a
/// machine of the other kind.
template <trust Trust, byte_order Order = byte_order::same>
class writer {
public:
  static constexpr bool loading = false;
  static constexpr bool counting = false;
  static constexpr byte_order order = Order;

  /// `apart`: what long ranges are added to; null: they are written as all else.
  writer(std::byte* to, std::size_t counted, sent_ranges* apart = nullptr) noexcept
      : begin_(to), at_(to), end_(to + counted), apart_(apart) {}

  template <class T>
  writer& operator&(const T& x) {
    return save_field(*this, x);
  }

  [[nodiscard]] bool put_apart(const void* from, std::size_t n) {
    if (n < k_long_range || apart_ == nullptr || apart_->ranges().size() == k_most_ranges) {
      return false;
    }
    apart_->add(from, n);
    return true;
  }
  void put(const void* from, std::size_t n) {
    check(n);
    if (n != 0) {  // of an empty range, the address may be null
      std::memcpy(at_, from, n);
      at_ += n;
    }
  }
  void put_zeros(std::size_t n) {
    check(n);
    std::memset(at_, 0, n);
    at_ += n;
  }
  [[nodiscard]] std::size_t position() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

private:
  friend class level<writer>;
  [[noreturn]] static void refuse_level() { throw_unwritable(unwritable::too_deep); }

  void check(std::size_t n) const {
    if constexpr (Trust == trust::user) {
      if (n > static_cast<std::size_t>(end_ - at_)) {
        throw_unwritable(unwritable::not_as_counted, static_cast<std::size_t>(end_ - begin_));
      }
    }
  }

  std::byte* const begin_;
  std::byte* at_;
  std::byte* const end_;
  sent_ranges* const apart_;
  int levels_ = 0;
};

/// Makes objects of the bytes of one message, from whoever sent it: it reads nothing beyond them, and believes no length that they could
/// not hold. place_error: they are damaged. Objects that were complete by then are destroyed as ever.
template <byte_order Order>
class reader {
public:
  static constexpr bool loading = true;
  static constexpr bool counting = false;
  static constexpr byte_order order = Order;

  /// `from`: the number of the place that sent it, for errors. `apart`: its long ranges, or null.
  reader(std::span<const std::byte> message, int from, range_source* apart = nullptr) noexcept
      : begin_(message.data()),
        at_(message.data()),
        end_(message.data() + message.size()),
        from_(from),
        apart_(apart) {}

  template <class T>
  reader& operator&(T& x) {
    return load_field(*this, x);
  }

  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] std::size_t position() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
  [[nodiscard]] int from() const noexcept { return from_; }
  [[nodiscard]] bool is_damaged() const noexcept { return damaged_; }

  /// The next n bytes, which it is past then.
  const std::byte* take(std::size_t n) {
    if (n > left()) {
      damaged_ = true;
      throw_cut_short(from_, n, position(), left());
    }
    const std::byte* const these = at_;
    at_ += n;
    return these;
  }

  /// A number of elements of which each takes `least` bytes or more.
  std::size_t take_length(std::size_t least) {
    const auto n = take_number<std::uint64_t>();
    check_length(n, least);
    return static_cast<std::size_t>(n);
  }
  void check_length(std::uint64_t n, std::size_t least) {
    if (n > left() / least) {
      damaged_ = true;
      throw_cut_short(from_, n, position() - sizeof n, left());
    }
  }

  /// Whether n elements of that size have gone apart: receive() is to have them then.
  [[nodiscard]] bool is_apart(std::uint64_t n, std::size_t size) const noexcept {
    return apart_ != nullptr && n >= k_long_range / size && apart_->next() != 0 && apart_->next() / size == n &&
           apart_->next() % size == 0;
  }
  void receive(void* into) noexcept { apart_->take(static_cast<std::byte*>(into)); }

  /// The bytes of n bits.
  const std::byte* take_bits(std::uint64_t n) {
    if (n / 8 > left()) {
      damaged_ = true;
      throw_cut_short(from_, n / 8, position() - sizeof n, left());
    }
    return take(static_cast<std::size_t>(n / 8 + (n % 8 != 0 ? 1 : 0)));
  }

  /// A number, in this machine's order.
  template <class T>
  T take_number() {
    const std::byte* const these = take(sizeof(T));
    T x;
    if constexpr (Order == byte_order::same) {
      std::memcpy(&x, these, sizeof x);
    } else {
      std::byte turned[sizeof(T)];
      for (std::size_t i = 0; i < sizeof(T); ++i) {
        turned[i] = these[sizeof(T) - 1 - i];
      }
      std::memcpy(&x, turned, sizeof x);
    }
    return x;
  }

  [[noreturn]] void damaged(const char* what) {
    damaged_ = true;
    throw_damaged(from_, what, position());
  }

  /// What stands behind the last object is damage too.
  void expect_end() {
    if (left() != 0) {
      damaged("there is something behind its last object");
    }
  }

private:
  friend class level<reader>;
  [[noreturn]] void refuse_level() { damaged("its objects hold each other too deep"); }

  const std::byte* const begin_;
  const std::byte* at_;
  const std::byte* const end_;
  const int from_;
  range_source* const apart_;
  int levels_ = 0;
  bool damaged_ = false;
};

}  // namespace tactus::detail
