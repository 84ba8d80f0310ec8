// SPDX-License-Identifier: Apache-2.0
// What the members of a team do together: ordinary algorithms over notes. docs/protocols/teams.md, "Algorithms".
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/place/impl/exception_bytes.hpp>
#include <tactus/place/impl/frame_block.hpp>
#include <tactus/place/impl/pack_here.hpp>
#include <tactus/place/impl/team_member.hpp>
#include <tactus/place/impl/wired_call.hpp>
#include <tactus/wire/impl/archives.hpp>
#include <tactus/wire/impl/pack.hpp>
#include <tactus/wire/impl/travel_kinds.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Of what a member has caught: whether it is for want of memory, so that others need not have met it.
inline bool is_want_of_memory(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const resource_error&) {  // of a message that memory_bytes does not allow
    return true;
  } catch (...) {
    return false;
  }
}

/// What a member has in an operation: a value, or why there is none.
template <class T>
struct member_value {
  std::optional<T> value;
  std::exception_ptr error;
  bool is_told = false;       // of the error: by another member
  bool wants_memory = false;  // of the error: here or there

  void fail() noexcept {
    value.reset();
    error = std::current_exception();
    wants_memory = is_want_of_memory(error);
  }
  void fail_as(const member_value& other) noexcept {
    value.reset();
    error = other.error;
    wants_memory = other.wants_memory;
  }
  T take() {
    if (error != nullptr) {
      std::rethrow_exception(error);
    }
    return std::move(*value);
  }
};

/// The value of f(), or what that throws.
template <class T, class F>
void fill(member_value<T>& into, F&& f) noexcept {
  try {
    into.value.emplace(f());
  } catch (...) {
    into.fail();
  }
}

/// One operation, at one member, from its begin to its end.
class team_operation {
public:
  /// `root`: 0 where it has none.
  team_operation(team_member& member, team_call call, team_form form, int root = 0)
      : member_(&member), call_(call), form_(form), number_(member.begin(call, form)), root_(root) {}
  ~team_operation() {
    if (member_ != nullptr) {
      member_->end(form_, number_);
    }
  }
  team_operation(team_operation&& o) noexcept
      : member_(std::exchange(o.member_, nullptr)),
        call_(o.call_),
        form_(o.form_),
        number_(o.number_),
        root_(o.root_) {}
  team_operation& operator=(team_operation&&) = delete;

  [[nodiscard]] int size() const noexcept { return member_->size(); }
  [[nodiscard]] int rank() const noexcept { return member_->rank(); }

  /// To the member of that rank, which waits for it.
  template <class T>
  void send(int to, std::uint8_t step, member_value<T>& v) noexcept {
    send_value(to, step, v.value ? &*v.value : nullptr, v);
  }
  /// The same of a value that is not changed any more: where it is long it goes from where it lies.
  template <class T>
  void send_shared(int to, std::uint8_t step, const std::shared_ptr<T>& x, member_value<T>& v) noexcept {
    if constexpr (can_go_apart<T>) {
      if (v.error == nullptr && ranges_go_apart(member_->members()[static_cast<std::size_t>(to)].id())) {
        try {
          const value_head head = head_of<T>();
          if (const packed_size n = packed_size_of(true, head.type, head.root, *x); n.ranges != 0) {
            auto apart = std::make_unique<sent_ranges>();
            reply_bytes bytes;
            pack_here_beside(*apart, bytes.make(n.bytes), n.bytes, head.type, head.root, *x);
            apart->keep(std::make_unique<range_owner_of<std::shared_ptr<T>>>(std::shared_ptr<T>(x)));
            bytes.block->extra = apart.release();
            member_->send_bytes(at(step), to, std::move(bytes));
            return;
          }
        } catch (...) {
          v.fail();
        }
      }
    }
    send_value(to, step, x.get(), v);
  }
  void send_token(int to) noexcept { member_->send(at(0), to, nullptr); }

  template <class T>
  member_value<T> receive(int from, std::uint8_t step) {
    note came = member_->receive(at(step), from);
    member_value<T> got;
    try {
      if (came.failed) {
        got.is_told = true;
        read_failure(came, got);
      } else if (came.call != call_) {
        member_->throw_differs(at(step), came, team_member::differs::call);
      } else if (came.object != nullptr) {
        expect_same(came, step, came.object->type == type_number<T>(), came.object->root);
        got.value.emplace(std::move(static_cast<note_of<T>&>(*came.object).value));
      } else {
        got.value.emplace(came.order == byte_order::same ? read<T, byte_order::same>(came, step)
                                                         : read<T, byte_order::swapped>(came, step));
      }
    } catch (...) {
      got.fail();
    }
    return got;
  }
  void receive_token(int from) {
    if (const note came = member_->receive(at(0), from); came.call != call_) {
      member_->throw_differs(at(0), came, team_member::differs::call);
    }
  }

private:
  // Before the bytes of a value.
  struct value_head {
    std::uint32_t type;
    std::uint32_t root;
  };
  template <class T>
  [[nodiscard]] value_head head_of() const noexcept {
    return {spelling_number<T>(), static_cast<std::uint32_t>(root_)};
  }

