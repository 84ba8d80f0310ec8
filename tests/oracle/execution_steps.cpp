// SPDX-License-Identifier: Apache-2.0
// A task of the program, and its statements: those that are one call here, and those that join.
#include "execution.hpp"
#include "execution_reactions.hpp"

namespace ts = tactus;

namespace oracle {

std::uint64_t execution::run_task(task_id id, bool own_task, bool local_is_set) {
  board_.entered[id].fetch_add(
      1, std::memory_order_relaxed);  // counts, and orders nothing: the plain cells are to be ordered by the library
  const std::uint64_t mine = program_->task_value(id);
  check(board_.arguments[id] == mine, id, "what the spawner wrote before the spawn", mine, board_.arguments[id]);
  check(board_.done[id] == 0, id, "a task's end, seen at its start", 0, board_.done[id]);
  if (own_task) {
    check(std::uncaught_exceptions() == 0, id, "uncaught exceptions at the start of a task", 0,
          static_cast<std::uint64_t>(std::uncaught_exceptions()));
    check(std::current_exception() == nullptr, id, "an exception is current at the start of a task", 0, 1);
  }
  struct leaving {  // on both ways out
    execution& of;
    task_id id;
    ~leaving() {
      of.board_.done[id] = of.program_->task_value(id);
      of.arrives(of.program_->leaves[id]);
    }
  };
  const leaving at_the_end{*this, id};
  continuation self{id, mine, own_task, local_is_set};
  block(self, program_->tasks[id].body);
  return self.acc;
}

void execution::block(continuation& self, statement_id first) {
  for (statement_id at = first; at != k_none; at = program_->statements[at].next) step(self, at);
}

void execution::step(continuation& self, statement_id at) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  board_.ran[at].fetch_add(1, std::memory_order_relaxed);  // as entered_
  // Only where something has gone wrong before. It has no slots, and its tasks are nobody's; that it was reached, judge() tells.
  if (!p.expected[at].runs) return;
  switch (s.what) {
    case op::write_cell:
      if (s.slot != k_none) board_.cells[s.slot] = p.cell_value(s.slot);
      break;
    case op::read_cell:
      if (s.slot != k_none && board_.cells[s.slot] != p.cell_value(s.slot))
        differs(at, "a cell written before", p.cell_value(s.slot), board_.cells[s.slot]);
      break;
    case op::touch_local: touch_local(self, at); break;
    case op::yield_now: ts::yield(); break;
    case op::get_future:
      if (s.slot != k_none) may_throw(self, at, [&] { return get_future(s.slot, s.carries); });
      break;
    case op::get_promise:
      if (s.slot != k_none) may_throw(self, at, [&] { return get_promise(s.slot); });
      break;
    case op::get_never: may_throw(self, at, [&] { return never_[0].get_future().get(); }); break;
    case op::set_promise:
    case op::ask_foreign:
      if (s.slot != k_none) set_promise(at);
      break;
    case op::set_again:
      if (s.slot == k_none) break;
      may_throw(self, at, [&] {
        promises_[s.slot].set_value(0);
        return std::uint64_t{0};
      });
      break;
    case op::throw_now: throw_leaf(at);
    case op::rethrow:
      if (std::current_exception() != nullptr) throw;
      differs(at, "the current exception is lost", 1, 0);
      break;
    case op::throwing_copy: throwing_copy(self, at); break;
    case op::when_never:
      may_throw(self, at, [&] {
        when_never(s);
        return std::uint64_t{0};
      });
      break;
    case op::make_clock:
    case op::make_phaser:
    case op::resume_clock:
    case op::advance_clock:
    case op::wait_phaser:
    case op::next_single:
    case op::drop_clock:
    case op::resume_all:
    case op::advance_all: clock_step(self, at); break;
    case op::misuse_clock:
      if (s.slot == k_none) break;
      may_throw(self, at, [&] {
        misuse_clock(at);
        return std::uint64_t{0};
      });
      break;
    case op::misuse_phaser:
      if (s.slot == k_none) break;
      may_throw(self, at, [&] {
        misuse_phaser(at);
        return std::uint64_t{0};
      });
      break;
    case op::make_sum:
      if (s.sum != k_none) make_sum(at);
      break;
    case op::send_to_sum:
      if (s.sum != k_none) send_to_sum(at);
      break;
    case op::look_at_sum:
      if (s.sum != k_none) may_throw(self, at, [&] { return look_at_sum(at); });
      break;
    case op::line_up: line_up(self, at); break;
    case op::misuse_block:
      may_throw(self, at, [&] {
        misuse_block(at);
        return std::uint64_t{0};
      });
      break;
    case op::use_object: use_object(self, at); break;
    case op::misuse_object: misuse_object(self, at); break;
    case op::atomic_block:
    case op::when_block: in_block(self, at); break;
    case op::with_objects: with_objects(self, at); break;
    case op::call: block(self, s.body); break;
    case op::finish_block: finish_block(self, at); break;
    case op::try_catch: attempt(self, at); break;
    case op::with_guard: guarded(self, at); break;
    case op::spawn: s.away ? spawn_away(at) : spawn(at); break;
    case op::spawn_future: s.away ? spawn_future_away(at) : spawn_future(at); break;
    case op::at_place: at_place(self, at); break;
    case op::each_place: each_place(self, at); break;
    case op::loop: loop(self, at); break;
    case op::fold: fold(self, at); break;
    case op::pass_on: pass_on(self, at); break;
    case op::abandon_promise: abandon_promise(self, at); break;
  }
}

void execution::finish_block(continuation& self, statement_id at) {
  may_throw(self, at, [&] {
    const statement& s = program_->statements[at];
    finish_with(self, at, [&](const auto& body) {
      if (!s.clocked) return ts::finish(body);
      return ts::finish(ts::clocked, [&](ts::clock c) {
        clocks_[s.slot] = c;
        return body();
      });
    });
    return std::uint64_t{0};
  });
}

void execution::loop(continuation& self, statement_id at) {
  const statement& s = program_->statements[at];
  for (int i = 0; i < s.count; ++i)
    board_.arguments[static_cast<std::size_t>(s.first_task + i)] =
        program_->task_value(static_cast<task_id>(s.first_task + i));
  const auto each = [this, first = s.first_task](int i) { run_task(static_cast<task_id>(first + i), true, false); };
  may_throw(self, at, [&] {
    if (s.grain == 0)
      ts::for_each(0, static_cast<int>(s.count), each);
    else
      ts::for_each(0, static_cast<int>(s.count), static_cast<int>(s.grain), each);
    return std::uint64_t{0};
  });
}

void execution::fold(continuation& self, statement_id at) {
  const statement& s = program_->statements[at];
  for (int i = 0; i < s.count; ++i)
    board_.arguments[static_cast<std::size_t>(s.first_task + i)] =
        program_->task_value(static_cast<task_id>(s.first_task + i));
  const auto combine = [](affine f, affine g) { return f * g; };
  const auto one = [this, first = s.first_task](int i) {
    const auto id = static_cast<task_id>(first + i);
    run_task(id, false, false);
    return affine_of(program_->element_value(id));
  };
  may_throw(self, at, [&] {
    const affine all = s.grain == 0 ? ts::reduce(0, static_cast<int>(s.count), combine, one)
                                    : ts::reduce(0, static_cast<int>(s.count), static_cast<int>(s.grain), combine, one);
    return all.hash();
  });
}

}  // namespace oracle
