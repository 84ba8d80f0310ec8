// SPDX-License-Identifier: Apache-2.0
#include "meetings.hpp"

#include <tactus/tactus.hpp>

#include <memory>

namespace ts = tactus;

namespace tour {

meeting_form meetings_tactus(int threads, const std::string& timeline) {
  const auto runtime = std::make_shared<ts::runtime>(ts::config{.threads = threads, .trace = timeline, .env = false});
  return [runtime](rumour& r) {
    runtime->run([&r] {
      ts::finish(ts::clocked, [&r](ts::clock c) {
        for (std::size_t i = 0; i < r.begin.size(); ++i) {
          ts::async(ts::clocked(c), ts::named("listener"), [&r, c, i] {
            std::uint64_t mine = r.begin[i];
            for (std::size_t round = 0; round < r.rounds; ++round) {
              r.known[round % 2][i] = mine;
              c.advance();  // all have spoken
              mine = hear(r, round, i, mine);
            }
            r.end[i] = mine;
          });
        }
      });
    });
  };
}

meeting_form loops_tactus(int threads) {
  const auto runtime = std::make_shared<ts::runtime>(ts::config{.threads = threads, .env = false});
  return [runtime](rumour& r) {
    runtime->run([&r] {
      r.known[0] = r.begin;
      for (std::size_t round = 0; round < r.rounds; ++round) {
        ts::for_each(std::size_t{0}, r.begin.size(), [&](std::size_t i) { hear_in_a_loop(r, round, i); });
      }
      r.end = r.known[r.rounds % 2];
    });
  };
}

}  // namespace tour
