// SPDX-License-Identifier: Apache-2.0
#include "fiber/guarded_ranges.hpp"

#include <tactus/base/impl/atomic.hpp>

#include <cstdint>
#include <mutex>

namespace tactus::detail {

struct guarded_ranges::range {
  atomic<std::uintptr_t> base;
  atomic<std::size_t> bytes;
  atomic<std::size_t> stack_bytes;
  atomic<std::size_t> guard_bytes;
  atomic<bool> live;  // false once the pool that mapped it is gone
  range* next;

  static atomic<range*> first;  // newest first; pushed under the mutex, read by the signal handler
};

namespace {

constinit std::mutex g_writers;  // one at a time takes a range, or gives it up

}  // namespace

constinit atomic<guarded_ranges::range*> guarded_ranges::range::first{nullptr};

// Ranges are recycled, so that a program that makes runtimes by the thousand does not grow.
void guarded_ranges::add(std::byte* base, std::size_t bytes, std::size_t stack_bytes, std::size_t guard_bytes) {
  const std::lock_guard lock(g_writers);
  for (range* r = range::first.load(memory_order_acquire); r != nullptr; r = r->next) {
    if (!r->live.load(memory_order_relaxed)) {  // relaxed: only writers, under the mutex, care
      // relaxed, all: published by `live`
      r->base.store(reinterpret_cast<std::uintptr_t>(base), memory_order_relaxed);
      r->bytes.store(bytes, memory_order_relaxed);
      r->stack_bytes.store(stack_bytes, memory_order_relaxed);
      r->guard_bytes.store(guard_bytes, memory_order_relaxed);
      r->live.store(true, memory_order_release);  // publishes the fields to a handler on another thread
      return;
    }
  }
  auto* const fresh = new range{reinterpret_cast<std::uintptr_t>(base), bytes, stack_bytes, guard_bytes, true,
                                range::first.load(memory_order_relaxed)};  // relaxed: the mutex orders writers
  range::first.store(fresh, memory_order_release);  // publishes the fields; pairs with the acquire in is_guard()
}

// Of the live ones: a dead range keeps the base that it had, where another pool's may lie by now, and may be made somebody's own.
void guarded_ranges::remove(std::byte* base) noexcept {
  const std::lock_guard lock(g_writers);
  // acquire: the range's fields; pairs with the release in add()
  for (range* r = range::first.load(memory_order_acquire); r != nullptr; r = r->next) {
    // relaxed, all: the mutex orders writers; and the handler of a later fault may see either, the address is dead
    if (r->live.load(memory_order_relaxed) &&
        r->base.load(memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(base)) {
      r->live.store(false, memory_order_relaxed);
      return;
    }
  }
}

const guarded_ranges::range* guarded_ranges::around(std::uintptr_t a) noexcept {
  // acquire: the range's fields; pairs with the release in add()
  for (const range* r = range::first.load(memory_order_acquire); r != nullptr; r = r->next) {
    if (!r->live.load(memory_order_acquire)) {  // acquire: pairs with the release in add()
      continue;
    }
    // relaxed, both: while the address is mapped its range does not change
    const std::uintptr_t base = r->base.load(memory_order_relaxed);
    if (a >= base && a - base < r->bytes.load(memory_order_relaxed)) {
      return r;
    }
  }
  return nullptr;
}

bool guarded_ranges::is_guard(const void* address) noexcept {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const range* const r = around(a);
  // relaxed, all: as above
  return r != nullptr && (a - r->base.load(memory_order_relaxed)) % r->stack_bytes.load(memory_order_relaxed) <
                             r->guard_bytes.load(memory_order_relaxed);
}

bool guarded_ranges::is_stack(std::uintptr_t address) noexcept { return around(address) != nullptr; }

}  // namespace tactus::detail
