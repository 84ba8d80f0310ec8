// SPDX-License-Identifier: Apache-2.0
#include "meetings.hpp"

#include <barrier>
#include <thread>

namespace tour {

meeting_form meetings_std_thread() {
  return [](rumour& r) {
    std::barrier barrier(static_cast<std::ptrdiff_t>(r.begin.size()));
    std::vector<std::jthread> threads;
    threads.reserve(r.begin.size());
    const auto listen = [&r, &barrier](std::size_t i) {
      std::uint64_t mine = r.begin[i];
      for (std::size_t round = 0; round < r.rounds; ++round) {
        r.known[round % 2][i] = mine;
        barrier.arrive_and_wait();
        mine = hear(r, round, i, mine);
      }
      r.end[i] = mine;
    };
    try {
      for (std::size_t i = 0; i < r.begin.size(); ++i) threads.emplace_back(listen, i);
    } catch (...) {
      // Those that there are wait for all, and are joined when this is left: nobody may wait for threads that never come.
      for (std::size_t i = threads.size(); i < r.begin.size(); ++i) barrier.arrive_and_drop();
      throw;
    }
  };
}

}  // namespace tour
