// SPDX-License-Identifier: Apache-2.0
// A list that any thread adds to and one taker at a time empties as a whole.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>

namespace tactus::detail {

/// Intrusive: Node has a member `Node* next`. Adding is one compare-and-swap, taking one exchange; taking all at once is what
/// keeps it free of the ABA problem, so several takers are allowed.
template <class Node>
class mailbox {
public:
  /// Adds a node. What its sender wrote before is visible to the taker. Any thread.
  void send(Node* node) noexcept {
    Node* head = head_.load(memory_order_relaxed);  // relaxed: checked by the exchange below
    do {
      node->next = head;
      // release: publishes the node; pairs with the acquire in take_all()
    } while (!head_.compare_exchange_weak(head, node, memory_order_release, memory_order_relaxed));
  }

  /// The same before a load of the sender's of what a taker stores before looks_empty_after_store(). Any thread.
  void send_before_load(Node* node) noexcept {
    Node* head = head_.load(memory_order_relaxed);  // relaxed: checked by the exchange below
    do {
      node->next = head;
      // seq_cst: also before that load; pairs with looks_empty_after_store()
    } while (!head_.compare_exchange_weak(head, node, memory_order_seq_cst, memory_order_relaxed));
  }

  /// All nodes in the order in which they were sent; null if there is none. Any thread.
  Node* take_all() noexcept {
    if (looks_empty()) {
      return nullptr;
    }
    // acquire: pairs with the release in send(). release: who sees it empty sees what the taker did before
    Node* newest = head_.exchange(nullptr, memory_order_acq_rel);
    Node* oldest_first = nullptr;
    while (newest != nullptr) {
      Node* const before = newest->next;
      newest->next = oldest_first;
      oldest_first = newest;
      newest = before;
    }
    return oldest_first;
  }

  [[nodiscard]] bool looks_empty() const noexcept {
    return head_.load(memory_order_acquire) == nullptr;  // acquire: orders what the caller reads next after it
  }

  /// The same after a store of the caller's that a sender looks at: one of the two sees the other.
  [[nodiscard]] bool looks_empty_after_store() const noexcept { return head_.load(memory_order_seq_cst) == nullptr; }

private:
  friend struct debugger_layout;

  alignas(k_cache_line) atomic<Node*> head_{nullptr};  // senders push, takers clear
};

}  // namespace tactus::detail
