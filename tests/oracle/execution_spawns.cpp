// SPDX-License-Identifier: Apache-2.0
// What makes tasks: with every kind of closure, every attribute, and on every number of clocks.
#include "execution.hpp"
#include "execution_reactions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ts = tactus;

namespace oracle {
namespace {

// A closure that is too large for any place inside a task, and one that needs an alignment of its own.
constexpr std::size_t k_much = 300;
constexpr std::size_t k_alignment = 64;

}  // namespace

// What goes on in a stuck program is told by these names.
const std::string& execution::stuck_name(task_id id) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (unsigned i = 0; i < 1000; ++i) all.push_back("stuck-" + std::to_string(1000 + i));
    return all;
  }();
  return names[id];
}

// Travels in every closure: tells when the captures are destroyed, and makes the closure move-only.
class execution::capture {
public:
  capture(execution* of, task_id id) noexcept : of_(of), id_(id) {}
  capture(capture&& other) noexcept : of_(std::exchange(other.of_, nullptr)), id_(other.id_) {}
  capture(const capture&) = delete;
  capture& operator=(const capture&) = delete;
  ~capture() {
    if (of_ != nullptr) of_->board_.gone[id_] = of_->program_->task_value(id_);
  }
  [[nodiscard]] execution& of() const noexcept { return *of_; }
  [[nodiscard]] task_id id() const noexcept { return id_; }

private:
  execution* of_;
  task_id id_;
};

template <class Result, std::size_t Bytes, std::size_t Align>
struct execution::closure {
  capture token;
  alignas(Align) std::array<std::uint8_t, Bytes> payload{};

  closure(execution* of, task_id id) : token(of, id) { payload.fill(static_cast<std::uint8_t>(id | 1u)); }

  Result operator()() {
    execution& e = token.of();
    const task_id id = token.id();
    const auto wanted = static_cast<std::uint8_t>(id | 1u);
    const bool whole = std::all_of(payload.begin(), payload.end(), [&](std::uint8_t b) { return b == wanted; });
    e.check(whole, id, "captured bytes", wanted, payload[0]);
    const auto misaligned = reinterpret_cast<std::uintptr_t>(payload.data()) % Align;
    e.check(misaligned == 0, id, "alignment of a closure", 0, misaligned);
    const std::uint64_t number = e.run_task(id, true, false);
    if constexpr (std::is_same_v<Result, std::uint64_t&>) {
      e.numbers_[id] = number;
      return e.numbers_[id];
    } else if constexpr (!std::is_void_v<Result>) {
      return number;
    }
  }
};

// A closure that the library may copy byte by byte, which opens the shortest way to a task on one clock.
struct execution::plain_closure {
  execution* of;
  task_id id;

  void operator()() const {
    struct leaving {
      const plain_closure& self;
      ~leaving() { self.of->board_.gone[self.id] = self.of->program_->task_value(self.id); }
    };
    const leaving at_the_end{*this};
    of->run_task(id, true, false);
  }
};

// A closure whose copy throws: the spawn must fail in the spawner, and nothing may run.
struct execution::unwilling {
  execution* of;
  statement_id at;

  unwilling(execution* e, statement_id where) noexcept : of(e), at(where) {}
  unwilling(const unwilling& other) : of(other.of), at(other.at) { of->throw_leaf(at); }
  unwilling(unwilling&&) noexcept = default;
  unwilling& operator=(const unwilling&) = delete;
  ~unwilling() = default;

  void operator()() const { of->differs(at, "a task whose closure could not be copied ran", 0, 1); }
};

// Calls call(attribute...) with what the statement asks for.
template <class Call>
void execution::with_attributes(const statement& s, Call&& call) {
  const auto with_name = [&](const auto&... policy) {
    if (program_->stuck && s.first_task != k_none)
      call(policy..., ts::named(stuck_name(s.first_task).c_str()));
    else if (s.named)
      call(ts::named("random task"), policy...);
    else
      call(policy...);
  };
  switch (s.policy) {
    case asked_policy::none: with_name(); break;
    case asked_policy::work_first: with_name(ts::spawn_policy::work_first); break;
    case asked_policy::help_first: with_name(ts::spawn_policy::help_first); break;
    case asked_policy::work_sharing: with_name(ts::spawn_policy::work_sharing); break;
    case asked_policy::affinity: with_name(ts::affinity(s.first_task)); break;
  }
}

// Calls call(attribute...) with the clocks and phasers that the statement's child is registered on.
template <class Call>
void execution::with_clocks(const statement& s, Call&& call) {
  if (s.all) {
    call(ts::phased_all);
    return;
  }
  std::array<const ts::clock*, 3> on{};
  std::array<const ts::phaser*, 3> phasers{};
  std::size_t n = 0;
  std::size_t m = 0;
  for (slot_id c = 0; c < clocks_.size(); ++c) {
    if ((s.clocks >> c & 1u) == 0) continue;
    if (program_->is_phaser(c))
      phasers[m++] = &*phasers_[c];
    else
      on[n++] = &*clocks_[c];
  }
  const auto as = [&](std::size_t i) { return phasers[i]->as(static_cast<ts::phaser_mode>(s.modes[i])); };
  if (m != 0) {
    if (n != 0)
      call(ts::clocked(*on[0]), ts::phased(as(0)));
    else if (m == 3)
      call(ts::phased(as(0), as(1), as(2)));
    else if (m == 2)
      call(ts::phased(as(0), as(1)));
    else if (s.carries == baggage::aligned)
      call(ts::phased(as(0), as(0)));  // counts once
    else if (s.inherits)
      call(ts::phased(*phasers[0]));
    else
      call(ts::phased(as(0)));
    return;
  }
  switch (n) {
    case 1:
      if (s.carries == baggage::aligned)
        call(ts::clocked(*on[0], *on[0]));  // counts once
      else
        call(ts::clocked(*on[0]));
      break;
    case 2: call(ts::clocked(*on[0], *on[1])); break;
    default: call(ts::clocked(*on[0], *on[1], *on[2])); break;
  }
}

