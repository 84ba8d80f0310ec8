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

class event_file {
public:
  /// Begins it; all goes to `to`, which stays the caller's, as `place_of_worker` does. Each place is shown as a process.
  event_file(std::FILE* to, const std::vector<int>& place_of_worker);
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

  /// What is told of the run; nothing comes after it.
  void end(std::uint64_t lost);

private:
  void begin();
  void process(int number, const std::string& name);
  void arrow(const char* phase, std::size_t worker, const arrow_end& arrow, std::int64_t time);
  void head(const char* phase, std::size_t worker, std::int64_t time);

  std::FILE* to_;
  const std::vector<int>& places_;  // by worker, in order
  bool first_ = true;
};

}  // namespace tactus::detail
