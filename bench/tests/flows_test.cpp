// SPDX-License-Identifier: Apache-2.0
// The cavity's checker accepts the plain kernel's flow and no other; what rivals compute of a part, and what cells of Global Arrays' sample
// become, is that flow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "array/lattice_boltzmann/flow_block.hpp"
#include "array/lattice_boltzmann/ga_sample.hpp"
#include "array/lattice_boltzmann/lattice_boltzmann.hpp"

namespace bench {
namespace {

using index = std::ptrdiff_t;

options cells_and_steps(std::uint64_t n, std::uint64_t steps, int places = 1) {
  options o;
  o.size = n;
  o.phases = steps;
  o.threads = places;
  return o;
}

lattice_boltzmann::serial_cavity flow_of(const flow_setting& s, std::uint64_t steps) {
  lattice_boltzmann::serial_cavity flow(s.size, s.lid(), s.how());
  for (std::uint64_t i = 0; i < steps; ++i) flow.step();
  return flow;
}

void tell(lattice_boltzmann_problem& p, const flow_digest& flow, flow_match match) {
  p.reset();
  p.done(flow, 0, 0, {}, match);
}

TEST(flows, accepts_only_that_of_the_plain_kernel) {
  lattice_boltzmann_problem p(cells_and_steps(20, 30));
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
  const flow_setting& s = p.setting();
  lattice_boltzmann::serial_cavity flow = flow_of(s, s.steps + s.k_warm);
  for (const flow_match match : {flow_match::bits, flow_match::rounded}) {
    tell(p, digest_of(flow, s.size), match);
    p.verify();
    tell(p, digest_of(flow_of(s, s.steps), s.size), match);
    EXPECT_THROW(p.verify(), wrong_answer);
    tell(p, flow_digest(), match);
    EXPECT_THROW(p.verify(), wrong_answer);
  }
}

// Two cells that have changed places: no mass is lost.
TEST(flows, of_which_two_cells_are_exchanged_is_refused) {
  lattice_boltzmann_problem p(cells_and_steps(20, 30));
  const flow_setting& s = p.setting();
  for (const flow_match match : {flow_match::bits, flow_match::rounded}) {
    lattice_boltzmann::serial_cavity flow = flow_of(s, s.steps + s.k_warm);
    const double one = flow(3, 1, 17);
    flow.set(3, 1, 17, flow(4, 1, 18));
    flow.set(4, 1, 18, one);
    tell(p, digest_of(flow, s.size), match);
    EXPECT_THROW(p.verify(), wrong_answer);
  }
}

TEST(flows, rounding_is_told_from_equal_bits) {
  lattice_boltzmann_problem p(cells_and_steps(20, 30));
  const flow_setting& s = p.setting();
  lattice_boltzmann::serial_cavity flow = flow_of(s, s.steps + s.k_warm);
  flow.set(3, 1, 17, std::nextafter(flow(3, 1, 17), 2));
  tell(p, digest_of(flow, s.size), flow_match::rounded);
  p.verify();
  tell(p, digest_of(flow, s.size), flow_match::bits);
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(flows, parts_cover_the_cavity_once) {
  for (const int places : {1, 2, 3, 4, 6, 8}) {
    const lattice_boltzmann_problem p(cells_and_steps(37, 1, places));
    std::vector<int> covered(37 * 37);
    for (int place = 0; place < places; ++place) {
      const auto x = p.setting().x_of(place);
      const auto y = p.setting().y_of(place);
      for (index i = x.lo; i < x.hi; ++i) {
        for (index j = y.lo; j < y.hi; ++j) ++covered[static_cast<std::size_t>(i * 37 + j)];
      }
    }
    EXPECT_EQ(covered, std::vector<int>(37 * 37, 1)) << places;
  }
}

// Ghosts of all parts of a cavity, by copying: at(part, i, q, j) is where the q-th number of a cell lies.
template <class Part, class At>
void exchange(const flow_setting& s, const std::vector<Part>& parts, std::size_t numbers, const At& at) {
  const auto has = [](const Part& p, index i, index j) {
    return i >= p.x.lo && i < p.x.hi && j >= p.y.lo && j < p.y.hi;
  };
  for (const Part& mine : parts) {
    for (index i = std::max<index>(mine.x.lo - 1, 0); i < std::min(mine.x.hi + 1, s.size); ++i) {
      for (index j = std::max<index>(mine.y.lo - 1, 0); j < std::min(mine.y.hi + 1, s.size); ++j) {
        if (has(mine, i, j)) continue;
        const auto owner = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return has(p, i, j); });
        for (std::size_t q = 0; q < numbers; ++q) *at(mine, i, q, j) = *at(*owner, i, q, j);
      }
    }
  }
}

TEST(flows, blocks_have_the_bits_of_the_plain_kernel) {
  for (const int places : {1, 2, 4, 6}) {
    lattice_boltzmann_problem p(cells_and_steps(21, 30, places));
    const flow_setting& s = p.setting();
    std::vector<std::vector<double>> memory;
    std::vector<flow_block> now;
    std::vector<flow_block> next;
    for (int place = 0; place < places; ++place) {
      for (auto* const blocks : {&now, &next}) {
        flow_block b;
        b.x = s.x_of(place);
        b.y = s.y_of(place);
        b.step_q = b.y.hi - b.y.lo + 2;
        b.step_x = 9 * b.step_q;
        memory.emplace_back(static_cast<std::size_t>((b.x.hi - b.x.lo + 2) * b.step_x));
        b.first = memory.back().data() + b.step_x + 1;
        blocks->push_back(b);
      }
      now.back().rest();
    }
    for (std::uint64_t step = 0; step < s.steps + s.k_warm; ++step) {
      exchange(s, now, 9, [](const flow_block& b, index i, std::size_t q, index j) { return b.at(i, q, j); });
      for (std::size_t i = 0; i < now.size(); ++i) {
        now[i].send_back(s.size, s.lid());
        now[i].relax(next[i], s.how());
      }
      std::swap(now, next);
    }
    flow_digest all;
    for (const flow_block& b : now) all.add(b.digest());
    tell(p, all, flow_match::bits);
    p.verify();
  }
}

TEST(flows, cells_of_the_sample_differ_by_rounding_only) {
  for (const int places : {1, 2, 4}) {
    lattice_boltzmann_problem p(cells_and_steps(21, 30, places));
    const flow_setting& s = p.setting();
    std::vector<std::vector<double>> memory;
    std::vector<sample_cells> parts;
    for (int place = 0; place < places; ++place) {
      sample_cells c;
      c.x = s.x_of(place);
      c.y = s.y_of(place);
      c.step_x = (c.y.hi - c.y.lo + 2) * sample_cells::k_numbers;
      memory.emplace_back(static_cast<std::size_t>((c.x.hi - c.x.lo + 2) * c.step_x));
      c.first = memory.back().data() + c.step_x + sample_cells::k_numbers;
      c.rest();
      parts.push_back(c);
    }
    for (std::uint64_t step = 0; step < s.steps + s.k_warm; ++step) {
      for (const sample_cells& c : parts) c.keep();
      exchange(s, parts, 27, [](const sample_cells& c, index i, std::size_t q, index j) { return c.at(i, j) + q; });
      for (const sample_cells& c : parts) c.collide(s.size, s.lid(), s.how().even);
    }
    flow_digest all;
    for (const sample_cells& c : parts) all.add(c.digest());
    tell(p, all, flow_match::rounded);
    p.verify();
    tell(p, all, flow_match::bits);
    EXPECT_THROW(p.verify(), wrong_answer);
  }
}

}  // namespace
}  // namespace bench
