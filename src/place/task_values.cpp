// SPDX-License-Identifier: Apache-2.0
#include "place/task_values.hpp"

#include <tactus/base/impl/atomic.hpp>

#include "base/probe.hpp"
#include "place/frame.hpp"
#include "place/frame_bytes.hpp"
#include "place/place_node.hpp"
#include "place/running_flexible.hpp"
#include "place/wired_wait.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace tactus::detail {
namespace {

// The values of one task at a place that is not its own; other places know it by its address here.
struct place_values {
  local_value* first = nullptr;
};

constexpr std::size_t k_place_bytes = 3;
constexpr std::size_t k_name_bytes = k_place_bytes + sizeof(std::uint64_t);
constexpr std::size_t k_origin_bytes = k_name_bytes + sizeof(std::uint16_t);
constexpr std::size_t k_most_names = 4096;  // in a request; what replies say is whole

constexpr std::uint8_t k_is_number = 1;
constexpr std::uint8_t k_visits = 2;
constexpr std::uint8_t k_is_away = 4;

place_values* of_name(std::uint64_t name) noexcept {
  return reinterpret_cast<place_values*>(static_cast<std::uintptr_t>(name));
}

template <class Value>
Value* find_among(const task_frame& task) noexcept {
  for (local_value* v = task.locals; v != nullptr; v = v->next) {
    if (v->key == Value::k_key) {
      return static_cast<Value*>(v);
    }
  }
  return nullptr;
}

local_value* find_among(local_value* first, std::uint64_t key) noexcept {
  while (first != nullptr && first->key != key) {
    first = first->next;
  }
  return first;
}

place_values* values_at(const values_elsewhere* v, int place) noexcept {
  if (v != nullptr) {
    for (const auto& [where, name] : v->names) {
      if (where == place) {
        return of_name(name);
      }
    }
  }
  return nullptr;
}

// The frame that a task's values at this place hang on, and the body of an at() that it is of, if the task is of another place. A body that
// stays has those of its caller.
struct owner_of_values {
  task_frame* frame;
  body_values* body;
};
owner_of_values owner_for(task_frame* task) noexcept {
  body_values* body = find_among<body_values>(*task);
  while (body != nullptr && body->caller != nullptr) {
    task = body->caller;
    body = find_among<body_values>(*task);
  }
  return {task, body};
}

// Where the task itself is at this place and waits; null elsewhere.
task_frame* task_here(const worker* w, const task_origin& origin) noexcept {
  if (origin.place != w->place) {
    return nullptr;
  }
  const at_wait* const caller = origin.is_number
                                    ? place_node::of(w).callers().find(origin.caller)
                                    : reinterpret_cast<const at_wait*>(static_cast<std::uintptr_t>(origin.caller));
  return caller != nullptr ? caller->task : nullptr;
}

void end_values(place_values* v) noexcept {
  while (v->first != nullptr) {
    local_value* const newest = v->first;
    v->first = newest->next;
    newest->destroy(newest);
  }
  delete v;
}

// The task that does it at their place.
struct end_values_here {
  std::uint64_t name;
  void operator()() const noexcept { end_values(of_name(name)); }
};

void end_values_at(int place, std::uint64_t name) {
  worker* const w = current_worker();
  const blocks_at_any_rate nobody_could_be_told;
  place_node::of(w).send_under(*w->held, place, end_values_here{name});
  ++w->counters.spawned_remote;
}

void put_names(frame_writer& out, std::span<const std::pair<int, std::uint64_t>> names) noexcept {
  for (const auto& [place, name] : names) {
    out.put_place(place);
    out.put64(name);
  }
}

}  // namespace

// ---- of task_locals ----

namespace {

local_value* find_apart(task_frame* task, std::uint64_t key) noexcept {
  const worker* const w = any_worker();
  const owner_of_values owner = owner_for(task);
  if (owner.frame != task) {
    if (local_value* const v = find_among(owner.frame->locals, key)) {
      return v;
    }
  }
  const values_elsewhere* const elsewhere =
      owner.body != nullptr ? owner.body->elsewhere : find_among<values_elsewhere>(*owner.frame);
  if (const place_values* const these = values_at(elsewhere, w->place)) {
    if (local_value* const v = find_among(these->first, key)) {
      return v;
    }
  }
  if (owner.body != nullptr) {
    if (task_frame* const waits = task_here(w, owner.body->origin)) {
      return find_among(owner_for(waits).frame->locals, key);
    }
  }
  return nullptr;
}

// The list of a task that waits is left alone: others may be reading it.
void keep_value(task_frame* task, local_value* made) {
  const owner_of_values owner = owner_for(task);
  if (owner.body == nullptr) {
    made->next = owner.frame->locals;
    owner.frame->locals = made;
    return;
  }
  const int here = any_worker()->place;
  if (owner.body->elsewhere == nullptr) {
    owner.body->elsewhere = new values_elsewhere;
  }
  values_elsewhere& all = *owner.body->elsewhere;
  place_values* these = values_at(&all, here);
  if (these == nullptr) {
    all.names.reserve(all.names.size() + 1);
    these = new place_values;
    all.names.emplace_back(here, reinterpret_cast<std::uintptr_t>(these));
  }
  made->next = these->first;
  these->first = made;
}

}  // namespace

local_value* value_apart(task_frame* task, std::uint64_t key, local_value* made) {
  if (made == nullptr) {
    return find_apart(task, key);
  }
  keep_value(task, made);
  return made;
}