  template <class T, byte_order Order>
  [[nodiscard]] T read(const note& came, std::uint8_t step) const {
    reader<Order> in(came.bytes, came.from, ranges_of(came.block));
    const auto type = unpack<std::uint32_t>(in);
    const auto root = unpack<std::uint32_t>(in);
    // Of another machine's build a type may be spelled in another way: std::int64_t is long, or long long.
    const bool is_same_type = type == spelling_number<T>() || !is_alike(came.from);
    expect_same(came, step, is_same_type, static_cast<int>(root));
    T x = unpack<T>(in);
    in.expect_end();
    return x;
  }
  void expect_same(const note& came, std::uint8_t step, bool is_same_type, int root) const {
    if (!is_same_type) {
      member_->throw_differs(at(step), came, team_member::differs::type);
    }
    if (root != root_) {
      member_->throw_differs(at(step), came, team_member::differs::root, root);
    }
  }

  // x, or why v has none.
  template <class T>
  void send_value(int to, std::uint8_t step, const T* x, member_value<T>& v) noexcept {
    if (v.error == nullptr) {
      try {
        if constexpr (goes_as_copy<T>) {
          if (!current_worker()->copies_as_bytes) {
            member_->send(at(step), to, std::make_unique<note_of<T>>(*x, root_));
            return;
          }
        }
        reply_bytes bytes;
        const value_head head = head_of<T>();
        const std::size_t n = packed_bytes(head.type, head.root, *x);
        pack_here(bytes.make(n), n, head.type, head.root, *x);
        member_->send_bytes(at(step), to, std::move(bytes));
        return;
      } catch (...) {
        v.fail();
      }
    }
    std::vector<std::byte> bytes;
    try {
      bytes = exception_to_bytes(v.error, here());
      bytes.push_back(static_cast<std::byte>(v.wants_memory));
    } catch (...) {
      bytes.clear();  // no memory: none stand for that
    }
    member_->send_failure(at(step), to, bytes);
  }

  [[nodiscard]] note_of_step at(std::uint8_t step) const noexcept { return {call_, number_, step, root_}; }
  [[nodiscard]] static place here() noexcept { return place(place::unchecked{current_worker()->place}); }

  // Behind the exception is whether it is for want of memory: not all exceptions are here what they were there.
  template <class T>
  static void read_failure(const note& came, member_value<T>& into) {
    const std::span<const std::byte> bytes =
        came.object != nullptr ? static_cast<note_of<std::vector<std::byte>>&>(*came.object).value : came.bytes;
    into.wants_memory = bytes.empty() || bytes.back() != std::byte{0};
    into.error = bytes.empty() ? std::make_exception_ptr(std::bad_alloc())
                               : exception_of_bytes(bytes.first(bytes.size() - 1), place(place::unchecked{came.from}));
  }

  team_member* member_;
  team_call call_;
  team_form form_;
  std::uint32_t number_;
  int root_;
};

// Steps of operations that take several ways.
inline constexpr std::uint8_t k_step_to = 0;
inline constexpr std::uint8_t k_step_root = 1;
inline constexpr std::uint8_t k_step_from = 2;

/// Round k: to rank + 2^k, from rank - 2^k.
inline void barrier_of(team_operation& o) {
  const int n = o.size();
  for (int far = 1; far < n; far *= 2) {
    o.send_token((o.rank() + far) % n);
    o.receive_token((o.rank() + n - far) % n);
  }
}

// Binomial trees of ranks counted from the root: the parent of r is r without its lowest bit, its children are r + 2^k below that bit.
[[nodiscard]] inline int lowest_bit_or(int relative, int n) noexcept {
  int bit = 1;
  while (bit < n && (relative & bit) == 0) {
    bit *= 2;
  }
  return bit;  // for the root: n or more
}

template <class T>
void broadcast_of(team_operation& o, member_value<T>& v, int root, std::uint8_t step) {
  const int n = o.size();
  const int relative = (o.rank() - root + n) % n;
  int bit = lowest_bit_or(relative, n);
  if (relative != 0) {
    v = o.receive<T>((relative - bit + root) % n, step);
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (relative + bit < n) {
      o.send((relative + bit + root) % n, step, v);
    }
  }
}

