// SPDX-License-Identifier: Apache-2.0
// What members of teams send each other: where a note is until it is waited for, and who waits until it comes. docs/protocols/teams.md.
#pragma once

#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/team_member.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include "place/key_table.hpp"

#include <cstdint>
#include <string>

namespace tactus::detail {

/// One note of a run. docs/protocols/teams.md, "Notes".
struct note_key {
  static constexpr unsigned k_sender_bits = 12;
  static constexpr unsigned k_step_bits = 4;
  static constexpr unsigned k_operation_bits = 12;
  static constexpr unsigned k_run_bits = 8;
  static constexpr unsigned k_team_bits = 28;

  /// Members of a team, at most.
  static constexpr int k_most_members = 1 << k_sender_bits;

  static constexpr std::uint64_t of(team_name team, note_of_step which, int sender) noexcept {
    std::uint64_t k = team.id;
    k = k << k_run_bits | low(team.run, k_run_bits);
    k = k << k_operation_bits | low(which.operation, k_operation_bits);
    k = k << k_step_bits | which.step;
    return k << k_sender_bits | static_cast<std::uint64_t>(sender);
  }
  static constexpr bool is_of_run(std::uint64_t key, std::uint32_t run) noexcept {
    return low(key >> (k_sender_bits + k_step_bits + k_operation_bits), k_run_bits) == low(run, k_run_bits);
  }

private:
  static constexpr std::uint64_t low(std::uint64_t x, unsigned bits) noexcept {
    return x & ((std::uint64_t{1} << bits) - 1);
  }
};
static_assert(note_key::k_team_bits + note_key::k_run_bits + note_key::k_operation_bits + note_key::k_step_bits +
                  note_key::k_sender_bits ==
              64);

/// For errors and reports: "barrier", "barrier (operation 3) of a team of 4", "member 2, place 5,".
[[nodiscard]] const char* name_of(team_call call) noexcept;
[[nodiscard]] std::string call_text(const team_member& m, note_of_step which);
[[nodiscard]] std::string place_of(const team_member& m, int rank);

/// Of one place.
class note_table {
public:
  struct waiter;

  note_table() = default;
  ~note_table();
  note_table(const note_table&) = delete;
  note_table& operator=(const note_table&) = delete;

  /// The message of that key, which is the caller's then. Suspends until it comes; deadlock_error, resource_error.
  [[nodiscard]] queued_task* take(const team_member& member, note_of_step which, int from);

  struct brought {
    waiter* waits = nullptr;  // which has it now, and is to be made ready
    bool is_second = false;   // of its key: it is the caller's
  };
  /// A note that has come. std::bad_alloc.
  [[nodiscard]] brought bring(queued_task* m);

  /// Lets go of what is left of earlier runs, before one of them has the same number in keys. Nobody waits for it.
  void forget_all_but(std::uint32_t run) noexcept;
  void forget_all() noexcept;

private:
  template <class Left>
  void forget(Left is_left) noexcept;

  // In the storage of a message that lies here, or on the stack of who waits.
  struct node {
    std::uint64_t key;
    node* next;
    waiter* waits;  // null: a message
  };
  using shard = key_table<node>::shard;

  static queued_task* message_of(node* n) noexcept;
  static void refuse_second_wait(const node* there) noexcept;
  static bool enter(wait_point& p);
  static void leave(wait_point& p);

  key_table<node> nodes_;
};

/// On the stack of who waits.
struct note_table::waiter : wait_point {
  std::uint64_t key = 0;
  queued_task* came = nullptr;
  const team_member* member = nullptr;
  note_of_step which{};
  int from = 0;  // rank
  node in_table{};
};

/// Lets go of what a message that nobody takes consists of, but for its descriptor.
void drop_message(queued_task* m) noexcept;

}  // namespace tactus::detail
