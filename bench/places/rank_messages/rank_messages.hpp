// SPDX-License-Identifier: Apache-2.0
// Problem rank_messages: what goes between places that are processes, one worker each, against the same by MPI's own calls. The clock runs at
// rank 0 within one run, so that neither the begin nor the end of one counts. Shapes:
//   at        a number goes to rank 1 and comes back larger by one; with --size 1024 an array of so many bytes
//   finish    a task goes to rank 1, and who has sent it waits for its end; by hand as at
//   one_way   tasks with a number go to rank 1, which adds them up; by hand in buffers of 8 KiB, or of --size bytes
//   move      a vector of 1 MiB goes to rank 1 and comes back, with one number changed
//   barrier, sum8, sum1m    all ranks meet; add up 8 doubles; 131,072 doubles
//   updates   each rank adds to places of a table that is spread over all, at random; by hand in buffers of 8 KiB
//   compute   each rank runs tasks of some 10 us, and nothing is sent; by hand the same work in a loop
//   transport bytes go to rank 1 and come back by what carries messages, without a task: both ranks look all the time, and answer as they take
//             it; 8 of them, or 1 KiB with --size 1024; by hand as at
//   answer    rank 1 runs tasks of some 500 us, and every 20 ms a message comes that needs none: how long until it has been taken; a pass counts
//             what the 99th of 100 took, as often as there are messages
//   answer_at the same with at(), there and back
//   idle      a run in which nothing happens for --seconds; what counts is processor time
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/program.hpp"

namespace bench {

enum class rank_shape : std::uint8_t {
  at,
  at_bytes,
  finish,
  one_way,
  move,
  barrier,
  sum8,
  sum1m,
  updates,
  compute,
  transport,
  transport_bytes,
  answer,
  answer_at,
  idle
};

constexpr std::size_t k_moved = (1U << 20U) / sizeof(double);
constexpr std::size_t k_bytes_of_at = 1024;
constexpr std::uint64_t k_steps_of_a_task = 7'000;         // the same for all: some 10 us
constexpr std::uint64_t k_steps_of_a_long_task = 350'000;  // some 500 us
using block_of_bytes = std::array<std::uint8_t, k_bytes_of_at>;

/// Where an update goes, and what it adds: the same for all who search for it. Numbers by a rank are drawn from its own sequence.
class update_sequence {
public:
  explicit update_sequence(int rank) : state_(0x9e3779b97f4a7c15U * (static_cast<std::uint64_t>(rank) + 1)) {}

  [[nodiscard]] std::uint64_t next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
  }

private:
  std::uint64_t state_;
};

/// The table of updates is of so many numbers at each rank.
constexpr std::uint64_t k_table = std::uint64_t{1} << 16U;

[[nodiscard]] inline int rank_of_update(std::uint64_t drawn, int ranks) {
  return static_cast<int>((drawn >> 32U) % static_cast<std::uint64_t>(ranks));
}

class rank_messages_problem {
public:
  explicit rank_messages_problem(const options& o) : ranks_(o.threads), seconds_(o.seconds) {
    const std::string name = o.shape.empty() ? "at" : o.shape;
    const struct {
      std::string_view name;
      rank_shape shape;
      std::uint64_t times;
    } shapes[] = {{"at", rank_shape::at, 2'000},
                  {"finish", rank_shape::finish, 2'000},
                  {"one_way", rank_shape::one_way, 200'000},
                  {"move", rank_shape::move, 40},
                  {"barrier", rank_shape::barrier, 2'000},
                  {"sum8", rank_shape::sum8, 1'000},
                  {"sum1m", rank_shape::sum1m, 20},
                  {"updates", rank_shape::updates, 100'000},
                  {"compute", rank_shape::compute, 3'000},
                  {"transport", rank_shape::transport, 5'000},
                  {"answer", rank_shape::answer, 100},
                  {"answer_at", rank_shape::answer_at, 100},
                  {"idle", rank_shape::idle, 1}};
    for (const auto& s : shapes) {
      if (s.name == name) {
        name_ = s.name;
        shape_ = s.shape;
        times_ = o.phases != 0 ? o.phases : s.times;
      }
    }
    if (name_.empty()) {
      throw std::invalid_argument(
          "rank_messages: --shape is at, finish, one_way, move, barrier, sum8, sum1m, updates, compute, transport, "
          "answer, answer_at or idle, not '" +
          std::string(name) + "'");
    }
    if (shape_ == rank_shape::at && o.size == k_bytes_of_at) {
      shape_ = rank_shape::at_bytes;
    } else if (shape_ == rank_shape::transport && o.size == k_bytes_of_at) {
      shape_ = rank_shape::transport_bytes;
    } else if (shape_ == rank_shape::one_way && o.size % sizeof(std::uint64_t) == 0) {
      if (o.size != 0) bytes_of_buffer_ = o.size;
    } else if (o.size != 0) {
      throw std::invalid_argument(
          "rank_messages: --size is 1024, with --shape at or transport, or whole numbers of 8 bytes, with --shape "
          "one_way");
    }
    if (ranks_ < 2) {
      throw std::invalid_argument("rank_messages: --threads says how many ranks there are, and is 2 at least");
    }
  }

  [[nodiscard]] rank_shape shape() const { return shape_; }
  [[nodiscard]] std::uint64_t times() const { return times_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] std::size_t bytes_of_buffer() const { return bytes_of_buffer_; }
  [[nodiscard]] double seconds() const { return seconds_; }

  void reset() {
    took_ = {};
    is_right_ = false;
  }

  /// By rank 0: how long it took, and whether everything was there.
  void done(duration took, bool is_right) {
    took_ = took;
    is_right_ = is_right;
  }
  /// Processor time of all ranks together, of an idle run.
  void used(double seconds) { cpu_seconds_ = seconds; }

  [[nodiscard]] duration timed_part() const { return took_; }
  void verify() const {
    if (!is_right_) throw wrong_answer("what has come is not what was sent");
  }
  [[nodiscard]] std::uint64_t operations() const {
    return shape_ == rank_shape::updates ? times_ * static_cast<std::uint64_t>(ranks_) : times_;
  }
  void report(nlohmann::json& line) const {
    line["shape"] = name_;
    line["times"] = times_;
    if (shape_ == rank_shape::idle) line["cpu_seconds"] = cpu_seconds_;
  }

private:
  std::string name_;
  rank_shape shape_ = rank_shape::at;
  std::uint64_t times_ = 0;
  std::size_t bytes_of_buffer_ = 8192;
  const int ranks_;
  const double seconds_;
  duration took_;
  bool is_right_ = false;
  double cpu_seconds_ = 0;
};

}  // namespace bench
