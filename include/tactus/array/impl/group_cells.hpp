// SPDX-License-Identifier: Apache-2.0
// What goes in one exchange of several arrays.
#pragma once

#include <tactus/array/impl/exchange.hpp>
#include <tactus/array/impl/operation_counts.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/place/impl/pack_here.hpp>
#include <tactus/wire/impl/archives.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace tactus::detail {

class group_cells final : public exchange_cells {
public:
  void add(exchange_cells& cells, std::vector<int> places) { members_.push_back({&cells, std::move(places), {}}); }
  void add_none() { members_.push_back({}); }

  /// After the last one.
  void join() {
    for (const member& m : members_) {
      places_.insert(places_.end(), m.places.begin(), m.places.end());
    }
    std::sort(places_.begin(), places_.end());
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
    for (member& m : members_) {
      for (const int p : places_) {
        const auto found = std::find(m.places.begin(), m.places.end(), p);
        m.number.push_back(found == m.places.end() ? k_none : static_cast<std::size_t>(found - m.places.begin()));
      }
    }
  }

  [[nodiscard]] const std::vector<int>& places() const noexcept { return places_; }

  [[nodiscard]] reply_bytes pack(std::size_t n, std::size_t room) override {
    if (!all_go_as_they_are(n)) {
      return pack_apart(n, room);
    }
    std::size_t all = 0;
    for (const member& m : members_) {
      all += sizeof(std::uint64_t) + whole_words(m.bytes_to(n));
    }
    reply_bytes joined;
    std::byte* at = joined.make(room + all) + room;
    for (const member& m : members_) {
      at = begin_part(at, m.bytes_to(n));
      if (m.bytes_to(n) != 0) {
        m.cells->pack_as_it_is(m.number_of(n), at);
      }
      at += whole_words(m.bytes_to(n));
    }
    return joined;
  }

  [[nodiscard]] std::size_t bytes_to(std::size_t n) const noexcept override {
    std::size_t bytes = 0;
    for (const member& m : members_) {
      bytes += m.bytes_to(n);
    }
    return bytes;
  }

  void leave_packed() override {
    for (const member& m : members_) {
      if (m.cells != nullptr) {
        m.cells->leave_packed();
      }
    }
  }

  void unpack(std::size_t n, std::span<const std::byte> bytes, byte_order order) override {
    const auto each = [&](auto in) {
      for (const member& m : members_) {
        std::uint64_t size = 0;
        in & size;
        const std::byte* const at = in.take(whole_words(static_cast<std::size_t>(size)));
        if (m.number_of(n) != k_none) {
          m.cells->unpack(m.number_of(n), {at, static_cast<std::size_t>(size)}, order);
        }
      }
    };
    if (order == byte_order::same) {
      each(reader<byte_order::same>(bytes, places_[n]));
    } else {
      each(reader<byte_order::swapped>(bytes, places_[n]));
    }
  }

  [[nodiscard]] std::uint64_t take_sent_bytes() noexcept override {
    std::uint64_t bytes = 0;
    for (const member& m : members_) {
      bytes += m.cells == nullptr ? 0 : m.cells->take_sent_bytes();
    }
    return bytes;
  }

  /// The messages of one exchange, and what is in them.
  void count_sent(operation_counts& into) {
    const auto others =
        std::count_if(places_.begin(), places_.end(), [](int p) { return p != current_worker()->place; });
    into.add(array_operation::send_ghosts, static_cast<std::uint64_t>(others), take_sent_bytes());
  }

  void put(std::size_t n, exchange_cells& there) noexcept override {
    auto& other = static_cast<group_cells&>(there);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].number_of(n) != k_none) {
        members_[i].cells->put(members_[i].number_of(n), *other.members_[i].cells);
      }
    }
  }

  [[nodiscard]] bool packs_first() const noexcept override {
    return std::any_of(members_.begin(), members_.end(),
                       [](const member& m) { return m.cells != nullptr && m.cells->packs_first(); });
  }

private:
  static constexpr std::size_t k_none = static_cast<std::size_t>(-1);

  struct member {
    exchange_cells* cells = nullptr;  // none: it has no ghosts here
    std::vector<int> places;
    std::vector<std::size_t> number;  // by neighbour of the group: that of the member, or none

    [[nodiscard]] std::size_t number_of(std::size_t n) const noexcept { return number[n]; }
    [[nodiscard]] std::size_t bytes_to(std::size_t n) const noexcept {
      return number[n] == k_none ? 0 : cells->bytes_to(number[n]);
    }
  };

  [[nodiscard]] bool all_go_as_they_are(std::size_t n) const noexcept {
    return std::all_of(members_.begin(), members_.end(), [n](const member& m) {
      return m.number_of(n) == k_none || m.cells->goes_as_it_is(m.number_of(n));
    });
  }

  // What it says before the bytes of a member, with zeros behind them where they do not fill their last word. Returns where they go.
  static std::byte* begin_part(std::byte* at, std::size_t bytes) {
    pack_here(at, sizeof(std::uint64_t), static_cast<std::uint64_t>(bytes));
    at += sizeof(std::uint64_t);
    std::memset(at + bytes, 0, whole_words(bytes) - bytes);
    return at;
  }

  [[nodiscard]] reply_bytes pack_apart(std::size_t n, std::size_t room) {
    std::vector<reply_bytes> parts;
    std::size_t all = 0;
    for (const member& m : members_) {
      parts.push_back(m.number_of(n) == k_none ? reply_bytes() : m.cells->pack(m.number_of(n), 0));
      all += sizeof(std::uint64_t) + whole_words(parts.back().size);
    }
    reply_bytes joined;
    std::byte* at = joined.make(room + all) + room;
    for (const reply_bytes& p : parts) {
      at = begin_part(at, p.size);
      const auto bytes = p.bytes();
      if (!bytes.empty()) {
        std::memcpy(at, bytes.data(), bytes.size());
      }
      at += whole_words(p.size);
    }
    return joined;
  }

  std::vector<member> members_;
  std::vector<int> places_;
};

}  // namespace tactus::detail
