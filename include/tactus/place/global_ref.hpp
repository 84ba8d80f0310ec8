// SPDX-License-Identifier: Apache-2.0
// global_ref: the name of an object at its place.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/at.hpp>
#include <tactus/place/impl/loan.hpp>
#include <tactus/place/impl/named_function.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tactus {
namespace detail {

/// Throws place_error: what is of place `home` was used at place `used_at`.
[[noreturn]] TACTUS_API void throw_used_elsewhere(const char* what, int home, int used_at);

/// A function on the object of a global_ref.
template <class T, class Fn>
struct on_object {
  std::uintptr_t hidden;
  Fn function;

  template <class... As>
    requires std::is_invocable_v<Fn&, T&, As...>
  decltype(auto) operator()(As&&... arguments) {
    look_for_loan(reinterpret_cast<T*>(~hidden));
    return function(*reinterpret_cast<T*>(~hidden), std::forward<As>(arguments)...);
  }
};

}  // namespace detail

/// Names an object of the place where it is made; a value that travels and can be captured. It keeps nothing alive: the object has to
/// outlive its uses.
/// Errors: place_error where it is dereferenced at another place than the object's, and where the object is lent to a task that carries it
/// (place_flexible).
/// Cost: two words; a comparison at each dereference.
/// \snippet 17_places.cpp global_ref
/// \ingroup places
template <class T>
class global_ref {
public:
  /// Of no object; every use but assignment is place_error.
  global_ref() noexcept = default;

  /// Of `object`, at the calling task's place. usage_error outside a task.
  explicit global_ref(T& object)
      : hidden_(~reinterpret_cast<std::uintptr_t>(std::addressof(object))),
        home_(detail::any_worker_for("global_ref")->place) {}

  /// Where the object is; place_error of one without an object.
  [[nodiscard]] place home() const {
    if (home_ < 0) [[unlikely]] {
      detail::throw_used_elsewhere("the object of a global_ref", home_, home_);
    }
    return place(place::unchecked{home_});
  }

  /// The object; at home only. place_error elsewhere; usage_error outside a task.
  T& operator*() const {
    const int used_at = detail::any_worker_for("global_ref::operator*")->place;
    if (used_at != home_) [[unlikely]] {
      detail::throw_used_elsewhere("the object of a global_ref", home_, used_at);
    }
    detail::look_for_loan(reinterpret_cast<T*>(~hidden_));
    return *reinterpret_cast<T*>(~hidden_);
  }

  /// Its address; as the dereference.
  T* operator->() const { return std::addressof(**this); }

  /// tactus::at(home(), f, the object, args...): f(T&, args...) at home.
  template <class F, class... Args>
  decltype(auto) at(F&& f, Args&&... args) const {
    static_cast<void>(detail::worker_for("at"));  // first, also of one without an object
    return tactus::at(home(),
                      detail::on_object<T, detail::sent_function<std::decay_t<F>>>{
                          hidden_, detail::sent_function<std::decay_t<F>>(std::forward<F>(f))},
                      std::forward<Args>(args)...);
  }

  friend bool operator==(global_ref, global_ref) noexcept = default;  ///< the same object

  /// Both ways, between machines of either byte order.
  template <class Ar>
  friend void serialize(Ar& ar, global_ref& r) {
    ar & r.hidden_ & r.home_;
  }

private:
  friend struct detail::carried_by<global_ref>;

  std::uintptr_t hidden_ = ~std::uintptr_t{0};  // the complement of the address, which looks like none
  int home_ = -1;
};

}  // namespace tactus
