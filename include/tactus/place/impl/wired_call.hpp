// SPDX-License-Identifier: Apache-2.0
// A function and its arguments as bytes, on their way, and what makes a call of them again. docs/protocols/frames.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/place/impl/closure_check.hpp>
#include <tactus/place/impl/frame_block.hpp>
#include <tactus/place/impl/pack_here.hpp>
#include <tactus/place/impl/wired_type.hpp>
#include <tactus/task/impl/task_body.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace tactus::detail {

/// How a received function is called: with rvalues if it can be, else with lvalues.
template <class Fn, class... As>
inline constexpr bool takes_rvalues = std::is_invocable_v<Fn&, As&&...>;
template <class Fn, class... As>
inline constexpr bool can_be_received = takes_rvalues<Fn, As...> || std::is_invocable_v<Fn&, As&...>;

template <class Fn, class... As>
decltype(auto) call_received(Fn& function, As&... arguments) {
  if constexpr (takes_rvalues<Fn, As...>) {
    return function(std::move(arguments)...);
  } else {
    return function(arguments...);
  }
}

/// What it returns there: a value, since a reference arrives as a copy.
template <class Fn, class... As>
using received_result = std::remove_cvref_t<decltype(call_received(std::declval<Fn&>(), std::declval<As&>()...))>;

// ---- functions ----

/// The name of a function, for other processes that run the same program; and the function again. place_error: it is none.
struct function_name {
  std::uint64_t module;
  std::uint64_t offset;
};
[[nodiscard]] TACTUS_API function_name name_of_function(const void* function) noexcept;
[[nodiscard]] TACTUS_API const void* function_of_name(function_name name, int from);
/// Whether the calling task's run has places in other processes; true outside of tasks, where nobody knows.
[[nodiscard]] TACTUS_API bool has_other_processes() noexcept;

/// Whether an F has no bytes of its own: an empty class, or one that consists of such.
template <class F>
consteval bool holds_nothing() {
  if constexpr (std::is_empty_v<F>) {
    return true;
  } else if constexpr (kind_of<F> == travel_kind::aggregate) {
    return []<class... E>(types<E...>) { return (holds_nothing<std::remove_cv_t<E>>() && ...); }(parts<F>{});
  } else {
    return false;
  }
}

/// A function or closure among the bytes of a call: nothing of an empty one, the name of a function, else what is captured. To a machine of
/// the other byte order that goes field by field, where fields can be seen.
template <class Fn>
struct wired_function {
  static constexpr bool is_named = is_function_pointer<Fn>;
  static constexpr bool is_empty = holds_nothing<Fn>();
  static constexpr bool swaps = [] {
    if constexpr (is_named) {
      return false;
    } else if constexpr (is_empty) {
      return true;
    } else {
      return facts_of<Fn>::why == refusal::none && facts_of<Fn>::swaps;
    }
  }();

  /// Of one for place `to`.
  static std::size_t bytes(const Fn& f, bool is_alike, int to) {
    if constexpr (is_empty) {
      return 0;
    } else if (is_alike) {
      return is_named ? sizeof(function_name) : sizeof(Fn);
    } else if constexpr (swaps) {
      return packed_bytes(f);
    } else {
      throw_not_swapped(to, unlike::goes);
    }
  }

  static void write(std::byte* at, std::size_t n, const Fn& f, bool is_alike) {
    if constexpr (is_named) {
      const function_name name = name_of_function(reinterpret_cast<const void*>(f));
      std::memcpy(at, &name, sizeof name);
    } else if constexpr (!is_empty) {
      if (is_alike) {
        static_cast<void>(copy_bytes(at, f));  // all that is there
      } else if constexpr (swaps) {
        pack_here(at, n, f);
      }
    }
  }

  /// Made of bytes that `in` reads. place_error: they are none.
  template <byte_order Order>
  wired_function(reader<Order>& in, bool is_alike) {
    if constexpr (is_named) {
      if (!is_alike) {
        throw_not_swapped(in.from());
      }
      function_name name;
      std::memcpy(&name, in.take(sizeof name), sizeof name);
      const void* const f = function_of_name(name, in.from());
      function = reinterpret_cast<Fn>(const_cast<void*>(f));
    } else if constexpr (is_empty) {
      std::memset(static_cast<void*>(std::addressof(function)), 0, sizeof(Fn));
    } else if (is_alike) {
      std::memcpy(static_cast<void*>(std::addressof(function)), in.take(sizeof(Fn)), sizeof(Fn));
    } else if constexpr (swaps) {
      ::new (static_cast<void*>(std::addressof(function))) Fn(unpack<Fn>(in));
    } else {
      throw_not_swapped(in.from());
    }
  }
  ~wired_function() {}
  wired_function(const wired_function&) = delete;
  wired_function& operator=(const wired_function&) = delete;

