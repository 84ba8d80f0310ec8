// SPDX-License-Identifier: Apache-2.0
// Carries frames between processes by MPI's two-sided messages. docs/protocols/processes.md, "Engine".
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/deque/impl/mailbox.hpp>
#include <tactus/place/impl/frame_block.hpp>

#include "mpi/control_order.hpp"
#include "mpi/part_receiver.hpp"
#include "mpi/peer_watch.hpp"
#include "mpi/range_sender.hpp"
#include "mpi/wanted_ranges.hpp"
#include "place/engine.hpp"
#include "place/ranges.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

namespace tactus::detail {

class place_node;
struct frame_head;

/// One thread of the process at a time talks to MPI: whoever gets its lock, which nobody waits for.
class mpi_engine final : public engine {
public:
  /// `comm`: of this runtime alone, and longer-lived.
  mpi_engine(run_control& run, MPI_Comm comm);
  ~mpi_engine() override;

  void start() override;
  void check_that_a_run_may_begin() const override;
  void begin_run() noexcept override;
  void end_run() noexcept override;
  [[nodiscard]] bool is_of_one_thread() const noexcept override { return one_thread_; }
  void send(int from, int to, queued_task* m) noexcept override;
  bool poll(worker* w) noexcept override;
  [[nodiscard]] std::uint32_t looks() const noexcept override {
    return looks_.load(memory_order_relaxed);  // relaxed: a hint
  }
  [[nodiscard]] bool carries_ranges() const noexcept override { return true; }
  void receive_range(range_wait& wait) noexcept override;
  void drop_ranges(unwanted_ranges what) override;
  [[nodiscard]] std::string text() override;
  void stop() noexcept override;

  /// Whether a runtime of this process that has such an engine runs its body.
  [[nodiscard]] static bool some_run_is_active() noexcept;

  /// Whether a runtime of this process has such an engine.
  [[nodiscard]] static bool some_is_there() noexcept;
  [[nodiscard]] static int how_many() noexcept;

private:
  // So long are the messages in which frames go together, and the receives for these.
  static constexpr std::size_t k_buffer = 8192;
  static constexpr std::size_t k_longest_together = 4096;
  // Where one thread only may call MPI, nobody looks at it while that computes: what has been sent should have left by then. MPIs send so much
  // at once, Open MPI the least, without copies from process to process. Else receives of others that it has met would not be complete, and what
  // comes behind it from anybody would wait.
  static constexpr std::size_t k_leaves_at_once = 3968;
  static constexpr int k_receives = 64;
  static constexpr int k_together = 1;  // tags
  static constexpr int k_alone = 2;

  struct buffer {
    std::size_t used = 0;
    alignas(8) std::byte bytes[k_buffer];
  };
  struct sending {
    MPI_Request request = MPI_REQUEST_NULL;
    std::unique_ptr<buffer> together;    // either this
    std::shared_ptr<frame_block> alone;  // or that, which its parts have in common
  };
  struct receive {
    MPI_Request request = MPI_REQUEST_NULL;
    std::unique_ptr<buffer> into;
  };
  // To and from one other process.
  struct peer_way {
    std::unique_ptr<buffer> open;    // frames that have not gone yet
    std::uint32_t control_sent = 0;  // number of the last control frame
    control_order control_come;
    std::uint64_t messages_sent = 0;  // of frames together
    std::uint64_t messages_come = 0;
  };

  // What waits here, or what comes, too.
  enum class talk_about : std::uint8_t { own, all };

  bool talk(worker* w, talk_about what) noexcept;
  bool pack(worker* w);
  void put(int to, frame_ptr frame);
  void send_alone(int to, frame_ptr frame);
  void let_held_go(int to);
  [[nodiscard]] int send_with_ranges(int to, int tag, frame_block& frame);
  [[nodiscard]] bool goes_alone(std::size_t bytes) const noexcept;
  [[nodiscard]] std::byte* room_in_buffer(int to, std::size_t bytes);
  void flush(int to);
  void flush_all();
  void reap(range_sender::gone_frames& gone);
  bool take(worker* w);
  bool take_together(worker* w, bool one_at_a_time);
  bool take_alone(worker* w);
  void expect(int from, std::size_t bytes, std::unique_ptr<coming_ranges> beside);
  void expect_wanted();
  void take_buffer(worker* w, int from, std::span<const std::byte> message);
  void take_frame(worker* w, int from, frame_ptr frame);
  [[nodiscard]] std::unique_ptr<buffer> fresh();
  void drain();  // std::bad_alloc
  void cancel_receives() noexcept;

  run_control& run_;
  const MPI_Comm comm_;
  const int here_;
  place_node& node_;
  const bool one_thread_;            // may call MPI
  const std::size_t most_together_;  // bytes of frames that go together

  mailbox<queued_task> out_;        // any thread
  atomic<std::uint32_t> waits_{0};  // about how many are in it
  wanted_ranges wanted_;            // by any thread

  // Under the lock of the process.
  alignas(k_cache_line) atomic<std::uint32_t> looks_{0};  // of workers; others read it
  std::vector<peer_way> ways_;
  std::vector<int> open_;  // to whom frames have not gone yet
  std::deque<sending> sent_;
  std::vector<receive> receives_;
  std::size_t next_receive_ = 0;  // they are matched in the order in which they were posted
  part_receiver coming_;
  range_sender beside_;
  std::vector<std::unique_ptr<buffer>> spare_;
  std::optional<peer_watch> watch_;  // of who is silent, where that is asked for
  bool in_run_ = false;
  bool is_leaving_ = false;  // it has sent all that anybody waits for, and waits until that has left
  bool is_over_ = false;     // no run is active any more: what comes is of nobody
};

}  // namespace tactus::detail
