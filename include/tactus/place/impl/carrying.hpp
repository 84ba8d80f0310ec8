// SPDX-License-Identifier: Apache-2.0
// A task that carries an object: it has the object for itself, at home or away. docs/protocols/placement.md, "Loans".
#pragma once

#include <tactus/place/at.hpp>
#include <tactus/place/global_ref.hpp>
#include <tactus/place/impl/flexible_spawn.hpp>
#include <tactus/place/impl/loan.hpp>
#include <tactus/place/impl/watched_spawn.hpp>
#include <tactus/place/place_local.hpp>
#include <tactus/task/impl/task_body.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// Throws place_error: `object` is to be carried from place `designated`, and is at home at another one.
[[noreturn]] TACTUS_API void throw_carried_from_elsewhere(int home, int designated);

/// By the body of an at() that fetches an object: it is the policy's doing, no access of the program's.
TACTUS_API void note_fetched() noexcept;

template <class T>
struct carried_by<global_ref<T>> {
  using type = T;

  static void check(const global_ref<T>& r, int designated) {
    if (r.home_ != designated) {
      throw_carried_from_elsewhere(r.home_, designated);
    }
  }
  /// At home.
  static T* address(const global_ref<T>& r) noexcept { return reinterpret_cast<T*>(~r.hidden_); }
};

template <class T>
struct carried_by<place_local_ref<T>> {
  using type = T;

  static void check(const place_local_ref<T>& /*any place has one*/, int /*designated*/) noexcept {}
  static T* address(const place_local_ref<T>& r) {
    void* const object = current_worker()->objects->find(r.name_);
    if (object == nullptr) {
      throw_no_place_object("place_flexible::carrying", r.name_);
    }
    return static_cast<T*>(object);
  }
};

template <class Ref>
concept carried_name = requires { typename carried_by<Ref>::type; };

/// An object on its way: where memory is shared its address, else what it consists of.
template <class T>
struct carried_object {
  std::unique_ptr<T> copy;     // made of bytes
  std::uintptr_t at_home = 0;  // its address, which means nothing where there is a copy

  [[nodiscard]] T& operator*() const noexcept { return copy != nullptr ? *copy : *reinterpret_cast<T*>(at_home); }

  template <class Ar>
  friend void serialize(Ar& ar, carried_object& o) {
    ar & o.at_home;
    if constexpr (Ar::loading) {
      ar & o.copy;
    } else {
      std::unique_ptr<T> shown(&*o);
      try {
        ar & shown;
      } catch (...) {
        static_cast<void>(shown.release());
        throw;
      }
      static_cast<void>(shown.release());
    }
  }
};

/// An object that a task has elsewhere is lent, and not only until a call is over: so there must not be anything of the user's that could
/// fail between the loan and its name at the task's place. By the body of an at() at home.
template <class Ref>
struct lend_object {
  Ref name;
  int to;

  std::uintptr_t operator()() const {
    auto* const object = carried_by<Ref>::address(name);
    lend(object, to);
    return reinterpret_cast<std::uintptr_t>(object);
  }
};

/// Likewise, of one that is lent.
template <class T>
struct fetch_object {
  carried_object<T> operator()(std::uintptr_t object) const {
    note_fetched();
    return {nullptr, object};
  }
};

/// Likewise: what has come is the object now. What throws leaves it lent, as if nothing had come.
template <class T>
struct take_object_home {
  void operator()(carried_object<T>&& came) const {
    auto* const object = reinterpret_cast<T*>(came.at_home);
    if (came.copy != nullptr) {
      *object = std::move(*came.copy);
    }
    take_home(object);
  }
};

/// Likewise: it stays as it is.
struct end_loan {
  void operator()(std::uintptr_t object) const noexcept { take_home(reinterpret_cast<const void*>(object)); }
};

/// While a task has it at home.
class had_at_home {
public:
  explicit had_at_home(const void* object) noexcept : object_(object) {}
  ~had_at_home() { take_home(object_); }
  had_at_home(const had_at_home&) = delete;
  had_at_home& operator=(const had_at_home&) = delete;

private:
  const void* object_;
};

/// What f throws, or null.
template <class F>
std::exception_ptr exception_of(F&& f) noexcept {
  try {
    f();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// The function of a task, with the object as its first argument.
template <class Ref, class Fn>
struct with_carried {
  using timeline_label_of = typename labelled<Fn>::type;
  using object_type = typename carried_by<Ref>::type;

  Ref name;
  Fn function;
  int home;

  template <class... As>
    requires std::is_invocable_v<Fn&, object_type&, As...>
  decltype(auto) operator()(As&&... arguments) {
    return current_worker()->place == home ? at_home(std::forward<As>(arguments)...)
                                           : away(std::forward<As>(arguments)...);
  }

private:
  template <class... As>
  using result_of_call = std::decay_t<std::invoke_result_t<Fn&, object_type&, As...>>;

  template <class... As>
  result_of_call<As...> at_home(As&&... arguments) {
    object_type* const object = carried_by<Ref>::address(name);
    lend(object, home);
    const had_at_home until_the_end(object);
    note_object(*object);
    return function(*object, std::forward<As>(arguments)...);
  }

  // Whatever f does, and whatever becomes of its bytes, the object goes home.
  template <class... As>
  result_of_call<As...> away(As&&... arguments) {
    const place back(place::unchecked{home});
    const std::uintptr_t lent = at(back, lend_object<Ref>{name, current_worker()->place});
    carried_object<object_type> object{nullptr, lent};
    at_outcome<result_of_call<As...>> outcome;
    auto call = [&]() -> result_of_call<As...> {
      note_object(*object);
      return function(*object, std::forward<As>(arguments)...);
    };
    std::exception_ptr escaped;
    std::exception_ptr on_the_way = exception_of([&] { fetch(back, object); });
    if (on_the_way == nullptr) {
      escaped = exception_of([&] { outcome.fill(call); });
      on_the_way = exception_of([&] { bring_home(back, std::move(object)); });
    }
    if (on_the_way != nullptr) {
      // If there is no memory even for that, it stays lent: who waits for it is told in the end.
      static_cast<void>(exception_of([&] { at(back, end_loan{}, lent); }));
    }
    if (escaped != nullptr || on_the_way != nullptr) {
      std::rethrow_exception(escaped != nullptr ? escaped : on_the_way);  // of two exceptions the first one counts
    }
    return outcome.take(home);
  }

  static void note_object(const object_type& object) {
    if (current_worker()->sites != nullptr) [[unlikely]] {
      const std::size_t bytes = packed_bytes(object);
      note_values(bytes, bytes);
    }
  }

  // Where memory is shared it is reached where it is.
  static void fetch(place back, carried_object<object_type>& object) {
    if (current_worker()->copies_as_bytes) {
      object = at(back, fetch_object<object_type>{}, object.at_home);
    }
  }

  static void bring_home(place back, carried_object<object_type>&& object) {
    note_result_home(sizeof(object_type));
    at(back, take_object_home<object_type>{}, std::move(object));
  }
};

}  // namespace tactus::detail
