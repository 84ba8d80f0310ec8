// SPDX-License-Identifier: Apache-2.0
// Stands between the engine and MPI, as tools for MPI do (PMPI), in programs that are linked with it. What the engine sends comes late, in pieces
// and in any order that MPI, or the engine, allows; or as it never may. docs/protocols/processes.md, "Bad weather".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace support {

enum class mpi_fault : std::uint8_t {
  none,
  loses_control,      ///< the tenth control frame of a pair of ranks
  doubles_control,    ///< that one comes twice
  renumbers_control,  ///< it has the number of the next
  loses_task,         ///< the tenth task
  doubles_task,       ///< that one comes twice
  damages_head,       ///< the tenth frame says that it is of another place
  cuts_frame,         ///< its last word does not come
};

/// From here on, and before runtimes are made: messages of this process have such weather.
void shuffle_mpi(std::uint64_t seed, mpi_fault fault = mpi_fault::none);

/// By its name here.
[[nodiscard]] std::optional<mpi_fault> mpi_fault_of(std::string_view name);

/// What has happened to messages of this process.
struct weather {
  std::uint64_t frames = 0;  ///< or, of long ones and of ranges, parts
  std::uint64_t late = 0;    ///< of them
  std::uint64_t passed = 0;  ///< of them, by one that was sent later
  std::uint64_t split = 0;   ///< messages that came as several
  std::uint64_t unseen = 0;  ///< answers of MPI_Test and MPI_Testany that what they ask for is not there, whatever is
  std::uint64_t faults = 0;
};
[[nodiscard]] weather weather_so_far();
[[nodiscard]] std::string text_of(const weather& w);

}  // namespace support
