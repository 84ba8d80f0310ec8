// SPDX-License-Identifier: Apache-2.0
// ghost_group: several arrays whose ghosts travel together.
#pragma once

#include <tactus/array/dist_array.hpp>
#include <tactus/array/impl/group_cells.hpp>
#include <tactus/array/transfer.hpp>
#include <tactus/base/impl/any_function.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {
namespace detail {

/// What one place has of a group.
class group_part {
public:
  template <class... T, std::size_t... N>
  group_part(std::uint64_t key, const dist_array_ref<T, N>&... members) {
    std::string names;
    (add(members, names), ...);
    cells_.join();
    counts_ = register_operations(names);
    exchanges_ = make_exchange_set(key);
    exchange_manner manner;
    manner.of = "the group of " + names;
    manner.send = "send_ghosts";
    manner.wait = "wait_for_ghosts";
    exchange_ = &exchanges_->add(cells_.places(), cells_, manner);
    exchanges_->open();
  }

  void send(ghost_source promised) {
    exchange_->check_closed("send_ghosts");
    for (const exchange* m : members_) {
      m->check_closed("send_ghosts of a group");
    }
    for (const auto& look : before_send_) {
      look();
    }
    for (const auto& note_open : opens_) {
      note_open(promised);
    }
    exchange_->send(0, promised);
    cells_.count_sent(*counts_);
    for (exchange* m : members_) {
      m->set_part_of(exchange_);
    }
  }
  void wait() {
    exchange_->wait();
    closed();
  }
  /// The number of the next neighbour that has come; none: all have, and the exchange is closed.
  [[nodiscard]] std::optional<place> wait_for_any() {
    if (const std::optional<std::size_t> n = exchange_->wait_for_any()) {
      return place(place::unchecked{cells_.places()[*n]});
    }
    closed();
    return std::nullopt;
  }
  void wait_for_all() { exchange_->wait_for(all()); }
  [[nodiscard]] bool is_ready() { return exchange_->is_ready(all()); }
  [[nodiscard]] std::uint64_t count() const noexcept { return exchange_->count(); }

private:
  void closed() {
    for (exchange* m : members_) {
      m->set_part_of(nullptr);
    }
    for (const auto& check : after_wait_) {
      check();
    }
  }
  template <class T, std::size_t N>
  void add(const dist_array_ref<T, N>& h, std::string& names) {
    array_part<T, N>& p = array_access<T, N>::part(h, "ghost_group");
    names += (names.empty() ? "'" : ", '") + p.options().name + "'";
    if (p.forward() != nullptr) {
      members_.push_back(p.forward());
      members_.push_back(p.backward());
      // By put, whatever members do by themselves: all goes in one message to each neighbour.
      auto own = std::make_unique<array_cells<T, N>>(p.blocks(), p.blocks(), p.put_plan());
      cells_.add(*own, own->places());
#ifdef TACTUS_CHECKED
      before_send_.emplace_back([&p, cells = own.get()] { p.look_before_send("send_ghosts", cells->plan()); });
      opens_.emplace_back([&p, cells = own.get()](ghost_source promised) { p.note_open(promised, cells->plan()); });
      after_wait_.emplace_back([&p, cells = own.get()] { p.check_after_wait("wait_for_ghosts", cells->plan()); });
#endif
      cells_of_members_.push_back(std::move(own));
    } else {
      cells_.add_none();
    }
  }
  [[nodiscard]] std::vector<std::size_t> all() const {
    std::vector<std::size_t> numbers;
    for (std::size_t n = 0; n < cells_.places().size(); ++n) {
      numbers.push_back(n);
    }
    return numbers;
  }

  std::vector<exchange*> members_;
  std::vector<std::unique_ptr<exchange_cells>> cells_of_members_;
  std::vector<any_function<void()>> before_send_;        // only where TACTUS_CHECKED is defined there are any
  std::vector<any_function<void(ghost_source)>> opens_;  // the same
  std::vector<any_function<void()>> after_wait_;         // the same
  std::shared_ptr<operation_counts> counts_;
  group_cells cells_;
  exchange* exchange_ = nullptr;
  std::unique_ptr<exchange_set> exchanges_;
};

/// Makes it of arguments in the order in which they come.
struct group_part_of : group_part {
  template <class... A>
  explicit group_part_of(const A&... all)
      : group_part_of(std::index_sequence_for<A...>(), std::forward_as_tuple(all...)) {}

private:
  template <std::size_t... I, class All>
  group_part_of(std::index_sequence<I...>, const All& all)
      : group_part_of(std::make_index_sequence<sizeof...(I) - 1>(), all, std::get<sizeof...(I) - 1>(all)) {}
  template <std::size_t... I, class All>
  group_part_of(std::index_sequence<I...>, const All& all, std::uint64_t key) : group_part(key, std::get<I>(all)...) {}
};

}  // namespace detail

