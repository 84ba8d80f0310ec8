// SPDX-License-Identifier: Apache-2.0
// What a statement does with the value or the exception that its call gives.
#pragma once

#include <cstdint>
#include <utility>

#include "execution.hpp"

namespace oracle {

// Runs f, which gives a value or throws; compares, and reacts to an exception as the statement says.
template <class F>
void execution::may_throw(continuation& self, statement_id at, F&& f) {
  const statement& s = program_->statements[at];
  const bool joins = s.what == op::finish_block || s.what == op::with_objects || has_elements(s.what);
  std::uint64_t value = 0;
  if (s.reaction == on_throw::pass) {
    value = std::forward<F>(f)();
  } else {
    try {
      value = std::forward<F>(f)();
    } catch (...) {
      const std::uint64_t exception = hash_of_current();
      note(at, exception, 0);
      if (joins) settled(s);
      if (s.reaction == on_throw::look_and_pass) throw;
      self.acc = mix(self.acc, exception);
      return;
    }
  }
  note(at, 0, value);
  if (joins) settled(s);
  self.acc = mix(self.acc, value);
}

// Runs the block of the statement in a finish: f gets its body, and returns what that does.
template <class F>
void execution::finish_with(continuation& self, statement_id at, F&& f) {
  const auto body = [&] {
    struct leaving {  // just before the clocks that were made in it are dropped
      execution& of;
      statement_id at;
      ~leaving() { of.arrives(of.program_->expected[at].arrives); }
    };
    const leaving at_the_end{*this, at};
    block(self, program_->statements[at].body);
    return self.acc;
  };
  const std::uint64_t given = std::forward<F>(f)(body);
  if (given != self.acc) differs(at, "the value of a finish", self.acc, given);
}

}  // namespace oracle
