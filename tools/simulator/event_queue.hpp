// SPDX-License-Identifier: Apache-2.0
// What is to happen, in the order of time; what is to happen at one time, in the order in which it was put in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulator {

struct event {
  enum kind : std::uint8_t { task_ends, message_comes, message_is_seen, says_it_starves, poll };

  std::int64_t time;
  std::uint64_t number;
  std::uint32_t what;  ///< the message, or the task
  std::int32_t place;
  std::int32_t worker;
  kind of;

  [[nodiscard]] bool before(const event& other) const {
    return time != other.time ? time < other.time : number < other.number;
  }
};

/// A heap with four children a node: half as deep as one with two, and its nodes lie together.
class event_queue {
public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }

  void push(std::int64_t time, event::kind of, int place, std::uint32_t what = 0, int worker = 0) {
    event e{time, ++pushed_, what, place, worker, of};
    std::size_t at = heap_.size();
    heap_.push_back(e);
    while (at > 0 && e.before(heap_[(at - 1) / 4])) {
      heap_[at] = heap_[(at - 1) / 4];
      at = (at - 1) / 4;
    }
    heap_[at] = e;
  }

  event pop() {
    const event top = heap_.front();
    const event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return top;
  }

private:
  void sink(const event& e) {
    std::size_t at = 0;
    for (std::size_t first = 1; first < heap_.size(); first = 4 * at + 1) {
      std::size_t least = first;
      for (std::size_t i = first + 1; i < first + 4 && i < heap_.size(); ++i) {
        if (heap_[i].before(heap_[least])) least = i;
      }
      if (!heap_[least].before(e)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = e;
  }

  std::vector<event> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace simulator
