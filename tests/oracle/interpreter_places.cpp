// SPDX-License-Identifier: Apache-2.0
// What goes to other places as a part of the calling task: at(), at_each, and objects of place_locals.
#include "interpreter.hpp"

#include <cstddef>
#include <utility>

namespace oracle {

void interpreter::execute_at(std::uint32_t who, statement_id at) {
  continuation& s = strands_[who];
  const std::uint32_t body = std::exchange(s.joins, k_nobody);
  if (body == k_nobody) {
    start_joined(who, at, made_as::at_body);
    return;
  }
  s.known.merge(strands_[body].known);
  if (strands_[body].exception != 0)
    raise(who, at, strands_[body].exception);
  else
    outcome(s, at, 0, strands_[body].acc);
}

// A loop, but for what the library makes of it: a task for each call that is not the calling task's own, each with a finish.
void interpreter::execute_each(std::uint32_t who, statement_id at) {
  const statement& st = program_->statements[at];
  enter_finish(strands_[who], at, k_none);
  const std::uint32_t inner = strands_[who].scope;
  const knowledge known = strands_[who].known;
  bool own = false;
  for (unsigned i = 0; i < st.count; ++i) {
    const auto id = static_cast<task_id>(st.first_task + i);
    own = own || program_->tasks[id].place == place_of(strands_[who]);
    start(id, made_as::element, inner, known);
  }
  const unsigned away = st.count - (own ? 1U : 0U);
  program_->asyncs += away;
  program_->finishes += away + 1;
}

// At each place a task makes the object and another one ends it, which may spawn one more.
void interpreter::make_objects(std::uint32_t who, statement_id at) {
  program& p = *program_;
  const statement& st = p.statements[at];
  p.asyncs += p.places - 1 + p.places;
  p.finishes += p.places;
  if (!st.by_exception) {
    p.asyncs += program::end_spawns(at) ? p.places : 0;
    ++p.finishes;
    enter_finish(strands_[who], at, st.body);
    return;
  }
  scope failed;
  for (unsigned place = 0; place < p.places; ++place) {
    if (p.throws_at(at, place))
      collect(failed, leaf(at));
    else
      p.asyncs += program::end_spawns(at) ? 1u : 0u;
  }
  raise(who, at, multiple(failed));
}

void interpreter::use_object(continuation& s, statement_id at) {
  program& p = *program_;
  const statement& st = p.statements[at];
  const unsigned place = st.hint == 0 ? place_of(s) : st.wishes;
  p.object_sums[std::size_t{st.objects} * k_max_places + place] += p.block_value(at);
  if (st.hint == 2)
    ++p.asyncs;  // which nobody waits for here
  else
    outcome(s, at, 0, p.object_value(st.objects, place));
}

}  // namespace oracle
