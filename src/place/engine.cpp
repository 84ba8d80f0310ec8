// SPDX-License-Identifier: Apache-2.0
#include "place/engine.hpp"

#include <tactus/base/impl/atomic.hpp>

#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"

#include <cstdio>
#include <exception>

namespace tactus::detail {
namespace {

constinit atomic<engine_maker> g_maker{nullptr};

constinit atomic<bool> g_odd_play_swapped{false};

// What was lost, or came twice, cannot be made good: some finish would never end, or end too early.
[[noreturn]] void end_out_of_order(int from, int to, std::uint32_t due, std::uint32_t came) noexcept {
  std::fprintf(
      stderr,
      "tactus: of the control messages from place %d to place %d, number %u came where number %u was due: what carries "
      "them has lost one, has sent one twice or has changed their order; the program cannot go on\n",
      from, to, came, due);
  std::terminate();
}

}  // namespace

void use_engine(engine_maker maker) noexcept {
  g_maker.store(maker, memory_order_release);  // release: what the maker needs; pairs with the load below
}

void let_odd_places_play_swapped(bool they_do) noexcept {
  g_odd_play_swapped.store(they_do, memory_order_relaxed);  // relaxed: before the runtime is made, by who makes it
}

bool plays_other_order(int place) noexcept {
  return place % 2 != 0 && g_odd_play_swapped.load(memory_order_relaxed);  // relaxed: as above
}

std::unique_ptr<engine> make_engine(run_control& run) {
  const engine_maker maker = g_maker.load(memory_order_acquire);  // acquire: as above
  return maker == nullptr || run.options().seed != 0 ? nullptr : maker(run);
}

void place_node::look_at_order(const queued_task* m) noexcept {
  const message_header& h = *std::launder(reinterpret_cast<const message_header*>(m->storage));
  std::uint32_t& last = last_control_[h.from];
  if (const std::uint32_t came = control_number(m); came != last + 1) {
    end_out_of_order(h.from, number(), last + 1, came);
  }
  ++last;
}

}  // namespace tactus::detail
