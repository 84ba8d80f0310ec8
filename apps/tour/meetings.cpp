// SPDX-License-Identifier: Apache-2.0
#include "meetings.hpp"

namespace tour {

rumour::rumour(std::size_t num_tasks, std::size_t num_rounds) : begin(num_tasks), end(num_tasks), rounds(num_rounds) {
  std::uint64_t number = 1;
  for (std::uint64_t& b : begin) {
    number = number * 6364136223846793005u + 1442695040888963407u;  // Knuth's generator: any numbers will do
    b = number >> 32u;
  }
  known[0].resize(num_tasks);
  known[1].resize(num_tasks);
}

std::vector<std::uint64_t> rumour::expected() const {
  rumour r = *this;
  r.end = begin;
  for (std::size_t round = 0; round < rounds; ++round) {
    r.known[round % 2] = r.end;
    for (std::size_t i = 0; i < begin.size(); ++i) {
      r.end[i] = hear(r, round, i, r.end[i]);
    }
  }
  return r.end;
}

}  // namespace tour
