// SPDX-License-Identifier: Apache-2.0
// ghost_group: several arrays whose ghosts travel together.
#pragma once

#include <tactus/array/dist_array.hpp>
#include <tactus/array/impl/group_cells.hpp>
#include <tactus/array/impl/group_member.hpp>
#include <tactus/array/transfer.hpp>
#include <tactus/base/impl/algorithms.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
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
  explicit group_part(place_object_name name, const dist_array_ref<T, N>&... members) : name_(name) {
    std::string names;
    (add(members, names), ...);
    cells_.join();
    counts_ = register_operations(names);
    exchanges_ = make_exchange_set(name.generation);
    text_ = "the group of " + names;
    sends_ = "send_ghosts of " + text_;
    exchange_manner manner;
    manner.of = text_;
    manner.send = "send_ghosts";
    manner.wait = "wait_for_ghosts";
    exchange_ = &exchanges_->add(cells_.places(), cells_, manner);
    exchanges_->open();
  }

  /// usage_error: it is being exchanged here, or a member is.
  void check_before_send() const {
    exchange_->check_closed("send_ghosts");
    for (const auto& m : members_) {
      m->check_before_send(sends_.c_str());
    }
  }

  void send(ghost_source promised) {
    check_before_send();  // all of them before one is open
    std::size_t opened = 0;
    try {
      for (const auto& m : members_) {
        m->opens(promised);
        ++opened;
      }
      exchange_->send(0, promised);
    } catch (...) {
      while (opened != 0) {
        members_[--opened]->has_not_opened();
      }
      throw;
    }
    cells_.count_sent(*counts_);
    for (const auto& m : members_) {
      m->set_part_of(name_, *exchange_, text_);
    }
  }
  void wait() {
    check_members("wait_for_ghosts");
    exchange_->wait();
    closed("wait_for_ghosts");
  }
  /// The next neighbour that has come; none: all have, and the exchange is closed.
  [[nodiscard]] std::optional<place> wait_for_any() {
    check_members("wait_for_any_ghosts");
    if (const std::optional<std::size_t> n = exchange_->wait_for_any()) {
      return place(place::unchecked{cells_.places()[*n]});
    }
    closed("wait_for_any_ghosts");
    return std::nullopt;
  }
  template <std::size_t N>
  void wait_for(const box<N>& cells) {
    check_members("wait_for_ghosts");
    exchange_->wait_for(who_brings(cells), ghosts_in(cells));
  }
  [[nodiscard]] bool is_ready() { return is_ready(all()); }
  template <std::size_t N>
  [[nodiscard]] bool is_ready_in(const box<N>& cells) {
    return is_ready(who_brings(cells));
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return exchange_->count(); }

  /// The ghosts that come from that place, of one member. usage_error: the array is none.
  template <std::size_t N>
  [[nodiscard]] std::vector<box<N>> boxes_from(place from, place_object_name array) const {
    for (const auto& m : members_) {
      if (m->is_of(array)) {
        return static_cast<const group_member_of_rank<N>&>(*m).boxes_from(from.id());
      }
    }
    throw usage_error("tactus: boxes_of an array that is no member of " + text_ +
                      ", or has been moved to another dist since that was made");
  }

private:
  template <class T, std::size_t N>
  void add(const dist_array_ref<T, N>& h, std::string& names) {
    auto own = std::make_unique<group_member_array<T, N>>(h);
    names += (names.empty() ? "'" : ", '") + h.options().name + "'";
    if (own->cells() != nullptr) {
      cells_.add(*own->cells(), own->places());
    } else {
      cells_.add_none();
    }
    members_.push_back(std::move(own));
  }
  void check_members(const char* call) const {
    for (const auto& m : members_) {
      m->check_there(call);
    }
  }
  void closed(const char* call) const {
    for (const auto& m : members_) {
      m->check_after_wait(call);
    }
  }
  [[nodiscard]] bool is_ready(const std::vector<std::size_t>& neighbours) {
    check_members("ghosts_ready");
    return look_from_task([&] { return exchange_->is_ready(neighbours); });
  }
  [[nodiscard]] std::vector<std::size_t> all() const {
    std::vector<std::size_t> numbers(cells_.places().size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }
  template <std::size_t N>
  [[nodiscard]] std::vector<std::size_t> who_brings(const box<N>& cells) const {
    std::vector<std::size_t> numbers = all();
    std::erase_if(numbers, [&](std::size_t n) {
      return std::none_of(members_.begin(), members_.end(), [&](const std::unique_ptr<group_member>& m) {
        const auto* const of_rank = dynamic_cast<const group_member_of_rank<N>*>(m.get());
        return of_rank != nullptr && of_rank->brings(cells_.places()[n], cells);
      });
    });
    return numbers;
  }

  const place_object_name name_;
  std::string text_;   // for errors
  std::string sends_;  // the same
  std::vector<std::unique_ptr<group_member>> members_;
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
  group_part_of(std::index_sequence<I...>, const All& all, place_object_name name)
      : group_part(name, std::get<I>(all)...) {}
};

}  // namespace detail

