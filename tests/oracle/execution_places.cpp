// SPDX-License-Identifier: Apache-2.0
// Tasks for places, and bodies of at(): with nothing but a closure, with many bytes, or with several arguments.
#include "execution.hpp"
#include "execution_parcel.hpp"
#include "execution_reactions.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ts = tactus;

namespace oracle {
namespace {

fault g_planted = fault::none;
std::atomic<unsigned> g_came{0};

fault planted_now() {
  if (g_planted == fault::none) return fault::none;
  return g_came.fetch_add(1, std::memory_order_relaxed) % 1000 == 999 ? g_planted : fault::none;  // relaxed: a count
}

}  // namespace

void plant(fault f) noexcept { g_planted = f; }

// What a task is made of at another place: its bytes.
template <class Result>
struct execution::away_body {
  parcel sent;
  bool own_task;

  Result operator()() const { return run(); }

  Result operator()(const std::vector<std::uint8_t>& bytes) const {
    sent.look_at(bytes);
    return run();
  }

  Result operator()(std::string&& text, std::uint64_t number) const {
    sent.look_at(text, number);
    return run();
  }

  // After a task that may have run anywhere, and has returned this; an object that it took along is home.
  Result operator()(std::uint64_t returned) const {
    sent.look_at(returned);
    std::uint64_t& object = sent.of().carried_[sent.id];
    if (object != 0) sent.look_at(object - 1);
    object = 0;
    return run();
  }

private:
  Result run() const {
    execution& of = sent.of();
    const task_id id = sent.id;
    struct leaving {
      execution& of;
      task_id id;
      ~leaving() { of.board_.gone[id] = of.program_->task_value(id); }
    };
    const leaving at_the_end{of, id};
    const unsigned wanted = of.program_->tasks[id].place;
    of.check(ts::here().id() == static_cast<int>(wanted), id, "the place of a task", wanted,
             static_cast<std::uint64_t>(ts::here().id()));
    switch (planted_now()) {
      case fault::none: break;
      case fault::lost: return static_cast<Result>(of.program_->task_value(id));
      case fault::doubled: of.run_task(id, own_task, false); break;
    }
    return static_cast<Result>(of.run_task(id, own_task, false));
  }
};

// What goes before a task, at whatever place the policy wants.
struct execution::flexible_body {
  parcel sent;

  std::uint64_t operator()() const {
    execution& of = sent.of();
    const unsigned wanted = of.program_->tasks[sent.id].place;
    const auto is = static_cast<unsigned>(ts::designated_place().id());
    of.check(is == wanted, sent.id, "the designated place of a task", wanted, is);
    return of.program_->element_value(sent.id);
  }

  std::uint64_t operator()(const std::vector<std::uint8_t>& bytes) const {
    sent.look_at(bytes);
    return (*this)();
  }

  std::uint64_t operator()(const std::string& text, std::uint64_t number) const {
    sent.look_at(text, number);
    return (*this)();
  }
};

// The same, with an object.
struct execution::carrying_body {
  flexible_body body;

  template <class... Sent>
  std::uint64_t operator()(std::uint64_t& object, const Sent&... sent) const {
    ++object;
    return body(sent...);
  }
};

// Calls call(target, f): the task itself comes after f, at its place. Who spawns for his own place sends an object along.
template <class Result, class Call>
decltype(auto) execution::with_flexible_body(const statement& s, Call&& call) {
  const parcel sent{number_, s.first_task};
  const ts::place there(program_->tasks[sent.id].place);
  const auto target = ts::place_flexible(there).then(away_body<Result>{sent, true});
  const auto called = [&](const auto& of, const auto& f) {
    return s.named ? call(of.named("random task"), f) : call(of, f);
  };
  if (there != ts::here()) return called(target, flexible_body{sent});
  carried_[sent.id] = program_->element_value(sent.id);
  return called(target.carrying(ts::global_ref<std::uint64_t>(carried_[sent.id])), carrying_body{{sent}});
}

void execution::spawn_away(statement_id at) {
  const statement& s = program_->statements[at];
  with_arguments(s, [&](auto&&... args) {
    const ts::place there(program_->tasks[s.first_task].place);
    const away_body<void> f{{number_, s.first_task}, true};
    if (s.flexible)
      with_flexible_body<void>(s, [&](const auto& target, const auto& before) {
        ts::async_at(target, before, std::forward<decltype(args)>(args)...);
      });
    else if (program_->stuck)
      ts::async_at(there, ts::named(stuck_name(s.first_task)), f, std::forward<decltype(args)>(args)...);
    else if (s.named)
      ts::async_at(there, ts::named("random task"), f, std::forward<decltype(args)>(args)...);
    else
      ts::async_at(there, f, std::forward<decltype(args)>(args)...);
  });
}

template <class Result>
ts::future<Result> execution::make_future_away(statement_id at) {
  const statement& s = program_->statements[at];
  return with_arguments(s, [&](auto&&... args) -> ts::future<Result> {
    const ts::place there(program_->tasks[s.first_task].place);
    const away_body<Result> f{{number_, s.first_task}, true};
    if (s.flexible)
      return with_flexible_body<Result>(s, [&](const auto& target, const auto& before) -> ts::future<Result> {
        return ts::at_future(target, before, std::forward<decltype(args)>(args)...);
      });
    return s.named ? ts::at_future(there, ts::named("random task"), f, std::forward<decltype(args)>(args)...)
                   : ts::at_future(there, f, std::forward<decltype(args)>(args)...);
  });
}

void execution::spawn_future_away(statement_id at) {
  const statement& s = program_->statements[at];
  if (s.value == value_kind::nothing)
    nothings_made_[s.slot] = make_future_away<void>(at);
  else
    numbers_made_[s.slot] = make_future_away<std::uint64_t>(at);
}

// The body has values of its own of each task_local: it does not touch them.
void execution::at_place(continuation& self, statement_id at) {
  may_throw(self, at, [&] {
    const statement& s = program_->statements[at];
    return with_arguments(s, [&](auto&&... args) {
      const ts::place there(program_->tasks[s.first_task].place);
      return ts::at(there, away_body<std::uint64_t>{{number_, s.first_task}, false},
                    std::forward<decltype(args)>(args)...);
    });
  });
}

}  // namespace oracle
