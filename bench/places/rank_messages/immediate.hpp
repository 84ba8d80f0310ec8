// SPDX-License-Identifier: Apache-2.0
// Messages that need no task where they go: who takes them answers, or notes when they have come. Between ranks of one machine.
#pragma once

#include <tactus/place/impl/channel.hpp>
#include <tactus/tactus.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <sched.h>

#include "place/place_node.hpp"

namespace bench {

constexpr std::uint64_t k_key_of_end = std::uint64_t{1} << 62U;  // of nothing of the program's
constexpr std::uint64_t k_is_a_time = std::uint64_t{1} << 63U;

// What comes, at either place.
struct immediate_end final : tactus::detail::channel_end {
  using channel_end::channel_end;

  void arrive(tactus::detail::channel_message&& m) noexcept override {
    std::uint64_t number = 0;
    std::memcpy(&number, m.bytes.data(), sizeof number);
    if ((number & k_is_a_time) != 0) {
      const std::chrono::nanoseconds sent(static_cast<std::int64_t>(number & ~k_is_a_time));
      taken.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch() - sent).count());
      ++noted;
    } else if (m.from != 0) {
      last = number;
    } else {
      send_on_channel(m.at, key, 0, packed(number + 1));
      ++answered;
    }
  }
  [[nodiscard]] tactus::detail::reply_bytes packed(std::uint64_t number) const {
    tactus::detail::reply_bytes all;
    std::byte* const to = all.make(bytes);
    std::memset(to, 0, bytes);
    std::memcpy(to, &number, sizeof number);
    return all;
  }

  std::size_t bytes = 8;
  bool gives_way = false;
  std::atomic<std::uint64_t> answered{0};
  std::atomic<std::uint64_t> last{0};
  std::atomic<std::uint64_t> noted{0};
  std::vector<double> taken;  // by who takes messages, one at a time
};

/// So many bytes, of which the first eight are a number, by what carries messages and nothing else.
class immediate_messages {
public:
  /// At both places, before anything is sent.
  static void open(std::size_t bytes, bool gives_way) {
    g_end.bytes = bytes;
    g_end.gives_way = gives_way;
    g_end.answered = 0;
    g_end.last = 0;
    g_end.noted = 0;
    g_end.taken.clear();
    g_end.open();
  }
  static void close() { g_end.close(); }

  /// Place 1 answers: so many.
  static void answer(std::uint64_t times) {
    while (g_end.answered != times) look();
  }
  /// Place 0, which looks until the answer is there; whether that is larger by one.
  static bool ask() {
    const std::uint64_t number = g_end.last;
    send(1, number);
    while (g_end.last == number) look();
    return g_end.last == number + 1;
  }

  /// Place 0: what is to be noted there, with the time at which it left.
  static void tell() {
    const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    send(1, now | k_is_a_time);
  }
  /// Place 1: how long each took, when so many have come.
  static std::vector<double> taken(std::uint64_t times) {
    while (g_end.noted != times) tactus::yield();
    return g_end.taken;
  }

private:
  static void send(int to, std::uint64_t number) { send_on_channel(k_key_of_end, to, g_end.packed(number)); }
  static void look() {
    tactus::detail::worker* const w = tactus::detail::current_worker();
    if (!tactus::detail::place_node::of(w).poll(w) && g_end.gives_way) ::sched_yield();
  }

  static inline immediate_end g_end{k_key_of_end};
};

}  // namespace bench
