// SPDX-License-Identifier: Apache-2.0
// What a place keeps of a finish that is at home elsewhere. docs/protocols/remote_finish.md.
#pragma once

#include <tactus/scheduler/impl/finish_scope.hpp>
#include <tactus/scheduler/impl/queued_task.hpp>

#include "place/key_table.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace tactus::detail {

/// How many tasks went where.
using sent_counts = std::vector<std::pair<int, std::uint32_t>>;

/// One for each finish and place, while something of it is there. All but its word is protected by the lock of its table.
class part : public finish_scope {
public:
  explicit part(std::uint64_t of) noexcept : finish_scope(of_part{of}), key(of) {}

  const std::uint64_t key;
  part* next = nullptr;  // in the table

  std::uint32_t arrived = 0;  // tasks, since it was made
  sent_counts sent;           // by tasks of it

  queued_task report{};  // the message that it becomes when it is cut

  using finish_scope::has_failures;
  using finish_scope::has_one_task_only;
  using finish_scope::is_idle;
  using finish_scope::take_oldest_first;
  using finish_scope::uncount_of_part;

  /// Whether nothing of its finish has been here but bodies of at().
  [[nodiscard]] bool is_blank() const noexcept { return arrived == 0 && sent.empty() && !has_failures(); }

  /// std::bad_alloc.
  void count_sent(int to) {
    for (auto& [where, count] : sent) {
      if (where == to) {
        ++count;
        return;
      }
    }
    sent.emplace_back(to, 1);
  }

  /// One that was counted did not go.
  void uncount_sent(int to) noexcept {
    for (auto& one : sent) {
      if (one.first == to && --one.second == 0) {
        std::swap(one, sent.back());
        sent.pop_back();
        return;
      }
    }
  }
};

}  // namespace tactus::detail
