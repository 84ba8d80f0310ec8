// SPDX-License-Identifier: Apache-2.0
// What all competitors of uts_places do with a tree, and that no part of it may be missing or come twice.
#include "placement/uts_places/uts_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

namespace bench {
namespace {

options of_tree(const char* shape, std::size_t grain = 1000) {
  options o;
  o.shape = shape;
  o.grain = grain;
  return o;
}

/// Searches the tree in parts, which wait for each other in a queue; each part is handed to take(part).
template <class Take>
void search_in_parts(uts_places_problem& p, Take&& take) {
  p.with_tree([&](const auto& tree) {
    std::deque<std::vector<decltype(tree.root())>> waiting{{tree.root()}};
    while (!waiting.empty()) {
      auto known = std::move(waiting.front());
      waiting.pop_front();
      take(search_and_share(tree, std::move(known), p.grain(), [&waiting](auto half) { waiting.push_back(half); }));
    }
  });
}

TEST(uts_places, half_of_the_nodes_is_every_second_one) {
  for (const std::size_t n : {2u, 3u, 10u, 121u}) {
    std::vector<std::size_t> kept(n);
    std::iota(kept.begin(), kept.end(), 0);
    const std::vector<std::size_t> taken = take_half(kept);
    EXPECT_EQ(taken.size(), (n + 1) / 2);
    EXPECT_EQ(kept.size(), n / 2);
    EXPECT_TRUE(std::ranges::all_of(taken, [](std::size_t i) { return i % 2 == 0; }));
    EXPECT_TRUE(std::ranges::all_of(kept, [](std::size_t i) { return i % 2 == 1; }));
    EXPECT_TRUE(std::ranges::is_sorted(taken) && std::ranges::is_sorted(kept));
  }
}

TEST(uts_places, nodes_are_visited_from_the_newest_and_no_more_than_asked_for) {
  const uts_places_problem p(of_tree("mixed"));
  const auto tree = p.tree<uts_tree<mixed_random>>();
  std::vector known{tree.root()};
  uts_size found;
  visit_some(tree, known, 1, found);
  EXPECT_EQ(found.nodes, 1u);
  EXPECT_EQ(known.size(), 2000u);
  visit_some(tree, known, 500, found);
  EXPECT_EQ(found.nodes, 501u);
  EXPECT_EQ(known.front().random.value(), tree.child(tree.root(), 0).random.value());
}

TEST(uts_places, parts_make_the_published_tree) {
  for (const char* shape : {"mixed", "T1", "T3"}) {
    for (const std::size_t grain : {50u, 100'000'000u}) {
      uts_places_problem p(of_tree(shape, grain));
      std::size_t parts = 0;
      p.reset();
      search_in_parts(p, [&](const uts_size& part) {
        p.add(part);
        ++parts;
      });
      p.verify();
      EXPECT_EQ(parts > 100, grain < 10'000) << shape << ", " << parts << " parts";
    }
  }
}

TEST(uts_places, a_part_that_is_missing_or_comes_twice_is_a_wrong_answer) {
  uts_places_problem p(of_tree("T3"));
  for (const bool twice : {false, true}) {
    std::size_t parts = 0;
    p.reset();
    search_in_parts(p, [&](const uts_size& part) {
      const bool is_it = ++parts == 100;
      if (!is_it || twice) p.add(part);
      if (is_it && twice) p.add(part);
    });
    EXPECT_GT(parts, 100u);
    EXPECT_THROW(p.verify(), wrong_answer);
  }
}

TEST(uts_places, only_who_sends_messages_reports_them) {
  uts_places_problem p(of_tree("T1"));
  nlohmann::json line;
  p.report(line);
  EXPECT_FALSE(line.contains("messages"));
  p.sent(12);
  p.report(line);
  EXPECT_EQ(line["messages"], 12);
  EXPECT_EQ(line["tree"], "T1");
}

}  // namespace
}  // namespace bench
