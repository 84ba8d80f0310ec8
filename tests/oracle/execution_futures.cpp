// SPDX-License-Identifier: Apache-2.0
// Futures and promises, while the program runs and after it.
#include "execution.hpp"

namespace ts = tactus;

namespace oracle {

std::uint64_t execution::get_future(slot_id slot, baggage form) {
  const program& p = *program_;
  const statement& maker = p.statements[p.future_maker[slot]];
  struct seen {  // after a get that gives or throws, the function has ended
    execution& of;
    task_id id;
    ~seen() { of.check(of.board_.done[id] != 0, id, "a function's end, seen after its future's get", 1, 0); }
  };
  const seen after_it{*this, maker.first_task};
  switch (maker.value) {
    case value_kind::nothing:
      if (form == baggage::little) {
        nothings_made_[slot].get();
      } else {
        const ts::future<void> mine = nothings_made_[slot];
        mine.get();
        if (!mine.ready()) differs(p.future_maker[slot], "a future is not ready after its get", 1, 0);
      }
      return p.task_value(maker.first_task);
    case value_kind::reference: {
      std::uint64_t& number = ts::future<std::uint64_t&>(references_made_[slot]).get();
      if (&number != &numbers_[maker.first_task]) differs(p.future_maker[slot], "the object of a reference", 1, 0);
      return number;
    }
    case value_kind::number: break;
  }
  switch (form) {
    case baggage::little: return numbers_made_[slot].get();
    case baggage::much: {
      const ts::future<std::uint64_t> mine = numbers_made_[slot];
      const std::uint64_t& number = mine.get();
      if (!mine.ready()) differs(p.future_maker[slot], "a future is not ready after its get", 1, 0);
      return number;
    }
    case baggage::aligned: break;
  }
  return ts::future<std::uint64_t>(numbers_made_[slot]).get();
}

std::uint64_t execution::get_promise(slot_id slot) {
  struct seen {
    execution& of;
    slot_id slot;
    ~seen() {
      const std::uint64_t wanted = of.program_->promise_value(slot);
      if (of.before_set_[slot] != wanted)
        of.differs(k_none, "what was written before a promise was set", wanted, of.before_set_[slot]);
    }
  };
  const seen after_it{*this, slot};
  const ts::future<std::uint64_t> mine = promised_[slot];
  return mine.get();
}

void execution::set_promise(statement_id at) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  before_set_[s.slot] = p.promise_value(s.slot);
  const auto fulfil = [promise = promises_[s.slot], value = p.promise_value(s.slot),
                       exception = s.by_exception ? leaf(at) : nullptr] {
    if (exception != nullptr)
      promise.set_exception(exception);
    else
      promise.set_value(value);
  };
  if (s.what == op::ask_foreign)
    foreign_->ask(fulfil);
  else
    fulfil();
}

// Gets a future or a promise of a program at its place. Its fields travel, also to a place of the other byte order.
struct execution::look {
  std::uint16_t program;
  slot_id slot;
  bool is_promise;

  std::uint64_t operator()() const {
    execution& of = numbered(program);
    return is_promise ? of.get_promise(slot) : of.get_future(slot, baggage::little);
  }
};

// By the statement that has made or set it: a task of that place has, and what it threw crosses from there.
std::uint64_t execution::look_there(statement_id at, slot_id slot, bool is_promise) const {
  const look f{number_, slot, is_promise};
  if (program_->places == 1 || place_of_statement_[at] == ts::here().id()) return f();
  return ts::at(ts::place(place_of_statement_[at]), f);
}

void execution::look_at_futures() {
  const program& p = *program_;
  for (slot_id slot = 0; slot < p.futures; ++slot) {
    const statement_id maker = p.future_maker[slot];
    const expectation& e = p.expected[maker];
    if (!e.runs || board_.ran[maker].load(std::memory_order_relaxed) == 0) continue;  // relaxed: the finish ordered it
    std::uint64_t exception = 0;
    std::uint64_t value = 0;
    try {
      value = look_there(maker, slot, false);
    } catch (...) {
      exception = hash_of_current();
    }
    note(maker, exception, value);
  }
  for (statement_id at = 0; at < p.statements.size(); ++at) {  // also waits until the foreign thread has done its part
    const statement& s = p.statements[at];
    if ((s.what != op::set_promise && s.what != op::ask_foreign) || s.slot == k_none || !p.expected[at].runs) continue;
    if (board_.ran[at].load(std::memory_order_relaxed) == 0) continue;  // relaxed: as above
    std::uint64_t exception = 0;
    std::uint64_t value = 0;
    try {
      value = look_there(at, s.slot, true);
    } catch (...) {
      exception = hash_of_current();
    }
    const std::uint64_t wanted = s.by_exception ? p.hash_of_leaf(at) : 0;
    if (exception != wanted) differs(at, "exception of a promise", wanted, exception);
    if (exception == 0 && value != p.promise_value(s.slot))
      differs(at, "value of a promise", p.promise_value(s.slot), value);
  }
}

// After a deadlock: what nobody set or looked at would be told on stderr, and another run on this runtime must work.
void execution::settle_promises() {
  const auto here = [number = number_] {
    const execution& e = numbered(number);
    for (const auto& promise : e.promises_) {
      try {
        promise.set_value(0);
      } catch (const ts::usage_error&) {  // it has a value
      }
    }
    e.never_[0].set_value(0);
  };
  if (ranks().several())
    ts::at_each(ts::places(), here);
  else
    here();
  look_at_futures();
}

}  // namespace oracle