/// Names a ghost_group where tasks run; trivially copyable, travels.
/// Errors: usage_error where the group has gone, where one of its members is being exchanged by itself, and as said beside each call.
/// \snippet 20_ghosts.cpp group
/// \ingroup arrays
class ghost_group_ref {
public:
  /// Of none.
  ghost_group_ref() noexcept = default;

  /// Begins the next exchange of all members here. Does not suspend. usage_error: one is open, of the group or of a member.
  void send_ghosts(ghost_source promised = ghost_source::copied) const {
    detail::send_from_task("send_ghosts", [&] { part("send_ghosts").send(promised); });
  }
  /// Suspends until all ghosts of all members are here.
  void wait_for_ghosts() const { part_of_task("wait_for_ghosts").wait(); }

  /// Suspends until those in the box are here, of members of that rank; the exchange stays open.
  template <std::size_t N>
  void wait_for_ghosts(const box<N>& /*cells*/) const {
    part_of_task("wait_for_ghosts").wait_for_all();  // one message brings them all
  }
  /// Both.
  void update_ghosts() const {
    send_ghosts();
    wait_for_ghosts();
  }
  /// Whether all are here. Does not suspend.
  [[nodiscard]] bool ghosts_ready() const { return part("ghosts_ready").is_ready(); }

  /// Whether those in the box are here, of members of that rank.
  template <std::size_t N>
  [[nodiscard]] bool ghosts_ready(const box<N>& /*cells*/) const {
    return part("ghosts_ready").is_ready();
  }

  /// Suspends until ghosts of another neighbour are here, of all members, and says whose; nothing: all have been told of, and the exchange
  /// is closed.
  [[nodiscard]] std::optional<place> wait_for_any_ghosts() const {
    return part_of_task("wait_for_any_ghosts").wait_for_any();
  }

  /// How many exchanges of the group this place has begun.
  [[nodiscard]] std::uint64_t exchange() const { return part("exchange").count(); }

  friend bool operator==(const ghost_group_ref&, const ghost_group_ref&) noexcept = default;  ///< of the same one

  /// For archives.
  template <class Archive>
  friend void serialize(Archive& ar, ghost_group_ref& r) {
    ar & r.name_;
  }

private:
  friend class ghost_group;
  explicit ghost_group_ref(detail::place_object_name name) noexcept : name_(name) {}
  [[nodiscard]] detail::group_part_of& part(const char* call) const {
    return detail::part_of<detail::group_part_of>(name_, call);
  }
  [[nodiscard]] detail::group_part_of& part_of_task(const char* call) const {
    static_cast<void>(detail::worker_for(call));
    return part(call);
  }

  detail::place_object_name name_;
};

/// Several distributed arrays, of any types, ranks, widths and dists, whose ghosts go to each neighbour in one message: by put, also those
/// of arrays that by themselves are exchanged by shift. Made by one task; has to end before its arrays, and while it is being exchanged they
/// are not, each by itself.
/// Errors: those of dist_array.
/// \snippet 20_ghosts.cpp group
/// \ingroup arrays
class ghost_group {
public:
  /// Of these.
  template <class... T, std::size_t... N>
  explicit ghost_group(dist_array<T, N>&... members)
      : made_(detail::made_at_all_places::make(std::type_identity<detail::group_part_of>(), members.ref()...)) {}

  /// What tasks at the places use.
  [[nodiscard]] ghost_group_ref ref() const noexcept { return ghost_group_ref(made_.name()); }

  /// ghost_group_ref::update_ghosts() at all places.
  void update_ghosts() {
    at_each(places(), [k = ref()] { k.update_ghosts(); });
  }

private:
  detail::made_at_all_places made_;
};

}  // namespace tactus
