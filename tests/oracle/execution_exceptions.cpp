// SPDX-License-Identifier: Apache-2.0
// What a program throws and how it is known again; handlers, and destructors during unwinding.
#include "execution.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace ts = tactus;

namespace oracle {
namespace {

constexpr bool odd(statement_id at) { return at % 4 == 3; }

}  // namespace

std::uint64_t hash_of_current() {
  try {
    throw;
  } catch (const thrown& t) {
    return t.hash();
  } catch (const odd_thrown& t) {
    return t.hash;
  } catch (const ts::multiple_exceptions& m) {
    std::uint64_t sum = 0;
    for (const std::exception_ptr& e : m.exceptions()) {
      try {
        std::rethrow_exception(e);
      } catch (...) {
        sum += hash_of_current();
      }
    }
    return multiple_hash(sum, m.exceptions().size());
  } catch (const ts::deadlock_error&) {
    return k_deadlock_hash;
  } catch (const ts::broken_promise&) {
    return k_broken_hash;
  } catch (const ts::usage_error&) {
    return k_usage_hash;
  } catch (const ts::clock_use_error&) {
    return k_clock_use_hash;
  } catch (const ts::phaser_use_error&) {
    return k_phaser_use_hash;
  } catch (const ts::atomic_use_error&) {
    return k_atomic_use_hash;
  } catch (const ts::remote_exception& e) {
    const std::string text = e.what();
    const std::size_t number = text.find('#');
    return number == std::string::npos ? k_foreign_hash : std::strtoull(text.c_str() + number + 1, nullptr, 10);
  } catch (const stranger_thrown& e) {
    return std::strtoull(e.what() + std::strlen("thrown #"), nullptr, 10);
  } catch (const std::exception& e) {  // no program throws one: what comes is the machine's, and explains what follows
    std::fprintf(stderr, "an exception that is in no program: %s\n", e.what());
    return k_foreign_hash;
  } catch (...) {
    return k_foreign_hash;
  }
}

std::exception_ptr execution::leaf(statement_id at) const {
  const std::uint64_t hash = leaf_hash(program_->salt, at);
  if (odd(at) && program_->places > 1) return std::make_exception_ptr(stranger_thrown(hash));
  return odd(at) ? std::make_exception_ptr(odd_thrown{hash}) : std::make_exception_ptr(thrown(hash));
}

void execution::throw_leaf(statement_id at) const {
  const std::uint64_t hash = leaf_hash(program_->salt, at);
  if (odd(at) && program_->places > 1) throw stranger_thrown(hash);
  if (odd(at)) throw odd_thrown{hash};
  throw thrown(hash);
}

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
