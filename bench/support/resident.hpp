// SPDX-License-Identifier: Apache-2.0
// Resident memory, threads and processor time of this process, as the kernel counts them.
#pragma once

#include <cstdint>

namespace bench {

/// Bytes resident now.
std::uint64_t resident_bytes();

/// The most bytes resident since the last forget_peak(), or since the process began where the kernel
/// does not let the mark be set back.
std::uint64_t peak_resident_bytes();

/// Sets the mark of peak_resident_bytes() back to what is resident now; false where that is not allowed.
bool forget_peak();

/// Threads that exist now, the main one among them.
std::uint64_t thread_count();

/// Seconds of processor time used by all threads of this process.
double processor_seconds();

}  // namespace bench