class group_ghosts_from;

/// Names a ghost_group where tasks run; trivially copyable, travels.
/// Errors: usage_error where the group has gone, where one of its members has, or has been moved to another dist, where one is being
/// exchanged by itself, and as said beside each call.
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

  /// Suspends until those in the box are here, of members of that rank; the exchange stays open. Any number of tasks. A neighbour's ghosts
  /// of all members come together, so it waits for those neighbours that bring any in the box, and for no others.
  template <std::size_t N>
  void wait_for_ghosts(const box<N>& cells) const {
    part_of_task("wait_for_ghosts").wait_for(cells);
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
  [[nodiscard]] bool ghosts_ready(const box<N>& cells) const {
    return part("ghosts_ready").is_ready_in(cells);
  }

  /// Suspends until ghosts of another neighbour are here, of all members, and says whose; nothing: all have been told of, and the exchange
  /// is closed.
  [[nodiscard]] std::optional<group_ghosts_from> wait_for_any_ghosts() const;

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
  friend class group_ghosts_from;
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

/// What has come of one neighbour, of all members of a group. Stands for its place.
/// Errors: beside the call.
/// \snippet 20_ghosts.cpp group
/// \ingroup arrays
class group_ghosts_from {
public:
  tactus::place place;  ///< whose cells they are

  /// The ghosts of that member, in the indices of the place that was told. usage_error: it is none of the group's. Only there, and as long
  /// as the group is.
  template <class T, std::size_t N>
  [[nodiscard]] std::vector<box<N>> boxes_of(const dist_array_ref<T, N>& member) const {
    return group_.part("boxes_of").boxes_from<N>(place, detail::array_access<T, N>::name(member));
  }

  /// That place.
  operator tactus::place() const noexcept {  // NOLINT(google-explicit-constructor): it stands for that
    return place;
  }

private:
  friend class ghost_group_ref;
  group_ghosts_from(tactus::place from, const ghost_group_ref& group) noexcept : place(from), group_(group) {}

  ghost_group_ref group_;
};

inline std::optional<group_ghosts_from> ghost_group_ref::wait_for_any_ghosts() const {
  if (const std::optional<place> from = part_of_task("wait_for_any_ghosts").wait_for_any()) {
    return group_ghosts_from(*from, *this);
  }
  return std::nullopt;
}

/// Several distributed arrays, of any types, ranks, widths and dists, whose ghosts go to each neighbour in one message: by put, also those
/// of arrays that by themselves are exchanged by shift. Made by one task; has to end before its arrays, and while it is being exchanged they
/// are not, each by itself. An array that has been moved to another dist needs a new group. One that ends with its exchange open does no
/// harm: its arrays can be exchanged again, and what their ghosts are until then is not said.
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

  /// ghost_group_ref::update_ghosts() at all places, once all of them have been asked whether an exchange is open there, of the group or of a
  /// member.
  void update_ghosts() {
    ref().part_of_task("update_ghosts").check_before_send();
    at_each(places(), [k = ref()] { k.part_of_task("update_ghosts").check_before_send(); });
    at_each(places(), [k = ref()] { k.update_ghosts(); });
  }

private:
  detail::made_at_all_places made_;
};

}  // namespace tactus
