// SPDX-License-Identifier: Apache-2.0
// What statements throw; handlers, and destructors during unwinding.
#include "execution.hpp"

#include <exception>

namespace oracle {
std::exception_ptr execution::leaf(statement_id at) const {
  return exception_of(*program_, at, program_->places == 1 ? 0 : place_of_statement_[at]);
}

void execution::throw_leaf(statement_id at) const { std::rethrow_exception(leaf(at)); }

void execution::attempt(continuation& self, statement_id at) {
  const statement& s = program_->statements[at];
  const int uncaught = std::uncaught_exceptions();
  try {
    block(self, s.body);
  } catch (...) {
    const std::uint64_t exception = hash_of_current();
    note(at, exception, 0);
    self.acc = mix(self.acc, exception);
    const std::exception_ptr current = std::current_exception();
    block(self, s.other);
    if (std::current_exception() != current) differs(at, "the current exception after work in a handler", 1, 0);
    if (std::uncaught_exceptions() != uncaught) {
      differs(at, "uncaught exceptions after work in a handler", static_cast<std::uint64_t>(uncaught),
              static_cast<std::uint64_t>(std::uncaught_exceptions()));
    }
    return;
  }
  note(at, 0, 0);
}

// Runs statements in a destructor, during unwinding or not.
class execution::guard {
public:
  guard(execution& of, continuation& self, statement_id at) noexcept
      : of_(of), self_(self), at_(at), uncaught_(std::uncaught_exceptions()) {}
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;

  ~guard() {
    const expectation& e = of_.program_->expected[at_];
    const int now = std::uncaught_exceptions();
    if ((now > uncaught_) != (e.exception != 0)) {
      of_.differs(at_, "uncaught exceptions in a destructor",
                  static_cast<std::uint64_t>(uncaught_) + (e.exception != 0 ? 1u : 0u),
                  static_cast<std::uint64_t>(now));
    }
    std::uint64_t second = 0;
    try {
      of_.block(self_, of_.program_->statements[at_].other);
    } catch (...) {
      second = hash_of_current();
    }
    if (second != e.second) of_.differs(at_, "exception of a destructor's block", e.second, second);
    if (std::uncaught_exceptions() != now) {
      of_.differs(at_, "uncaught exceptions after work in a destructor", static_cast<std::uint64_t>(now),
                  static_cast<std::uint64_t>(std::uncaught_exceptions()));
    }
  }

private:
  execution& of_;
  continuation& self_;
  statement_id at_;
  int uncaught_;
};

void execution::guarded(continuation& self, statement_id at) {
  const guard later(*this, self, at);
  block(self, program_->statements[at].body);
}

}  // namespace oracle
