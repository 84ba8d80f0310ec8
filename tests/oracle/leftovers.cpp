// SPDX-License-Identifier: Apache-2.0
#include "leftovers.hpp"

#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace oracle {
namespace {

namespace ts = tactus;
namespace td = tactus::detail;

// Credits come when a place has time for them; who has told nothing by then never will.
constexpr std::chrono::seconds k_patience{20};

// Of one place: messages to each other place, and from there.
struct traffic {
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> taken;
};

traffic traffic_here() {
  const td::place_node& here = td::place_node::of(td::current_worker());
  traffic all;
  for (int other = 0; other < ts::num_places(); ++other) {
    all.sent.push_back(here.sent_to(other));
    all.taken.push_back(here.taken_from(other));
  }
  return all;
}

std::string not_taken(std::size_t from, std::size_t to, std::uint64_t sent, std::uint64_t taken) {
  if (sent == taken) return {};
  return "of " + std::to_string(sent) + " messages from place " + std::to_string(from) + " to place " +
         std::to_string(to) + ", " + std::to_string(taken) + " were taken\n";
}

// By the root task, at place 0. What it sends for that is a request to each place, and a reply.
std::string look_at_pairs() {
  const auto places = static_cast<std::size_t>(ts::num_places());
  std::vector<traffic> all(places);
  std::string text;
  for (std::size_t p = 1; p < places; ++p) {
    all[p] = ts::at(ts::place(static_cast<int>(p)), [] { return traffic_here(); });
    const traffic mine = traffic_here();
    text += not_taken(0, p, mine.sent[p], all[p].taken[0]);
    text += not_taken(p, 0, all[p].sent[0] + 1, mine.taken[p]);
  }
  for (std::size_t from = 1; from < places; ++from) {
    for (std::size_t to = 1; to < places; ++to) {
      if (from != to) text += not_taken(from, to, all[from].sent[to], all[to].taken[from]);
    }
  }
  return text;
}

std::string look_at_pairs_until_all_is_taken() {
  const auto until = std::chrono::steady_clock::now() + k_patience;
  std::string text;
  do {
    text = look_at_pairs();
  } while (!text.empty() && std::chrono::steady_clock::now() < until);
  return text;
}

std::string what_lies_at(td::place_node& place) {
  std::size_t ledgers = 0;
  place.for_each_ledger([&ledgers](const td::ledger&) { ++ledgers; });
  const std::size_t parts = place.parts();
  const std::size_t callers = place.callers().waiting();
  if (parts + ledgers + callers == 0) return {};
  return "at place " + std::to_string(place.number()) + ": " + std::to_string(parts) + " parts, " +
         std::to_string(ledgers) + " ledgers, " + std::to_string(callers) + " callers of at()\n";
}

}  // namespace

std::string leftovers_of(ts::runtime& on) {
  static const td::run_control* s_run;  // of this process, whose place it is that sets it
  if (on.options().places == 1) return {};
  std::string text = on.run([] {
    ts::at_each(ts::places(), [] {
      if (ts::here() == ts::place(td::current_worker()->owner->run().home().place())) {
        s_run = &td::current_worker()->owner->run();
      }
    });
    return look_at_pairs_until_all_is_taken();
  });
  for (const auto& place : s_run->places()) text += what_lies_at(td::place_node::of(*place));
  return text;
}

}  // namespace oracle
