// SPDX-License-Identifier: Apache-2.0
// Runs ranges of seeds in one setting and reports the first failure with everything that is needed to see it again.
#pragma once

#include <tactus/tactus.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "execution.hpp"
#include "foreign_thread.hpp"
#include "generator.hpp"
#include "interpreter.hpp"
#include "program.hpp"

namespace oracle {

/// How programs are run.
struct setting {
  int threads = 1;
  tactus::spawn_policy policy = tactus::spawn_policy::adaptive;
  bool seeded = false;  ///< virtual workers on one thread; every batch has a seed of its own
  bool stuck = false;   ///< programs made to deadlock
  unsigned min_tasks = 10;
  unsigned max_tasks = 200;
  int places = 1;
  bool as_bytes = false;          ///< what goes to other places goes as bytes
  std::size_t message_bytes = 0;  ///< room for what is on its way to a place; 0: much
  tactus::placement_policy placement = tactus::placement_policy::none;  ///< where there are several places
  /// Likewise.
  tactus::message_progress progress = tactus::message_progress::hybrid;
  bool foreign = true;   ///< tasks ask a foreign thread for promises; but for the seeded scheduler, which knows none
  std::string around{};  ///< options of the soak that hold whatever the setting
};
[[nodiscard]] const char* name_of(tactus::spawn_policy policy);
[[nodiscard]] const char* name_of(tactus::placement_policy policy);

/// Programs that share a run, a runtime, or both; a batch begins at a multiple of this.
inline constexpr std::uint64_t k_batch = 64;

struct totals {
  std::uint64_t programs = 0;
  std::uint64_t tasks = 0;
  std::uint64_t lost = 0;
  std::uint64_t doubled = 0;
  std::uint64_t failed = 0;  ///< programs that differed in anything
  std::string report;        ///< of the first of them
};

/// Ends the process with a report when one batch takes longer than `patience`: no answer is the one failure that no check
/// behind a run can see. It decides nothing about programs that end.
class hang_guard {
public:
  explicit hang_guard(std::chrono::seconds patience);
  hang_guard(const hang_guard&) = delete;
  hang_guard& operator=(const hang_guard&) = delete;
  ~hang_guard();

  /// From here on `report` tells what hangs; it may be called from the guard's own thread.
  void begin(std::function<std::string()> report);
  void end();

private:
  void watch();

  std::chrono::seconds patience_;
  std::mutex mutex_;  // protects the rest
  std::condition_variable changed_;
  std::function<std::string()> report_;
  std::uint64_t round_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

class campaign {
public:
  /// `ended` is counted up with each program, so that others can see how far it came.
  campaign(const setting& s, hang_guard& guard, std::atomic<std::uint64_t>* ended = nullptr);
  campaign(const campaign&) = delete;
  campaign& operator=(const campaign&) = delete;
  ~campaign();

  /// Runs the programs of [first, first + count), each `repeat` times, adding to `sum`; stops after the batch in which
  /// something differed, at any rank. `count` should end at a batch's end, or the last batch is smaller than it would be otherwise.
  void run(std::uint64_t first, std::uint64_t count, totals& sum, unsigned repeat = 1);

private:
  void batch(std::uint64_t first, std::uint64_t count, totals& sum);
  void run_batch(std::uint64_t first, std::uint64_t count);
  void judge(std::uint64_t first, std::uint64_t count, totals& sum);
  void look_at_counters(const tactus::worker_counters& before, std::uint64_t first, std::uint64_t count, totals& sum);
  void look_for_leftovers(std::uint64_t first, std::uint64_t count, totals& sum);
  void agree(totals& sum);
  [[nodiscard]] tactus::config config_of(std::uint64_t first) const;
  [[nodiscard]] std::string replay(std::uint64_t first, std::uint64_t count) const;
  [[nodiscard]] std::string hanging(std::uint64_t first, std::uint64_t count) const;
  [[nodiscard]] std::string report_of(const program& p, const verdict& v, std::uint64_t first, std::uint64_t count);

  setting setting_;
  hang_guard& guard_;
  std::atomic<std::uint64_t>* ended_;
  generator_options options_;
  interpreter interpreter_;
  std::unique_ptr<foreign_thread> foreign_;
  std::vector<program> programs_;
  std::vector<std::unique_ptr<execution>> executions_;
  std::unique_ptr<tactus::runtime> runtime_;
};

}  // namespace oracle
