// SPDX-License-Identifier: Apache-2.0
// Which of the processes that a launcher has started together this one is.
#pragma once

#include <tactus/base/impl/lesser.hpp>
#include <tactus/base/impl/standard.hpp>

#include <cstdint>

namespace tactus::detail {

/// Some of the processes, as their MPI names them: its handle, in a form that does not depend on which MPI it is.
struct communicator {
  std::uintptr_t handle;
};

struct launch {
  int rank = 0;
  int ranks = 1;
  int ranks_here = 1;         ///< on this machine
  bool one_thread = false;    ///< MPI forbids threads
  communicator processes{0};  ///< that run together

  [[nodiscard]] bool has_others() const noexcept { return ranks > 1; }

  /// Of `all` processors of the machine, `usable` of them by this process: so many are its own. A launcher may have bound each process to
  /// some, or let all of them use all.
  template <class N>
  [[nodiscard]] N share_of(N usable, N all) const noexcept {
    return greater(N{1}, lesser(usable, all / static_cast<N>(ranks_here)));
  }
};

}  // namespace tactus::detail
