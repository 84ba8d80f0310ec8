// SPDX-License-Identifier: Apache-2.0
// transfer: the plan of a copy from one distributed array to another, kept.
#pragma once

#include <tactus/array/dist_array.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {
namespace detail {

/// What one place has of a transfer.
template <class T, std::size_t N>
class transfer_part {
public:
  transfer_part(const dist_array_ref<T, N>& from, const dist_array_ref<T, N>& to, place_object_name name)
      : from_(from), to_(to) {
    const array_part<T, N>& a = array_access<T, N>::part(from, "transfer");
    const array_part<T, N>& b = array_access<T, N>::part(to, "transfer");
    cells_ = std::make_unique<array_cells<T, N>>(
        a.blocks(), b.blocks(),
        std::make_shared<const std::vector<neighbour_patches<N>>>(transfer_plan(a.dist(), b.dist(), a.here().id())));
    exchanges_ = make_exchange_set(name.generation);
    exchange_manner manner;
    manner.of = "the transfer of '" + a.options().name + "' to '" + b.options().name + "'";
    manner.send = "send";
    manner.wait = "wait";
    exchange_ = &exchanges_->add(cells_->places(), *cells_, manner);
    exchanges_->open();
  }

  [[nodiscard]] exchange& of_both(const char* call) const {
    array_access<T, N>::part(from_, call).check_closed(call);
    array_access<T, N>::part(to_, call).check_closed(call);
    return *exchange_;
  }

  /// Of the source.
  void send() {
    of_both("send").send(0, ghost_source::copied);
    cells_->count_sent(array_access<T, N>::part(from_, "transfer").counts(), array_operation::transfer);
  }

private:
  dist_array_ref<T, N> from_;
  dist_array_ref<T, N> to_;
  std::unique_ptr<array_cells<T, N>> cells_;
  exchange* exchange_ = nullptr;
  std::unique_ptr<exchange_set> exchanges_;
};

/// Parts of an object of array's kin at all places, made by one task and ended with it.
class made_at_all_places {
public:
  template <class Part, class... Args>
  static made_at_all_places make(std::type_identity<Part>, const Args&... arguments) {
    made_at_all_places m;
    m.name_ = name_place_object();
    try {
      at_each(places(), make_place_object<Part>{m.name_, ends_before_making()}, arguments..., m.name_);
    } catch (...) {
      end_place_objects(m.name_);
      throw;
    }
    m.is_made_ = true;
    return m;
  }
  made_at_all_places(made_at_all_places&& o) noexcept : name_(o.name_), is_made_(std::exchange(o.is_made_, false)) {}
  made_at_all_places& operator=(made_at_all_places&& o) noexcept {
    if (this != &o) {
      end();
      name_ = o.name_;
      is_made_ = std::exchange(o.is_made_, false);
    }
    return *this;
  }
  ~made_at_all_places() { end(); }

  [[nodiscard]] place_object_name name() const noexcept { return name_; }

private:
  made_at_all_places() = default;
  void end() noexcept {
    if (is_made_) {
      end_place_objects(name_);
    }
  }

  place_object_name name_;
  bool is_made_ = false;
};

}  // namespace detail

/// Names a transfer where tasks run; trivially copyable, travels.
/// Errors: usage_error where the transfer or one of its arrays has gone, where one of them is being exchanged, and as said beside each call.
/// \snippet 20_ghosts.cpp transfer
/// \ingroup arrays
template <class T, std::size_t N>
class transfer_ref {
public:
  /// Of none.
  transfer_ref() noexcept = default;

  /// Begins the next one here: sends what of the source is here. Does not suspend. usage_error: one is open.
  void send() const {
    detail::send_from_task("send", [&] { part("send").send(); });
  }
  /// Suspends until what of the target is here has come.
  void wait() const {
    static_cast<void>(detail::worker_for("wait"));
    part("wait").of_both("wait").wait();
  }
  /// Both.
  void operator()() const {
    send();
    wait();
  }

  friend bool operator==(const transfer_ref&, const transfer_ref&) noexcept = default;  ///< of the same one

  /// For archives.
  template <class Archive>
  friend void serialize(Archive& ar, transfer_ref& r) {
    ar & r.name_;
  }

private:
  friend class transfer<T, N>;
  explicit transfer_ref(detail::place_object_name name) noexcept : name_(name) {}
  [[nodiscard]] detail::transfer_part<T, N>& part(const char* call) const {
    return detail::part_of<detail::transfer_part<T, N>>(name_, call);
  }

  detail::place_object_name name_;
};

/// The plan of a copy from one distributed array to another, on any two dists: made once, carried out often, by all places pairwise. The
/// transposition of pencils. Has to end before its arrays.
/// Errors: those of dist_array; usage_error for a transfer of an array to itself.
/// \snippet 20_ghosts.cpp transfer
/// \ingroup arrays
template <class T, std::size_t N>
class transfer {
public:
  /// From cells of a to the same cells of b; those that only one of them has are left out.
  transfer(const dist_array<T, N>& a, dist_array<T, N>& b)
      : made_(detail::made_at_all_places::make(std::type_identity<detail::transfer_part<T, N>>(),
                                               checked(a.ref(), b.ref()), b.ref())) {
    if constexpr (!detail::copies_go<T>) {
      detail::refuse_elements<T>();
    }
  }

  /// What tasks at the places use.
  [[nodiscard]] transfer_ref<T, N> ref() const noexcept { return transfer_ref<T, N>(made_.name()); }

private:
  static dist_array_ref<T, N> checked(const dist_array_ref<T, N>& a, const dist_array_ref<T, N>& b) {
    if (a == b) {
      throw usage_error("tactus: a transfer of an array to itself; give two arrays");
    }
    return a;
  }
  detail::made_at_all_places made_;
};

}  // namespace tactus
