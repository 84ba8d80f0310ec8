// SPDX-License-Identifier: Apache-2.0
// What the simulated machine has to do: a table of tasks that is complete before the run, so that it does not depend on who runs what.
#pragma once

#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace simulator {

/// A workload or cost file that cannot be; the text says what and where.
class bad_input : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// To be asked when there is no next line: bad_input if what is called `name` was not read to its end.
inline void expect_read(const std::istream& in, const std::string& name) {
  if (in.bad()) throw bad_input(name + ": it cannot be read, or not to its end");
}

inline constexpr std::int32_t k_where_parent_runs = -1;

struct task {
  std::int64_t ns;            ///< how long it runs
  std::uint32_t first_child;  ///< its children, which it spawns when it ends, follow each other
  std::uint32_t children;
  std::uint32_t bytes;         ///< that go with it where it moves
  std::uint32_t result_bytes;  ///< that go home where it moved; 0: no result
  std::int32_t place;          ///< its designated place
  bool flexible;
};

/// Two times, none of which is negative; bad_input where the sum is longer than any run: 2^62 ns are 146 years.
std::int64_t sum_of(std::int64_t a, std::int64_t b);

struct workload {
  std::vector<task> tasks;
  std::vector<std::uint32_t> roots;  ///< that are there at the start; with places of their own

  [[nodiscard]] std::int64_t total_ns() const;  ///< bad_input, as sum_of()
};

/// T1, T2, T3 of the UTS benchmark, node by node the published ones; or binomial:B0,M,Q,SEED, in which the root has B0 children and each other node
/// M with probability Q; each node a flexible task of `grain_ns`. Else the name of a task table that a run has recorded (docs/simulator.md).
workload workload_named(const std::string& name, std::int64_t grain_ns);

/// At most so many nodes of a tree and lines of a table: what fits into memory.
inline constexpr std::size_t k_most_tasks = 200'000'000;

}  // namespace simulator
