// SPDX-License-Identifier: Apache-2.0
// The second stop: many tasks that wait for each other, again and again, with what each knows in its own variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tour {

/// A rumour goes round a ring: in each round everybody hears what his left neighbour knew, and keeps the larger number.
struct rumour {
  rumour(std::size_t num_tasks, std::size_t num_rounds);

  /// What everybody knows at the end, computed plainly.
  [[nodiscard]] std::vector<std::uint64_t> expected() const;

  std::vector<std::uint64_t> begin;     ///< what each knows at first
  std::vector<std::uint64_t> known[2];  ///< what each says in even and in odd rounds
  std::vector<std::uint64_t> end;       ///< what each knows at the end
  std::size_t rounds;
};

/// One round of task i. The board that it reads is written again two rounds later, when everybody has read it.
inline std::uint64_t hear(const rumour& r, std::size_t round, std::size_t i, std::uint64_t mine) {
  const std::vector<std::uint64_t>& said = r.known[round % 2];
  const std::uint64_t left = said[i == 0 ? said.size() - 1 : i - 1];
  return left > mine ? left : mine;
}

/// A round as the body of a loop: what all know goes from one board to the other.
inline void hear_in_a_loop(rumour& r, std::size_t round, std::size_t i) {
  r.known[(round + 1) % 2][i] = hear(r, round, i, r.known[round % 2][i]);
}

/// Sends the rumour round once; a runtime behind it is made once, with the form.
using meeting_form = std::function<void(rumour&)>;

/// A task each, and a clock. Each run's timeline goes to the file, if one is named.
meeting_form meetings_tactus(int threads, const std::string& timeline = {});

meeting_form meetings_std_thread();  ///< a thread of the system each, and std::barrier

// The rounds as loops one after the other: what each task knows then stands in an array.
meeting_form loops_tactus(int threads);  ///< for_each
meeting_form loops_onetbb(int threads);  ///< parallel_for

}  // namespace tour
