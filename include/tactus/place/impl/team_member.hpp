// SPDX-License-Identifier: Apache-2.0
// A team as one of its members sees it, and what members send each other. docs/protocols/teams.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/wired_type.hpp>
#include <tactus/place/place.hpp>
#include <tactus/wire/impl/archives.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tactus::detail {

/// The same at all members.
struct team_name {
  static constexpr std::uint32_t k_world = 0;
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  std::uint32_t id = k_none;
  std::uint32_t run = 0;  ///< number of the run that it is of; 0, of the world: the calling task's

  friend bool operator==(team_name, team_name) noexcept = default;
};

/// Part of what a note says, so the numbers are those between processes.
enum class team_call : std::uint8_t { barrier, broadcast, reduce, allreduce, gather, scatter, alltoall, split };

/// Whether the caller goes on before the operation has ended, which a task of its own runs then.
enum class team_form : std::uint8_t { blocking, split };

/// What a note brings to a place of the same process.
struct note_object {
  note_object(std::uint64_t of_type, int for_root) noexcept : type(of_type), root(for_root) {}
  virtual ~note_object() = default;
  note_object(const note_object&) = delete;
  note_object& operator=(const note_object&) = delete;

  const std::uint64_t type;
  const int root;  ///< of the operation, as its sender was told
};

inline constexpr std::uint64_t k_text_factor = 1'099'511'628'211U;

[[nodiscard]] constexpr std::uint64_t number_of_text(const char* c) noexcept {
  std::uint64_t h = 14'695'981'039'346'656'037U;
  for (; *c != '\0'; ++c) {
    h = (h ^ static_cast<unsigned char>(*c)) * k_text_factor;
  }
  return h;
}

/// A number for a type, the same in all libraries and processes of a program. Tells closures of one function apart: clang does in what it
/// makes of the signature, g++ in the type's name and nowhere else; without type information g++ does not.
template <class T>
[[nodiscard]] std::uint64_t type_number() noexcept {
#if defined(__GXX_RTTI) && !defined(__clang__)
  static const std::uint64_t number = number_of_text(typeid(T).name());
#else
  static constexpr std::uint64_t number = number_of_text(__PRETTY_FUNCTION__);
#endif
  return number;
}

/// What a compiler writes for a type, as a number; of closures it says where they stand, or nothing, so that those are left out: as bytes
/// they are alike.
[[nodiscard]] constexpr std::uint32_t number_of_spelling(const char* c) noexcept {
  constexpr const char* at = " at ";  // clang: (lambda at FILE:LINE:COLUMN)
  std::uint64_t h = number_of_text("");
  while (*c != '\0') {
    std::size_t same = 0;
    while (at[same] != '\0' && c[same] == at[same]) {
      ++same;
    }
    while (at[same] == '\0' && *c != '\0' && *c != ')') {
      ++c;
    }
    if (*c != '\0') {
      h = (h ^ static_cast<unsigned char>(*c++)) * k_text_factor;
    }
  }
  return static_cast<std::uint32_t>(h ^ h >> 32U);
}

/// Stands before a value that goes as bytes: a number for its type, the same in all processes of one build.
template <class T>
[[nodiscard]] std::uint32_t spelling_number() noexcept {
  static constexpr std::uint32_t number = number_of_spelling(__PRETTY_FUNCTION__);
  return number;
}

template <class T>
struct note_of final : note_object {
  // NOLINTNEXTLINE(modernize-pass-by-value): copied once, also where a T cannot be moved
  explicit note_of(const T& x, int for_root = 0) : note_object(type_number<T>(), for_root), value(x) {}
  T value;
};

/// What has come: an object, bytes, or neither.
struct note {
  team_call call = team_call::barrier;
  bool failed = false;  ///< what there is are the bytes of send_failure()
  int from = 0;         ///< the place of the sender
  std::unique_ptr<note_object> object{};
  frame_ptr block{};
  std::span<const std::byte> bytes{};
  byte_order order = byte_order::same;
};

/// Which note: of which operation, in which of its steps.
struct note_of_step {
  team_call call;
  std::uint32_t operation;
  std::uint8_t step;
  int root = 0;  ///< that the caller has given; not part of the key, but members differ otherwise
};

/// A member has no memory for what the others have already counted on.
[[noreturn]] TACTUS_API void end_for_want_of_memory() noexcept;

class team_member {
public:
  static constexpr std::uint32_t k_most_under_way = 16;
  /// An operation begins when all that are so many numbers before it have ended.
  static constexpr std::uint32_t k_farthest = 64;

  team_member(team_name name, std::vector<place> members, int rank)
      : name_(name), members_(std::move(members)), rank_(rank) {}
  virtual ~team_member() = default;
  team_member(const team_member&) = delete;
  team_member& operator=(const team_member&) = delete;

  [[nodiscard]] team_name name() const noexcept { return name_; }
  [[nodiscard]] const std::vector<place>& members() const noexcept { return members_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(members_.size()); }
  [[nodiscard]] int rank() const noexcept { return rank_; }

  /// The number of an operation that begins. Suspends while there are too many under way, and for the barrier that comes first now and then.
  /// place_error: another task is in one; what suspend() throws.
  virtual std::uint32_t begin(team_call call, team_form form) = 0;
  virtual void end(team_form form, std::uint32_t number) noexcept = 0;

  /// To the member of that rank. Null: nothing but the note itself.
  virtual void send(note_of_step which, int to, std::unique_ptr<note_object> object) noexcept = 0;
  virtual void send_bytes(note_of_step which, int to, reply_bytes bytes) noexcept = 0;
  /// Bytes of an exception, and one: whether it is for want of memory; none stand for std::bad_alloc.
  virtual void send_failure(note_of_step which, int to, const std::vector<std::byte>& bytes) noexcept = 0;

  /// Waits for what the member of that rank sends. deadlock_error, resource_error.
  virtual note receive(note_of_step which, int from) = 0;

  /// The team of those members that give the same colour, in the order of keys.
  virtual team_name split(int colour, int key) = 0;

  /// place_error: they have called different operations under one number, or one with values of different types, or roots.
  enum class differs : std::uint8_t { call, type, root };
  [[noreturn]] virtual void throw_differs(note_of_step which, const note& came, differs in,
                                          int root_there = 0) const = 0;

private:
  const team_name name_;
  const std::vector<place> members_;
  const int rank_;
};

/// The calling task's place as a member. usage_error outside a task, atomic_use_error in an atomic block; place_error: it is none, or there
/// is no such team (any more).
enum class team_use : bool { operation, question };
[[nodiscard]] TACTUS_API team_member& member_of(team_name name, const char* call, team_use use = team_use::operation);

}  // namespace tactus::detail
