// SPDX-License-Identifier: Apache-2.0
#include "base/job.hpp"

#include <tactus/base/impl/atomic.hpp>

#include "base/option_errors.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tactus::detail {
namespace {

constinit atomic<const joiner*> g_joiner{nullptr};

// Set by the launchers of the MPIs that we know, and above so much only where there are several processes. A rank says so but in the first.
struct launch_variable {
  const char* name;
  int of_one;
};
constexpr launch_variable k_launched[] = {{"OMPI_COMM_WORLD_SIZE", 1}, {"PMI_SIZE", 1}, {"PMIX_RANK", 0}};

void tell_if_launched() {
  static atomic<bool> told{false};
  for (const auto& [name, of_one] : k_launched) {
    const char* const value = std::getenv(name);
    if (value != nullptr && std::atoi(value) > of_one &&
        !told.exchange(true, memory_order_relaxed)) {  // relaxed: a fact
      std::fprintf(stderr,
                   "tactus: %s=%s, but this program is built without tactus::mpi: each process runs all of it for "
                   "itself; link tactus::mpi, or set TACTUS_MPI=off if that is meant\n",
                   name, value);
      return;
    }
  }
}

}  // namespace

void install(const joiner& j) noexcept { g_joiner.store(&j, memory_order_release); }  // release: pairs with the load

const joiner* installed_joiner() noexcept {
  return g_joiner.load(memory_order_acquire);  // acquire: see above
}

bool is_to_run_alone() {
  const char* const value = std::getenv("TACTUS_MPI");
  if (value == nullptr || *value == '\0') {
    return false;
  }
  if (std::strcmp(value, "off") != 0) {
    refuse("TACTUS_MPI", value, "off, or nothing");
  }
  return true;
}

launch this_launch(const communicator* processes) {
  if (is_to_run_alone()) {
    return {};
  }
  if (const joiner* const j = installed_joiner(); j != nullptr) {
    return j->who(processes);
  }
  tell_if_launched();
  return {};
}

std::unique_ptr<job> join(const launch& who) {
  const joiner* const j = installed_joiner();
  return who.has_others() && j != nullptr ? j->join(who) : nullptr;
}

}  // namespace tactus::detail
