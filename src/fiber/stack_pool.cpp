// SPDX-License-Identifier: Apache-2.0
#include <tactus/fiber/impl/stack_pool.hpp>

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/base/impl/cpus.hpp>

#include "fiber/guarded_ranges.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace tactus::detail {
namespace {

constexpr std::size_t k_page = 4096;
constexpr std::size_t k_slab_bytes = std::size_t{64} << 20;
constexpr std::size_t k_most_slab_stacks = 256;
constexpr std::size_t k_few_stacks = 8;  // of a slab where address space is short

constexpr std::size_t k_strip_words = 8;
constexpr std::uint32_t k_puts_per_trim = 256;
constexpr std::size_t k_strips_ahead = 6;

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

[[noreturn]] void throw_no_address_space(std::size_t bytes, int error) {
  throw resource_error("tactus: no address space for stacks: mmap of " + std::to_string(bytes >> 10) + " KiB failed (" +
                       std::strerror(error) + "); lower stack_bytes, or raise the limit on virtual memory (ulimit -v)");
}

// Null if the system refuses.
std::byte* map_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t claimed = bytes + alignment;
  void* const p =
      ::mmap(nullptr, claimed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p == MAP_FAILED) {
    return nullptr;
  }
  auto* const start = static_cast<std::byte*>(p);
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t skip = (alignment - address % alignment) % alignment;
  if (skip != 0) {
    ::munmap(start, skip);
  }
  if (claimed - skip != bytes) {
    ::munmap(start + skip + bytes, claimed - skip - bytes);
  }
  // The addresses may have been those of an earlier stack, whose red zones are remembered although its memory is gone.
  stack_sanitizer::forget_frames(start + skip, start + skip + bytes);
  return start + skip;
}

template <class T>
void reserve_twice(std::vector<T>& v, std::size_t n) {
  if (v.capacity() < n) {
    v.reserve(2 * n);
  }
}

}  // namespace

std::size_t stack_pool::system_page_bytes() noexcept {
  return std::max(k_page, static_cast<std::size_t>(std::max(::sysconf(_SC_PAGESIZE), 0L)));
}

std::size_t stack_pool::warm_within(std::size_t memory_limit_bytes) noexcept {
  const std::size_t kept = 2 * system_page_bytes() + 1024;  // of one at rest: two pages, and of tables of pages
  return memory_limit_bytes == 0 ? k_most_warm : memory_limit_bytes / 4 / kept;
}

stack_pool::stack_pool(std::size_t stack_bytes, std::size_t memory_limit_bytes, std::size_t most_warm,
                       std::size_t page_bytes)
    : page_colours_(std::bit_floor(std::clamp<std::size_t>(stack_bytes / (16 * k_page), 1, 4))),
      room_to_begin_(stack_guards::k_bytes + stack_bytes + k_library_bytes),
      // A quarter of stack_bytes on top of that may wait below a task that begins; what stays free for colours comes
      // off it.
      stride_(std::bit_ceil(room_to_begin_ + stack_bytes / 4 + page_colours_ * k_page)),
      stride_shift_(std::countr_zero(stride_)),
      page_bytes_(static_cast<std::uint32_t>(page_bytes)),
      slab_stacks_(std::clamp<std::size_t>(k_slab_bytes / stride_, 1, k_most_slab_stacks)),
      memory_limit_(memory_limit_bytes),
      most_warm_(most_warm) {}

stack_pool::~stack_pool() {
  for_each_used([](fiber_stack& stack) { stack.sanitizer.destroy(); });
  for (const slab& piece : slabs_) {
    guarded_ranges::remove(piece.base);
    ::munmap(piece.base, piece.stacks * stride_);
  }
  for (std::size_t i = 0; i < singles_.size(); ++i) {
    std::byte* const base = reinterpret_cast<std::byte*>(singles_[i]) + sizeof(fiber_stack) - single_bytes_[i];
    guarded_ranges::remove(base);
    ::munmap(base, single_bytes_[i]);
  }
}

