// SPDX-License-Identifier: Apache-2.0
// What a debugger has to know of this library to find its tasks, as the script tools/gdb/tactus.py reads it: from memory, without
// types, so that a program with debug information does not need a library with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus::detail {

class run_control;

/// An offset or a number, by name.
struct debugger_fact {
  char name[32];
  std::int64_t value;
};

/// Where the script begins, by the name of the symbol.
struct debugger_root {
  const debugger_fact* facts;                    ///< the last one has no name
  const std::vector<run_control*>* active_runs;  ///< null before the first one
  std::ptrdiff_t this_worker;                    ///< from a thread's pointer to its tactus_this_worker
};

/// Tells where the active runs are listed. With the lock of that list.
void show_debuggers(const std::vector<run_control*>& active_runs) noexcept;

}  // namespace tactus::detail
