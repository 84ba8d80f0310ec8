// SPDX-License-Identifier: Apache-2.0
// What happened when, worker by worker, and the file that shows it. config::trace, TACTUS_TRACE or --tactus-trace=FILE asks for it.
#pragma once

#include <tactus/base/impl/cache_line.hpp>

#include "trace/labels.hpp"
#include "trace/move_track.hpp"
#include "trace/profile.hpp"
#include "trace/task_numbers.hpp"
#include "trace/timeline_clock.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tactus::detail {

class event_file;
class timeline_gathering;

/// One line of a timeline.
struct trace_event {
  /// Those of one task at one time come in this order.
  enum class kind : std::uint8_t { spawn, begin, end, stop, wake, go_on, result, steal, phase };

  std::int64_t time;  ///< ns since the timeline began
  std::uint64_t
      number;  ///< the task: of a spawn the child, of a wake the one that waits, of a result the body that it is of; of a steal, its entries; of a phase, the phase
  const char* text;  ///< what the task is called, or what it waits for
  std::uint32_t
      other;  ///< of a steal, the victim's seat; of a phase, and of a stop that waits for it, a number of the clock or phaser
  kind what;
};

/// Whether there is a file for events; else all that is noted is for a profile.
enum class event_keeping : bool { none, newest };

/// What one worker has noted: the newest events, as many as there is room for. The worker's own while it runs.
class alignas(k_cache_line) timeline_part {
public:
  static constexpr std::size_t k_room = std::size_t{1} << 18;

  /// Of a worker of the job; `moves`: of its place.
  timeline_part(std::size_t worker, std::int64_t start, closure_labels& labels, move_track& moves, event_keeping keeps)
      : events_(keeps == event_keeping::newest ? std::make_unique_for_overwrite<trace_event[]>(k_room) : nullptr),
        start_(start),
        first_number_(task_numbers::before_those_of(worker)),
        labels_(labels),
        moves_(keeps == event_keeping::newest ? &moves : nullptr) {}

  /// Also what runs here from now on.
  void note(trace_event::kind what, std::uint64_t number, const char* text, std::uint32_t other = 0) noexcept;

  /// For a task; for the body of an at().
  [[nodiscard]] std::uint64_t next_number() noexcept { return first_number_ + 2 * ++tasks_; }
  [[nodiscard]] std::uint64_t next_number_of_body() noexcept { return next_number() + 1; }

  /// The number of the task that runs here; 0: none.
  [[nodiscard]] std::uint64_t running() const noexcept { return running_; }

  /// The same text, kept as long as the part. Of very many different ones the later ones become one.
  const char* keep(const std::string& text);

  /// What a closure is called, from what the compiler says of its type.
  const char* label_of_closure(const char* made_from);

  /// The time from which on nothing is lost.
  [[nodiscard]] std::int64_t known_from() const noexcept { return lost() == 0 ? 0 : events_[noted_ % k_room].time; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return noted_ <= k_room ? 0 : noted_ - k_room; }

  /// Calls f(event) for each there is, the oldest first.
  template <class F>
  void for_each(F&& f) const {
    for (std::uint64_t i = lost(); i < noted_; ++i) {
      f(events_[i % k_room]);
    }
  }

  /// Null: none are noted.
  [[nodiscard]] move_track* moves() noexcept { return moves_; }

  /// Null: there is none.
  [[nodiscard]] profile* whole_profile() const noexcept { return profile_; }
  [[nodiscard]] profile_part* own_profile() const noexcept { return own_profile_; }
  void belongs_to(profile& whole, profile_part& own) noexcept {
    profile_ = &whole;
    own_profile_ = &own;
  }

private:
  static constexpr std::size_t k_most_texts = 100'000;

  std::unique_ptr<trace_event[]> events_;  // null: none are kept
  profile* profile_ = nullptr;
  profile_part* own_profile_ = nullptr;
  std::uint64_t noted_ = 0;
  std::uint64_t running_ = 0;
  std::uint64_t tasks_ = 0;
  const std::int64_t start_;
  const std::uint64_t first_number_;
  std::unordered_set<std::string> texts_;
  closure_labels& labels_;  // of all parts
  move_track* const moves_;
  std::unordered_map<const char*, const char*> closures_;
};

/// The name with the suffix before its ending.
[[nodiscard]] std::string with_suffix(const std::string& file, const std::string& suffix);

/// The name for a file of that name: a second one of a process gets a number in its own.
[[nodiscard]] std::string own_file_name(const std::string& file);

/// That file could not be opened: the next one may have its name.
void give_file_name_back(const std::string& file, const std::string& own) noexcept;

/// What a process does for the timeline of its runtime.
enum class timeline_role : std::uint8_t {
  alone,  ///< it has the file, and there is no other process
  first,  ///< it has the file, for all processes of its job
  other,  ///< it has none, and sends its share to the first one
};

/// The process among those of its job.
struct timeline_process {
  timeline_role role = timeline_role::alone;
  std::size_t first_worker = 0;  ///< workers of the processes before it
};

/// The parts of all workers of one runtime in this process, and the file.
class timeline {
public:
  /// config_error if the file cannot be written; an empty name: there is none.
  timeline(const std::string& file, std::vector<int> place_of_worker, const timeline_process& process = {});
  timeline(const timeline&) = delete;
  timeline& operator=(const timeline&) = delete;

  /// Writes the file, or says on stderr why it could not; of a job, takes part in that.
  ~timeline();

  [[nodiscard]] timeline_part& at(std::size_t worker) noexcept { return *parts_[worker]; }
  [[nodiscard]] move_track& moves_at(int place) noexcept {
    return *moves_[static_cast<std::size_t>(place - places_.front())];
  }

  /// Of a job: its timelines are to become one, by these; or are not.
  void gather_by(std::unique_ptr<timeline_gathering> processes) noexcept;
  void keep_to_itself() noexcept;

private:
  void write_file();
  void send_share() noexcept;
  [[nodiscard]] std::uint64_t write_events(event_file& out) const;

  const timeline_process process_;
  std::string name_;
  std::FILE* file_ = nullptr;
  const std::int64_t start_;
  closure_labels labels_;
  const std::vector<int> places_;                   // by worker, in order
  std::vector<std::unique_ptr<move_track>> moves_;  // by place
  std::vector<std::unique_ptr<timeline_part>> parts_;
  std::unique_ptr<timeline_gathering> others_;
};

}  // namespace tactus::detail
