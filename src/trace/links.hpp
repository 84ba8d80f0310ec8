// SPDX-License-Identifier: Apache-2.0
// Which events of a timeline belong together: the two ends of a wait, and arrows from one slice to another.
#pragma once

#include "trace/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tactus::detail {

/// An event of a part, the how many-th of those that it has. The task whose slice it lies in: that which ran, or else the last one
/// that had run there; 0 if none is known.
struct noted_event {
  const trace_event* event;
  std::uint32_t worker;
  std::uint32_t index;
  std::uint64_t slice_of;
};

/// One end of an arrow, at the how many-th event of its worker.
struct arrow_end {
  enum class kind : std::uint8_t { spawn, wake, result };

  std::uint32_t index;
  kind what;
  std::uint64_t id;  ///< both ends have it, and no other arrow of the kind
};

/// Which numbers of tasks this process has given. The others are of other processes of its job.
struct own_numbers {
  bool are_all = true;
  std::size_t first_worker = 0;
  std::size_t workers = 0;

  [[nodiscard]] bool contain(std::uint64_t number) const noexcept {
    return are_all || task_numbers::worker_of(number) - first_worker < workers;
  }
};

/// Of what is still known: an arrow has both ends in slices, a wait its begin and its end. The other end of an arrow may be in another
/// process.
class timeline_links {
public:
  explicit timeline_links(const std::vector<std::unique_ptr<timeline_part>>& parts, const own_numbers& own = {});

  struct wait {
    noted_event stop;
    noted_event go_on;
  };
  [[nodiscard]] const std::vector<wait>& waits() const noexcept { return waits_; }

  /// In the order of their events.
  [[nodiscard]] const std::vector<arrow_end>& arrows_at(std::size_t worker) const noexcept { return arrows_[worker]; }

private:
  void sort_in(std::uint32_t worker, const timeline_part& part);
  void link_spawns(std::int64_t known_from);
  void link_results(std::int64_t known_from);
  void link_waits(std::int64_t known_from);
  [[nodiscard]] const noted_event* turn_between(const trace_event& stop, const trace_event& go_on) const;
  void draw(arrow_end::kind what, std::uint64_t id, const noted_event& from, const noted_event& to);
  void draw_end(arrow_end::kind what, std::uint64_t id, const noted_event& at);
  void draw_result(std::uint64_t body, const noted_event& to);
  [[nodiscard]] bool has_result(const noted_event& go_on) const;

  // What the body of an at() has brought its caller, where that goes on.
  struct result {
    std::uint64_t body;
    noted_event to;
  };

  const own_numbers own_;
  std::vector<noted_event> spawns_;
  std::vector<noted_event> begins_;
  std::vector<noted_event> ends_;  // of bodies of at()
  std::vector<result> results_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> go_on_with_result_;  // worker and index
  std::vector<noted_event> turnings_;                                       // tasks stop, are woken, go on
  std::vector<noted_event> phases_;
  std::vector<wait> waits_;
  std::vector<std::vector<arrow_end>> arrows_;
};

}  // namespace tactus::detail
