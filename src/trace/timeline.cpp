// SPDX-License-Identifier: Apache-2.0

#include "trace/timeline.hpp"

#include <tactus/base/error.hpp>

#include "trace/event_file.hpp"
#include "trace/links.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace tactus::detail {

// trace.json, then trace-2.json, trace-3.json: a program may have several runtimes, one after the other.
std::string own_file_name(const std::string& file) {
  static std::mutex lock;  // protects the map
  static std::map<std::string, int> used;
  const std::lock_guard hold(lock);
  std::error_code unknown;
  const bool is_other = std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown);
  const int times = is_other ? 1 : ++used[file];
  return times == 1 ? file : with_suffix(file, '-' + std::to_string(times));
}

namespace {

using kind = trace_event::kind;

// The slices of one worker, with what lies in them. At most one is open at a time, so that each has its end whatever the events
// before it were.
class slices {
public:
  slices(event_file& out, std::size_t worker, const timeline_links& links) noexcept
      : out_(out), worker_(worker), arrows_(links.arrows_at(worker)) {}

  void add(const trace_event& e) {
    switch (e.what) {
      case kind::begin:
      case kind::go_on:
        close(e.time);
        write_end();
        out_.slice_begins(worker_, e);
        state_ = state::open;
        break;
      case kind::stop:
      case kind::end: close(e.time); break;
      case kind::steal: out_.steal(worker_, e); break;
      case kind::phase: out_.phase(worker_, e); break;
      case kind::spawn:
      case kind::wake: break;
    }
    for (; arrow_ != arrows_.size() && arrows_[arrow_].index == index_; ++arrow_) {
      write_arrow(e, arrows_[arrow_]);
    }
    ++index_;
  }

  void end(std::int64_t last) {
    close(last);
    write_end();
  }

private:
  enum class state : std::uint8_t { none, open, closed };

  void close(std::int64_t time) noexcept {
    if (state_ == state::open) {
      state_ = state::closed;
      closed_at_ = time;
    }
  }

  // Only before the next slice, and behind the arrows that begin at the very end of this one: those of a worker that has found
  // after a task that another one need not wait any more.
  void write_end() {
    if (state_ == state::closed) {
      out_.slice_ends(worker_, closed_at_);
      state_ = state::none;
    }
  }

  void write_arrow(const trace_event& e, const arrow_end& arrow) {
    if (e.what == kind::begin || e.what == kind::go_on) {
      out_.arrow_ends(worker_, arrow, e.time);
    } else {
      out_.arrow_begins(worker_, arrow, state_ == state::closed ? closed_at_ : e.time);
    }
  }

  event_file& out_;
  const std::size_t worker_;
  const std::vector<arrow_end>& arrows_;
  std::size_t arrow_ = 0;  // the next to be written
  std::uint32_t index_ = 0;
  state state_ = state::none;
  std::int64_t closed_at_ = 0;
};

}  // namespace

void timeline_part::note(trace_event::kind what, std::uint64_t number, const char* text, std::uint32_t other) noexcept {
  const std::chrono::nanoseconds since = std::chrono::steady_clock::now() - start_;
  if (events_ != nullptr) {
    events_[noted_++ % k_room] = {since.count(), number, text, other, what};
  }
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

std::string with_suffix(const std::string& file, const std::string& suffix) {
  const std::size_t name = file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1;
  const std::size_t dot = file.rfind('.');
  const std::size_t at = dot == std::string::npos || dot <= name ? file.size() : dot;
  return file.substr(0, at) + suffix + file.substr(at);
}

timeline::timeline(const std::string& file, std::vector<int> place_of_worker)
    : name_(file.empty() ? file : own_file_name(file)),
      start_(std::chrono::steady_clock::now()),
      places_(std::move(place_of_worker)) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    parts_.push_back(std::make_unique<timeline_part>(i, start_, labels_,
                                                     file.empty() ? event_keeping::none : event_keeping::newest));
  }
  if (file.empty()) {
    return;
  }
  file_ = std::fopen(name_.c_str(), "we");
  if (file_ == nullptr) {
    throw config_error("tactus: the trace file '" + name_ + "' cannot be written (" + std::strerror(errno) +
                       "); name another one in config.trace, TACTUS_TRACE or --tactus-trace");
  }
}

timeline::~timeline() {
  if (file_ == nullptr) {
    return;
  }
  const bool written = write();
  if (std::fclose(file_) != 0 || !written) {
    std::fprintf(stderr, "tactus: writing the trace file '%s' failed (%s); it is not complete\n", name_.c_str(),
                 std::strerror(errno));
  }
}

bool timeline::write() const {
  const std::chrono::nanoseconds whole = std::chrono::steady_clock::now() - start_;
  event_file out(file_, places_);
  const timeline_links links(parts_);
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    out.thread(i, parts_[i]->lost());
    slices of_worker(out, i, links);
    parts_[i]->for_each([&of_worker](const trace_event& e) { of_worker.add(e); });
    of_worker.end(whole.count());
    lost += parts_[i]->lost();
  }
  for (const timeline_links::wait& wait : links.waits()) {
    out.wait("b", wait.stop.worker, *wait.stop.event, wait.stop.event->time);
    out.wait("e", wait.go_on.worker, *wait.stop.event, wait.go_on.event->time);
  }
  out.end(lost);
  return std::ferror(file_) == 0;
}

}  // namespace tactus::detail
