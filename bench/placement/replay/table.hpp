// SPDX-License-Identifier: Apache-2.0
// The tasks of a run, as its profile lists them (docs/profile-format.md).
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace bench {

struct table_site {
  enum class kind { plain, flexible, sensitive };

  std::string name;
  kind written;
};

struct table_task {
  std::uint64_t ns;            ///< its own, without that of its children
  std::uint64_t bytes;         ///< that go with it
  std::uint64_t result_bytes;  ///< that come home
  std::uint32_t site;          ///< its index in task_table::sites
  std::uint32_t first_child;   ///< children follow each other, in the order in which they were spawned
  std::uint32_t children;
};

struct task_table {
  std::vector<table_site> sites;
  std::vector<table_task> tasks;  ///< those without a parent come first
  std::uint32_t roots = 0;
  bool spawns_at_end = false;  ///< each task all its children; else evenly while it runs

  /// So long after its begin a task spawns its child number `child`.
  [[nodiscard]] std::uint64_t spawned_after(const table_task& task, std::uint32_t child) const {
    return spawns_at_end ? task.ns : task.ns * (child + 1) / (task.children + 1);
  }

  [[nodiscard]] std::uint64_t total_ns() const;
  [[nodiscard]] std::uint64_t median_ns() const;

  /// The least that waves of so many roots can take, one after the other, whose tasks spawn their children evenly.
  [[nodiscard]] std::uint64_t longest_path_ns(std::uint32_t roots_of_wave) const;

  /// Of each task the shorter of both times. std::runtime_error if the other table is not of the same tasks.
  void keep_shorter(const task_table& other);

  /// All times by a factor, so that this is the median of them.
  void stretch_to_median(double ns);
};

/// std::runtime_error for what is no profile, or does not list all tasks; `name` is how errors call it.
task_table read_table(std::istream& in, const std::string& name);
task_table read_table(const std::string& file);

/// A table as `tactus simulate` reads it, in which each task took as long as `ns` says; those without a parent are of place `root_place`.
void write_table(std::ostream& out, const task_table& table, const std::vector<std::uint64_t>& ns, int root_place);

}  // namespace bench
