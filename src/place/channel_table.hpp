// SPDX-License-Identifier: Apache-2.0
// The ends of channels of one place.
#pragma once

#include <tactus/place/impl/channel.hpp>

#include "place/key_table.hpp"

#include <cstdint>
#include <mutex>
#include <utility>

namespace tactus::detail {

class channel_table {
public:
  /// std::bad_alloc.
  void open(channel_end& end) {
    auto& shard = ends_.of(end.key);
    const std::lock_guard lock(shard.mutex);
    shard.insert(&end);
  }

  /// What is brought to it at this moment has come when this returns.
  void close(const channel_end& end) noexcept {
    auto& shard = ends_.of(end.key);
    const std::lock_guard lock(shard.mutex);
    shard.erase(&end);
  }

  void bring(std::uint64_t key, channel_message&& m) noexcept {
    auto& shard = ends_.of(key);
    const std::lock_guard lock(shard.mutex);
    if (channel_end* const end = shard.find(key); end != nullptr) {
      end->arrive(std::move(m));
    }
  }

  [[nodiscard]] channel_end* find(std::uint64_t key) noexcept {
    auto& shard = ends_.of(key);
    const std::lock_guard lock(shard.mutex);
    return shard.find(key);
  }

private:
  key_table<channel_end> ends_;
};

}  // namespace tactus::detail
