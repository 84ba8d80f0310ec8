// SPDX-License-Identifier: Apache-2.0
// What future and promise handles share: the value, who waits for it, and who may still fulfil it. docs/protocols/suspension.md.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/report_number.hpp>
#include <tactus/scheduler/impl/external_count.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// Exceptions that nobody looked at, of futures that ended in a thread that is no worker.
extern atomic<std::uint64_t> g_unseen_outside_workers;

TACTUS_API extern atomic<std::uint32_t> g_last_future;  // of report_number

struct async_future_verb;
class future_state_base;

/// Publishes what was set and makes every waiter ready. Once. May be called on any thread by the holder of a reference.
TACTUS_API void wake_waiters(future_state_base& s) noexcept;
struct at_future_verb;

/// The part that does not depend on the type of the value.
class future_state_base {
public:
  future_state_base(const future_state_base&) = delete;
  future_state_base& operator=(const future_state_base&) = delete;

  [[nodiscard]] bool ready() const noexcept {
    return waiters_.load(memory_order_acquire) ==
           k_ready;  // acquire: the value; pairs with the exchange in wake_waiters()
  }

  /// Returns when the value or exception is there. Tasks only.
  void wait() {
    static_cast<void>(worker_for("future::get"));
    if (!ready()) {
      wait_suspended();
    }
  }

  void set_exception(std::exception_ptr e) noexcept { exception_ = std::move(e); }

  /// The state is that of a task, of that name if it has one: an exception that nobody looks at is reported.
  void belong_to_task() noexcept { of_task_ = true; }
  void set_name(const std::string& task_name) { name_ = task_name; }

  /// Foreign threads, and tasks of other runtimes, may fulfil it. Before anybody else knows the state.
  void be_external() noexcept { external_ = true; }

  /// Throws usage_error in a task of another runtime than that in whose task the state was made, and place_error at another place, unless
  /// it is external. What was made outside of tasks is the calling task's runtime's from here on.
  void check_home(const char* object, const char* call) {
    const worker* const w = current_worker();
    // relaxed: a number that changes only from and to 0
    if (!external_ && w != nullptr && w->home_number != made_in_.load(memory_order_relaxed)) [[unlikely]] {
      settle(w->home_number, object, call);
    }
  }

  /// What texts call it.
  [[nodiscard]] std::string number() const { return number_.of(g_last_future); }

  void acquire() noexcept {
    references_.fetch_add(1, memory_order_relaxed);
  }  // relaxed: the caller's handle keeps it alive
  [[nodiscard]] bool release() noexcept {
    return references_.fetch_sub(1, memory_order_acq_rel) == 1;  // acq_rel: the last one sees what the others did
  }
  [[nodiscard]] bool sole() const noexcept {
    return references_.load(memory_order_acquire) ==
           1;  // acquire: the last other user's reads are over; pairs with release()
  }

  friend void wake_waiters(future_state_base& s) noexcept;

protected:
  future_state_base() noexcept {
    if (const worker* const w = current_worker(); w != nullptr) {
      made_in_.store(w->home_number, memory_order_relaxed);  // relaxed: nobody else knows the state
      made_outside_ = false;
    }
  }
  TACTUS_API ~future_state_base();

  void rethrow_if_exception() {
    if (exception_ != nullptr) {
      seen_.store(true, memory_order_relaxed);  // relaxed: read by the destructor only, which release() orders
      std::rethrow_exception(exception_);
    }
  }

private:
  static constexpr std::uintptr_t k_ready = 1;

  TACTUS_API void settle(std::uint64_t home, const char* object, const char* call);
  TACTUS_API void wait_suspended();
  static bool enlist(wait_point& p);
  static void cancel(wait_point& p);
  static void describe(const wait_point& p, std::string& text);
  static const wait_kind k_wait;

  atomic<std::uintptr_t> waiters_{0};    // list of wait_point; k_ready once the value is there
  atomic<std::uint32_t> references_{1};  // handles and the fulfiller
  atomic<bool> seen_{false};             // somebody got the exception
  std::exception_ptr exception_;         // written before waiters_ becomes k_ready
  report_number number_;
  bool of_task_ = false;      // immutable after the spawn
  bool external_ = false;     // likewise, of a promise
  bool made_outside_ = true;  // of tasks; immutable
  // Number of the home. What was made outside of tasks has none, 0, until somebody waits or fulfils it.
  atomic<std::uint64_t> made_in_{0};
  std::string name_;  // of the task that fulfils it; immutable after the spawn
};

template <class T>
class future_state : public future_state_base {
public:
  template <class... V>
  void set_value(V&&... v) {
    value_.emplace(std::forward<V>(v)...);
  }
  const T& value() {
    rethrow_if_exception();
    return *value_;
  }
  T take_value(bool last_user) {
    rethrow_if_exception();
    if constexpr (std::copy_constructible<T>) {
      if (!last_user) {
        return *value_;
      }
    }
    return std::move(*value_);
  }

private:
  std::optional<T> value_;
};

