// SPDX-License-Identifier: Apache-2.0
// Random updates of a table that is spread over ranks, by hand: numbers for a rank go together in buffers, of which each rank has two for each
// other one, and one receive is posted ahead for each. Who has to wait for a buffer takes what has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <mpi.h>

#include "places/rank_messages/rank_messages.hpp"
#include "support/mpi_waiting.hpp"
#include "support/stopwatch.hpp"

namespace bench {

class mpi_updates {
public:
  explicit mpi_updates(const mpi_waiting& waiting) : waiting_(waiting) {}

  /// By all ranks. Whether all have come.
  bool pass(std::uint64_t times, duration& took) {
    begin();
    waiting_.meet();
    const stopwatch watch;
    update_sequence numbers(rank_);
    for (std::uint64_t i = 0; i < times; ++i) {
      const std::uint64_t drawn = numbers.next();
      given_ += drawn;
      if (const int to = rank_of_update(drawn, ranks_); to == rank_) {
        update(drawn);
      } else {
        put(to, drawn);
      }
    }
    finish();
    waiting_.meet();
    took = watch.elapsed();
    const std::uint64_t sums[2] = {std::accumulate(table_.begin(), table_.end(), std::uint64_t{0}), given_};
    std::uint64_t of_all[2];
    MPI_Allreduce(sums, of_all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return of_all[0] == of_all[1];
  }

private:
  static constexpr std::size_t k_buffer = 1024;

  struct way {
    std::vector<std::uint64_t> open;
    std::vector<std::uint64_t> under_way;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void begin() {
    if (ranks_ != 0) return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    table_.resize(k_table);
    ways_.resize(static_cast<std::size_t>(ranks_));
    sent_.resize(static_cast<std::size_t>(ranks_));
    for (way& w : ways_) w.open.reserve(k_buffer);
    came_.resize(k_buffer);
  }

  void update(std::uint64_t drawn) { table_[drawn % k_table] += drawn; }

  void put(int to, std::uint64_t drawn) {
    way& w = ways_[static_cast<std::size_t>(to)];
    w.open.push_back(drawn);
    if (w.open.size() == k_buffer) send(to);
  }

  void send(int to) {
    way& w = ways_[static_cast<std::size_t>(to)];
    int is_free = 0;
    MPI_Test(&w.request, &is_free, MPI_STATUS_IGNORE);
    for (; is_free == 0; MPI_Test(&w.request, &is_free, MPI_STATUS_IGNORE)) take_or_give_way();
    w.under_way.swap(w.open);
    w.open.clear();
    MPI_Isend(w.under_way.data(), static_cast<int>(w.under_way.size()), MPI_UINT64_T, to, k_tag, MPI_COMM_WORLD,
              &w.request);
    ++sent_[static_cast<std::size_t>(to)];
    take();
  }

  /// Whether something had come.
  bool take() {
    if (receive_ == MPI_REQUEST_NULL) post();
    MPI_Status status;
    int has_come = 0;
    MPI_Test(&receive_, &has_come, &status);
    if (has_come == 0) return false;
    int n = 0;
    MPI_Get_count(&status, MPI_UINT64_T, &n);
    for (int i = 0; i < n; ++i) update(came_[static_cast<std::size_t>(i)]);
    ++taken_;
    post();
    return true;
  }
  void take_or_give_way() {
    if (!take() && waiting_.gives_way()) waiting_.let_others_go_on();
  }
  void post() {
    MPI_Irecv(came_.data(), static_cast<int>(k_buffer), MPI_UINT64_T, MPI_ANY_SOURCE, k_tag, MPI_COMM_WORLD, &receive_);
  }

  // What is left goes; then each rank hears how many buffers are for it.
  void finish() {
    for (int to = 0; to < ranks_; ++to) {
      if (!ways_[static_cast<std::size_t>(to)].open.empty()) send(to);
    }
    std::vector<int> for_each_rank(static_cast<std::size_t>(ranks_), 1);
    std::uint64_t to_come = 0;
    MPI_Request counted = MPI_REQUEST_NULL;
    MPI_Ireduce_scatter(sent_.data(), &to_come, for_each_rank.data(), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &counted);
    int is_counted = 0;
    for (; is_counted == 0; MPI_Test(&counted, &is_counted, MPI_STATUS_IGNORE)) take_or_give_way();
    while (taken_ != to_come) take_or_give_way();
    for (way& w : ways_) waiting_.one(w.request);
    MPI_Cancel(&receive_);
    MPI_Wait(&receive_, MPI_STATUS_IGNORE);
    taken_ = 0;
    sent_.assign(sent_.size(), 0);
  }

  static constexpr int k_tag = 5;

  const mpi_waiting& waiting_;
  int rank_ = 0;
  int ranks_ = 0;  // 0: not begun
  std::vector<std::uint64_t> table_;
  std::vector<way> ways_;
  std::vector<std::uint64_t> sent_;  // buffers, to each
  std::vector<std::uint64_t> came_;
  MPI_Request receive_ = MPI_REQUEST_NULL;
  std::uint64_t taken_ = 0;
  std::uint64_t given_ = 0;
};

}  // namespace bench
