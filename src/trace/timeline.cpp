// SPDX-License-Identifier: Apache-2.0

#include "trace/timeline.hpp"

#include <tactus/base/error.hpp>

#include "base/never_destroyed.hpp"
#include "trace/event_file.hpp"
#include "trace/gathering.hpp"
#include "trace/links.hpp"
#include "trace/slices.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <utility>

namespace tactus::detail {
namespace {

// Never destroyed: a runtime may be made while the process ends.
struct names_used {
  std::mutex mutex;                 // protects both
  std::set<std::string> taken;      // where they lie, however they are spelt
  std::map<std::string, int> last;  // of each that has been asked for: the last number it was given, from 1 on
};

names_used& file_names() {
  static never_destroyed<names_used> all;
  return all.get();
}

std::string where_it_lies(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const std::string path = fs::weakly_canonical(fs::absolute(file, unknown), unknown).string();
  return unknown ? file : path;
}

}  // namespace

// trace.json, then trace-2.json, trace-3.json: a program may have several runtimes, one after the other.
std::string own_file_name(const std::string& file) {
  names_used& all = file_names();
  const std::lock_guard hold(all.mutex);
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown)) {
    return file;
  }
  for (int& n = all.last[file];;) {
    std::string own = ++n == 1 ? file : with_suffix(file, '-' + std::to_string(n));
    if (all.taken.insert(where_it_lies(own)).second) {
      return own;
    }
  }
}

void give_file_name_back(const std::string& file, const std::string& own) noexcept {
  names_used& all = file_names();
  const std::lock_guard hold(all.mutex);
  try {
    if (all.taken.erase(where_it_lies(own)) != 0) {
      --all.last[file];
    }
    // NOLINTNEXTLINE(bugprone-empty-catch): then it stays taken
  } catch (const std::exception&) {
  }
}

void timeline_part::note(trace_event::kind what, std::uint64_t number, const char* text, std::uint32_t other) noexcept {
  if (events_ != nullptr) {
    events_[noted_++ % k_room] = {timeline_now() - start_, number, text, other, what};
  }
  if (what == trace_event::kind::begin || what == trace_event::kind::go_on) {
    running_ = number;
  } else if (what == trace_event::kind::end || what == trace_event::kind::stop) {
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

timeline::timeline(const std::string& file, std::vector<int> place_of_worker, const timeline_process& process)
    : process_(process),
      name_(file.empty() || process.role == timeline_role::other ? std::string() : own_file_name(file)),
      start_(timeline_now()),
      places_(std::move(place_of_worker)) {
  const event_keeping keeps = file.empty() ? event_keeping::none : event_keeping::newest;
  for (int place = places_.front(); place <= places_.back(); ++place) {
    moves_.push_back(std::make_unique<move_track>(start_, labels_));
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    parts_.push_back(
        std::make_unique<timeline_part>(process.first_worker + i, start_, labels_, moves_at(places_[i]), keeps));
  }
  if (name_.empty()) {
    return;
  }
  file_ = std::fopen(name_.c_str(), "we");
  if (file_ == nullptr) {
    const int why = errno;
    give_file_name_back(file, name_);
    throw config_error("tactus: the trace file '" + name_ + "' cannot be written (" + std::strerror(why) +
                       "); name another one in config.trace, TACTUS_TRACE or --tactus-trace");
  }
}

void timeline::gather_by(std::unique_ptr<timeline_gathering> processes) noexcept { others_ = std::move(processes); }

void timeline::keep_to_itself() noexcept { others_ = nullptr; }

timeline::~timeline() {
  if (file_ != nullptr) {
    write_file();
  } else if (others_ != nullptr) {
    send_share();
  }
}

void timeline::write_file() {
  event_file out(file_, places_, {process_, {}});
  std::uint64_t lost = 0;
  appended_shares shares;
  bool written = true;
  try {
    lost = write_events(out);
  } catch (const std::bad_alloc&) {
    written = false;  // the others send theirs all the same
    errno = ENOMEM;
  }
  if (others_ != nullptr) {
    shares = others_->append_shares(file_, start_);
  }
  out.end(lost + shares.lost, shares.uncertainty);
  written = written && std::ferror(file_) == 0;
  if (std::fclose(file_) != 0 || !written) {
    std::fprintf(stderr, "tactus: writing the trace file '%s' failed (%s); it is not complete\n", name_.c_str(),
                 std::strerror(errno));
  }
}

// Whatever happens here, the first process is told: it waits.
void timeline::send_share() noexcept {
  try {
    const file_share share{process_, others_->hear_time(start_)};
    share_sender sender(others_->processes());
    event_file out(sender.file(), places_, share);
    const std::uint64_t lost = write_events(out);
    sender.finish(lost);
  } catch (const std::bad_alloc&) {
    others_->give_up();
  }
}

// Returns how many are missing.
std::uint64_t timeline::write_events(event_file& out) const {
  const std::int64_t whole = timeline_now() - start_;
  const own_numbers own{process_.role == timeline_role::alone, process_.first_worker, parts_.size()};
  const timeline_links links(parts_, own);
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    write_worker(out, i, *parts_[i], links, whole);
    lost += parts_[i]->lost();
  }
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    write_moves(out, places_.front() + static_cast<int>(i), *moves_[i]);
  }
  for (const timeline_links::wait& wait : links.waits()) {
    out.wait("b", wait.stop.worker, *wait.stop.event, wait.stop.event->time);
    out.wait("e", wait.go_on.worker, *wait.stop.event, wait.go_on.event->time);
  }
  return lost;
}

}  // namespace tactus::detail
