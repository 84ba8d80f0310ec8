// SPDX-License-Identifier: Apache-2.0
// A search of a tree by ranks of MPI, as it is written by hand: who has nothing left asks another rank, one after another by chance, and is
// given nodes or told that there are none; who works looks for such questions now and then. That all is over is found by a token that goes
// round (Dijkstra, Feijen and van Gasteren): rank 0 sends it white, a rank that has given nodes since makes it black, and each keeps it
// until it has nothing to do and no question is open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include <mpi.h>
#include <sched.h>

#include "placement/uts_places/uts_places.hpp"
#include "support/mpi_ranks.hpp"

namespace bench {

struct stealing_options {
  std::size_t chunk;  ///< who has twice as many nodes gives some
  std::size_t poll;   ///< nodes between two looks for questions
  bool half;          ///< gives half of all, else a chunk of the oldest
};

template <class Tree>
class stealing_search {
public:
  stealing_search(const Tree& tree, const stealing_options& o) : tree_(tree), options_(o) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    gives_way_ = more_ranks_than_processors(ranks_);
    holds_token_ = is_black_ = rank_ == 0;
    by_chance_.seed(static_cast<std::uint32_t>(rank_ + 1));
    MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, k_ask, MPI_COMM_WORLD, &question_);
  }

  /// All ranks together. What this one has found.
  uts_size run() {
    if (rank_ == 0) known_.push_back(tree_.root());
    do {
      while (!known_.empty()) {
        visit_some(tree_, known_, options_.poll, found_);
        answer();
      }
    } while (gets_more());
    leave();
    return found_;
  }

  /// That this rank has sent.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

private:
  using node = typename Tree::node;
  enum tag : int { k_ask, k_loot, k_token, k_over };

  void send(int to, tag what, const void* bytes = nullptr, std::size_t n = 0) {
    MPI_Send(bytes, static_cast<int>(n), MPI_BYTE, to, what, MPI_COMM_WORLD);
    ++messages_;
  }

  [[nodiscard]] static bool has_come(int from, tag what, MPI_Status& status) {
    int is_there = 0;
    MPI_Iprobe(from, what, MPI_COMM_WORLD, &is_there, &status);
    return is_there != 0;
  }

  /// Every question that is there.
  void answer() {
    for (;;) {
      int is_there = 0;
      MPI_Status status;
      MPI_Test(&question_, &is_there, &status);
      if (is_there == 0) return;
      const uts_nodes<Tree> loot = take_loot();
      if (!loot.empty()) is_black_ = true;
      send(status.MPI_SOURCE, k_loot, loot.data(), loot.size() * sizeof(node));
      MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, k_ask, MPI_COMM_WORLD, &question_);
    }
  }

  uts_nodes<Tree> take_loot() {
    if (known_.size() < 2 * options_.chunk) return {};
    if (options_.half) return take_half(known_);
    const auto end = known_.begin() + static_cast<std::ptrdiff_t>(options_.chunk);
    uts_nodes<Tree> loot(known_.begin(), end);
    known_.erase(known_.begin(), end);
    return loot;
  }

  /// False when nobody has anything.
  bool gets_more() {
    while (known_.empty()) {
      pass_token();
      if (is_over()) return false;
      if (ranks_ > 1) ask(some_other_rank());
    }
    return true;
  }

  int some_other_rank() {
    const int other = std::uniform_int_distribution<int>(0, ranks_ - 2)(by_chance_);
    return other + (other >= rank_ ? 1 : 0);
  }

  void ask(int victim) {
    send(victim, k_ask);
    MPI_Status status;
    while (!has_come(victim, k_loot, status)) {
      answer();
      give_way();
    }
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    known_.resize(static_cast<std::size_t>(bytes) / sizeof(node), tree_.root());
    MPI_Recv(known_.data(), bytes, MPI_BYTE, victim, k_loot, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  void pass_token() {
    MPI_Status status;
    const int before = (rank_ + ranks_ - 1) % ranks_;
    if (!holds_token_ && has_come(before, k_token, status)) {
      MPI_Recv(&token_is_black_, 1, MPI_BYTE, before, k_token, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      holds_token_ = true;
    }
    if (!holds_token_) return;
    const bool is_black = token_is_black_ || is_black_;
    if (rank_ == 0 && (!is_black || ranks_ == 1)) {
      tell_that_it_is_over();
      return;
    }
    const bool goes_black = rank_ != 0 && is_black;
    send((rank_ + 1) % ranks_, k_token, &goes_black, 1);
    holds_token_ = is_black_ = false;
  }

  void tell_that_it_is_over() {
    for (int r = 1; r < ranks_; ++r) send(r, k_over);
    is_over_ = true;
  }

  bool is_over() {
    MPI_Status status;
    if (rank_ != 0 && has_come(0, k_over, status)) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, k_over, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      is_over_ = true;
    }
    return is_over_;
  }

  /// Others may be about to ask until they hear that it is over.
  void leave() {
    MPI_Request all_have_heard = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &all_have_heard);
    for (int done = 0; done == 0;) {
      answer();
      give_way();
      MPI_Test(&all_have_heard, &done, MPI_STATUS_IGNORE);
    }
    MPI_Cancel(&question_);
    MPI_Wait(&question_, MPI_STATUS_IGNORE);
  }

  void give_way() const {
    if (gives_way_) ::sched_yield();
  }

  const Tree& tree_;
  stealing_options options_;
  int rank_ = 0;
  int ranks_ = 0;
  bool gives_way_ = false;
  uts_nodes<Tree> known_;
  uts_size found_;
  MPI_Request question_ = MPI_REQUEST_NULL;
  std::minstd_rand by_chance_;
  std::uint64_t messages_ = 0;
  bool is_black_ = false;  // has given nodes since the token was here; rank 0 begins so, for no round is over yet
  bool token_is_black_ = false;
  bool holds_token_ = false;
  bool is_over_ = false;
};

}  // namespace bench