template <class T>
class future_state<T&> : public future_state_base {
public:
  void set_value(T& v) noexcept { value_ = std::addressof(v); }
  T& value() {
    rethrow_if_exception();
    return *value_;
  }
  T& take_value(bool) { return value(); }

private:
  T* value_ = nullptr;
};

template <>
class future_state<void> : public future_state_base {
public:
  void set_value() noexcept {}
  void value() { rethrow_if_exception(); }
  void take_value(bool) { rethrow_if_exception(); }
};

template <class T, class... V>
concept sets_value = requires(future_state<T>& s, V&&... v) { s.set_value(std::forward<V>(v)...); } &&
                     ((std::is_void_v<T> && sizeof...(V) == 0) || (!std::is_void_v<T> && sizeof...(V) == 1));

/// A counted reference to a state.
template <class T>
class state_handle {
public:
  state_handle() noexcept = default;
  static state_handle make() { return state_handle(new future_state<T>); }
  state_handle(const state_handle& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) {
      state_->acquire();
    }
  }
  state_handle(state_handle&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  state_handle& operator=(state_handle other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~state_handle() {
    if (state_ != nullptr && state_->release()) {
      delete state_;
    }
  }

  explicit operator bool() const noexcept { return state_ != nullptr; }
  future_state<T>& operator*() const noexcept { return *state_; }
  future_state<T>* operator->() const noexcept { return state_; }
  [[nodiscard]] bool sole_owner() const noexcept { return state_->sole(); }

private:
  explicit state_handle(future_state<T>* s) noexcept : state_(s) {}
  future_state<T>* state_ = nullptr;
};

enum class fulfilled_by : std::uint8_t { tasks, anybody };

/// What the copies of a promise share: the right to fulfil it once.
class promise_rights {
public:
  explicit promise_rights(fulfilled_by who) noexcept
      : counted_(who == fulfilled_by::anybody ? &external_count::counted_by_caller() : nullptr) {}

  /// Takes the right; throws usage_error, naming the call, if that was done before or the caller may not.
  TACTUS_API void claim(const char* call, const future_state_base& s);

  /// Takes the right if it is still there: the last handle has gone.
  [[nodiscard]] TACTUS_API bool claim_quietly() noexcept;

  /// Where it is counted if foreign threads may fulfil it; else null.
  [[nodiscard]] external_count* counted() const noexcept { return counted_; }

  atomic<std::uint32_t> handles{1};  // copies of the promise

private:
  external_count* const counted_;
  atomic<bool> claimed_{false};  // the first exchange fulfils
};

/// Publishes a state that was fulfilled through a promise, counted at `counted` if foreign threads might have done it.
TACTUS_API void publish_promise(future_state_base& s, external_count* counted) noexcept;

/// Names the promise of `s`, and the task that let its last handle go: the calling one.
TACTUS_API std::exception_ptr broken_promise_exception(const future_state_base& s) noexcept;

template <class T>
class promise_handle {
public:
  explicit promise_handle(fulfilled_by who) : state_(state_handle<T>::make()), rights_(new promise_rights(who)) {
    if (who == fulfilled_by::anybody) {
      state_->be_external();
    }
  }
  promise_handle(const promise_handle& other) noexcept : state_(other.state_), rights_(other.rights_) {
    if (rights_ != nullptr) {
      rights_->handles.fetch_add(1, memory_order_relaxed);  // relaxed: other keeps it alive
    }
  }
  promise_handle(promise_handle&& other) noexcept
      : state_(std::move(other.state_)), rights_(std::exchange(other.rights_, nullptr)) {}
  promise_handle& operator=(promise_handle other) noexcept {
    std::swap(state_, other.state_);
    std::swap(rights_, other.rights_);
    return *this;
  }
  ~promise_handle() {
    if (rights_ == nullptr ||
        rights_->handles.fetch_sub(1, memory_order_acq_rel) != 1) {  // acq_rel: the last copy sees a claim
      return;
    }
    if (rights_->claim_quietly()) {
      state_->set_exception(broken_promise_exception(*state_));
      publish_promise(*state_, rights_->counted());
    }
    delete rights_;
  }

  const state_handle<T>& state(const char* call) const {
    check(call);
    return state_;
  }
  void claim(const char* call) const {
    check(call);
    state_->check_home("promise::", call);
    rights_->claim(call, *state_);
  }
  template <class Set>
  void fulfil(Set&& set) const {
    const state_handle<T> alive = state_;  // a waiter that is made ready may destroy the promise we are called on
    external_count* const counted = rights_->counted();
    try {
      set(*alive);
    } catch (...) {
      alive->set_exception(std::current_exception());  // copying the value threw: that is what the waiters get
    }
    publish_promise(*alive, counted);
  }

private:
  void check(const char* call) const {
    if (rights_ == nullptr) {
      throw usage_error(std::string("tactus::promise::") + call + ": this promise was moved from");
    }
  }

  state_handle<T> state_;
  promise_rights* rights_;
};

}  // namespace tactus::detail
