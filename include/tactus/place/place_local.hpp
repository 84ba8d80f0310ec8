// SPDX-License-Identifier: Apache-2.0
// place_local: one object at each place, under one name.
#pragma once

#include <tactus/place/at.hpp>
#include <tactus/place/at_each.hpp>
#include <tactus/place/impl/loan.hpp>
#include <tactus/place/impl/named_function.hpp>
#include <tactus/place/impl/place_objects.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tactus {
namespace detail {

/// The object of that name at the calling task's place.
TACTUS_ALWAYS_INLINE void* place_object_for(place_object_name name, const char* call) {
  const worker* w = current_worker();
  if (w == nullptr) [[unlikely]] {
    w = any_worker_for(call);
  }
  void* const object = w->objects->find(name);
  if (object == nullptr) [[unlikely]] {
    throw_no_place_object(call, name);
  }
  look_for_loan(object);
  return object;
}

template <class T>
struct make_place_object {
  place_object_name name;
  std::uint64_t ends;  // that have begun before: the name may be one of theirs

  template <class... As>
    requires std::constructible_from<T, As...>
  void operator()(As&&... arguments) const {
    wait_for_ends(ends);
    auto made = std::make_unique<T>(std::forward<As>(arguments)...);
    put_place_object(name, const_cast<std::remove_const_t<T>*>(made.get()),
                     [](void* o) noexcept { delete static_cast<T*>(o); });
    static_cast<void>(made.release());
  }
};

}  // namespace detail

template <class T>
class place_local;

/// The name of a place_local: trivially copyable, travels, can be captured. What place_local::ref() returns; used after that has gone it is
/// place_error.
/// Errors: place_error where there is no T (any more), and where it is lent to a task that carries it; usage_error outside a task, and in one
/// of another runtime of the process while that of the place_local has it.
/// \snippet 17_places.cpp place_local
/// \ingroup places
template <class T>
class place_local_ref {
public:
  /// Of none.
  place_local_ref() noexcept = default;

  /// The T of the calling task's place.
  T& operator*() const { return *static_cast<T*>(detail::place_object_for(name_, "place_local")); }

  /// Its address; as the dereference.
  T* operator->() const { return std::addressof(**this); }

  /// tactus::at(p, f, the T of p, args...).
  template <class F, class... Args>
  decltype(auto) at(place p, F&& f, Args&&... args) const {
    return tactus::at(p,
                      on_it<detail::sent_function<std::decay_t<F>>>{
                          *this, detail::sent_function<std::decay_t<F>>(std::forward<F>(f))},
                      std::forward<Args>(args)...);
  }

  friend bool operator==(const place_local_ref&, const place_local_ref&) noexcept = default;  ///< of the same one

  /// Both ways, between machines of either byte order.
  template <class Ar>
  friend void serialize(Ar& ar, place_local_ref& r) {
    ar & r.name_;
  }

private:
  friend class place_local<T>;
  friend struct detail::carried_by<place_local_ref>;

  template <class Fn>
  struct on_it {
    place_local_ref self;
    Fn function;

    template <class... As>
      requires std::is_invocable_v<Fn&, T&, As...>
    decltype(auto) operator()(As&&... arguments) {
      return function(*self, std::forward<As>(arguments)...);
    }
  };

  explicit place_local_ref(detail::place_object_name name) noexcept : name_(name) {}

  detail::place_object_name name_;
};

/// One T at every place of the run, made by one task, which owns them all. Its dereference is the T of the place where it is asked.
/// Not copyable: what travels, and can be captured, is its ref().
/// Errors: multiple_exceptions where a T could not be made, and then there is none at any place; resource_error where there are too many;
/// atomic_use_error inside an atomic block; usage_error outside a task.
/// Suspends: where it is made, as at_each.
/// Cost: two messages for each other place to make them, as many to end them; a dereference 2 ns.
/// \snippet 17_places.cpp place_local
/// \ingroup places
template <class T>
class place_local {
public:
#ifndef DOXYGEN
  using stays_at_its_place = void;
#endif

  /// Makes a T(args...) at every place, before it returns.
  /// \param args copied to each place; they have to travel
  template <class... Args>
  explicit place_local(Args&&... args) : ref_(detail::name_place_object()) {
    try {
      at_each(places(), detail::make_place_object<T>{ref_.name_, detail::ends_before_making()},
              std::forward<Args>(args)...);
    } catch (...) {
      detail::end_place_objects(ref_.name_);
      throw;
    }
  }

  /// Ends them all: each by a task of the run at its place, which the run waits for, in a program that is stuck, too. Outside a task,
  /// where the next place_local is made or the body of a run ends, or with the runtime if neither comes; over MPI at place 0, elsewhere with
  /// the runtime. Never throws.
  ~place_local() { detail::end_place_objects(ref_.name_); }

  place_local(const place_local&) = delete;
  place_local& operator=(const place_local&) = delete;

  /// The T of the calling task's place.
  T& operator*() const { return *ref_; }

  /// Its address; as the dereference.
  T* operator->() const { return std::addressof(*ref_); }

  /// tactus::at(p, f, the T of p, args...).
  template <class F, class... Args>
  decltype(auto) at(place p, F&& f, Args&&... args) const {
    return ref_.at(p, std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// What travels.
  [[nodiscard]] place_local_ref<T> ref() const noexcept { return ref_; }

private:
  place_local_ref<T> ref_;
};

}  // namespace tactus
