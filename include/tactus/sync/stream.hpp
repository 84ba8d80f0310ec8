// SPDX-License-Identifier: Apache-2.0
// stream: a bounded queue between tasks that produce and tasks that consume.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/report_number.hpp>
#include <tactus/scheduler/impl/continuation.hpp>
#include <tactus/sync/phaser.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tactus {
namespace detail {

/// One item on its way.
struct stream_node {
  stream_node* next = nullptr;
};

[[noreturn]] TACTUS_API void throw_moved_end();

/// What a stream is but for the type of its items. docs/protocols/phaser.md.
class stream_core {
public:
  TACTUS_API explicit stream_core(std::uint64_t most);
  stream_core(const stream_core&) = delete;
  stream_core& operator=(const stream_core&) = delete;

  /// From an end that may be closed. Takes n over when it returns. phaser_use_error once closed; deadlock_error, resource_error.
  TACTUS_API void push(stream_node* n, const bool& end_closed);

  /// The caller's; null once closed and empty. deadlock_error, resource_error.
  TACTUS_API stream_node* pop();

  /// One more who may push, until it closes or goes. The stream is closed once somebody has closed and nobody is left who has not.
  TACTUS_API void open_end() noexcept;
  TACTUS_API void close_end(bool& end_closed);
  TACTUS_API void leave_end(const bool& end_closed) noexcept;

  /// What is left, for the destructor.
  stream_node* take_rest() noexcept { return std::exchange(first_, nullptr); }

private:
  struct point;
  using point_list = point*;

  [[noreturn]] void throw_closed() const;
  void check_home(const worker* w, const char* call) const;

  void append_locked(stream_node* n) noexcept;
  [[nodiscard]] bool put_locked(stream_node* n, point_list& awake) noexcept;
  [[nodiscard]] bool take_locked(stream_node*& n, point_list& awake) noexcept;
  [[nodiscard]] point_list close_if_done_locked() noexcept;
  static void enqueue(point_list& first, point_list& last, point& p) noexcept;
  static bool wait_for_room(wait_point& p);
  static bool wait_for_item(wait_point& p);
  static void cancel(wait_point& p);
  static void describe_room(const wait_point& p, std::string& text);
  static void describe_item(const wait_point& p, std::string& text);
  static const wait_kind k_room;
  static const wait_kind k_item;
  static void wake(point_list points) noexcept;

  const std::uint64_t bound_;
  const std::uint64_t made_in_;  // number of the runtime
  report_number number_;

  std::mutex lock_;  // protects all below
  stream_node* first_ = nullptr;
  stream_node* last_ = nullptr;
  std::uint64_t count_ = 0;
  point_list producers_ = nullptr;  // wait for room, the oldest first
  point_list consumers_ = nullptr;  // wait for an item, the oldest first
  point_list last_producer_ = nullptr;
  point_list last_consumer_ = nullptr;
  std::uint64_t open_ends_ = 0;
  bool closing_ = false;  // somebody has closed
  bool closed_ = false;
};

}  // namespace detail

/// Items go from producers to consumers in the order in which they are pushed, each to one consumer; at most as many as the bound says
/// are on their way. It packs up what a bounded phaser does between tasks that only signal and tasks that only wait, for any number of
/// tasks that come and go.
///
/// A stream is a handle; copies name the same stream. Any task may use either end; nobody is registered.
/// Visibility: what a task does before it pushes an item happens before what the task does that pops it.
/// Errors: usage_error outside a task; waits throw deadlock_error and, before they have begun, resource_error, and, in a task of another place
/// or runtime than the one that has made the stream, place_error or usage_error.
/// Source: phaser-accumulators.txt, section 7 (stream parallelism, planned there).
/// \snippet 14_streams.cpp stream
/// \ingroup phasers
template <std::move_constructible T>
class stream {
  struct node : detail::stream_node {
    template <class U>
    explicit node(U&& u) : item(std::forward<U>(u)) {}
    T item;
  };

