// SPDX-License-Identifier: Apache-2.0
// Initialises MPI before main, as a program does that calls it itself, and ends it behind main: at the level that TACTUS_TESTS_MPI_LEVEL names,
// single or funneled; without that variable it does nothing. What is linked with it need not know of MPI.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <mpi.h>

namespace {

const class mpi_at_level {
public:
  mpi_at_level() {
    const char* const name = std::getenv("TACTUS_TESTS_MPI_LEVEL");
    if (name == nullptr) return;
    const int level = std::string_view(name) == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED;
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, level, &given);
    begun_ = true;
    if (given > level) std::printf("at_level: this MPI gives level %d for %d\n", given, level);
  }
  ~mpi_at_level() {
    if (begun_) MPI_Finalize();
  }
  mpi_at_level(const mpi_at_level&) = delete;
  mpi_at_level& operator=(const mpi_at_level&) = delete;

private:
  bool begun_ = false;
} g_mpi;

}  // namespace
