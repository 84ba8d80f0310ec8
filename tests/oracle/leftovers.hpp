// SPDX-License-Identifier: Apache-2.0
// What runs over places must not leave behind. Where the library shows its insides: not in a shared one.
#pragma once

#include <tactus/tactus.hpp>

#include <string>

namespace oracle {

/// What is left at the places of `on`, between two runs: parts and ledgers of finishes, slots of who waited for at(), messages that
/// were sent and not taken. Empty: nothing. Makes a run of its own, in which places tell each other what they have sent and taken; of
/// several processes all do so.
[[nodiscard]] std::string leftovers_of(tactus::runtime& on);

}  // namespace oracle
