// SPDX-License-Identifier: Apache-2.0
// Which places say that they starve: targetNode and initiateWD of algorithm 1 (hybrid-placement.txt, section 6).
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tactus::detail {

/// One for all places of a process, or one for each place, which then hears of the others by messages. Any thread. A flag guides where tasks go
/// and guards no data: so everything is relaxed, and what counts is that of two who take a flag down one succeeds.
class starving_places {
public:
  explicit starving_places(int places);
  starving_places(const starving_places& other);
  starving_places& operator=(const starving_places&) = delete;
  ~starving_places() = default;

  /// True if the flag was down.
  bool raise(int place);

  /// True if the flag was up: of those who call at once one gets true.
  bool take_down(int place);

  [[nodiscard]] bool is_up(int place) const;

  /// The first place behind `after`, cyclically, whose flag is up, but not `but`; or -1.
  [[nodiscard]] int next(int after, int but) const;

  [[nodiscard]] bool any() const {
    return up_.load(memory_order_relaxed) > 0;  // a hint: who sees 0 deals nothing this time
  }

  void clear();
  [[nodiscard]] std::string text() const;

private:
  static std::uint64_t bit_of(int place) { return std::uint64_t{1} << (static_cast<unsigned>(place) % 64); }
  [[nodiscard]] atomic<std::uint64_t>& word_of(int place) const { return words_[static_cast<std::size_t>(place) / 64]; }

  int places_;
  std::size_t n_;
  std::unique_ptr<atomic<std::uint64_t>[]> words_;  // a bit for each place; whoever raises or takes down
  atomic<int> up_{0};                               // bits that are set, by the same ones, a moment later
};

}  // namespace tactus::detail