// Where address space is short a small slab will do, and at last one stack: a full one might be all that is left for
// the threads and the data of the program.
void stack_pool::map_slab() {
  for (std::size_t stacks = slab_stacks_;; stacks = stacks > k_few_stacks ? k_few_stacks : 1) {
    if (std::byte* const base = map_aligned(stacks * stride_, stride_); base != nullptr) {
      add_slab(base, stacks);
      return;
    }
    if (stacks == 1) {
      throw_no_address_space(2 * stride_, errno);
    }
  }
}

void stack_pool::add_slab(std::byte* base, std::size_t stacks) {
  const std::size_t all = mapped_stacks_ + stacks;
  try {
    reserve_twice(slabs_, slabs_.size() + 1);
    reserve_twice(warm_, std::min(all, most_warm_ + k_chilled_at_once));
    reserve_twice(cold_, all);
    guarded_ranges::add(base, stacks * stride_, stride_, stack_guards::k_bytes);
  } catch (...) {
    ::munmap(base, stacks * stride_);
    throw;
  }
  slabs_.push_back({base, stacks, 0});
  mapped_stacks_ = all;
}

fiber_stack* stack_pool::revive(std::byte* base) {
  auto* const stack = new (control_block(base)) fiber_stack;
  stack->low = base + stack_guards::k_bytes;
  stack->sanitizer.create();
  return stack;
}

// Makes up to `wanted` stacks that nobody has used; at least one.
std::size_t stack_pool::carve(stack_top* out, std::size_t wanted, live_worker_counters& counters) {
  if (slabs_.empty() || slabs_.back().carved == slabs_.back().stacks) {
    map_slab();
  }
  slab& piece = slabs_.back();
  const std::size_t n = std::min(wanted, piece.stacks - piece.carved);
  std::byte* const first = piece.base + piece.carved * stride_;
  guards_.install(first, n, stride_);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = revive(first + i * stride_)->top();
  }
  piece.carved += n;
  counters.stacks_created += n;
  counters.stack_bytes += n * stride_;
  return n;
}

void stack_pool::refuse_above_limit() const {
  if (memory_limit_ == 0) {
    return;
  }
  const std::uint64_t used = resident_memory();
  if (used > memory_limit_) {
    throw resource_error("tactus: memory limit reached: " + mebibytes(used) + " resident, limit " +
                         mebibytes(memory_limit_) + ", " + std::to_string(outstanding()) +
                         " stacks in use; raise memory_bytes (TACTUS_MEMORY_BYTES), or use adaptive or help_first "
                         "where tasks nest deeply");
  }
}

std::size_t stack_pool::take(stack_top* out, std::size_t wanted, at_limit mode, live_worker_counters& counters) {
  const std::lock_guard lock(mutex_);
  std::size_t got = std::min(wanted, warm_.size());
  std::reverse_copy(warm_.end() - static_cast<std::ptrdiff_t>(got), warm_.end(), out);
  warm_.resize(warm_.size() - got);
  if (got == 0) {
    if (mode == at_limit::refuse) {
      refuse_above_limit();
    }
    try {
      for (; got < wanted && !cold_.empty(); ++got) {
        out[got] = revive(cold_.back())->top();
        cold_.pop_back();
      }
      while (got < wanted) {
        got += carve(out + got, wanted - got, counters);
      }
    } catch (...) {
      if (got == 0) {
        throw;
      }
    }
  }
  const std::size_t now = outstanding_.load(memory_order_relaxed) + got;  // relaxed: written under mutex_ only
  outstanding_.store(now, memory_order_relaxed);                          // as above
  counters.peak_stacks_live.raise_to(now);
  return got;
}

// Gives back the memory of those that have come last. Neighbours tend to come together, and the kernel is asked once
// for all that lie in a row: their guards stay, and what is asked for one by one costs it four times as much.
void stack_pool::chill_newest() noexcept {
  const auto begin = warm_.end() - static_cast<std::ptrdiff_t>(k_chilled_at_once);
  std::sort(begin, warm_.end());
  const std::size_t already = cold_.size();
  for (auto s = begin; s != warm_.end(); ++s) {
    reinterpret_cast<fiber_stack*>(*s)->sanitizer.destroy();
    cold_.push_back(base_of(*s));
  }
  warm_.erase(begin, warm_.end());
  for (std::size_t i = already; i < cold_.size();) {
    std::byte* const first = cold_[i];
    std::byte* end = first;
    for (; i < cold_.size() && cold_[i] == end; ++i) {
      end += stride_;
    }
    ::madvise(first + stack_guards::k_bytes, static_cast<std::size_t>(end - first) - stack_guards::k_bytes,
              MADV_DONTNEED);
  }
}

