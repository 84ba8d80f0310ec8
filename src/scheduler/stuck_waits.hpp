// SPDX-License-Identifier: Apache-2.0
// The waits of one place that a verdict ends. docs/protocols/quiescence.md, "Rounds".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tactus::detail {

class scheduler;
struct continuation;
struct worker;

/// First all places cancel theirs, then all go on: nobody is to run while another place's waits are looked at.
class stuck_waits {
public:
  /// The most lines of the text of one run.
  static constexpr std::size_t k_most_lines = 10'000;  // more would make the text the larger problem

  /// A line for each task of `place` that waits in vain, at most so many; `tasks`: how many there are. While none of its workers runs.
  [[nodiscard]] static std::string lines(scheduler& place, std::size_t most, std::size_t& tasks);

  /// Takes all tasks of `place` that wait in vain from what they wait for. While none of its workers runs, foreign threads being kept out.
  void cancel(scheduler& place);

  /// Resumes them: each throws. `w`: the calling worker, or null.
  void go_on(worker* w) noexcept;

private:
  scheduler* place_ = nullptr;
  std::vector<continuation*> ready_;
};

}  // namespace tactus::detail
