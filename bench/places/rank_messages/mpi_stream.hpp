// SPDX-License-Identifier: Apache-2.0
// Numbers that go one way, by hand: some buffers are under way at once, and receives are posted ahead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <mpi.h>

#include "support/mpi_waiting.hpp"
#include "support/stopwatch.hpp"

namespace bench {

class mpi_stream {
public:
  /// A buffer is of so many numbers.
  mpi_stream(const mpi_waiting& waiting, std::size_t numbers) : waiting_(waiting), numbers_(numbers) {}

  /// By rank 0: whether rank 1 has got the sum of 0 to times - 1.
  bool send(std::uint64_t times, duration& took) {
    make_room();
    std::uint64_t sum = 0;
    waiting_.receive(nullptr, 0, 1, k_ready);
    const stopwatch watch;
    for (std::uint64_t first = 0, i = 0; first < times; first += numbers_, ++i) {
      const std::size_t n = part(first, times);
      MPI_Request& request = requests_[i % k_under_way];
      std::uint64_t* const buffer = at(i);
      waiting_.one(request);
      std::iota(buffer, buffer + n, first);
      MPI_Isend(buffer, static_cast<int>(n), MPI_UINT64_T, 1, k_numbers, MPI_COMM_WORLD, &request);
    }
    waiting_.receive(&sum, sizeof sum, 1, k_sum);
    took = watch.elapsed();
    waiting_.all(requests_);
    return sum == times * (times - 1) / 2;
  }

  /// By rank 1.
  void receive(std::uint64_t times) {
    make_room();
    const std::uint64_t buffers = (times + numbers_ - 1) / numbers_;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(k_under_way, buffers); ++i) post(i);
    waiting_.send(nullptr, 0, 0, k_ready);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < buffers; ++i) {
      waiting_.one(requests_[i % k_under_way]);
      sum = std::accumulate(at(i), at(i) + part(i * numbers_, times), sum);
      if (i + k_under_way < buffers) post(i + k_under_way);
    }
    waiting_.send(&sum, sizeof sum, 0, k_sum);
  }

private:
  enum tag : int { k_ready, k_numbers, k_sum };
  static constexpr std::size_t k_under_way = 8;

  void make_room() {
    buffers_.resize(k_under_way * numbers_);
    requests_.assign(k_under_way, MPI_REQUEST_NULL);
  }
  std::uint64_t* at(std::uint64_t i) { return buffers_.data() + i % k_under_way * numbers_; }
  [[nodiscard]] std::size_t part(std::uint64_t first, std::uint64_t times) const {
    return std::min<std::uint64_t>(numbers_, times - first);
  }
  void post(std::uint64_t i) {
    MPI_Irecv(at(i), static_cast<int>(numbers_), MPI_UINT64_T, 0, k_numbers, MPI_COMM_WORLD,
              &requests_[i % k_under_way]);
  }

  const mpi_waiting& waiting_;
  const std::size_t numbers_;
  std::vector<std::uint64_t> buffers_;
  std::vector<MPI_Request> requests_;
};

}  // namespace bench