// The lowest words of the two pages that a stack at rest keeps.
std::uint64_t* stack_pool::strip_of(stack_top s) const noexcept {
  return reinterpret_cast<std::uint64_t*>(s - (reinterpret_cast<std::uintptr_t>(s) & (k_page - 1)) - k_page);
}

// Whatever a deep call chain touched goes back at once; the top pages are kept. To ask the kernel costs half a microsecond, so it is
// asked only if the strip at the low end of what is kept has been written to, and every so often, for frames that leave gaps.
void stack_pool::trim(stack_top s) noexcept {
  std::byte* const low = base_of(s) + stack_guards::k_bytes;
  std::uint64_t* const strip = strip_of(s);
  // The kernel rounds up what it is to give back: where its pages are large, the strip lies within one.
  std::byte* const kept = reinterpret_cast<std::byte*>(strip) -
                          (reinterpret_cast<std::uintptr_t>(strip) & (std::uintptr_t{page_bytes_} - 1));
  if (kept <= low) {
    return;
  }
  const bool deep = std::any_of(strip, strip + k_strip_words, [](std::uint64_t word) { return word != 0; });
  if (deep || ++puts_ % k_puts_per_trim == 0) {
    ::madvise(low, static_cast<std::size_t>(kept - low), MADV_DONTNEED);
  }
  if (deep) {
    std::fill(strip, strip + k_strip_words, 0);  // only then: writing takes a page, which perhaps no task has touched
  }
}

void stack_pool::put(const stack_top* stacks, std::size_t n) noexcept {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < n; ++i) {
    stack_top const s = stacks[i];
    if (guards_.kind() == guard_kind::canary) {
      TACTUS_ALWAYS_ASSERT(stack_guards::is_intact(base_of(s)), "a task wrote below its stack: raise stack_bytes");
    }
    if (warm_.size() < most_warm_ && guards_.kind() != guard_kind::canary) {
      __builtin_prefetch(strip_of(stacks[std::min(i + k_strips_ahead, n - 1)]));
      trim(s);
    }
    warm_.push_back(s);  // cannot throw, nor can chill_newest(): add_slab() reserved room for every stack there is
    if (warm_.size() == most_warm_ + k_chilled_at_once) {
      chill_newest();
    }
  }
  outstanding_.store(outstanding_.load(memory_order_relaxed) - n,
                     memory_order_relaxed);  // relaxed: written under mutex_ only
}

fiber_stack* stack_pool::make_single(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::size_t needed = std::max(stack_guards::k_bytes + bytes + k_library_bytes, room_to_begin_);
  const std::size_t stack_bytes = (needed + stride_ - 1) & ~(stride_ - 1);
  reserve_twice(singles_, singles_.size() + 1);
  reserve_twice(single_bytes_, single_bytes_.size() + 1);
  std::byte* const base = map_aligned(stack_bytes, stride_);
  if (base == nullptr) {
    throw_no_address_space(stack_bytes + stride_, errno);
  }
  try {
    guarded_ranges::add(base, stack_bytes, stack_bytes, stack_guards::k_bytes);
  } catch (...) {
    ::munmap(base, stack_bytes);
    throw;
  }
  guards_.install(base);
  auto* const stack = new (base + stack_bytes - sizeof(fiber_stack)) fiber_stack;
  stack->low = base + stack_guards::k_bytes;
  stack->sanitizer.create();
  singles_.push_back(stack);
  single_bytes_.push_back(stack_bytes);
  return stack;
}

// In place: a program that is stuck for lack of memory is told about, too.
void stack_pool::sort_cold() noexcept { std::sort(cold_.begin(), cold_.end()); }

bool stack_pool::is_cold_when_sorted(const std::byte* base) const noexcept {
  return std::binary_search(cold_.begin(), cold_.end(), base);
}

}  // namespace tactus::detail
