// SPDX-License-Identifier: Apache-2.0
// How many ways there are to put n queens on a board: each task has some first rows, and any place may take it. As queens_glb.x10.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <vector>

namespace ts = tactus;

constexpr int k_n = 10;
constexpr std::size_t k_rows_of_tasks = 3;  // deeper, a task goes on by itself

bool is_free(const std::vector<int>& board, int column) {
  const int row = static_cast<int>(board.size());
  for (int r = 0; r < row; ++r) {
    const int other = board[static_cast<std::size_t>(r)];
    if (other == column || other - r == column - row || other + r == column + row) {
      return false;
    }
  }
  return true;
}

long count(std::vector<int>& board) {
  if (board.size() == k_n) {
    return 1;
  }
  long found = 0;
  for (int column = 0; column < k_n; ++column) {
    if (is_free(board, column)) {
      board.push_back(column);
      found += count(board);
      board.pop_back();
    }
  }
  return found;
}

// What is known of the answer, at place 0.
using tally = ts::global_ref<long>;

void search(std::vector<int>&& board, tally total) {
  if (board.size() == k_rows_of_tasks) {
    total.at([](long& sum, long n) { ts::atomic([&] { sum += n; }); }, count(board));
    return;
  }
  for (int column = 0; column < k_n; ++column) {
    if (is_free(board, column)) {
      std::vector<int> next = board;
      next.push_back(column);
      ts::async_at(ts::place_flexible.named("board"), search, std::move(next), total);
    }
  }
}

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 3, .placement = ts::placement_policy::hybrid}, argc, argv, [] {
    long solutions = 0;
    const tally total(solutions);
    ts::finish([total] { search({}, total); });
    std::printf("%ld\n", solutions);
  });
}

// Prints: 724
