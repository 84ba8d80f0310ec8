// SPDX-License-Identifier: Apache-2.0
#include "trace/process_counts.hpp"

#include <tactus/base/error.hpp>
#include <tactus/wire/impl/pack.hpp>

#include "base/job.hpp"
#include "place/frame.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace tactus::detail {
namespace {

// ---- bytes: those of each process behind their number, in the order of bytes that is the same on all machines: the least comes first ----

using length = std::uint64_t;

constexpr byte_order k_order = std::endian::native == std::endian::little ? byte_order::same : byte_order::swapped;
static_assert(swaps<operation_stats>);

void append(std::vector<std::byte>& all, std::span<const std::byte> one) {
  all.insert(all.end(), one.begin(), one.end());
}

std::vector<std::byte> bytes_of(const process_counts& own) {
  const length n = packed_bytes(own);
  std::vector<std::byte> bytes(sizeof n + n);
  pack<k_order>(bytes.data(), sizeof n, n);
  pack<k_order>(bytes.data() + sizeof n, n, own);
  return bytes;
}

// ---- a binomial tree: the processes below number r are those behind it, as many as its lowest bit that is set says ----

int parent_of(int rank) { return rank & (rank - 1); }

std::vector<int> children_of(int rank, int ranks) {
  std::vector<int> children;
  for (int bit = 1; (rank & bit) == 0 && rank + bit < ranks; bit *= 2) {
    children.push_back(rank + bit);
  }
  return children;
}

// Of so many processes, at number `rank`.
std::vector<process_counts> counts_in(std::span<const std::byte> all, int rank, int ranks) {
  std::vector<process_counts> counts;
  for (int from = 0; from < ranks; ++from) {
    try {
      reader<k_order> in(all, from);
      const std::size_t n = in.take_length(1);
      reader<k_order> one({in.take(n), n}, from);
      counts.push_back(unpack<process_counts>(one));
      one.expect_end();
      all = all.subspan(in.position());
    } catch (const place_error&) {
      end_damaged(from, rank, "it is not what a process has counted");
    }
    counts.back().place.totals = sum_of(counts.back().place.workers);
  }
  if (!all.empty()) {
    end_damaged(parent_of(rank), rank, "it speaks of more processes than there are");
  }
  return counts;
}

}  // namespace

std::vector<std::uint64_t> counters_of(const std::vector<worker_counters>& workers) {
  std::vector<std::uint64_t> all;
  all.reserve(workers.size() * k_counters_of_worker);
  for (const worker_counters& w : workers) {
    worker_counters::visit([&](const char*, const char*, counter_kind, auto counter) { all.push_back(w.*counter); });
  }
  return all;
}

std::vector<worker_counters> workers_of(std::span<const std::uint64_t> counters) {
  std::vector<worker_counters> workers(counters.size() / k_counters_of_worker);
  auto next = counters.begin();
  for (worker_counters& w : workers) {
    worker_counters::visit([&](const char*, const char*, counter_kind, auto counter) { w.*counter = *next++; });
  }
  return workers;
}

std::vector<process_counts> gather(job& processes, int rank, int ranks, const process_counts& own) {
  std::vector<std::byte> all = bytes_of(own);
  for (const int child : children_of(rank, ranks)) {
    append(all, processes.hear(child, "tell what it has counted"));
  }
  if (rank != 0) {
    processes.tell(parent_of(rank), all);
    all = processes.hear(parent_of(rank), "tell what all have counted");
  }
  for (const int child : children_of(rank, ranks)) {
    processes.tell(child, all);
  }
  return counts_in(all, rank, ranks);
}

runtime_stats joined(const runtime_stats& own, std::span<const process_counts> all) {
  runtime_stats sum;
  sum.wall = own.wall;
  sum.notices = own.notices;
  for (const process_counts& one : all) {
    sum.places.push_back(one.place);
    sum.workers.insert(sum.workers.end(), one.place.workers.begin(), one.place.workers.end());
    sum.cpu += std::chrono::nanoseconds(one.cpu);
  }
  sum.totals = sum_of(sum.workers);
  for (const process_counts& one : all) {
    sum.totals.unseen_exceptions += one.unseen_exceptions;
  }
  sum_placement(sum);
  return sum;
}

// As hybrid-placement.txt, section 8.4, has them.
void sum_placement(runtime_stats& all) {
  const worker_counters& t = all.totals;
  const std::uint64_t spawned =
      t.spawned_work_first + t.spawned_help_first + t.spawned_shared + t.spawned_invited + t.spawned_remote;
  const double wall = std::chrono::duration<double>(all.wall).count();
  double squares = 0;
  for (const place_stats& p : all.places) {
    all.moves += p.dealt + p.given;
    all.migrations += p.migrations;
    const double most = wall * static_cast<double>(p.workers.size());
    const double share = most <= 0 ? 0 : 100 * p.busy_seconds / most;
    all.utilisation_mean += share;
    squares += share * share;
  }
  all.migration_ratio = spawned == 0 ? 0 : static_cast<double>(all.migrations) / static_cast<double>(spawned);
  const auto places = static_cast<double>(all.places.size());
  all.utilisation_mean /= places;
  all.utilisation_sigma = std::sqrt(std::max(squares / places - all.utilisation_mean * all.utilisation_mean, 0.0));
}

}  // namespace tactus::detail
