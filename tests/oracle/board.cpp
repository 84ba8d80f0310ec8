// SPDX-License-Identifier: Apache-2.0
#include "board.hpp"

#include <tactus/tactus.hpp>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ts = tactus;

namespace oracle {
namespace {

constexpr std::size_t k_most_boards = 128;
constexpr std::size_t k_board_bytes = std::size_t{2} << 20U;  // address space: what no program uses takes no memory

rank_list g_ranks;
std::byte* g_shared = nullptr;  // null: there is one process

[[noreturn]] void fails(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

void map_shared(const std::string& name) {
  const int file = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fails("cannot open " + name + " of rank 0; the ranks have to be on one machine");
  void* const memory = ::mmap(nullptr, k_most_boards * k_board_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) fails("cannot map " + name);
  ::close(file);
  g_shared = static_cast<std::byte*>(memory);
}

ts::config plain() {
  ts::config c;
  c.env = false;
  c.threads = 1;
  return c;
}

}  // namespace

rank_list ranks() noexcept { return g_ranks; }

void meet_ranks() {
  ts::runtime meeting(plain());
  meeting.run([] {
    if (ts::num_places() == 1) return;
    const int file = ::memfd_create("tactus-oracle", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, k_most_boards * k_board_bytes) != 0) fails("cannot make memory for all ranks");
    const std::string name = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file);
    ts::at_each(
        ts::places(),
        [](const std::string& of_all) {
          map_shared(of_all);
          g_ranks = {ts::here().id(), ts::num_places()};
        },
        name);
    ::close(file);
  });
}

bool as_rank_0_says(bool said) {
  if (!g_ranks.several()) return said;
  ts::runtime asking(plain());
  return asking.run([said] { return said; });
}

void board::lay_out(const program& p) {
  const std::size_t phases = std::size_t{p.clocks} * k_max_phases;
  std::size_t words = 0;
  const auto claim = [&words](std::size_t bytes) {
    const std::size_t at = words;
    words += (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    return at;
  };
  const std::size_t tasks = p.tasks.size();
  const std::size_t of_arguments = claim(8 * tasks);
  const std::size_t of_done = claim(8 * tasks);
  const std::size_t of_gone = claim(8 * tasks);
  const std::size_t of_cells = claim(8 * p.cells);
  const std::size_t of_arrivals = claim(2 * phases);
  const std::size_t of_ran = claim(p.statements.size());
  const std::size_t of_entered = claim(tasks);
  const std::size_t of_singles = claim(phases);

  std::uint64_t* memory = nullptr;
  if (g_shared == nullptr) {
    if (own_.size() < words) own_.resize(2 * words);
    memory = own_.data();
  } else {
    if (number_ >= k_most_boards || 8 * words > k_board_bytes)
      throw std::length_error("a board for all ranks is too small");
    memory = reinterpret_cast<std::uint64_t*>(g_shared + number_ * k_board_bytes);
  }
  if (g_ranks.here == 0) std::fill_n(memory, words, std::uint64_t{0});
  // Atomics of 0 are bytes of 0 here, and are not made anew: other ranks have them, too.
  const auto view = [memory]<class T>(std::span<T>& to, std::size_t at, std::size_t n) {
    to = {reinterpret_cast<T*>(memory + at), n};
  };
  view(arguments, of_arguments, tasks);
  view(done, of_done, tasks);
  view(gone, of_gone, tasks);
  view(cells, of_cells, p.cells);
  view(arrivals, of_arrivals, phases);
  view(ran, of_ran, p.statements.size());
  view(entered, of_entered, tasks);
  view(singles_run, of_singles, phases);
}

}  // namespace oracle
