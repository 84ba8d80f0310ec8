// SPDX-License-Identifier: Apache-2.0
#include "meetings.hpp"
#include "onetbb_pool.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <memory>

namespace tour {

meeting_form loops_onetbb(int threads) {
  const auto pool = std::make_shared<onetbb_pool>(threads);
  return [pool](rumour& r) {
    pool->arena.execute([&r] {
      r.known[0] = r.begin;
      for (std::size_t round = 0; round < r.rounds; ++round) {
        tbb::parallel_for(std::size_t{0}, r.begin.size(), [&](std::size_t i) { hear_in_a_loop(r, round, i); });
      }
      r.end = r.known[r.rounds % 2];
    });
  };
}

}  // namespace tour
