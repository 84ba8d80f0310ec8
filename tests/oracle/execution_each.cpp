// SPDX-License-Identifier: Apache-2.0
// at_each: one call at each of several places.
#include "execution.hpp"
#include "execution_parcel.hpp"
#include "execution_reactions.hpp"

#include <string>
#include <vector>

namespace ts = tactus;

namespace oracle {

// What is called. Calls at one place are alike: each takes the next of those elements that are for there.
struct execution::each_body {
  parcel of_first;
  statement_id at;

  void operator()() const { run(); }

  void operator()(const std::vector<std::uint8_t>& bytes) const {
    of_first.look_at(bytes);
    run();
  }

  void operator()(const std::string& text, std::uint64_t number) const {
    of_first.look_at(text, number);
    run();
  }

private:
  void run() const {
    execution& of = of_first.of();
    const statement& s = of.program_->statements[at];
    const auto here = static_cast<unsigned>(ts::here().id());
    for (unsigned i = 0; i < s.count; ++i) {
      const auto id = static_cast<task_id>(s.first_task + i);
      if (of.program_->tasks[id].place != here) continue;
      // relaxed: a count; what goes before the call is told by the plain cells
      if (of.claimed_[id].exchange(1, std::memory_order_relaxed) != 0) continue;
      of.run_task(id, false, false);
      return;
    }
    of.differs(at, "calls of at_each at a place", s.count, s.count + 1);
  }
};

void execution::each_place(continuation& self, statement_id at) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  std::vector<ts::place> group;
  for (unsigned i = 0; i < s.count; ++i) {
    const auto id = static_cast<task_id>(s.first_task + i);
    board_.arguments[id] = p.task_value(id);
    group.emplace_back(p.tasks[id].place);
  }
  may_throw(self, at, [&] {
    const each_body f{{number_, s.first_task}, at};
    const auto call = [&](const auto&... args) {
      if (s.all)
        ts::at_each(ts::places(), f, args...);
      else
        ts::at_each(group, f, args...);
    };
    if (s.count == 0)  // then there is no first task
      call();
    else
      with_arguments(s, call);
    return std::uint64_t{0};
  });
}

}  // namespace oracle
