// SPDX-License-Identifier: Apache-2.0
// How the timelines of several processes become one file. docs/protocols/processes.md, "Timelines".
#pragma once

#include "base/job.hpp"
#include "trace/timeline_clock.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tactus::detail {

/// What a process that has no file writes: it goes to the first one in pieces of at most k_piece bytes.
class share_sender {
public:
  static constexpr std::size_t k_piece = std::size_t{1} << 20;

  /// std::bad_alloc.
  explicit share_sender(job& processes);
  ~share_sender();
  share_sender(const share_sender&) = delete;
  share_sender& operator=(const share_sender&) = delete;

  [[nodiscard]] std::FILE* file() noexcept { return file_; }

  /// What is written so far goes, and how many events are missing in it. Nothing comes after it. std::bad_alloc: it has not gone.
  void finish(std::uint64_t lost);

private:
  [[nodiscard]] std::size_t take(const char* bytes, std::size_t size) noexcept;
  void send();

  job& processes_;
  std::vector<std::byte> piece_;  // with the word that says what it is
  std::FILE* file_ = nullptr;
};

/// What the first process has to say of the shares of the others.
struct appended_shares {
  std::uint64_t lost = 0;        // events that are missing in them
  std::int64_t uncertainty = 0;  // by how much times of one may be wrong, in nanoseconds
};

/// The processes of a job, whose timelines this one takes part in. By the thread that makes and ends the runtime, while no engine runs; all
/// is collective, and in this order.
class timeline_gathering {
public:
  /// Of so many, of which this is number `here`.
  timeline_gathering(job& processes, int here, int count);

  // ---- at the begin ----

  /// By the first one, which has so many workers. `wrong`: why there is no timeline; then all the others throw that.
  void let_in(std::size_t workers, const std::string& wrong);

  /// By another one: returns how many workers come before its own. config_error.
  [[nodiscard]] std::size_t enter(std::size_t workers);

  void compare_clocks();

  // ---- at the end ----

  /// By the first one: appends what the others send to the file whose times begin at `start`, and says on stderr whose share has not come.
  [[nodiscard]] appended_shares append_shares(std::FILE* file, std::int64_t start);

  /// By another one, whose times begin at `start`.
  [[nodiscard]] file_time hear_time(std::int64_t start);
  [[nodiscard]] job& processes() noexcept { return processes_; }

  /// By another one, after hear_time(): there will be no share of it, or no more of it.
  void give_up() noexcept;

private:
  [[nodiscard]] clock_comparison compare_with(int other);
  void answer_comparison();
  [[nodiscard]] bool append_share(int from, std::FILE* file, std::uint64_t& lost);

  job& processes_;
  const int here_;
  const int count_;
  std::vector<clock_comparison> at_begin_;  // by process; of the first one
};

}  // namespace tactus::detail
