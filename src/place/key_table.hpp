// SPDX-License-Identifier: Apache-2.0
// A table of nodes by their keys: in shards, each with a lock of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tactus::detail {

/// Intrusive: Node has `key` and `Node* next`. What is found is protected while its shard is locked.
template <class Node>
class key_table {
public:
  class shard {
  public:
    [[nodiscard]] Node* find(std::uint64_t key) const noexcept {
      if (buckets_.empty()) {
        return nullptr;
      }
      Node* n = buckets_[bucket_of(key)];
      while (n != nullptr && n->key != key) {
        n = n->next;
      }
      return n;
    }

    /// Its key is not there yet. std::bad_alloc: nothing has happened.
    void insert(Node* n) {
      if (buckets_.empty()) {
        buckets_.resize(k_first);
      } else if (size_ >= 2 * buckets_.size()) {
        grow();
      }
      link(n, buckets_);
      ++size_;
    }

    void erase(const Node* n) noexcept {
      Node** at = &buckets_[bucket_of(n->key)];
      while (*at != n) {
        at = &(*at)->next;
      }
      *at = n->next;
      --size_;
    }

    template <class F>
    void for_each(F&& f) const {
      for (Node* first : buckets_) {
        for (Node* n = first; n != nullptr; n = n->next) {
          f(*n);
        }
      }
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    std::mutex mutex;

  private:
    static constexpr std::size_t k_first = 8;

    [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const noexcept {
      return static_cast<std::size_t>(spread(key) >> 8U) & (buckets_.size() - 1);
    }
    void link(Node* n, std::vector<Node*>& into) noexcept {
      Node*& first = into[static_cast<std::size_t>(spread(n->key) >> 8U) & (into.size() - 1)];
      n->next = first;
      first = n;
    }
    void grow() {
      std::vector<Node*> larger(2 * buckets_.size());
      for (Node* n : buckets_) {
        while (n != nullptr) {
          Node* const following = n->next;
          link(n, larger);
          n = following;
        }
      }
      buckets_.swap(larger);
    }

    std::vector<Node*> buckets_;  // a power of two of them
    std::size_t size_ = 0;
  };

  [[nodiscard]] shard& of(std::uint64_t key) noexcept { return shards_[spread(key) & (k_shards - 1)]; }

  /// Calls f(node) for each, with the lock of its shard held.
  template <class F>
  void for_each(F&& f) {
    for (shard& s : shards_) {
      const std::lock_guard lock(s.mutex);
      s.for_each(f);
    }
  }

private:
  static constexpr std::size_t k_shards = 16;

  // Keys are serial numbers of several places.
  static constexpr std::uint64_t spread(std::uint64_t key) noexcept { return (key * 0x9e3779b97f4a7c15U) >> 24U; }

  shard shards_[k_shards];
};

}  // namespace tactus::detail
