// SPDX-License-Identifier: Apache-2.0
#include "place/notes.hpp"

#include <tactus/base/impl/assert.hpp>

#include "place/message_parts.hpp"

#include <cstddef>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace tactus::detail {
namespace {

constexpr const char* k_calls[] = {"barrier", "broadcast", "reduce",   "allreduce",
                                   "gather",  "scatter",   "alltoall", "split"};

bool has_root(team_call call) noexcept {
  return call == team_call::broadcast || call == team_call::reduce || call == team_call::gather ||
         call == team_call::scatter;
}

void describe_note(const wait_point& p, std::string& text) {
  const auto& w = static_cast<const note_table::waiter&>(p);
  text += place_of(*w.member, w.from) + " in " + call_text(*w.member, w.which);
  if (has_root(w.which.call)) {
    text += " with root " + std::to_string(w.which.root);
  }
}

constinit const wait_kind k_note{describe_note, "another member of a team"};

// Behind the header and a pointer to the note's object or frame.
constexpr std::size_t k_node_at = sizeof(message_header) + sizeof(void*);

}  // namespace

const char* name_of(team_call call) noexcept { return k_calls[static_cast<std::size_t>(call)]; }

std::string call_text(const team_member& m, note_of_step which) {
  return std::string(name_of(which.call)) + " (operation " + std::to_string(which.operation) + ") of a team of " +
         std::to_string(m.size());
}

std::string place_of(const team_member& m, int rank) {
  return "member " + std::to_string(rank) + ", " + to_string(m.members()[static_cast<std::size_t>(rank)]) + ",";
}

note_table::~note_table() {
  nodes_.for_each([](node& n) {
    if (n.waits == nullptr) {
      drop_message(message_of(&n));
    }
  });
}

queued_task* note_table::message_of(node* n) noexcept {
  static_assert(k_node_at + sizeof(node) <= queued_task::k_inline_bytes);
  auto* const storage = reinterpret_cast<std::byte*>(n) - k_node_at;
  return reinterpret_cast<queued_task*>(storage - offsetof(queued_task, storage));
}

note_table::brought note_table::bring(queued_task* m) {
  const std::uint64_t key = header_of(m).key;
  shard& s = nodes_.of(key);
  const std::lock_guard lock(s.mutex);
  if (node* const there = s.find(key); there != nullptr) {
    if (there->waits == nullptr) {
      return {nullptr, true};
    }
    s.erase(there);
    there->waits->came = m;
    return {there->waits, false};
  }
  s.insert(::new (static_cast<void*>(m->storage + k_node_at)) node{key, nullptr, nullptr});
  return {};
}

// Else it would be taken for a message.
void note_table::refuse_second_wait(const node* there) noexcept {
  TACTUS_ALWAYS_ASSERT(there->waits == nullptr, "one task waits for a note of a team (teams N2)");
}

queued_task* note_table::take(const team_member& member, note_of_step which, int from) {
  const std::uint64_t key = note_key::of(member.name(), which, from);
  {
    shard& s = nodes_.of(key);
    const std::lock_guard lock(s.mutex);
    if (node* const there = s.find(key); there != nullptr) {
      refuse_second_wait(there);
      s.erase(there);
      return message_of(there);
    }
  }
  waiter w;
  w.key = key;
  w.member = &member;
  w.which = which;
  w.from = from;
  w.commit = enter;
  w.cancel = leave;
  w.kind = &k_note;
  w.object = this;
  suspend(w);
  return w.came;
}

bool note_table::enter(wait_point& p) {
  auto& w = static_cast<waiter&>(p);
  shard& s = static_cast<note_table*>(p.object)->nodes_.of(w.key);
  const std::lock_guard lock(s.mutex);
  if (node* const there = s.find(w.key); there != nullptr) {
    refuse_second_wait(there);
    s.erase(there);
    w.came = message_of(there);
    return false;
  }
  w.in_table = {w.key, nullptr, &w};
  try {
    s.insert(&w.in_table);
  } catch (const std::bad_alloc& why) {
    end_without_memory("a member of a team that waits needs memory", why.what());
  }
  return true;
}

void note_table::leave(wait_point& p) {
  auto& w = static_cast<waiter&>(p);
  shard& s = static_cast<note_table*>(p.object)->nodes_.of(w.key);
  const std::lock_guard lock(s.mutex);
  s.erase(&w.in_table);
}

// They are few: of operations that some member has not come to.
void note_table::forget_all_but(std::uint32_t run) noexcept {
  forget([run](std::uint64_t key) { return !note_key::is_of_run(key, run); });
}
void note_table::forget_all() noexcept {
  forget([](std::uint64_t /*any*/) { return true; });
}

template <class Left>
void note_table::forget(Left is_left) noexcept {
  for (;;) {
    const node* left = nullptr;
    nodes_.for_each([&](const node& n) { left = is_left(n.key) ? &n : left; });
    if (left == nullptr) {
      return;
    }
    shard& s = nodes_.of(left->key);
    const std::lock_guard lock(s.mutex);
    node* const n = s.find(left->key);
    s.erase(n);
    drop_message(message_of(n));
  }
}

}  // namespace tactus::detail
