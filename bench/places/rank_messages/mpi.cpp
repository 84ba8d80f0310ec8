// SPDX-License-Identifier: Apache-2.0
// The same by MPI's own calls.
#include <algorithm>
#include <numeric>
#include <utility>

#include "places/rank_messages/mpi_updates.hpp"
#include "places/rank_messages/rank_messages.hpp"
#include "support/busy_work.hpp"
#include "support/mpi_ranks.hpp"

namespace {

class mpi_ranks {
public:
  mpi_ranks(const bench::options& /*o*/, bench::rank_messages_problem& p) : problem_(p) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  void pass() {
    switch (problem_.shape()) {
      case bench::rank_shape::at:
      case bench::rank_shape::finish: there_and_back(std::vector<std::uint64_t>(1)); break;
      case bench::rank_shape::at_bytes: there_and_back(std::vector<std::uint64_t>(bench::k_bytes_of_at / 8)); break;
      case bench::rank_shape::move: there_and_back(std::vector<double>(bench::k_moved)); break;
      case bench::rank_shape::one_way: one_way(); break;
      case bench::rank_shape::barrier: all_together([] { return MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS; }); break;
      case bench::rank_shape::sum8: add_up(8); break;
      case bench::rank_shape::sum1m: add_up(bench::k_moved); break;
      case bench::rank_shape::updates: {
        bench::duration took;
        const bool is_right = updates_.pass(problem_.times(), took);
        problem_.done(took, is_right);
        break;
      }
      case bench::rank_shape::compute:
        times_ = 1;
        all_together([this] {
          for (std::uint64_t i = 0; i < problem_.times(); ++i) bench::compute(bench::k_steps_of_a_task);
          return true;
        });
        break;
      case bench::rank_shape::idle: throw bench::refused("rank_messages: MPI has nothing that waits for so long");
    }
  }

private:
  // With a number more each way.
  template <class T>
  void there_and_back(std::vector<T> what) const {
    if (rank_ > 1) return;
    const int bytes = static_cast<int>(what.size() * sizeof(T));
    const auto round = [&] {
      if (rank_ == 0) {
        MPI_Send(what.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(what.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(what.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        what.back() += 1;
        MPI_Send(what.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
    };
    round();
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < problem_.times(); ++i) round();
    const bench::duration took = watch.elapsed();
    problem_.done(took, what.back() == static_cast<T>(problem_.times() + 1));
  }

  void one_way() const {
    if (rank_ > 1) return;
    const std::uint64_t times = problem_.times();
    constexpr std::size_t k_buffer = 1024;
    std::vector<std::uint64_t> buffer(k_buffer);
    std::uint64_t sum = 0;
    const bench::stopwatch watch;
    for (std::uint64_t first = 0; first < times; first += k_buffer) {
      const std::uint64_t n = std::min<std::uint64_t>(k_buffer, times - first);
      if (rank_ == 0) {
        std::iota(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(n), first);
        MPI_Send(buffer.data(), static_cast<int>(n), MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
      } else {
        MPI_Recv(buffer.data(), static_cast<int>(n), MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = std::accumulate(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(n), sum);
      }
    }
    if (rank_ == 1) {
      MPI_Send(&sum, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&sum, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    const bench::duration took = watch.elapsed();
    problem_.done(took, sum == times * (times - 1) / 2);
  }

  void add_up(std::size_t n) {
    std::vector<double> own(n, rank_ + 1);
    std::vector<double> sum(n);
    const double of_all = ranks_ * (ranks_ + 1) / 2.0;
    all_together([&] {
      MPI_Allreduce(own.data(), sum.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      return sum.front() == of_all && sum.back() == of_all;
    });
  }

  template <class F>
  void all_together(F&& f) {
    int is_right = f() ? 1 : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < (times_ != 0 ? times_ : problem_.times()); ++i)
      is_right = f() && is_right != 0 ? 1 : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const bench::duration took = watch.elapsed();
    int of_all = 0;
    MPI_Allreduce(&is_right, &of_all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    problem_.done(took, of_all == 1);
  }

  bench::rank_messages_problem& problem_;
  bench::mpi_updates updates_;
  int rank_ = 0;
  int ranks_ = 1;
  std::uint64_t times_ = 0;  // 0: the problem's
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::rank_messages_problem, mpi_ranks>(argc, argv, "rank_messages",
                                                                          BENCH_COMPETITOR);
}
