// SPDX-License-Identifier: Apache-2.0
#include "place/lane.hpp"

#include <tactus/base/impl/assert.hpp>

#include <algorithm>

namespace tactus::detail {

bool lane::try_take(std::int64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (first_ != nullptr || !has_room_for(bytes)) {
    return false;
  }
  free_ -= bytes;
  return true;
}

std::int64_t lane::try_take_for(std::int64_t wanted, std::int64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (first_ != nullptr || free_ < bytes) {
    return 0;
  }
  const std::int64_t got = std::min(wanted, free_ / bytes);
  free_ -= got * bytes;
  return got;
}

bool lane::take_or_wait(waiter& w) noexcept {
  const std::lock_guard lock(mutex_);
  if (first_ == nullptr && has_room_for(w.bytes)) {
    free_ -= w.bytes;
    return false;
  }
  w.behind = nullptr;
  (first_ == nullptr ? first_ : last_->behind) = &w;
  last_ = &w;
  return true;
}

lane::waiter* lane::give(std::int64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  free_ += bytes;
  TACTUS_ASSERT(free_ <= window_, "room is given back once (messages M6)");
  waiter* const served = first_;
  waiter* end = nullptr;
  while (first_ != nullptr && has_room_for(first_->bytes)) {
    free_ -= first_->bytes;
    end = first_;
    first_ = first_->behind;
  }
  if (end == nullptr) {
    return nullptr;
  }
  end->behind = nullptr;
  return served;
}

}  // namespace tactus::detail