/// Into the first of them; where both fail, the lower ranks' failure stays.
template <class T, class Combine>
void combine_values(member_value<T>& lower, member_value<T>& upper, const Combine& combine) noexcept {
  if (lower.error != nullptr) {
    return;
  }
  if (upper.error != nullptr) {
    lower.fail_as(upper);
    return;
  }
  try {
    combine(*lower.value, std::move(*upper.value));
  } catch (...) {
    lower.fail();
  }
}

/// What combine(mine, of higher ranks) has made of all, at rank 0.
template <class T, class Combine>
void reduce_to_first(team_operation& o, member_value<T>& v, const Combine& combine) {
  const int n = o.size();
  for (int bit = 1; bit < n; bit *= 2) {
    if ((o.rank() & bit) != 0) {
      o.send(o.rank() - bit, k_step_to, v);
      return;
    }
    if (o.rank() + bit < n) {
      member_value<T> other = o.receive<T>(o.rank() + bit, k_step_to);
      combine_values(v, other, combine);
    }
  }
}

struct nothing_more {
  template <class Ar>
  friend void serialize(Ar& /*ar*/, nothing_more& /*x*/) {}
};

/// At the root; value-initialised elsewhere.
template <class T, class Combine>
member_value<T> reduce_of(team_operation& o, member_value<T> v, const Combine& combine, int root) {
  reduce_to_first(o, v, combine);
  if (root != 0) {
    if (o.rank() == 0) {
      o.send(root, k_step_root, v);
    } else if (o.rank() == root) {
      v = o.receive<T>(0, k_step_root);
    }
  }
  if constexpr (!Combine::is_safe) {
    member_value<nothing_more> outcome;
    outcome.error = v.error;
    if (outcome.error == nullptr) {
      outcome.value.emplace();
    }
    broadcast_of(o, outcome, root, k_step_from);  // who has heard of all failures, or could not read what came
    if (v.error == nullptr) {
      v.error = outcome.error;
    }
  }
  return v;
}

/// One round of the next one: v becomes what it and the partner's make together.
template <class T, class Combine>
void combine_with(team_operation& o, int partner, member_value<T>& v, const Combine& combine) {
  o.send(partner, k_step_to, v);
  member_value<T> other = o.receive<T>(partner, k_step_to);
  if (partner > o.rank()) {
    combine_values(v, other, combine);
  } else {
    combine_values(other, v, combine);
    v = std::move(other);
  }
}

/// The same of what may be long: gives v away, and puts the outcome into what it gets.
template <class T, class Combine>
  requires can_go_apart<T>
void combine_with(team_operation& o, int partner, member_value<T>& v, const Combine& combine) {
  std::shared_ptr<T> mine;
  if (v.error == nullptr) {
    try {
      mine = std::make_shared<T>(std::move(*v.value));
    } catch (...) {
      v.fail();
    }
  }
  o.send_shared(partner, k_step_to, mine, v);
  member_value<T> other = o.receive<T>(partner, k_step_to);
  const bool is_lower = o.rank() < partner;
  if (v.error != nullptr) {
    if (is_lower || other.error == nullptr) {
      other.fail_as(v);
    }
  } else if (other.error == nullptr) {
    try {
      if (is_lower) {
        combine.into_upper(*mine, *other.value);
      } else {
        combine(*other.value, *mine);
      }
    } catch (...) {
      other.fail();
    }
  }
  v = std::move(other);
}

/// What all have made of all, at each of 2^k members. All failures but for want of memory are the same everywhere.
template <class T, class Combine>
member_value<T> combine_by_doubling(team_operation& o, member_value<T> v, const Combine& combine, bool is_long) {
  for (int bit = 1; bit < o.size(); bit *= 2) {
    const bool is_first = v.error == nullptr;
    combine_with(o, o.rank() ^ bit, v, combine);
    // A word on how it went with so short a value would take as long as that itself.
    if (is_first && !is_long && v.error != nullptr && !v.is_told && v.wants_memory) {
      end_for_want_of_memory();
    }
  }
  return v;
}

/// Whether it went well at all of 2^k members: else that failure of them which the lowest rank has.
inline void agree_by_doubling(team_operation& o, std::exception_ptr& error) {
  member_value<nothing_more> outcome;
  for (int bit = 1; bit < o.size(); bit *= 2) {
    const int partner = o.rank() ^ bit;
    outcome.error = error;
    outcome.value.emplace();
    o.send(partner, k_step_from, outcome);
    // NOLINTNEXTLINE(readability-suspicious-call-argument): the constant's name ends as the other parameter's
    const member_value<nothing_more> other = o.receive<nothing_more>(partner, k_step_from);
    if (other.error != nullptr && (error == nullptr || partner < o.rank())) {
      error = other.error;
    }
  }
}

