// SPDX-License-Identifier: Apache-2.0

#include "trace/event_file.hpp"

#include "trace/json_string.hpp"

#include <algorithm>
#include <cinttypes>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <sys/utsname.h>

#ifndef TACTUS_REVISION
#define TACTUS_REVISION "unknown"
#endif

namespace tactus::detail {
namespace {

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(in), {}};
  while (!words.empty() && words.back() == '\0') {
    words.pop_back();
  }
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

std::string machine() {
  std::string model = "unknown processor";
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) {
      model = line.substr(std::min(line.find(": ") + 2, line.size()));
      break;
    }
  }
  utsname kernel{};
  ::uname(&kernel);
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " processors, " + kernel.sysname + ' ' +
         kernel.release + ' ' + kernel.machine;
}

// Beyond the numbers of workers.
std::size_t moves_tid(int place) noexcept { return (std::size_t{1} << 20U) + static_cast<std::size_t>(place); }

}  // namespace

event_file::event_file(std::FILE* to, const std::vector<int>& place_of_worker, const file_share& share)
    : share_(share), to_(to), places_(place_of_worker), first_(share.process.role != timeline_role::other) {
  if (first_) {
    std::fputs(R"({"traceEvents":[)", to_);
  }
  if (places_.back() == 0 && share_.process.role == timeline_role::alone) {
    process(0, "tactus");
    return;
  }
  for (int place = places_.front(); place <= places_.back(); ++place) {
    process(place, "place " + std::to_string(place));
  }
}

void event_file::process(int number, const std::string& name) {
  begin();
  std::fprintf(to_, R"({"ph":"M","pid":%d,"name":"process_name","args":{"name":"%s"}})", number, name.c_str());
}

void event_file::thread(std::size_t worker, std::uint64_t lost) {
  begin();
  std::fprintf(to_,
               R"({"ph":"M","pid":%d,"tid":%zu,"name":"thread_name","args":{"name":"worker %zu","events_lost":%)" PRIu64
               "}}",
               places_[worker], tid(worker), tid(worker), lost);
}

void event_file::slice_begins(std::size_t worker, const trace_event& e) {
  head("B", worker, e.time);
  std::fprintf(to_, R"(,"cat":"task","name":%s,"args":{"task":%)" PRIu64 "}}", json_string(e.text).c_str(), e.number);
}

void event_file::slice_ends(std::size_t worker, std::int64_t time) {
  head("E", worker, time);
  std::fputs("}", to_);
}

void event_file::arrow_begins(std::size_t worker, const arrow_end& arrow, std::int64_t time) {
  this->arrow("s", worker, arrow, time);
  std::fputs("}", to_);
}

// Without "bp" it would end at the next slice that begins.
void event_file::arrow_ends(std::size_t worker, const arrow_end& arrow, std::int64_t time) {
  this->arrow("f", worker, arrow, time);
  std::fputs(R"(,"bp":"e"})", to_);
}

void event_file::arrow(const char* phase, std::size_t worker, const arrow_end& arrow, std::int64_t time) {
  const char* const name = arrow.what == arrow_end::kind::spawn  ? "spawn"
                           : arrow.what == arrow_end::kind::wake ? "wake"
                                                                 : "result";
  head(phase, worker, time);
  std::fprintf(to_, R"(,"cat":"%s","id":%)" PRIu64 R"(,"name":"%s")", name, arrow.id, name);
}

// The id is the process's own, so that the wait is shown with it.
void event_file::wait(const char* phase, std::size_t worker, const trace_event& stop, std::int64_t time) {
  head(phase, worker, time);
  std::fprintf(to_, R"(,"cat":"wait","id2":{"local":"0x%)" PRIx64 R"("},"name":%s})", stop.number,
               json_string("waits for " + std::string(stop.text)).c_str());
}

void event_file::steal(std::size_t worker, const trace_event& e) {
  head("i", worker, e.time);
  std::fprintf(to_, R"(,"s":"t","cat":"steal","name":"steal","args":{"from":%zu,"entries":%)" PRIu64 "}}", tid(e.other),
               e.number);
}

// Processes number their clocks and phasers each for itself.
void event_file::phase(std::size_t worker, const trace_event& e) {
  const std::string whose =
      share_.process.role == timeline_role::alone ? "" : " at place " + std::to_string(places_[worker]);
  head("i", worker, e.time);
  std::fprintf(to_, R"(,"s":"p","cat":"phase","name":%s,"args":{"phase":%)" PRIu64 "}}",
               json_string(std::string(e.text) + ' ' + std::to_string(e.other) + whose + " turns").c_str(), e.number);
}

// They have no worker of their own: whoever takes a place's messages may be of another one, or the thread of progress.
void event_file::moves(int place, std::uint64_t lost) {
  begin();
  std::fprintf(to_,
               R"({"ph":"M","pid":%d,"tid":%zu,"name":"thread_name","args":{"name":"moves","moves_lost":%)" PRIu64 "}}",
               place, moves_tid(place), lost);
}

// An arrow needs something to begin and end at, so that each move is shown as long as this, if there is room.
void event_file::move(int place, const move_event& e, std::int64_t next) {
  constexpr std::int64_t k_shown_ns = 1000;
  const bool gives = e.what == move_event::kind::gives;
  const std::uint64_t id = e.number << 8U | (e.moves & 0xffU);
  const std::string name = (gives ? "gives " : "takes ") + std::string(e.text);
  head_of("B", place, moves_tid(place), e.time);
  std::fprintf(to_,
               R"(,"cat":"move","name":%s,"args":{"task":%)" PRIu64 R"(,"bytes":%zu,"%s":%d,"id":"0x%)" PRIx64 R"("}})",
               json_string(name).c_str(), e.number, e.bytes, gives ? "to" : "from", e.other, id);
  head_of(gives ? "s" : "f", place, moves_tid(place), e.time);
  std::fprintf(to_, R"(,"cat":"move","id":"0x%)" PRIx64 R"(","name":"move"%s})", id, gives ? "" : R"(,"bp":"e")");
  head_of("E", place, moves_tid(place), std::min(e.time + k_shown_ns, next));
  std::fputs("}", to_);
}

void event_file::end(std::uint64_t lost, std::int64_t uncertainty) {
  std::fprintf(to_,
               "\n"
               R"(],"displayTimeUnit":"ns","otherData":{"command":%s,"revision":%s,"machine":%s,"events_lost":%)" PRIu64
               R"(,"clocks_may_differ_us":%)" PRId64 ".%03d}}\n",
               json_string(command_line()).c_str(), json_string(TACTUS_REVISION).c_str(),
               json_string(machine()).c_str(), lost, uncertainty / 1000, static_cast<int>(uncertainty % 1000));
}

void event_file::begin() { std::fputs(std::exchange(first_, false) ? "\n" : ",\n", to_); }

void event_file::head(const char* phase, std::size_t worker, std::int64_t time) {
  head_of(phase, places_[worker], tid(worker), time);
}

void event_file::head_of(const char* phase, int place, std::size_t tid, std::int64_t time) {
  const std::int64_t in_file = share_.time(time);
  begin();
  std::fprintf(to_, R"({"ph":"%s","pid":%d,"tid":%zu,"ts":%)" PRId64 ".%03d", phase, place, tid, in_file / 1000,
               static_cast<int>(in_file % 1000));
}

}  // namespace tactus::detail
