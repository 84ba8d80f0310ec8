// SPDX-License-Identifier: Apache-2.0
// Tasks that come to one lock, condition or stream: who waits is served in the order of coming.
// In what order they come is known exactly where a task comes and waits, if it has to, before another one runs: with
// one worker, real or virtual. For a condition it is always known, since it is asked for the first time under its lock.
#include "execution.hpp"
#include "execution_reactions.hpp"

#include <optional>

namespace ts = tactus;

namespace oracle {
namespace {

// The tasks of one statement, and what they are numbered by.
class line {
public:
  line(unsigned tasks, std::uint64_t seed) : tasks_(tasks), random_(seed) {
    for (unsigned i = 0; i < tasks; ++i) yields_.push_back(random_.below(3));
    for (unsigned i = 0; i < tasks; ++i) policies_.push_back(static_cast<ts::spawn_policy>(random_.below(3)));
  }

  // Returns how many were served before one that had come, and begun to wait, before them.
  unsigned run(queue_at queue) {
    exact_ = ts::num_workers() == 1;
    ts::finish([&] {
      switch (queue) {
        case queue_at::lock: at_lock(); break;
        case queue_at::condition: at_condition(); break;
        case queue_at::stream_of_items: at_items(); break;
        case queue_at::room_in_a_stream: at_room(); break;
      }
    });
    return out_of_order_.load(std::memory_order_relaxed);  // relaxed, as all here: the finish orders it
  }

  [[nodiscard]] unsigned served() const { return served_.load(std::memory_order_relaxed); }

private:
  // Also of a task that an exception ends: who serves would wait for it for ever.
  struct served_at_end {
    std::atomic<unsigned>& served;
    explicit served_at_end(std::atomic<unsigned>& count) : served(count) {}
    served_at_end(const served_at_end&) = delete;
    served_at_end& operator=(const served_at_end&) = delete;
    ~served_at_end() { served.fetch_add(1, std::memory_order_relaxed); }
  };

  template <class Task>
  void spawn_each(Task task) {
    for (unsigned i = 0; i < tasks_; ++i) {
      ts::async(policies_[i], [this, i, task] {
        const served_at_end end{served_};
        for (unsigned k = yields_[i]; k > 0; --k) ts::yield();
        task(i);
      });
    }
  }
  [[nodiscard]] bool all_served() const { return served() == tasks_; }

  void is_served(std::uint64_t number) {
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    while (last < number && !last_.compare_exchange_weak(last, number, std::memory_order_relaxed)) {
    }
    if (last > number) out_of_order_.fetch_add(1, std::memory_order_relaxed);
  }

  // Half of them wait for blocks to come: such a one is given the lock when it does not run, and then others have to
  // wait for it.
  void at_lock() {
    spawn_each([this](unsigned i) {
      if (i % 2 == 0) {
        std::uint64_t until = 0;
        monitor_.when(
            [&] {
              if (until == 0) until = blocks_ + 1;
              return blocks_ >= until;
            },
            [&] { ++blocks_; });
        return;
      }
      const std::uint64_t number = comers_.fetch_add(1, std::memory_order_relaxed) + 1;
      const std::uint64_t before = exact_ ? blocks_ : 0;
      monitor_.atomic([&] {
        const bool waited = blocks_ != before;  // somebody was inside meanwhile
        ++blocks_;
        if (exact_ && waited) is_served(number);
      });
    });
    while (!all_served()) {
      monitor_.atomic([&] { ++blocks_; });
      ts::yield();
    }
  }

  // One token at a time.
  void at_condition() {
    spawn_each([this](unsigned) {
      std::uint64_t number = 0;
      bool waited = false;
      monitor_.when(
          [&] {
            if (number == 0) {
              number = ++asked_;
              waited = tokens_ == 0;
            }
            return tokens_ > 0;
          },
          [&] {
            --tokens_;
            if (waited) is_served(number);
          });
    });
    while (!all_served()) {
      monitor_.atomic([&] { tokens_ = tokens_ == 0 ? 1 : tokens_; });
      ts::yield();
    }
  }

  void at_items() {
    const ts::stream<std::uint64_t> s(ts::bound{1 + random_.below(3)});
    spawn_each([this, out = s.out()](unsigned) {
      const std::uint64_t number = comers_.fetch_add(1, std::memory_order_relaxed) + 1;
      const std::optional<std::uint64_t> item = out.pop();
      if (!item || (exact_ && *item != number)) out_of_order_.fetch_add(1, std::memory_order_relaxed);
    });
    const auto in = s.in();
    for (std::uint64_t item = 1; item <= tasks_; ++item) {
      if (random_.chance(50)) ts::yield();
      in.push(item);
    }
  }

  void at_room() {
    const ts::stream<std::uint64_t> s(ts::bound{1 + random_.below(3)});
    spawn_each([this, in = s.in()](unsigned) { in.push(comers_.fetch_add(1, std::memory_order_relaxed) + 1); });
    const auto out = s.out();
    std::uint64_t sum = 0;
    for (std::uint64_t item = 1; item <= tasks_; ++item) {
      if (random_.chance(50)) ts::yield();
      const std::uint64_t got = out.pop().value_or(0);
      if (exact_ && got != item) out_of_order_.fetch_add(1, std::memory_order_relaxed);
      sum += got;
    }
    if (sum != std::uint64_t{tasks_} * (tasks_ + 1) / 2) out_of_order_.fetch_add(1, std::memory_order_relaxed);
  }

  const unsigned tasks_;
  random_stream random_;
  bool exact_ = false;
  std::vector<unsigned> yields_;
  std::vector<ts::spawn_policy> policies_;
  ts::monitor monitor_;
  std::uint64_t blocks_ = 0;  // protected by the monitor; with one worker anybody may look
  std::uint64_t asked_ = 0;   // protected by the monitor
  unsigned tokens_ = 0;       // protected by the monitor
  std::atomic<std::uint64_t> comers_{0};
  std::atomic<std::uint64_t> last_{0};
  std::atomic<unsigned> served_{0};
  std::atomic<unsigned> out_of_order_{0};
};

}  // namespace

void execution::line_up(continuation& self, statement_id at) {
  may_throw(self, at, [&] {
    const statement& s = program_->statements[at];
    line tasks(s.count, mix(program_->salt, 0xf0000u + at));
    if (const unsigned wrong = tasks.run(s.queue); wrong != 0)
      differs(at, "tasks that were served too early", 0, wrong);
    return std::uint64_t{tasks.served()};
  });
}

}  // namespace oracle
