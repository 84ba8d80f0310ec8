// SPDX-License-Identifier: Apache-2.0
// Atomic blocks and conditions.
#include "execution.hpp"
#include "execution_locals.hpp"
#include "execution_reactions.hpp"

namespace ts = tactus;

namespace oracle {

// The time from the begin of a block's body to its end: nobody else may be inside.
class execution::inside {
public:
  inside(execution& of, continuation& self, statement_id at)
      : in_(of.domains_[of.program_->statements[at].domain]), set_(of.program_->statements[at].slot) {
    if (in_.owner != nullptr && in_.owner != &self) of.differs(at, "tasks inside an atomic block", 1, 2);
    in_.owner = &self;
    ++in_.depth;
    in_.sum += of.program_->block_value(at);
    if (set_ != k_none) of.flags_[set_] = of.program_->flag_value(set_);
  }
  inside(const inside&) = delete;
  inside& operator=(const inside&) = delete;
  ~inside() {
    ++in_.blocks;
    if (--in_.depth == 0) in_.owner = nullptr;
  }

private:
  domain& in_;
  slot_id set_;
};

void execution::misuse_block(statement_id at) {
  const auto nothing = [] {};
  switch (program_->statements[at].wishes) {
    case 0: ts::async(nothing); break;
    case 1: ts::finish(nothing); break;
    case 2: ts::yield(); break;
    case 3: ts::advance_all(); break;
    case 4: static_cast<void>(ts::clock::make()); break;
    case 5: ts::when([] { return true; }, nothing); break;
    case 6: static_cast<void>(ts::async_future(nothing)); break;
    case 7: ts::at(ts::here(), nothing); break;
    case 8: ts::async_at(ts::here(), nothing); break;
    case 9: ts::at_each(ts::places(), nothing); break;
    case 10: static_cast<void>(ts::at_future(ts::here(), nothing)); break;
    case 11: static_cast<void>(ts::place_local<int>(0)); break;
    default: ts::for_each(0, 2, [](int) {}); break;
  }
  differs(at, "misuse of an atomic block is not noticed", 1, 0);
}

void execution::in_block(continuation& self, statement_id at) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  domain& d = domains_[s.domain];
  const auto body = [&] {
    const inside here(*this, self, at);
    block(self, s.body);
    return p.block_value(at);
  };
  const auto holds = [&] {
    if (self.own_task && self.local_is_set && *local_number != mix(p.salt, self.id))
      differs(at, "a number in task_local, seen by a condition", mix(p.salt, self.id), *local_number);
    if (d.depth != 0) differs(at, "tasks inside a block while a condition is asked", 0, d.depth);
    const bool now = (s.awaits == k_none || flags_[s.awaits] != 0) && d.blocks >= s.blocks;
    if (now && s.by_exception) throw_leaf(at);
    return now;
  };
  may_throw(self, at, [&] {
    const std::uint64_t value = s.what == op::when_block
                                    ? (is_of_place(s.domain) ? ts::when(holds, body) : d.lock.when(holds, body))
                                    : (is_of_place(s.domain) ? ts::atomic(body) : d.lock.atomic(body));
    if (s.awaits != k_none && flags_[s.awaits] != p.flag_value(s.awaits))
      differs(at, "a flag that a condition has seen", p.flag_value(s.awaits), flags_[s.awaits]);
    return value;
  });
}

void execution::when_never(const statement& s) {
  const auto never = [] { return false; };
  const auto nothing = [] {};
  if (is_of_place(s.domain))
    ts::when(never, nothing);
  else
    domains_[s.domain].lock.when(never, nothing);
}

}  // namespace oracle
