// SPDX-License-Identifier: Apache-2.0
// What threads need at the least: a thread for each place, which copies what its neighbours need into their ghosts and raises a flag
// there. Who waits looks some hundred times and then gives way.
#include <atomic>
#include <barrier>
#include <cstring>
#include <memory>
#include <thread>

#include <sched.h>

#include "array/ghost_update/ghost_update.hpp"

namespace {

using bench::ghost_setting;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// How far an update of one place has come: its ghosts may be written from `begun` on.
struct alignas(64) progress {
  std::atomic<std::uint64_t> begun{0};
};
struct alignas(64) flag {
  std::atomic<std::uint64_t> arrived{0};
};

struct neighbour {
  int place = 0;
  std::size_t number_there = 0;
  ghost_setting::box cells{};     // of mine
  ghost_setting::triple shift{};  // to where they are ghosts
};

struct threaded_place {
  threaded_place(const ghost_setting& s, int number) : cells(s, number), flags(std::make_unique<flag[]>(27)) {}
  bench::ghosted_block cells;
  std::vector<neighbour> to;
  std::unique_ptr<flag[]> flags;  // of those from whom something comes, by their direction
  std::vector<std::size_t> from;
  progress own;
};

class threads_ghost_update {
public:
  threads_ghost_update(const bench::options&, bench::ghost_update_problem& p)
      : problem_(p), setting_(p.setting()), meet_(setting_.places()), passes_(setting_.places() + 1) {
    for (int i = 0; i < setting_.places(); ++i) places_.push_back(std::make_unique<threaded_place>(setting_, i));
    for (int i = 0; i < setting_.places(); ++i) find_neighbours(i);
    for (int i = 0; i < setting_.places(); ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  ~threads_ghost_update() {
    ends_ = true;
    passes_.arrive_and_wait();
    for (std::thread& t : threads_) t.join();
  }
  threads_ghost_update(const threads_ghost_update&) = delete;
  threads_ghost_update& operator=(const threads_ghost_update&) = delete;

  void pass() {
    number_ = problem_.next_pass();
    wrong_ = 0;
    passes_.arrive_and_wait();
    passes_.arrive_and_wait();
    problem_.done(wrong_, took_);
  }

private:
  static std::size_t direction(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
    return static_cast<std::size_t>(((i + 1) * 3 + j + 1) * 3 + k + 1);
  }

  void find_neighbours(int place) {
    threaded_place& here = *places_[static_cast<std::size_t>(place)];
    const auto seat = setting_.seat(place);
    for (std::ptrdiff_t i = -1; i <= 1; ++i) {
      for (std::ptrdiff_t j = -1; j <= 1; ++j) {
        for (std::ptrdiff_t k = -1; k <= 1; ++k) {
          ghost_setting::triple at{seat[0] + i, seat[1] + j, seat[2] + k};
          const ghost_setting::triple step{i, j, k};
          neighbour n;
          bool is_there = i != 0 || j != 0 || k != 0;
          n.cells = here.cells.own();
          for (std::size_t d = 0; d < 3; ++d) {
            if (at[d] < 0 || at[d] >= setting_.grid[d]) {
              is_there = is_there && setting_.periodic;
              n.shift[d] = at[d] < 0 ? setting_.extent()[d] : -setting_.extent()[d];
              at[d] = (at[d] + setting_.grid[d]) % setting_.grid[d];
            }
            if (step[d] < 0) n.cells.hi[d] = n.cells.lo[d] + 1;
            if (step[d] > 0) n.cells.lo[d] = n.cells.hi[d] - 1;
          }
          if (!is_there) continue;
          n.place = setting_.at_seat(at);
          n.number_there = direction(-i, -j, -k);
          here.to.push_back(n);
          here.from.push_back(direction(i, j, k));
        }
      }
    }
  }

  template <class Holds>
  static void wait_until(Holds&& holds) {
    constexpr int k_looks = 200;
    for (int i = 0; !holds(); ++i) {
      if (i < k_looks) {
        relax();
      } else {
        ::sched_yield();
      }
    }
  }

  static void copy(const neighbour& n, bench::ghosted_block& from, bench::ghosted_block& to) {
    const auto& c = n.cells;
    for (auto i = c.lo[0]; i < c.hi[0]; ++i) {
      if (c.hi[2] - c.lo[2] == 1) {
        const std::ptrdiff_t side = from.side();
        const double* f = &from(i, c.lo[1], c.lo[2]);
        double* t = &to(i + n.shift[0], c.lo[1] + n.shift[1], c.lo[2] + n.shift[2]);
        for (auto j = c.lo[1]; j < c.hi[1]; ++j, f += side, t += side) *t = *f;
        continue;
      }
      for (auto j = c.lo[1]; j < c.hi[1]; ++j) {
        std::memcpy(&to(i + n.shift[0], j + n.shift[1], c.lo[2] + n.shift[2]), &from(i, j, c.lo[2]),
                    static_cast<std::size_t>(c.hi[2] - c.lo[2]) * sizeof(double));
      }
    }
  }

  // Nobody writes a neighbour's ghosts before that one has begun the same update, and thus read those of the last one.
  void update(threaded_place& here) {
    const std::uint64_t e = here.own.begun.load(std::memory_order_relaxed) + 1;
    here.own.begun.store(e, std::memory_order_release);
    for (const neighbour& n : here.to) {
      threaded_place& there = *places_[static_cast<std::size_t>(n.place)];
      wait_until([&] { return there.own.begun.load(std::memory_order_acquire) >= e; });
      copy(n, here.cells, there.cells);
      there.flags[n.number_there].arrived.store(e, std::memory_order_release);
    }
    for (const std::size_t d : here.from) {
      wait_until([&] { return here.flags[d].arrived.load(std::memory_order_acquire) >= e; });
    }
  }

  void serve(int place) {
    threaded_place& here = *places_[static_cast<std::size_t>(place)];
    for (;;) {
      passes_.arrive_and_wait();
      if (ends_) return;
      bench::duration took;
      wrong_ += bench::ghost_updates(
          setting_, here.cells.own(), number_,
          [&here](auto i, auto j, auto k) -> double& { return here.cells(i, j, k); },
          [this, &here](std::uint64_t) { update(here); }, [this] { meet_.arrive_and_wait(); }, took);
      if (place == 0) took_ = took;
      passes_.arrive_and_wait();
    }
  }

  bench::ghost_update_problem& problem_;
  const ghost_setting setting_;
  std::vector<std::unique_ptr<threaded_place>> places_;
  std::barrier<> meet_;    // of the places
  std::barrier<> passes_;  // theirs and the caller's: at the begin and at the end of each
  std::vector<std::thread> threads_;
  std::uint64_t number_ = 0;
  std::atomic<std::uint64_t> wrong_{0};
  bench::duration took_;
  bool ends_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::ghost_update_problem, threads_ghost_update>(argc, argv, "ghost_update", "threads");
}
