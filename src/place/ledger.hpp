// SPDX-License-Identifier: Apache-2.0
// What the home of a finish knows of its tasks at other places. docs/protocols/remote_finish.md.
#pragma once

#include <tactus/scheduler/impl/finish_scope.hpp>

#include "place/key_table.hpp"
#include "place/part.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <mutex>
#include <string>
#include <vector>

namespace tactus::detail {

class place_node;

/// Made by the first task of a finish that goes elsewhere; goes with the finish.
class ledger final : public remote_ledger {
public:
  /// Of `of`, at the place of `home`. std::bad_alloc.
  ledger(place_node& home, finish_scope& of, std::uint64_t named);

  const std::uint64_t key;
  ledger* next = nullptr;  // in the table of its place

  [[nodiscard]] finish_scope& scope() const noexcept { return scope_; }

  /// Tasks of the finish go to place `to`, before their spawner ends. Only while something of the finish lives at home. std::bad_alloc,
  /// where none has gone there yet.
  void count_sent(int to, std::uint64_t tasks = 1);

  /// One that was counted did not go; its spawner lives at home.
  void uncount_sent(int to) noexcept;

  /// Tasks of the finish have come home; something there is counted for them already.
  void count_arrived(worker* w, std::uint64_t tasks);

  /// What place `from` reports of a part that was cut. `w` is the calling worker, or null. The finish may be gone afterwards.
  void apply(worker* w, int from, std::uint64_t arrived, const sent_counts& sent);

  void finish_closed() noexcept override;

  [[nodiscard]] std::string text() override;

private:
  struct entry_of_place {
    int place;
    std::int64_t tasks;
  };

  std::int64_t& entry_for(int place);
  void add(int place, std::int64_t tasks);
  void settle(worker* w, std::unique_lock<std::mutex> lock);

  place_node& home_;
  finish_scope& scope_;
  std::mutex mutex_;                                                   // protects what follows
  alignas(entry_of_place) std::byte few_[4 * sizeof(entry_of_place)];  // as a rule all that there are
  std::pmr::monotonic_buffer_resource memory_{few_, sizeof few_,
                                              std::pmr::new_delete_resource()};  // the default one is the program's own
  std::pmr::vector<entry_of_place> entries_{&memory_};
  std::size_t nonzero_ = 0;
  bool token_ = false;  // of the finish: one task, while an entry is not zero
};

}  // namespace tactus::detail