  struct state : detail::stream_core {
    using detail::stream_core::stream_core;
    ~state() {
      for (detail::stream_node* n = this->take_rest(); n != nullptr;) {
        delete static_cast<node*>(std::exchange(n, n->next));
      }
    }
  };

  // Shared by the copies of a producer's end.
  class producer {
  public:
    explicit producer(std::shared_ptr<state> s) noexcept : of(std::move(s)) { of->open_end(); }
    producer(const producer&) = delete;
    producer& operator=(const producer&) = delete;
    ~producer() { of->leave_end(closed); }

    const std::shared_ptr<state> of;
    bool closed = false;  // protected by the stream's lock
  };

public:
#ifndef DOXYGEN
  using stays_at_its_place = void;
#endif

  /// Where a producer stands. Copies stand at the same place; an end that was moved from stands nowhere, and pushing there is a
  /// phaser_use_error.
  class producer_end {
  public:
#ifndef DOXYGEN
    using stays_at_its_place = void;
#endif

    /// Returns as soon as there is room. Suspends: may. Nothing has happened if it throws: an item that was moved in is back where it
    /// was, if its move assignment cannot throw. phaser_use_error once this end or the stream is closed.
    template <class U = T>
      requires std::constructible_from<T, U>
    void push(U&& item) const {
      if (producer_ == nullptr) {
        detail::throw_moved_end();
      }
      auto n = std::make_unique<node>(std::forward<U>(item));
      try {
        producer_->of->push(n.get(), producer_->closed);
      } catch (...) {
        if constexpr (std::same_as<U, T> &&
                      std::is_nothrow_move_assignable_v<T>) {  // an rvalue: it is the caller's again
          item = std::move(n->item);
        }
        throw;
      }
      static_cast<void>(n.release());
    }

    /// Says that nothing comes from here any more. Once all producers that there are have said so, or are gone, consumers get what is
    /// on its way, and then nothing. Again does nothing. Never suspends.
    void close() const {
      if (producer_ != nullptr) {
        producer_->of->close_end(producer_->closed);
      }
    }

  private:
    friend class stream;
    explicit producer_end(std::shared_ptr<producer> p) noexcept : producer_(std::move(p)) {}
    std::shared_ptr<producer> producer_;
  };

  /// Where consumers stand.
  class consumer_end {
  public:
#ifndef DOXYGEN
    using stays_at_its_place = void;
#endif

    /// A consumer's end always names a stream: moving copies.
    consumer_end(const consumer_end&) = default;
    consumer_end& operator=(const consumer_end&) = default;  ///< stands where the other one does from now on

    /// The next item as soon as there is one; nothing once the stream is closed and empty. Suspends: may.
    [[nodiscard]] std::optional<T> pop() const {
      const std::unique_ptr<node> n(static_cast<node*>(state_->pop()));
      return n == nullptr ? std::nullopt : std::optional<T>(std::move(n->item));
    }

  private:
    friend class stream;
    explicit consumer_end(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
    std::shared_ptr<state> state_;
  };

  /// An empty stream, made in a task. phaser_use_error for a bound of 0. std::bad_alloc.
  explicit stream(bound most) : state_(std::make_shared<state>(most.phases)) {}

  /// A handle always names a stream: moving copies.
  stream(const stream&) = default;
  stream& operator=(const stream&) = default;  ///< names the other one's stream from now on

  /// One more producer. The stream is open as long as one of them is that has not closed; so give each its end before it starts, or let
  /// who joins them close through an end of its own. std::bad_alloc.
  [[nodiscard]] producer_end in() const {
    static_cast<void>(detail::any_worker_for("stream::in"));
    return producer_end(std::make_shared<producer>(state_));
  }

  /// For consumers, as many as like.
  [[nodiscard]] consumer_end out() const noexcept { return consumer_end(state_); }

private:
  std::shared_ptr<state> state_;
};

}  // namespace tactus