template <class Result, class Call>
void execution::with_closure(const statement& s, Call&& call) {
  board_.arguments[s.first_task] = program_->task_value(s.first_task);
  switch (s.carries) {
    case baggage::little: call(closure<Result, 8, 8>(this, s.first_task)); break;
    case baggage::much: call(closure<Result, k_much, 8>(this, s.first_task)); break;
    case baggage::aligned: call(closure<Result, 8, k_alignment>(this, s.first_task)); break;
  }
}

void execution::spawn(statement_id at) {
  const statement& s = program_->statements[at];
  if (s.clocks != 0 && s.carries == baggage::little) {
    board_.arguments[s.first_task] = program_->task_value(s.first_task);
    const plain_closure f{this, s.first_task};
    with_clocks(s, [&](const auto&... on) {
      if (s.policy == asked_policy::none && !s.named && !program_->stuck)
        ts::async(on..., f);
      else
        with_attributes(s, [&](const auto&... attributes) { ts::async(attributes..., on..., f); });
    });
    return;
  }
  if (s.clocks != 0) {
    board_.arguments[s.first_task] = program_->task_value(s.first_task);
    closure<void, k_much, 8> f(this, s.first_task);
    with_clocks(s, [&](const auto&... on) {
      with_attributes(s, [&](const auto&... attributes) { ts::async(on..., attributes..., std::move(f)); });
    });
    return;
  }
  const bool may_share = s.policy == asked_policy::none || s.policy == asked_policy::help_first;
  if (may_share && s.carries == baggage::little && !s.named && !program_->stuck && at % 3 != 0) {
    board_.arguments[s.first_task] = program_->task_value(s.first_task);
    const plain_closure f{this, s.first_task};
    if (s.policy == asked_policy::none)
      ts::async(ts::batched, f);
    else
      ts::async(ts::batched, ts::spawn_policy::help_first, f);
    return;
  }
  with_closure<void>(s, [&](auto&& f) {
    with_attributes(s, [&](const auto&... attributes) { ts::async(attributes..., std::forward<decltype(f)>(f)); });
  });
}

void execution::throwing_copy(continuation& self, statement_id at) {
  const statement& s = program_->statements[at];
  may_throw(self, at, [&] {
    const unwilling f(this, at);
    if (s.clocks != 0) {
      with_clocks(s, [&](const auto&... on) {
        with_attributes(s, [&](const auto&... attributes) { ts::async(on..., attributes..., f); });
      });
    } else {
      with_attributes(s, [&](const auto&... attributes) { ts::async(attributes..., f); });
    }
    return std::uint64_t{0};
  });
}

template <class Result>
ts::future<Result> execution::make_future(statement_id at) {
  const statement& s = program_->statements[at];
  ts::future<Result> made;
  with_closure<Result>(s, [&](auto&& f) {
    with_attributes(
        s, [&](const auto&... attributes) { made = ts::async_future(attributes..., std::forward<decltype(f)>(f)); });
  });
  return made;
}

void execution::spawn_future(statement_id at) {
  const statement& s = program_->statements[at];
  if (s.clocks != 0) {
    board_.arguments[s.first_task] = program_->task_value(s.first_task);
    closure<std::uint64_t, 8, 8> f(this, s.first_task);
    with_clocks(s, [&](const auto&... on) {
      with_attributes(s, [&](const auto&... attributes) {
        numbers_made_[s.slot] = ts::async_future(on..., attributes..., std::move(f));
      });
    });
    return;
  }
  switch (s.value) {
    case value_kind::number: numbers_made_[s.slot] = make_future<std::uint64_t>(at); break;
    case value_kind::nothing: nothings_made_[s.slot] = make_future<void>(at); break;
    case value_kind::reference: references_made_[s.slot] = make_future<std::uint64_t&>(at); break;
  }
}

void execution::abandon_promise(continuation& self, statement_id at) {
  const statement& s = program_->statements[at];
  board_.arguments[s.first_task] = program_->task_value(s.first_task);
  std::optional<ts::promise<std::uint64_t>> last(std::in_place);
  const ts::future<std::uint64_t> broken = last->get_future();
  auto child = [token = capture(this, s.first_task), promise = std::move(*last)] {
    token.of().run_task(token.id(), true, false);
  };
  last.reset();
  with_attributes(s, [&](const auto&... attributes) { ts::async(attributes..., std::move(child)); });
  may_throw(self, at, [&] { return broken.get(); });
}

}  // namespace oracle
