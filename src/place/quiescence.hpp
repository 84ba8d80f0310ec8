// SPDX-License-Identifier: Apache-2.0
// Whether a program over several places is stuck: what each place has sent and taken, as it tells when it falls idle.
// docs/protocols/quiescence.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace tactus::detail {

/// The ledger of a run.
class quiescence {
public:
  /// No place has told anything yet.
  explicit quiescence(std::size_t places) : under_way_(places, 1), nonzero_(places), reached_(places) {}

  /// Somebody from outside is about to give work to `place`, which takes it like a message.
  void sent_from_outside(int place) noexcept {
    const std::lock_guard lock(mutex_);
    add(static_cast<std::size_t>(place), 1);
  }

  /// A passive place tells what it has sent to each place, and taken, since it told the last time, and how often foreign threads have
  /// reached it in all. Its reports come in order. True: all is zero, nothing runs and nothing is under way.
  [[nodiscard]] bool apply(int from, const std::vector<std::int64_t>& sent, std::int64_t taken,
                           std::uint64_t reached) noexcept {
    const std::lock_guard lock(mutex_);
    reached_[static_cast<std::size_t>(from)] = reached;  // in one step with the rest (Q9)
    for (std::size_t to = 0; to < sent.size(); ++to) {
      add(to, sent[to]);
    }
    add(static_cast<std::size_t>(from), -taken);
    return nonzero_ == 0;
  }

  /// The same, of a message; places send each other these where they share no memory.
  [[nodiscard]] bool apply(int from, const std::vector<std::pair<int, std::uint64_t>>& sent,
                           std::uint64_t taken) noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& [to, messages] : sent) {
      add(static_cast<std::size_t>(to), static_cast<std::int64_t>(messages));
    }
    add(static_cast<std::size_t>(from), -static_cast<std::int64_t>(taken));
    return nonzero_ == 0;
  }

  /// Whether what `place` has told knows that it was reached so often.
  [[nodiscard]] bool has_told(int place, std::uint64_t reached) noexcept {
    const std::lock_guard lock(mutex_);
    return reached_[static_cast<std::size_t>(place)] == reached;
  }

  [[nodiscard]] bool all_zero() noexcept {
    const std::lock_guard lock(mutex_);
    return nonzero_ == 0;
  }

private:
  void add(std::size_t place, std::int64_t messages) noexcept {
    std::int64_t& entry = under_way_[place];
    nonzero_ -= entry != 0 ? 1U : 0U;
    entry += messages;
    nonzero_ += entry != 0 ? 1U : 0U;
  }

  std::mutex mutex_;  // protects what follows
  std::vector<std::int64_t> under_way_;
  std::size_t nonzero_;
  std::vector<std::uint64_t> reached_;  // of each place, as it has told
};

}  // namespace tactus::detail
