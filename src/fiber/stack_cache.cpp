// SPDX-License-Identifier: Apache-2.0
#include <tactus/fiber/impl/stack_cache.hpp>

#include <tactus/base/impl/assert.hpp>

#include <algorithm>
#include <exception>

namespace tactus::detail {

void stack_cache::prepare() {
  stack_top one = nullptr;
  static_cast<void>(pool_->take(&one, 1, stack_pool::at_limit::exceed, *counters_));
  keep_in_reserve(one);
  count_ = pool_->take(warm_, 1, stack_pool::at_limit::exceed, *counters_);
}

void stack_cache::keep_in_reserve(stack_top s) noexcept {
  reserve_ = s;
  most_ = k_most;
}

// The cache is empty.
void stack_cache::fill(stack_pool::at_limit mode) {
  count_ = pool_->take(warm_, k_batch / 4, mode, *counters_);
  std::reverse(warm_, warm_ + count_);  // by ascending addresses, where they are new: measurably faster to go through
}

void stack_cache::refill(stack_pool::at_limit mode) {
  if (mode == stack_pool::at_limit::insist) {
    refill_insisting();
    return;
  }
  if (most_ == 0) {  // first what a wait may need that cannot be given up
    stack_top one = nullptr;
    static_cast<void>(pool_->take(&one, 1, mode, *counters_));
    keep_in_reserve(one);
  }
  fill(mode);
}

// Whoever waits on the stack in reserve needs another one to wait on: so the reserve is filled again by the first stack
// that comes back, and until then take() gives none to those who can do without.
void stack_cache::refill_insisting() noexcept {
  try {
    fill(stack_pool::at_limit::insist);
    if (most_ == 0 && count_ > 1) {
      keep_in_reserve(warm_[--count_]);
    }
  } catch (const std::exception& why) {
    if (reserve_ == nullptr) {
      end_without_memory("a task that has to wait for a finish needs one more stack", why.what());
    }
    warm_[0] = reserve_;
    count_ = 1;
    reserve_ = nullptr;
    most_ = 0;
  }
}

bool stack_cache::try_fill() noexcept {
  if (count_ == 0) {
    try {
      refill(stack_pool::at_limit::refuse);
    } catch (...) {  // resource_error, or no memory for the pool's own lists
      return false;
    }
  }
  return true;
}

void stack_cache::give_back(std::size_t oldest) noexcept {
  if (oldest != 0) {
    pool_->put(warm_, oldest);
    std::copy(warm_ + oldest, warm_ + count_, warm_);
    count_ -= oldest;
  }
}

void stack_cache::put_slowly(stack_top s) noexcept {
  if (most_ == 0) {
    keep_in_reserve(s);
    return;
  }
  give_back(k_batch);  // the older half
  warm_[count_++] = s;
}

void stack_cache::drain() noexcept {
  give_back(count_);
  if (reserve_ != nullptr) {
    pool_->put(&reserve_, 1);
    reserve_ = nullptr;
  }
}

}  // namespace tactus::detail
