// SPDX-License-Identifier: Apache-2.0
// What two threads need at the least: a list that one pushes to and the other empties, and its like for the way back. Both look all the
// time.
#include "places/messages/messages.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace {

struct node {
  node* next = nullptr;
  std::uint64_t number = 0;
};

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class mailbox {
public:
  void push(node* n) {
    node* newest = newest_.load(std::memory_order_relaxed);
    do {
      n->next = newest;
    } while (!newest_.compare_exchange_weak(newest, n, std::memory_order_release, std::memory_order_relaxed));
  }

  // All, the oldest first; waits until there is one.
  node* take() {
    while (newest_.load(std::memory_order_acquire) == nullptr) relax();
    node* newest = newest_.exchange(nullptr, std::memory_order_acquire);
    node* first = nullptr;
    while (newest != nullptr) {
      node* const before = newest->next;
      newest->next = first;
      first = newest;
      newest = before;
    }
    return first;
  }

private:
  alignas(64) std::atomic<node*> newest_{nullptr};
};

class two_mailboxes {
public:
  two_mailboxes(const bench::options&, bench::messages_problem& p)
      : problem_(p),
        nodes_(p.what() == bench::messages_problem::form::one_way ? p.size() : 1),
        other_([this] { serve(); }) {}
  ~two_mailboxes() {
    ends_.store(true, std::memory_order_release);
    passes_.fetch_add(1, std::memory_order_release);
    passes_.notify_one();
    other_.join();
  }
  two_mailboxes(const two_mailboxes&) = delete;
  two_mailboxes& operator=(const two_mailboxes&) = delete;

  void pass() {
    passes_.fetch_add(1, std::memory_order_release);
    passes_.notify_one();
    if (nodes_.size() == 1) {
      for (std::uint64_t i = 0; i < problem_.size(); ++i) {
        nodes_[0].number = i;
        there_.push(nodes_.data());
        problem_.arrives(back_.take()->number);
      }
      return;
    }
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      nodes_[i].number = i;
      there_.push(&nodes_[i]);
    }
    static_cast<void>(back_.take());
  }

private:
  // Between two passes it sleeps, so that others can be measured.
  void serve() {
    for (std::uint64_t pass = 0;; ++pass) {
      passes_.wait(pass, std::memory_order_acquire);
      if (ends_.load(std::memory_order_acquire)) return;
      for (std::uint64_t served = 0; served < problem_.size();) {
        for (node* n = there_.take(); n != nullptr; ++served) {
          node* const next = n->next;
          if (nodes_.size() == 1) {
            back_.push(n);
          } else {
            problem_.arrives(n->number);
            if (served + 1 == problem_.size()) back_.push(n);
          }
          n = next;
        }
      }
    }
  }

  bench::messages_problem& problem_;
  std::vector<node> nodes_;
  mailbox there_;
  mailbox back_;
  std::atomic<std::uint64_t> passes_{0};
  std::atomic<bool> ends_{false};
  std::thread other_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::messages_problem, two_mailboxes>(argc, argv, "messages", "mailbox");
}
