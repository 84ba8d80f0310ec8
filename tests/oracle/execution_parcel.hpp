// SPDX-License-Identifier: Apache-2.0
// What is sent with a task to another place, and how it is looked at there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "execution.hpp"

namespace oracle {

inline constexpr std::size_t k_bytes_sent = 300;

inline std::uint8_t mark_of(task_id id) { return static_cast<std::uint8_t>(id | 1u); }
inline std::string text_of(task_id id) { return "what goes with task " + std::to_string(id); }

// What is sent with a task, or with what goes before it.
struct execution::parcel {
  std::uint16_t program;  // what is sent to another process names it there
  task_id id;

  [[nodiscard]] execution& of() const { return numbered(program); }

  void look_at(const std::vector<std::uint8_t>& bytes) const {
    const bool whole = bytes.size() == k_bytes_sent &&
                       std::all_of(bytes.begin(), bytes.end(), [this](std::uint8_t b) { return b == mark_of(id); });
    of().check(whole, id, "bytes that were sent", mark_of(id), bytes.empty() ? 0 : bytes[0]);
  }

  void look_at(const std::string& text, std::uint64_t number) const {
    look_at(number);
    of().check(text == text_of(id), id, "a text that was sent", text_of(id).size(), text.size());
  }

  void look_at(std::uint64_t number) const {
    const std::uint64_t wanted = of().program_->element_value(id);
    of().check(number == wanted, id, "a number that was sent", wanted, number);
  }
};

// Calls call(args...) with what is sent to the first task of the statement, or to all of them.
template <class Call>
decltype(auto) execution::with_arguments(const statement& s, Call&& call) {
  const task_id id = s.first_task;
  board_.arguments[id] = program_->task_value(id);
  switch (s.carries) {
    case baggage::little: break;
    case baggage::much: return call(std::vector<std::uint8_t>(k_bytes_sent, mark_of(id)));
    case baggage::aligned: return call(text_of(id), program_->element_value(id));
  }
  return call();
}

}  // namespace oracle
