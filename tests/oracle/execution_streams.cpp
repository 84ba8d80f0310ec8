// SPDX-License-Identifier: Apache-2.0
// Streams: tasks that push before and after what else they do, some of which close their end and some just let it go,
// and tasks that take what there is before they do anything else.
#include "execution.hpp"
#include "execution_reactions.hpp"

#include <algorithm>
#include <optional>

namespace ts = tactus;

namespace oracle {

// What the tasks of one statement share.
class execution::stream_in_use {
public:
  struct item {
    task_id producer;
    unsigned number;
    std::uint64_t value;
  };

  stream_in_use(execution& of, statement_id at)
      : of_(of),
        at_(at),
        s_(of.program_->statements[at]),
        stream_(ts::bound{s_.bound}),
        taken_(std::size_t{s_.grain} * k_most_items) {}

  void run() {
    const auto own = stream_.in();
    for (unsigned i = 0; i < s_.count; ++i) {
      const auto id = static_cast<task_id>(s_.first_task + i);
      if (i < s_.grain)
        ts::async([this, id, in = std::make_optional(stream_.in())]() mutable { produce(id, in); });
      else
        ts::async([this, id, out = stream_.out()] { consume(id, out); });
    }
    own.close();  // as soon as the others have closed theirs, or are gone, there is nothing more to come
  }

  // After the finish.
  void look_at_sum() const {
    const std::uint64_t wanted = of_.program_->expected[at_].second;
    const std::uint64_t got =
        sum_.load(std::memory_order_relaxed);  // relaxed, as all here: the stream and the finish order it
    if (got != wanted) of_.differs(at_, "the sum of what came out of a stream", wanted, got);
  }

private:
  using producer_end = decltype(std::declval<ts::stream<item>>().in());
  using consumer_end = decltype(std::declval<ts::stream<item>>().out());

  void produce(task_id id, std::optional<producer_end>& in) {
    const program& p = *of_.program_;
    unsigned n = 0;
    for (; n < p.items_before(id); ++n) push(id, n, *in);
    of_.run_task(id, true, false);
    for (; n < p.items(id); ++n) push(id, n, *in);
    if (!p.closes(id)) {
      in.reset();
      return;
    }
    in->close();
    try {
      in->push({id, 0, 0});
      of_.differs(at_, "a push to a closed end is not noticed", 1, 0);
    } catch (const ts::phaser_use_error&) {  // as it must be
    }
  }

  void push(task_id id, unsigned n, const producer_end& in) {
    in.push({id, n, of_.program_->item(id, n)});
    const std::int64_t in_it =
        pushed_.fetch_add(1, std::memory_order_relaxed) + 1 - popped_.load(std::memory_order_relaxed);
    // Each who takes may have one in hand that it has not counted.
    const std::int64_t most = s_.bound + (s_.count - s_.grain);
    if (in_it > most)
      of_.differs(at_, "items in a stream", static_cast<std::uint64_t>(most), static_cast<std::uint64_t>(in_it));
  }

  void consume(task_id id, const consumer_end& out) {
    std::vector<unsigned> least(s_.grain, 0);  // what comes from one producer comes in its order
    while (const std::optional<item> got = out.pop()) {
      popped_.fetch_add(1, std::memory_order_relaxed);
      sum_.fetch_add(got->value, std::memory_order_relaxed);
      const unsigned from = static_cast<unsigned>(got->producer - s_.first_task);
      if (got->value != of_.program_->item(got->producer, got->number))
        of_.differs(at_, "an item of a stream", of_.program_->item(got->producer, got->number), got->value);
      if (got->number < least[from]) of_.differs(at_, "order of the items of a producer", least[from], got->number);
      least[from] = got->number + 1;
      if (taken_[std::size_t{from} * k_most_items + got->number].fetch_add(1, std::memory_order_relaxed) != 0)
        of_.differs(at_, "how often an item comes out of a stream", 1, 2);
    }
    if (out.pop()) of_.differs(at_, "items after the end of a stream", 0, 1);
    of_.run_task(id, true, false);
  }

  execution& of_;
  const statement_id at_;
  const statement& s_;
  ts::stream<item> stream_;
  std::vector<std::atomic<std::uint8_t>> taken_;  // per item
  std::atomic<std::int64_t> pushed_{0};
  std::atomic<std::int64_t> popped_{0};
  std::atomic<std::uint64_t> sum_{0};
};

void execution::pass_on(continuation& self, statement_id at) {
  const statement& s = program_->statements[at];
  for (unsigned i = 0; i < s.count; ++i)
    board_.arguments[s.first_task + i] = program_->task_value(static_cast<task_id>(s.first_task + i));
  may_throw(self, at, [&] {
    stream_in_use in_use(*this, at);
    try {
      ts::finish([&in_use] { in_use.run(); });
    } catch (...) {
      in_use.look_at_sum();
      throw;
    }
    in_use.look_at_sum();
    return program_->expected[at].second;
  });
}

}  // namespace oracle