  union {
    Fn function;  // copied as bytes, so that nothing ends it
  };
};

// ---- calls ----

/// A function that is told what has kept it from being called: somebody waits for what it would do.
template <class Fn>
concept hears_of_failure = requires(Fn& f) { f.fails(std::current_exception()); };

/// As wired_type has it, of calls without an answer.
template <class Fn, class... As>
consteval std::int32_t find_together() {
  if constexpr (wired_function<Fn>::is_named || hears_of_failure<Fn> || !(is_image<As> && ...)) {
    return -1;
  } else {
    constexpr std::size_t of_function = wired_function<Fn>::is_empty ? 0 : sizeof(Fn);
    constexpr std::size_t bytes = of_function + (std::size_t{0} + ... + sizeof(As));
    return bytes <= k_most_together ? static_cast<std::int32_t>(bytes) : -1;
  }
}

/// Replies: as the body of an at(), whose result goes back.
template <bool Replies, class Fn, class... As>
class call_type {
public:
  using result = received_result<Fn, As...>;

  [[nodiscard]] static wired_type& entry() noexcept {
    static_cast<void>(&s_known);  // so that there is one
    return s_entry;
  }

private:
  template <byte_order Order>
  static void run_of(const arrived_bytes& received, [[maybe_unused]] reply_bytes* reply) {
    reader<Order> in(received.bytes, received.from, ranges_of(*received.memory));
    wired_function<Fn> f(in, received.is_alike);
    if constexpr (hears_of_failure<Fn>) {
      try {
        call(f.function, in, *received.memory, reply);
      } catch (...) {
        f.function.fails(std::current_exception());
      }
    } else {
      call(f.function, in, *received.memory, reply);
    }
  }

  template <byte_order Order>
  static void call(Fn& function, reader<Order>& in, frame_ptr& memory, [[maybe_unused]] reply_bytes* reply) {
    std::tuple<As...> arguments{unpack<As>(in)...};
    in.expect_end();
    memory.reset();
    std::apply(
        [&](As&... each) {
          if constexpr (Replies && !std::is_void_v<result>) {
            result made = call_received(function, each...);
            pack_result(*reply, made);
          } else {
            static_cast<void>(call_received(function, each...));
          }
        },
        arguments);
  }

  template <class R>
  static void pack_result(reply_bytes& reply, R& made) {
    if constexpr (std::is_move_constructible_v<R> && can_go_apart<R>) {
      if (reply.ranges_go_apart) {
        if (const packed_size n = packed_size_of(true, std::as_const(made)); n.ranges != 0) {
          auto owner = std::make_unique<range_owner_of<R>>(std::move(made));
          auto apart = std::make_unique<sent_ranges>();
          pack_here_beside(*apart, reply.make(n.bytes), n.bytes, std::as_const(owner->object));
          apart->keep(std::move(owner));
          reply.block->extra = apart.release();
          return;
        }
      }
    }
    const std::size_t n = packed_bytes(std::as_const(made));
    pack_here(reply.make(n), n, std::as_const(made));
  }

  static void run(const arrived_bytes& received, reply_bytes* reply) {
    if (received.order == byte_order::same) [[likely]] {
      run_of<byte_order::same>(received, reply);
    } else if constexpr ((facts_of<As>::swaps && ...)) {
      run_of<byte_order::swapped>(received, reply);
    } else if constexpr (hears_of_failure<Fn> && wired_function<Fn>::swaps) {
      reader<byte_order::swapped> in(received.bytes, received.from, ranges_of(*received.memory));
      wired_function<Fn> f(in, received.is_alike);
      try {
        throw_not_swapped(received.from);
      } catch (...) {
        f.function.fails(std::current_exception());
      }
    } else {
      throw_not_swapped(received.from);
    }
  }

  static const char* type_name() noexcept {
#ifdef __cpp_rtti
    return typeid(call_type).name();
#else
    return __PRETTY_FUNCTION__;
#endif
  }
  static const char* label() noexcept { return traced_closure::label_of<Fn>(); }

