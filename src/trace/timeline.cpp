// SPDX-License-Identifier: Apache-2.0

#include "trace/timeline.hpp"

#include <tactus/base/error.hpp>

#include "base/probe.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/task_names.hpp"
#include "trace/event_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>
#include <utility>

namespace tactus::detail {
namespace {

using kind = trace_event::kind;

// The traced task that `top` belongs to: elements of parallel loops run on top of it.
const traced_task* traced_at(const task_frame* top) noexcept {
  for (const task_frame* f = top; f != nullptr; f = f->below) {
    if (const traced_task* const t = f->traced(); t != nullptr) {
      return t;
    }
  }
  return nullptr;
}

void note_go_on(worker* w, const task_frame* top) noexcept {
  if (const traced_task* const t = traced_at(top); t != nullptr && t->number != w->timeline->running()) {
    w->timeline->note(kind::go_on, t->number, t->label);
  }
}

// trace.json, then trace-2.json, trace-3.json: a program may have several runtimes, one after the other.
std::string numbered(const std::string& file) {
  static std::mutex lock;  // protects the map
  static std::map<std::string, int> used;
  const std::lock_guard hold(lock);
  std::error_code unknown;
  const bool is_other = std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown);
  const int times = is_other ? 1 : ++used[file];
  if (times == 1) {
    return file;
  }
  const std::size_t name = file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1;
  const std::size_t dot = file.rfind('.');
  const std::size_t at = dot == std::string::npos || dot <= name ? file.size() : dot;
  return file.substr(0, at) + '-' + std::to_string(times) + file.substr(at);
}

// A task that stops or goes on, and where.
struct turning {
  trace_event event;
  std::size_t worker;
};

// Both ends of each wait whose ends are known. Before `known_from` a worker may have lost an end, and what follows is another's.
void write_waits(event_file& out, std::vector<turning> all, std::int64_t known_from) {
  std::sort(all.begin(), all.end(), [](const turning& a, const turning& b) {
    return std::tie(a.event.number, a.event.time, a.event.what) < std::tie(b.event.number, b.event.time, b.event.what);
  });
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const turning& stop = all[i];
    const turning& next = all[i + 1];
    if (stop.event.what == kind::stop && next.event.what == kind::go_on && stop.event.number == next.event.number &&
        stop.event.time >= known_from) {
      out.wait("b", stop.worker, stop.event, stop.event.time);
      out.wait("e", next.worker, stop.event, next.event.time);
    }
  }
}

// At most one slice is open at a time, so that each has its end whatever the events before it were.
void write_slices(event_file& out, std::size_t worker, const timeline_part& part, std::int64_t last,
                  std::vector<turning>& turnings) {
  bool open = false;
  const auto close = [&](std::int64_t time) {
    if (std::exchange(open, false)) {
      out.slice_ends(worker, time);
    }
  };
  part.for_each([&](const trace_event& e) {
    switch (e.what) {
      case kind::begin:
      case kind::go_on:
        close(e.time);
        out.slice_begins(worker, e);
        open = true;
        break;
      case kind::stop:
      case kind::end: close(e.time); break;
      case kind::steal: out.steal(worker, e); break;
      case kind::phase: out.phase(worker, e); break;
    }
    if (e.what == kind::stop || e.what == kind::go_on) {
      turnings.push_back({e, worker});
    }
  });
  close(last);
}

}  // namespace

void timeline_part::note(trace_event::kind what, std::uint64_t number, const char* text, std::uint32_t other) noexcept {
  const std::chrono::nanoseconds since = std::chrono::steady_clock::now() - start_;
  events_[noted_++ % k_room] = {since.count(), number, text, other, what};
  if (what == kind::begin || what == kind::go_on) {
    running_ = number;
  } else if (what == kind::end || what == kind::stop) {
    running_ = 0;
  }
}

const char* timeline_part::keep(const std::string& text) {
  if (texts_.size() >= k_most_texts && !texts_.contains(text)) {
    return "(one of very many names)";
  }
  return texts_.insert(text).first->c_str();
}

const char* timeline_part::label_of_closure(const char* made_from) {
  const auto at = closures_.find(made_from);
  return at != closures_.end() ? at->second : closures_.emplace(made_from, keep(labels_.of(made_from))).first->second;
}

timeline::timeline(const std::string& file, std::size_t workers)
    : name_(numbered(file)), start_(std::chrono::steady_clock::now()) {
  for (std::size_t i = 0; i < workers; ++i) {
    parts_.push_back(std::make_unique<timeline_part>(i, start_, labels_));
  }
  file_ = std::fopen(name_.c_str(), "we");
  if (file_ == nullptr) {
    throw config_error("tactus: the trace file '" + name_ + "' cannot be written (" + std::strerror(errno) +
                       "); name another one in config.trace, TACTUS_TRACE or --tactus-trace");
  }
}

timeline::~timeline() {
  const bool written = write();
  if (std::fclose(file_) != 0 || !written) {
    std::fprintf(stderr, "tactus: writing the trace file '%s' failed (%s); it is not complete\n", name_.c_str(),
                 std::strerror(errno));
  }
}

bool timeline::write() const {
  const std::chrono::nanoseconds whole = std::chrono::steady_clock::now() - start_;
  event_file out(file_);
  out.process("tactus");
  std::vector<turning> turnings;
  std::uint64_t lost = 0;
  std::int64_t known_from = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    out.thread(i, parts_[i]->lost());
    write_slices(out, i, *parts_[i], whole.count(), turnings);
    lost += parts_[i]->lost();
    known_from = std::max(known_from, parts_[i]->known_from());
  }
  write_waits(out, std::move(turnings), known_from);
  out.end(lost);
  return std::ferror(file_) == 0;
}

// ---- the hooks of src/base/probe.hpp ----

void trace_begin(worker* w, traced_task& task) {
  const char* const name = w->task->name();
  task.label = name != nullptr ? w->timeline->keep(name) : w->timeline->label_of_closure(task.label);
  task.number = w->timeline->next_number();
  w->timeline->note(kind::begin, task.number, task.label);
}

void trace_end(worker* w, const traced_task& task) noexcept {
  w->timeline->note(kind::end, task.number, task.label);
  note_go_on(w, w->task->below);  // whom it ran on top of
}

void trace_stop(worker* w, const wait_point& point) {
  const traced_task* const t = traced_at(w->task);
  if (t == nullptr) {
    return;
  }
  std::string reason;
  if (point.kind != nullptr) {
    const without_numbers kinds;
    point.kind->describe(point, reason);
  } else {
    reason = "what is ready before it";
  }
  w->timeline->note(kind::stop, t->number, w->timeline->keep(reason));
}

void trace_go_on(worker* w) { note_go_on(w, w->task); }

void trace_steal(worker* w, int victim, std::size_t entries) noexcept {
  w->timeline->note(kind::steal, entries, "", static_cast<std::uint32_t>(victim));
}

void trace_phase(worker* w, bool of_clock, std::uint64_t key, std::uint64_t phase) noexcept {
  w->timeline->note(kind::phase, phase, of_clock ? "clock" : "phaser", static_cast<std::uint32_t>(key));
}

}  // namespace tactus::detail