void values_elsewhere::end(local_value* v) noexcept {
  const std::unique_ptr<values_elsewhere> self(static_cast<values_elsewhere*>(v));
  for (const auto& [place, name] : self->names) {
    const worker* const w = current_worker();
    if (place == w->place) {
      end_values(of_name(name));
      continue;
    }
    try {
      end_values_at(place, name);
    } catch (const std::exception& why) {
      end_without_memory("the end of a task with values at another place needs memory", why.what());
    }
  }
}

void end_values_elsewhere(task_frame& task) noexcept {
  if (values_elsewhere* const v = find_among<values_elsewhere>(task)) {
    unlink_local(task, v);
    values_elsewhere::end(v);
  }
}

// ---- of at() ----

int designated_place_of(const worker* w) noexcept {
  const owner_of_values owner = owner_for(w->task);
  if (owner.body != nullptr) {
    return owner.body->designated;
  }
  const running_flexible* const self = running_flexible::of(owner.frame);
  return self != nullptr ? self->designated : w->place;
}

void begin_visit(at_wait& wait) noexcept {
  const worker* const w = current_worker();
  const owner_of_values owner = owner_for(w->task);
  wait.name = w->task->name();
  wait.task = owner.frame;
  wait.designated = designated_place_of(w);
  if (owner.body != nullptr) {
    wait.origin = owner.body->origin;
    wait.elsewhere = owner.body->elsewhere;
  } else {
    wait.origin = {w->place, false, reinterpret_cast<std::uintptr_t>(&wait)};
    wait.elsewhere = find_among<values_elsewhere>(*owner.frame);
  }
}

void end_visit(at_wait& wait) noexcept {
  if (wait.elsewhere == nullptr) {
    return;
  }
  if (body_values* const body = find_among<body_values>(*wait.task)) {
    body->elsewhere = wait.elsewhere;
  } else if (find_among<values_elsewhere>(*wait.task) == nullptr) {
    wait.elsewhere->next = wait.task->locals;
    wait.task->locals = wait.elsewhere;
  }
}

// ---- as bytes ----

std::vector<std::byte> bytes_of_visit(const at_wait& wait, byte_order order) {
  const bool is_of_caller = !wait.origin.is_number && wait.origin.caller == reinterpret_cast<std::uintptr_t>(&wait);
  const bool visits = !is_of_caller || wait.elsewhere != nullptr;
  const bool is_away = wait.designated != wait.origin.place;
  const std::string_view name = wait.name != nullptr ? wait.name : "";
  if (!visits && !is_away && name.empty()) {
    return {};
  }
  const std::size_t names = wait.elsewhere != nullptr ? std::min(wait.elsewhere->names.size(), k_most_names) : 0;
  std::vector<std::byte> bytes(1 + (visits ? k_origin_bytes + names * k_name_bytes : 0) +
                               (is_away ? k_place_bytes : 0) + name.size());
  frame_writer out(bytes.data(), order);
  out.put8(static_cast<std::uint8_t>((wait.origin.is_number ? k_is_number : 0U) | (visits ? k_visits : 0U) |
                                     (is_away ? k_is_away : 0U)));
  if (visits) {
    out.put_place(wait.origin.place);
    out.put64(wait.origin.caller);
    out.put16(static_cast<std::uint16_t>(names));
    if (wait.elsewhere != nullptr) {
      put_names(out, std::span(wait.elsewhere->names).first(names));
    }
  }
  if (is_away) {
    out.put_place(wait.designated);
  }
  out.put_bytes(name.data(), name.size());
  return bytes;
}

std::vector<std::byte> bytes_of_values(const values_elsewhere* v, byte_order order) {
  if (v == nullptr) {
    return {};
  }
  std::vector<std::byte> bytes(v->names.size() * k_name_bytes);
  frame_writer out(bytes.data(), order);
  put_names(out, v->names);
  return bytes;
}

void add_values(values_elsewhere*& to, std::span<const std::byte> said, byte_order order, std::size_t places) noexcept {
  frame_reader in(said, order);
  try {
    while (in.left() >= k_name_bytes) {
      const int place = in.take_place();
      const std::uint64_t name = in.take64();
      if (static_cast<std::size_t>(place) >= places || values_at(to, place) != nullptr) {
        continue;
      }
      if (to == nullptr) {
        to = new values_elsewhere;
      }
      to->names.emplace_back(place, name);
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("what a task has at another place needs memory", why.what());
  }
}

task_visit visit_of(const call_frame& said, byte_order order, std::size_t places) noexcept {
  task_visit visit{{said.head.from, true, said.caller}, nullptr, {}, 0};
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(said.name.data()), said.name.size());
  frame_reader in(bytes, order);
  const std::uint8_t what = in.take8();
  if ((what & k_visits) != 0) {
    visit.origin.is_number = (what & k_is_number) != 0;
    visit.origin.place = in.take_place();
    visit.origin.caller = in.take64();
    values_elsewhere* found = nullptr;
    add_values(found, in.take_bytes(in.take16() * k_name_bytes), order, places);
    visit.elsewhere.reset(found);
  }
  visit.designated = (what & k_is_away) != 0 ? in.take_place() : visit.origin.place;
  const std::span<const std::byte> name = in.take_bytes(in.left());
  try {
    visit.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
    // NOLINTNEXTLINE(bugprone-empty-catch): reports call it unnamed
  } catch (const std::bad_alloc&) {
  }
  return visit;
}

}  // namespace tactus::detail