/// `is_long`: of all members' values, if they are of one length; false where that is fixed.
template <class T, class Combine>
member_value<T> allreduce_of(team_operation& o, member_value<T> v, const Combine& combine, bool is_long) {
  const int n = o.size();
  if constexpr (Combine::is_safe || Combine::is_same_everywhere) {
    if ((n & (n - 1)) == 0) {
      v = combine_by_doubling(o, std::move(v), combine, is_long);
      if (is_long && (v.error == nullptr || v.wants_memory)) {
        agree_by_doubling(o, v.error);
      }
      return v;
    }
  }
  reduce_to_first(o, v, combine);
  broadcast_of(o, v, 0, k_step_from);
  return v;
}

/// By rank at the root; empty elsewhere.
template <class T>
member_value<std::vector<T>> gather_of(team_operation& o, T x, int root, std::uint8_t step) {
  const int n = o.size();
  const int relative = (o.rank() - root + n) % n;
  member_value<std::vector<T>> all;  // of this rank and those behind it
  fill(all, [&] {
    std::vector<T> own;
    own.push_back(std::move(x));
    return own;
  });
  const auto append = [](std::vector<T>& to, std::vector<T>&& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  for (int bit = 1; bit < n; bit *= 2) {
    if ((relative & bit) != 0) {
      o.send((relative - bit + root) % n, step, all);
      if (all.error == nullptr) {
        all.value.emplace();
      }
      return all;
    }
    if (relative + bit < n) {
      member_value<std::vector<T>> behind = o.receive<std::vector<T>>((relative + bit + root) % n, step);
      combine_values(all, behind, append);
    }
  }
  if (all.error == nullptr) {  // from the root's order to that of ranks
    fill(all, [&] {
      std::vector<T> by_rank;
      by_rank.reserve(all.value->size());
      for (int r = 0; r < n; ++r) {
        by_rank.push_back(std::move((*all.value)[static_cast<std::size_t>((r - root + n) % n)]));
      }
      return by_rank;
    });
  }
  return all;
}

/// The rank-th of the root's.
template <class T>
member_value<T> scatter_of(team_operation& o, member_value<std::vector<T>> all, int root, std::uint8_t step) {
  using many = std::vector<T>;
  const int n = o.size();
  const int relative = (o.rank() - root + n) % n;
  int bit = lowest_bit_or(relative, n);
  if (relative != 0) {
    all = o.receive<many>((relative - bit + root) % n, step);  // that of this rank, and of those behind it
  } else if (all.error == nullptr) {
    fill(all, [&] {
      many from_root;
      from_root.reserve(all.value->size());
      for (int r = 0; r < n; ++r) {
        from_root.push_back(std::move((*all.value)[static_cast<std::size_t>((r + root) % n)]));
      }
      return from_root;
    });
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (relative + bit < n) {
      member_value<many> behind;
      behind.error = all.error;
      if (all.error == nullptr) {
        fill(behind, [&] {
          many some(std::make_move_iterator(all.value->begin() + bit), std::make_move_iterator(all.value->end()));
          all.value->erase(all.value->begin() + bit, all.value->end());
          return some;
        });
      }
      o.send((relative + bit + root) % n, step, behind);
    }
  }
  member_value<T> mine;
  mine.error = all.error;
  if (mine.error == nullptr) {
    fill(mine, [&] { return std::move(all.value->front()); });
  }
  return mine;
}

template <class T>
member_value<std::vector<T>> alltoall_of(team_operation& o, member_value<std::vector<T>> all) {
  const int n = o.size();
  for (int far = 1; far < n; ++far) {
    const int to = (o.rank() + far) % n;
    member_value<T> one;
    one.error = all.error;
    if (one.error == nullptr) {
      fill(one, [&] { return std::move((*all.value)[static_cast<std::size_t>(to)]); });
    }
    o.send(to, k_step_to, one);
  }
  for (int far = 1; far < n; ++far) {
    const int from = (o.rank() + n - far) % n;
    member_value<T> one = o.receive<T>(from, k_step_to);
    if (all.error == nullptr) {
      if (one.error != nullptr) {
        all.error = one.error;
      } else {
        (*all.value)[static_cast<std::size_t>(from)] = std::move(*one.value);
      }
    }
  }
  return all;
}

}  // namespace tactus::detail
