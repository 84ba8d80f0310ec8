// SPDX-License-Identifier: Apache-2.0
// The third stop: a program with a mistake.
#pragma once

#include <string>

namespace tour {

/// Runs two tasks that wait for each other's promise, and returns what the library says of that.
std::string what_a_deadlock_says(int threads);

}  // namespace tour
