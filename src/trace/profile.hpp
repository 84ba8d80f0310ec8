// SPDX-License-Identifier: Apache-2.0
// What the tasks of each site of async_at did, and the file that says so. config::profile, TACTUS_PROFILE or --tactus-profile=FILE asks for
// it; docs/profile-format.md has its form.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/scheduler/impl/continuation.hpp>

#include "place/spawn_sites.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory_resource>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace tactus::detail {

/// A task of a site, from its spawn until all that it has spawned is over.
struct profiled_task {
  spawn_site* of;
  profiled_task* parent;  ///< null: the root task, or what it has spawned plainly
  std::uint64_t id;
  std::uint64_t parent_id;
  int place;
  std::size_t bytes;
  flexibility how;
  bool is_spawned = true;  ///< false: its spawn has thrown, and it only lets its parent go

  // By whoever runs for it.
  atomic<std::uint32_t> holders{1};  // its body, sub-tasks and children that are not over
  atomic<std::int64_t> body_ns{0};
  atomic<std::int64_t> sub_ns{0};
  atomic<std::int64_t> after_ns{0};
  atomic<std::int64_t> children_ns{0};  // inclusive, of those that are over
  atomic<std::uint64_t> brought{0};
  atomic<std::uint64_t> result_bytes{0};
  atomic<std::int64_t> accesses{0};
  atomic<std::uint64_t> uses{0};
  atomic<std::uint32_t> flexible_children{0};
};

/// Whose time a worker's is. The worker's own.
class alignas(k_cache_line) profile_part {
public:
  void turn_to(const traced_task& t) noexcept { turn_to(t.counts_for, t.counts_as); }
  void stop() noexcept { turn_to(nullptr, traced_task::role::body); }

private:
  void turn_to(profiled_task* next, traced_task::role as) noexcept;

  profiled_task* runs_ = nullptr;
  traced_task::role as_ = traced_task::role::body;
  std::int64_t since_ = 0;
};

class profile {
public:
  /// So many tasks are listed one by one; of those spawned later there are the sums of their sites.
  static constexpr std::uint64_t k_most_rows = 1'000'000;

  /// config_error if the file cannot be written. Of a run with so many places, workers of each and workers here.
  profile(const std::string& file, int places, int of_each, std::size_t workers, const spawn_sites& sites);
  ~profile();
  profile(const profile&) = delete;
  profile& operator=(const profile&) = delete;

  [[nodiscard]] profile_part& at(std::size_t worker) noexcept { return parts_[worker]; }

  // ---- any worker; std::bad_alloc ends the process ----

  /// `parent` is about to spawn a task of this number: `as` is sub_task, or visit for the body of an at().
  void spawned(std::uint64_t number, traced_task& parent, traced_task::role as) noexcept;

  /// What was to have this number will never begin: its spawn has thrown.
  void not_spawned(std::uint64_t number) noexcept;

  /// A task begins, which was spawned with this number, or 0; on top of `below`, or null.
  void begins(traced_task& task, std::uint64_t number, const traced_task* below) noexcept;
  void ends(const traced_task& task) noexcept { let_go(task.counts_for); }

  /// Writes what there is by now, or says on stderr why it could not. Between runs.
  void write();

private:
  struct child {
    profiled_task* of;
    traced_task::role as;
  };
  struct shard {
    std::mutex mutex;  // protects the table
    // Each task takes an entry, and gives it back. Not of the default resource, which is the program's own.
    std::pmr::unsynchronized_pool_resource own{std::pmr::new_delete_resource()};
    std::pmr::unordered_map<std::uint64_t, child> expected{&own};
  };
  struct row {
    std::uint64_t id;
    std::uint64_t parent;
    std::int64_t ns;
    std::uint64_t bytes;
    std::uint64_t result_bytes;
    std::size_t site;
    int place;
    flexibility how;
  };

  [[nodiscard]] shard& shard_of(std::uint64_t number) noexcept { return shards_[number % shards_.size()]; }
  [[nodiscard]] child make_child(traced_task& parent, traced_task::role as);
  [[nodiscard]] profiled_task* make(const profiled_spawn& what, profiled_task* parent);
  void let_go(profiled_task* t) noexcept;
  [[nodiscard]] profiled_task* is_over(profiled_task& t);
  void write_sites(std::FILE* to) const;
  void write_rows(std::FILE* to) const;

  const std::string name_;
  std::FILE* file_;
  const int places_;
  const int of_each_;
  const spawn_sites& sites_;
  std::vector<profile_part> parts_;  // by seat
  std::array<shard, 64> shards_;
  std::mutex mutex_;  // protects the rest
  std::deque<profiled_task> memory_;
  std::vector<profiled_task*> free_;
  std::uint64_t last_id_ = 0;
  std::uint64_t not_spawned_ = 0;  // of those that have an id
  std::vector<row> rows_;
};

}  // namespace tactus::detail
