// SPDX-License-Identifier: Apache-2.0
// Ranks that believe that they are on several machines, and what policies of placement make of that: a stand-in for MPI_Get_processor_name says
// where each is. Argument: blocks, cyclic or one.
#include <tactus/tactus.hpp>

#include "place/flexible_tasks.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <mpi.h>

namespace ts = tactus;

namespace {

constexpr int k_machines = 2;
constexpr int k_tasks = 200;

std::string g_spread;
std::atomic<int> g_ran;  // of this process

int machine_of(int rank, int ranks) {
  if (g_spread == "blocks") {
    return rank * k_machines / ranks;
  }
  return g_spread == "cyclic" ? rank % k_machines : 0;
}

int near_group_here() { return ts::detail::place_node::of(ts::detail::current_worker()).flexible()->near_group(); }

// Where some are near, and where nobody is, each task runs once.
bool tasks_run() {
  ts::at_each(ts::places(), [] { g_ran = 0; });
  ts::finish([] {
    for (int i = 0; i < k_tasks; ++i) {
      ts::async_at(ts::place_flexible, [] { ++g_ran; });
    }
  });
  int all = 0;
  for (const ts::place p : ts::places()) {
    all += ts::at(p, [] { return g_ran.load(); });
  }
  return all == k_tasks;
}

}  // namespace

extern "C" int MPI_Get_processor_name(char* name, int* length) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string machine = "machine" + std::to_string(machine_of(rank, ranks));
  std::memcpy(name, machine.c_str(), machine.size() + 1);
  *length = static_cast<int>(machine.size());
  return MPI_SUCCESS;
}

int main(int, char** arguments) {
  g_spread = arguments[1];
  ts::config c;
  c.threads = 1;
  c.placement = ts::placement_policy::hybrid;
  return ts::run(c, [] {
    const int expected = g_spread == "blocks" ? ts::num_places() / k_machines : 1;
    bool right = tasks_run();
    for (const ts::place p : ts::places()) {
      const int group = ts::at(p, [] { return near_group_here(); });
      if (group != expected) {
        std::fprintf(stderr, "place %d: groups of %d, not of %d\n", p.id(), group, expected);
        right = false;
      }
    }
    return right ? 0 : 1;
  });
}
