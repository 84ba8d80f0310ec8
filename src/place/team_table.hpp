// SPDX-License-Identifier: Apache-2.0
// The teams of one place: numbers of their operations, and the names of splits. docs/protocols/teams.md.
#pragma once

#include <tactus/place/impl/team_member.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include "place/notes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tactus::detail {

class team_table;

/// A team at one of its members.
class team_part final : public team_member {
public:
  team_part(team_table& of, team_name name, std::vector<place> members, int rank)
      : team_member(name, std::move(members), rank), table_(of) {}

  std::uint32_t begin(team_call call, team_form form) override;
  void end(team_form form, std::uint32_t number) noexcept override;
  void send(note_of_step which, int to, std::unique_ptr<note_object> object) noexcept override;
  void send_bytes(note_of_step which, int to, reply_bytes bytes) noexcept override;
  void send_failure(note_of_step which, int to, const std::vector<std::byte>& bytes) noexcept override;
  note receive(note_of_step which, int from) override;
  team_name split(int colour, int key) override;
  [[noreturn]] void throw_differs(note_of_step which, const note& came, differs in, int root_there) const override;

private:
  struct waiter : wait_point {
    team_part* part = nullptr;
  };
  static bool wait_for_end(wait_point& p);
  static void give_up(wait_point& p);
  [[nodiscard]] bool has_room() const noexcept;
  void wait_for_room(team_call call);
  void join_all();
  void free_caller(team_form form) noexcept;
  void post(note_of_step which, int to, std::uint64_t key, reply_bytes& bytes, bool failed) noexcept;
  [[nodiscard]] place at(int rank) const noexcept { return members()[static_cast<std::size_t>(rank)]; }

  team_table& table_;
  std::mutex mutex_;                                         // protects what follows
  bool is_used_ = false;                                     // by a task that begins an operation, or is in one
  std::uint32_t next_ = 0;                                   // number of the next operation
  std::uint32_t in_a_row_ = 0;                               // operations since one that waits for all
  std::array<std::uint32_t, k_most_under_way> under_way_{};  // numbers, in their order
  std::size_t how_many_ = 0;                                 // of them
  waiter* waits_ = nullptr;
};

class team_table {
public:
  team_table() = default;
  team_table(const team_table&) = delete;
  team_table& operator=(const team_table&) = delete;

  /// That of the run that is under way. place_error: there is none, or this place is no member; `call` for the text.
  [[nodiscard]] team_part& find(const worker* w, team_name name, const char* call);

  /// Enters it, unless it is known. std::bad_alloc.
  void enter(team_name name, const std::vector<place>& members, int rank);

  /// The name of a split with these members, of the team of that name, at its rank 0. resource_error: there are too many.
  [[nodiscard]] team_name name_split(const worker* w, team_name of, const std::vector<int>& members);

private:
  void forget_other_runs(std::uint32_t run) noexcept;

  std::mutex mutex_;  // protects what follows
  std::uint32_t run_ = 0;
  std::unordered_map<std::uint32_t, std::unique_ptr<team_part>> parts_;
  std::map<std::pair<std::uint32_t, std::vector<int>>, std::uint32_t> named_;
};

}  // namespace tactus::detail
