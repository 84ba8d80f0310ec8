// SPDX-License-Identifier: Apache-2.0
// The same by MPI's own calls.
#include <utility>
#include <vector>

#include "places/rank_messages/mpi_stream.hpp"
#include "places/rank_messages/mpi_updates.hpp"
#include "places/rank_messages/rank_messages.hpp"
#include "support/busy_work.hpp"
#include "support/mpi_ranks.hpp"
#include "support/mpi_waiting.hpp"

namespace {

class mpi_ranks {
public:
  mpi_ranks(const bench::options& o, bench::rank_messages_problem& p)
      : problem_(p),
        waiting_(o),
        updates_(waiting_),
        stream_(waiting_, p.bytes_of_buffer() / sizeof(std::uint64_t)),
        in_place_(o.form == "in_place") {
    if (in_place_ && p.shape() != bench::rank_shape::sum1m) {
      throw std::invalid_argument("rank_messages: --form in_place is for --shape sum1m");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  void pass() {
    switch (problem_.shape()) {
      case bench::rank_shape::at:
      case bench::rank_shape::transport:
      case bench::rank_shape::finish: there_and_back(std::vector<std::uint64_t>(1)); break;
      case bench::rank_shape::transport_bytes:
      case bench::rank_shape::at_bytes: there_and_back(std::vector<std::uint64_t>(bench::k_bytes_of_at / 8)); break;
      case bench::rank_shape::move: there_and_back(std::vector<double>(bench::k_moved)); break;
      case bench::rank_shape::one_way: one_way(); break;
      case bench::rank_shape::barrier: all_together([this] { return waiting_.meet(), true; }); break;
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
      case bench::rank_shape::answer:
      case bench::rank_shape::answer_at: throw bench::refused("rank_messages: MPI takes nothing while a rank computes");
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
        waiting_.send(what.data(), bytes, 1, 0);
        waiting_.receive(what.data(), bytes, 1, 0);
      } else {
        waiting_.receive(what.data(), bytes, 0, 0);
        what.back() += 1;
        waiting_.send(what.data(), bytes, 0, 0);
      }
    };
    round();
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < problem_.times(); ++i) round();
    const bench::duration took = watch.elapsed();
    problem_.done(took, what.back() == static_cast<T>(problem_.times() + 1));
  }

  void one_way() {
    if (rank_ == 1) stream_.receive(problem_.times());
    if (rank_ != 0) return;
    bench::duration took;
    const bool is_right = stream_.send(problem_.times(), took);
    problem_.done(took, is_right);
  }

  void add_up(std::size_t n) {
    if (in_place_) {
      add_up_in_place(n);
      return;
    }
    std::vector<double> own(n, rank_ + 1);
    std::vector<double> sum(n);
    const double of_all = ranks_ * (ranks_ + 1) / 2.0;
    all_together([&] {
      waiting_.add_up(own.data(), sum.data(), static_cast<int>(n));
      return sum.front() == of_all && sum.back() == of_all;
    });
  }

  // The sums are what is given the next time, and are a number of ranks times as much: as ours has it.
  void add_up_in_place(std::size_t n) {
    std::vector<double> numbers(n, rank_ + 1);
    double expected = ranks_ * (ranks_ + 1) / 2.0;
    all_together([&] {
      waiting_.add_up(MPI_IN_PLACE, numbers.data(), static_cast<int>(n));
      const bool is_right = numbers.front() == expected && numbers.back() == expected;
      expected *= ranks_;
      return is_right;
    });
  }

  template <class F>
  void all_together(F&& f) {
    int is_right = f() ? 1 : 0;
    waiting_.meet();
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < (times_ != 0 ? times_ : problem_.times()); ++i)
      is_right = f() && is_right != 0 ? 1 : 0;
    waiting_.meet();
    const bench::duration took = watch.elapsed();
    int of_all = 0;
    MPI_Allreduce(&is_right, &of_all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    problem_.done(took, of_all == 1);
  }

  bench::rank_messages_problem& problem_;
  const bench::mpi_waiting waiting_;
  bench::mpi_updates updates_;
  bench::mpi_stream stream_;
  const bool in_place_;
  int rank_ = 0;
  int ranks_ = 1;
  std::uint64_t times_ = 0;  // 0: the problem's
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::rank_messages_problem, mpi_ranks>(argc, argv, "rank_messages",
                                                                          BENCH_COMPETITOR);
}
