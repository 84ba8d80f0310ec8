// SPDX-License-Identifier: Apache-2.0
// How a task that may move is spawned: queued, so that it has not started when something decides about it.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/received_call.hpp>
#include <tactus/place/impl/spawn_at.hpp>
#include <tactus/place/impl/spawn_site.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// What a task that may move runs, and what is known of it: it goes from place to place as a whole.
class flexible_call {
public:
  flexible_call() = default;
  virtual ~flexible_call() = default;
  flexible_call(const flexible_call&) = delete;
  flexible_call& operator=(const flexible_call&) = delete;

  virtual void operator()() = 0;
  [[nodiscard]] virtual const char* label() const noexcept = 0;  ///< for timelines

  std::unique_ptr<task_name> name;
  std::uint64_t traced_as = 0;  ///< its number in a timeline, where the run has one
  std::size_t bytes = 0;        ///< what it consists of
  int designated = 0;           ///< place
  std::uint16_t moves = 0;      ///< how often it has moved, as far as that goes
  bool has_moved = false;
  bool is_framed = false;  ///< it is a framed_call, which may go to other processes
};

/// As an object. Made and destroyed by workers only: a small one lies in a descriptor of theirs, which costs less than the heap.
template <class Call>
class flexible_call_of final : public flexible_call {
public:
  template <class C>
  explicit flexible_call_of(C&& call) : call_(std::forward<C>(call)) {
    bytes = sizeof(Call) + held_by(call_);
  }
  void operator()() override { static_cast<void>(call_()); }
  [[nodiscard]] const char* label() const noexcept override { return traced_closure::label_of<Call>(); }

  static void* operator new(std::size_t size) {
    if constexpr (lies_in_descriptor()) {
      return current_worker()->tasks.take();
    } else if constexpr (is_over_aligned()) {
      return ::operator new(size, std::align_val_t{alignof(flexible_call_of)});
    } else {
      return ::operator new(size);
    }
  }
  static void operator delete(void* p, std::size_t size) noexcept {
    if constexpr (lies_in_descriptor()) {
      current_worker()->tasks.put(::new (p) queued_task);  // which there was none while it was a call
    } else if constexpr (is_over_aligned()) {
      ::operator delete(p, size, std::align_val_t{alignof(flexible_call_of)});
    } else {
      ::operator delete(p, size);
    }
  }

private:
  static constexpr bool lies_in_descriptor() noexcept {
    return sizeof(flexible_call_of) <= sizeof(queued_task) && alignof(flexible_call_of) <= alignof(queued_task);
  }
  static constexpr bool is_over_aligned() noexcept {
    return alignof(flexible_call_of) > __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  }

  Call call_;
};

/// Spawns it as a task whose designated place is `to`: the policy of the calling task's place says where it goes. May suspend; throws what
/// async_at throws, and nothing was spawned then.
TACTUS_API void spawn_movable(int to, std::unique_ptr<flexible_call> call);

/// The same of one that is bytes.
TACTUS_API void spawn_movable(int to, std::unique_ptr<task_name> name, wired_call&& call);

/// A result of a task that may move goes to another place than the caller's.
TACTUS_API void note_result_home(std::size_t bytes) noexcept;

/// Whether a Call can be told at another place than the one that it was made for.
template <class Call>
inline constexpr bool may_be_moved = true;
template <class Fn, class... As>
inline constexpr bool may_be_moved<packed_call<Fn, As...>> = !packed_call<Fn, As...>::has_handles;

/// Spawns `call` as a task whose designated place is `to`.
template <class Call>
void spawn_flexible(int to, flexibility how, std::unique_ptr<task_name> name, Call&& call) {
  if (may_be_moved<std::decay_t<Call>> && current_worker()->moves_flexible && how == flexibility::may_move) {
    if constexpr (std::is_same_v<wired_call, std::decay_t<Call>>) {
      spawn_movable(to, std::move(name), std::forward<Call>(call));
    } else {
      auto movable = std::make_unique<flexible_call_of<std::decay_t<Call>>>(std::forward<Call>(call));
      movable->name = std::move(name);
      spawn_movable(to, std::move(movable));
    }
  } else {
    spawn_at<way_here::queued>(to, std::move(name), std::forward<Call>(call));
  }
}

}  // namespace tactus::detail
