// SPDX-License-Identifier: Apache-2.0
// Tasks for places, and bodies of at(): with nothing but a closure, with many bytes, or with several arguments.
#include "execution.hpp"
#include "execution_reactions.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace ts = tactus;

namespace oracle {
namespace {

constexpr std::size_t k_much = 300;

std::uint8_t mark_of(task_id id) { return static_cast<std::uint8_t>(id | 1u); }
fault g_planted = fault::none;
std::atomic<unsigned> g_came{0};

fault planted_now() {
  if (g_planted == fault::none) return fault::none;
  return g_came.fetch_add(1, std::memory_order_relaxed) % 1000 == 999 ? g_planted : fault::none;  // relaxed: a count
}

std::string text_of(task_id id) { return "what goes with task " + std::to_string(id); }

}  // namespace

void plant(fault f) noexcept { g_planted = f; }

// What a task is made of at another place: its bytes.
template <class Result>
struct execution::away_body {
  std::uint16_t program;  // what is sent to another process names it there
  task_id id;
  bool own_task;

  Result operator()() const { return run(); }

  Result operator()(const std::vector<std::uint8_t>& bytes) const {
    const bool whole = bytes.size() == k_much &&
                       std::all_of(bytes.begin(), bytes.end(), [this](std::uint8_t b) { return b == mark_of(id); });
    of().check(whole, id, "bytes that were sent", mark_of(id), bytes.empty() ? 0 : bytes[0]);
    return run();
  }

  Result operator()(std::string&& text, std::uint64_t number) const {
    const std::uint64_t wanted = of().program_->element_value(id);
    of().check(number == wanted, id, "a number that was sent", wanted, number);
    of().check(text == text_of(id), id, "a text that was sent", text_of(id).size(), text.size());
    return run();
  }

private:
  [[nodiscard]] execution& of() const { return numbered(program); }

  Result run() const {
    struct leaving {
      const away_body& self;
      ~leaving() { self.of().board_.gone[self.id] = self.of().program_->task_value(self.id); }
    };
    const leaving at_the_end{*this};
    const unsigned wanted = of().program_->tasks[id].place;
    of().check(ts::here().id() == static_cast<int>(wanted), id, "the place of a task", wanted,
               static_cast<std::uint64_t>(ts::here().id()));
    switch (planted_now()) {
      case fault::none: break;
      case fault::lost: return static_cast<Result>(of().program_->task_value(id));
      case fault::doubled: of().run_task(id, own_task, false); break;
    }
    return static_cast<Result>(of().run_task(id, own_task, false));
  }
};

// Calls call(place, f, args...).
template <class Result, class Call>
decltype(auto) execution::with_away_body(const statement& s, bool own_task, Call&& call) {
  const task_id id = s.first_task;
  board_.arguments[id] = program_->task_value(id);
  const ts::place there(program_->tasks[id].place);
  const away_body<Result> body{number_, id, own_task};
  switch (s.carries) {
    case baggage::little: break;
    case baggage::much: return call(there, body, std::vector<std::uint8_t>(k_much, mark_of(id)));
    case baggage::aligned: return call(there, body, text_of(id), program_->element_value(id));
  }
  return call(there, body);
}

void execution::spawn_away(statement_id at) {
  const statement& s = program_->statements[at];
  with_away_body<void>(s, true, [&](ts::place there, const auto& f, auto&&... args) {
    if (program_->stuck)
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
  return with_away_body<Result>(s, true, [&](ts::place there, const auto& f, auto&&... args) {
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
    return with_away_body<std::uint64_t>(program_->statements[at], false,
                                         [](ts::place there, const auto& f, auto&&... args) {
                                           return ts::at(there, f, std::forward<decltype(args)>(args)...);
                                         });
  });
}

}  // namespace oracle
