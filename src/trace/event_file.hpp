// SPDX-License-Identifier: Apache-2.0
// The file of a timeline, in Chrome's trace event format: one JSON object per event, times in microseconds.
#pragma once

#include "trace/links.hpp"
#include "trace/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace tactus::detail {

/// What one process writes of a timeline.
struct file_share {
  timeline_process process{};
  file_time time{};
};

class event_file {
public:
  /// Begins it, or goes on with it as another process than the first; all goes to `to`, which stays the caller's, as `place_of_worker`
  /// does. Each place is shown as a process.
  event_file(std::FILE* to, const std::vector<int>& place_of_worker, const file_share& share);

  /// Workers are those of this process.
  void thread(std::size_t worker, std::uint64_t lost);
  void slice_begins(std::size_t worker, const trace_event& e);
  void slice_ends(std::size_t worker, std::int64_t time);

  /// Within a slice of the worker: the last that was begun, and not ended unless the arrow begins with its end.
  void arrow_begins(std::size_t worker, const arrow_end& arrow, std::int64_t time);
  void arrow_ends(std::size_t worker, const arrow_end& arrow, std::int64_t time);

  /// One end of a wait: phase "b" or "e".
  void wait(const char* phase, std::size_t worker, const trace_event& stop, std::int64_t time);
  void steal(std::size_t worker, const trace_event& e);
  void phase(std::size_t worker, const trace_event& e);

  /// What tasks that move are shown on, of a place that has lost so many events; and one, with its end of an arrow. The next event there is
  /// at `next`.
  void moves(int place, std::uint64_t lost);
  void move(int place, const move_event& e, std::int64_t next);

  /// What is told of the run, and by how many nanoseconds times of another process may be wrong; nothing comes after it.
  void end(std::uint64_t lost, std::int64_t uncertainty);

private:
  [[nodiscard]] std::size_t tid(std::size_t worker) const noexcept { return share_.process.first_worker + worker; }
  void begin();
  void process(int number, const std::string& name);
  void arrow(const char* phase, std::size_t worker, const arrow_end& arrow, std::int64_t time);
  void head(const char* phase, std::size_t worker, std::int64_t time);
  void head_of(const char* phase, int place, std::size_t tid, std::int64_t time);

  const file_share share_;
  std::FILE* to_;
  const std::vector<int>& places_;  // by worker, in order
  bool first_;
};

}  // namespace tactus::detail