  static constinit inline wired_type s_entry{run, type_name, label, Replies ? -1 : find_together<Fn, As...>()};
  static inline const known_call s_known{s_entry};
};

/// Whether long ranges are sent beside the frames of the calling task's place to place `to`.
[[nodiscard]] TACTUS_API bool ranges_go_apart(int to) noexcept;

/// The bytes of a call, with room before them for what a frame says besides.
class wired_call : public knows_its_label {
public:
  static constexpr std::size_t k_room = 48;

  /// std::bad_alloc.
  wired_call(const wired_type& entry, std::size_t n)
      : entry_(&entry), block_(n <= k_few ? frame_ptr() : make_frame_block(k_room + whole_words(n))), size_(n) {}

  [[nodiscard]] std::byte* data() noexcept { return block_ != nullptr ? block_->data() + k_room : few_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const wired_type& entry() const noexcept { return *entry_; }

  /// That of a message of its own. std::bad_alloc.
  [[nodiscard]] frame_ptr& block() {
    if (block_ == nullptr) {
      block_ = make_frame_block(k_room + whole_words(size_));
      std::memcpy(block_->data() + k_room, few_, size_);
    }
    return block_;
  }
  [[nodiscard]] const char* timeline_label() const noexcept { return entry_->label(); }

  /// Of long ranges besides.
  [[nodiscard]] std::size_t bytes_apart() const noexcept {
    return block_ != nullptr && block_->extra != nullptr ? block_->extra->bytes() : 0;
  }

  /// Calls where it was made.
  void run_here(reply_bytes* reply) {
    entry_->run({{data(), size_}, current_worker()->place, order_here(), true, &block_}, reply);
  }
  void operator()() { run_here(nullptr); }

private:
  static constexpr std::size_t k_few = 24;  // so that it fits into a descriptor

  const wired_type* entry_;
  frame_ptr block_;  // null: the bytes are few, and nobody has wanted it yet
  std::size_t size_;
  std::byte few_[k_few] = {};
};
static_assert(sizeof(wired_call) <= queued_task::k_inline_bytes);

/// Whether place `to` is as the calling task's.
[[nodiscard]] TACTUS_API bool is_alike(int to) noexcept;

/// As place `to` is sent it; what a serialize throws passes through, and place_error.
template <bool Replies, class Fn, class... As>
wired_call wire(int to, const Fn& f, const As&... each) {
  const bool alike = is_alike(to);
  const std::size_t of_function = wired_function<Fn>::bytes(f, alike, to);
  const std::size_t of_arguments = packed_bytes(each...);
  wired_call call(call_type<Replies, Fn, As...>::entry(), of_function + of_arguments);
  wired_function<Fn>::write(call.data(), of_function, f, alike);
  // by_itself: g++ 12 with -O3 takes it that many bytes may go to the few of the call itself, and warns of a write beyond them
  pack_here(by_itself(call.data() + of_function), of_arguments, each...);
  return call;
}

/// The same without long ranges, which are kept with what they lie in: to a place that is alike. Arguments of that size.
template <bool Replies, class Fn, class... As>
wired_call wire_beside(int to, const Fn& f, packed_size of_arguments, std::tuple<As...>&& arguments) {
  auto owner = std::make_unique<range_owner_of<std::tuple<As...>>>(std::move(arguments));
  auto apart = std::make_unique<sent_ranges>();
  const std::size_t of_function = wired_function<Fn>::bytes(f, true, to);
  wired_call call(call_type<Replies, Fn, As...>::entry(), of_function + of_arguments.bytes);
  wired_function<Fn>::write(call.data(), of_function, f, true);
  std::apply(
      [&](const As&... each) { pack_here_beside(*apart, call.data() + of_function, of_arguments.bytes, each...); },
      std::as_const(owner->object));
  apart->keep(std::move(owner));
  call.block()->extra = apart.release();
  return call;
}

/// What an at() has brought.
struct received_reply {
  frame_ptr block;
  std::span<const std::byte> bytes;
  byte_order order = byte_order::same;
  bool failed = false;  // the bytes are those of an exception
};

/// Runs the call as the body of an at() at place `to`, another one, and waits for its end; what wait_for_body() throws passes through.
[[nodiscard]] TACTUS_API received_reply call_by_bytes(int to, wired_call&& call);

}  // namespace tactus::detail
