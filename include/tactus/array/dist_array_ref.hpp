// SPDX-License-Identifier: Apache-2.0
// dist_array_ref: a distributed array as the tasks of a place see it.
#pragma once

#include <tactus/array/array.hpp>
#include <tactus/array/impl/array_operations.hpp>
#include <tactus/array/impl/array_part.hpp>
#include <tactus/array/impl/box_access.hpp>
#include <tactus/array/impl/element_copies.hpp>
#include <tactus/array/impl/region_loops.hpp>
#include <tactus/base/error.hpp>
#include <tactus/place/at_future.hpp>
#include <tactus/place/impl/team_member.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {

template <class T, std::size_t N>
class dist_array;
template <class T, std::size_t N>
class transfer;
class ghost_group;

/// A neighbour in the exchange of ghosts.
/// Errors: none.
/// \snippet 20_ghosts.cpp neighbours
/// \ingroup arrays
struct ghost_neighbour {
  tactus::place place;        ///< its place; may be the asking one
  std::size_t cells_in = 0;   ///< ghosts that come from it
  std::size_t cells_out = 0;  ///< cells that go to it
};

/// What has come of one neighbour.
/// Errors: none.
/// \snippet 20_ghosts.cpp any
/// \ingroup arrays
template <std::size_t N>
struct ghosts_from {
  tactus::place place;        ///< whose cells they are
  std::vector<box<N>> boxes;  ///< the ghosts, in the indices of the place that has them
};

namespace detail {

template <class T, std::size_t N>
struct array_access;

/// send() of an exchange, which is allowed in steps of lockstep too.
template <class F>
void send_from_task(const char* call, F&& send) {
  if (current_worker() == nullptr && in_step()) {
    const unrestricted_scope shown;
    send();
  } else {
    static_cast<void>(worker_for(call));
    send();
  }
}

/// The same of a look whether something has come.
template <class F>
bool look_from_task(F&& look) {
  if (current_worker() == nullptr && in_step()) {
    const unrestricted_scope shown;
    return look();
  }
  return look();
}

}  // namespace detail

/// Names a distributed array where tasks run: trivially copyable, travels, can be captured. Its operations are of the place that calls
/// them; those of dist_array are of the whole array.
/// Where the program is compiled with TACTUS_CHECKED, usage_error tells besides of ghosts that have been written since the last exchange,
/// of cells that were not kept as promised, and of two tasks in one exchange; from send until they arrive, ghosts are signalling NaNs.
/// Errors: usage_error where the array has gone; place_error at a place that is not of the array's distribution; usage_error outside a task.
/// \snippet 20_ghosts.cpp ref
/// \ingroup arrays
template <class T, std::size_t N>
class dist_array_ref {
  using value = std::remove_const_t<T>;
  using part_type = detail::array_part<value, N>;

public:
  using value_type = value;  ///< of its elements

  /// Of none; every use is usage_error.
  dist_array_ref() noexcept = default;

  /// Of the same array, for reading.
  template <class U>
    requires(std::same_as<const U, T> && !std::same_as<U, T>)
  // NOLINTNEXTLINE(google-explicit-constructor): as a pointer to const
  dist_array_ref(const dist_array_ref<U, N>& other) noexcept : name_(other.name_) {}

  // ---- what this place has ----

  /// The view of this place's block. place_error, usage_error where it has none or several. About 3 ns: take it out of loops.
  [[nodiscard]] view<T, N> local() const {
    const part_type& p = mine("local");
    if (p.options().storage == block_storage::bounding_box && !p.blocks().empty()) {
      return p.whole();
    }
    if (p.blocks().size() != 1) {
      throw usage_error("tactus: " + to_string(p.here()) + " has " + std::to_string(p.blocks().size()) +
                        " blocks of '" + p.options().name +
                        "', and local() is of one; use blocks(), which is of any number");
    }
    return p.blocks().front();
  }

  /// Views of all blocks of this place, by number. May be kept.
  [[nodiscard]] std::vector<view<T, N>> blocks() const {
    const part_type& p = mine("blocks");
    return std::vector<view<T, N>>(p.blocks().begin(), p.blocks().end());
  }

  /// The cell, which is of this place or among its ghosts; of both, its own; or an outer one. place_error that names the owner, also of what
  /// is stored and nobody sends: corners where the array is without, and what no place has. May be used in atomic blocks.
  [[nodiscard]] T& operator()(const point<N>& x) const {
    const part_type& p = mine("a cell");
    if (T* const found = p.find(x); found != nullptr) [[likely]] {
      return *found;
    }
    throw place_error("tactus: " + to_string(x) + " of '" + p.options().name + "' is neither a cell of " +
                      to_string(p.here()) + " nor among its ghosts; " +
                      (p.dist().region().contains(x)
                           ? "it is of " + to_string(p.dist().owner(x)) + ": use get() or go there with at()"
                           : std::string("no place has it")));
  }

  /// The same, by indices.
  template <std::integral... I>
    requires(sizeof...(I) == N)
  [[nodiscard]] T& operator()(I... i) const {
    return (*this)(point<N>(i...));
  }

  /// The cells that are this place's own.
  [[nodiscard]] region<N> resident() const {
    return region_of("resident", [](const view<T, N>& u) { return region<N>(u.resident()); });
  }

  /// Its ghosts: the cells besides that an exchange brings. Not those that are stored and that nobody sends: outer cells, corners where the
  /// array is without, cells beyond the border of a region that is no box.
  [[nodiscard]] region<N> ghosts() const {
    const part_type& p = mine("ghosts");
    std::vector<box<N>> all;
    if (p.forward() != nullptr) {
      for (const auto& from : p.forward_cells()->plan()) {
        for (const detail::patch<N>& c : from.in) {
          all.push_back(c.cells);
        }
      }
    }
    return region<N>(all) - resident();
  }

  /// Its own cells that have no ghost in their halo; not all of them: each block is without those near a side that is not at an end of the
  /// array's bounding box, also towards other blocks of the place, and where a region that is no box has nothing beyond.
  [[nodiscard]] region<N> interior() const {
    return region_of("interior", [](const view<T, N>& u) { return region<N>(u.interior()); });
  }

  /// Its other own cells.
  [[nodiscard]] region<N> boundary() const { return resident() - interior(); }

  /// Which place has what. At any place.
  [[nodiscard]] tactus::dist<N> dist() const { return any("dist").dist(); }

  /// Its options. At any place.
  [[nodiscard]] array_options<N> options() const { return any("options").options(); }

  /// Whether this place has no cell of it.
  [[nodiscard]] bool here_is_empty() const { return mine("here_is_empty").blocks().empty(); }

  // ---- from anywhere ----

  /// The value of a cell, wherever it is. Suspends unless it is here; usage_error outside the array's region. At any place.
  [[nodiscard]] value get(const point<N>& x) const {
    if constexpr (detail::values_go<value>) {
      const part_type& p = any("get");
      return at(p.dist().owner(x), [self = *this, x, asker = p.here()]() -> value { return self.own_for(asker, x); });
    } else {
      detail::refuse_elements<value>();
    }
  }

  /// The same, as a future.
  [[nodiscard]] future<value> get_future(const point<N>& x) const {
    if constexpr (detail::values_go<value>) {
      const part_type& p = any("get_future");
      return at_future(detail::to_reach(p.dist().owner(x)),
                       [self = *this, x, asker = p.here()]() -> value { return self.own_for(asker, x); });
    } else {
      detail::refuse_elements<value>();
    }
  }

  /// Gives the cell a value; else as get().
  void set(const point<N>& x, const value& v) const
    requires(!std::is_const_v<T>)
  {
    if constexpr (detail::values_go<value>) {
      const part_type& p = any("set");
      const place owner = p.dist().owner(x);
      if (owner == p.here()) {
        p.counts().use(detail::array_operation::set);
      } else {
        p.counts().add(detail::array_operation::set, 1, bytes_of(v));
      }
      at(owner, [self = *this, x](const value& given) { self.own(x) = given; }, v);
    } else {
      detail::refuse_elements<value>();
    }
  }

  /// A copy of a box of cells, wherever they are: one message to each owner, to all at once. Suspends; usage_error: some are not of the
  /// array. At any place.
  [[nodiscard]] array<value, N> get(const box<N>& b) const {
    if constexpr (detail::values_go<value>) {
      return detail::box_access<value, N>::get(dist_array_ref<value, N>(name_), b);
    } else {
      detail::refuse_elements<value>();
    }
  }

  /// The other way round: gives the cells the values that `a` has for them.
  void set(const array<value, N>& a) const
    requires(!std::is_const_v<T>)
  {
    if constexpr (detail::values_go<value>) {
      detail::box_access<value, N>::set(*this, a);
    } else {
      detail::refuse_elements<value>();
    }
  }

  /// Combines each cell with that of `a`, by an op or a monoid. Of tasks that do so at once, one after the other has each block. Else as
  /// get().
  template <class Op>
  void accumulate(const array<value, N>& a, const Op& o) const
    requires(!std::is_const_v<T>)
  {
    if constexpr (detail::values_go<value>) {
      detail::box_access<value, N>::accumulate(*this, a, o);
    } else {
      detail::refuse_elements<value>();
    }
  }

  /// What this place's own cells come to, block by block; the identity where there are none. `o`: an op, or a monoid. Suspends.
  template <class Op>
  [[nodiscard]] value reduce_local(const Op& o) const {
    if constexpr (detail::can_be_copied<value>()) {
      const part_type& p = mine("reduce_local");
      const auto m = detail::monoid_of<value>("reduce_local", o).to_be_used();
      value all = m.identity();
      m.with([&](const auto& combine) {
        for (const view<value, N>& u : p.blocks()) {
          all = static_cast<value>(
              combine(std::as_const(all),
                      reduce(u.resident(), combine, [u](const point<N>& x) -> const value& { return u[x]; })));
        }
      });
      return all;
    } else {
      detail::refuse_elements<value>();
    }
  }

  // ---- ghosts ----

  /// Begins the next exchange here: sends what the neighbours need. usage_error: one is open. Who promises ghost_source::kept writes no own
  /// cell until wait_for_ghosts() has returned: then within a process nothing is packed, and that waits until all has been copied too.
  void send_ghosts(ghost_source promised = ghost_source::copied) const {
    if constexpr (!std::is_trivially_copyable_v<value> && !travels<value>) {
      detail::refuse_elements<value>();  // with a type that is only moved, there are no ghosts
    }
    detail::send_from_task("send_ghosts", [&] {
      part_type& p = mine("send_ghosts");
      if (p.forward() == nullptr) {
        p.idle().open("send_ghosts", detail::exchange_way::forward);
        return;
      }
      p.backward()->check_closed("send_ghosts");
      p.forward()->check_closed("send_ghosts");
      [[maybe_unused]] const auto now = p.checks().enter("send_ghosts");
      p.check_before_send("send_ghosts", promised);
      p.send_forward(promised);
      p.forward_cells()->count_sent(p.counts(), detail::array_operation::send_ghosts);
    });
  }

  /// Suspends until the ghosts of the exchange are here, and ends it. usage_error: none is open, or the array ends meanwhile; deadlock_error.
  void wait_for_ghosts() const {
    part_type& p = mine_of_task("wait_for_ghosts");
    if (p.forward() == nullptr) {
      p.idle().close("wait_for_ghosts", detail::exchange_way::forward);
      return;
    }
    [[maybe_unused]] const auto now = p.checks().enter("wait_for_ghosts");
    p.forward()->wait();
    p.check_after_wait("wait_for_ghosts");
  }

  /// Both.
  void update_ghosts() const {
    send_ghosts();
    wait_for_ghosts();
  }

  /// Suspends until the ghosts that lie in the box are here; the exchange stays open. Any number of tasks, also while another one ends it.
  void wait_for_ghosts(const box<N>& cells) const {
    part_type& p = mine_of_task("wait_for_ghosts");
    if (p.forward() == nullptr) {
      p.idle().check_open("wait_for_ghosts", detail::exchange_way::forward);
      return;
    }
    p.forward()->wait_for(who_brings(p, cells), detail::ghosts_in(cells));
  }

  /// Whether all ghosts are here. Does not suspend. usage_error: no exchange is open.
  [[nodiscard]] bool ghosts_ready() const {
    part_type& p = mine("ghosts_ready");
    if (p.forward() == nullptr) {
      p.idle().check_open("ghosts_ready", detail::exchange_way::forward);
      return true;
    }
    return ready_in(p, nullptr);
  }

  /// The same of those in the box, which may be read then.
  [[nodiscard]] bool ghosts_ready(const box<N>& cells) const {
    part_type& p = mine("ghosts_ready");
    if (p.forward() == nullptr) {
      p.idle().check_open("ghosts_ready", detail::exchange_way::forward);
      return true;
    }
    return ready_in(p, &cells);
  }

  /// Suspends until ghosts of another neighbour are here, and says which; nothing: all have been told of, and the exchange is closed. Of a
  /// neighbour that only takes ghosts there are no boxes.
  [[nodiscard]] std::optional<ghosts_from<N>> wait_for_any_ghosts() const {
    part_type& p = mine_of_task("wait_for_any_ghosts");
    if (p.forward() == nullptr) {
      p.idle().close("wait_for_any_ghosts", detail::exchange_way::forward);
      return std::nullopt;
    }
    [[maybe_unused]] const auto now = p.checks().enter("wait_for_any_ghosts");
    const std::optional<std::size_t> n = p.forward()->wait_for_any();
    if (!n) {
      p.check_after_wait("wait_for_any_ghosts");
      return std::nullopt;
    }
    const auto& plan = p.forward_cells()->plan();
    ghosts_from<N> told{place(place::unchecked{plan[*n].place}), {}};
    for (const auto& from : plan) {  // by shift a place that is its own neighbour is one in several stages
      if (from.place == told.place.id()) {
        for (const detail::patch<N>& c : from.in) {
          told.boxes.push_back(c.cells);
        }
      }
    }
    return told;
  }

  /// The other way round: ghosts go to their owners, who combine them with what they have, own first, then by place; the ghosts become the
  /// identity of `o`, an op or a monoid. usage_error: an exchange is open.
  template <class Op>
  void send_contributions(const Op& o) const
    requires(!std::is_const_v<T>)
  {
    if constexpr (detail::copies_go<value>) {
      detail::send_from_task("send_contributions", [&] {
        part_type& p = mine("send_contributions");
        if (p.backward() == nullptr) {
          p.idle().open("send_contributions", detail::exchange_way::backward);
          return;
        }
        p.forward()->check_closed("send_contributions");
        p.backward()->check_closed("send_contributions");
        [[maybe_unused]] const auto now = p.checks().enter("send_contributions");
        p.checks().forget();
        const auto m = detail::monoid_of<value>("send_contributions", o);
        const auto used = m.to_be_used();
        p.backward_cells()->combine_by(
            std::make_shared<const detail::ghost_combiner<value>>(detail::ghost_combiner<value>{
                used.identity(), detail::any_function<value(const value&, const value&)>(
                                     [used](const value& a, const value& b) { return used(a, b); })}));
        p.backward()->send(detail::type_number<decltype(m)>() + m.number(), ghost_source::copied);
        p.backward_cells()->count_sent(p.counts(), detail::array_operation::send_contributions);
      });
    } else {
      detail::refuse_elements<value>();
    }
  }

  /// Suspends until what others have contributed is in the cells here, and ends the exchange.
  void wait_for_contributions() const {
    part_type& p = mine_of_task("wait_for_contributions");
    if (p.backward() == nullptr) {
      p.idle().close("wait_for_contributions", detail::exchange_way::backward);
      return;
    }
    [[maybe_unused]] const auto now = p.checks().enter("wait_for_contributions");
    p.backward()->wait();
  }

  /// Both.
  template <class Op>
  void accumulate_ghosts(const Op& o) const
    requires(!std::is_const_v<T>)
  {
    send_contributions(o);
    wait_for_contributions();
  }

  /// How many exchanges of ghosts this place has begun.
  [[nodiscard]] std::uint64_t exchange() const {
    const part_type& p = mine("exchange");
    return p.forward() == nullptr ? p.idle().begun(detail::exchange_way::forward) : p.forward()->count();
  }

  /// Who sends ghosts here, and who gets some, in the order of places. By shift what is passed on counts for who passes it on.
  [[nodiscard]] std::vector<ghost_neighbour> neighbours() const {
    const part_type& p = mine("neighbours");
    std::map<int, ghost_neighbour> by_place;
    if (p.forward() != nullptr) {
      for (const auto& n : p.forward_cells()->plan()) {
        const auto told = by_place.emplace(n.place, ghost_neighbour{place(place::unchecked{n.place}), 0, 0}).first;
        for (const auto& c : n.in) {
          told->second.cells_in += c.cells.size();
        }
        for (const auto& c : n.out) {
          told->second.cells_out += c.cells.size();
        }
      }
    }
    std::vector<ghost_neighbour> all;
    all.reserve(by_place.size());
    for (const auto& [number, told] : by_place) {
      all.push_back(told);
    }
    return all;
  }

  friend bool operator==(const dist_array_ref&, const dist_array_ref&) noexcept = default;  ///< of the same array

  /// Both ways, between machines of either byte order.
  template <class Archive>
  friend void serialize(Archive& ar, dist_array_ref& r) {
    ar & r.name_;
  }

private:
  template <class, std::size_t>
  friend class dist_array_ref;
  template <class, std::size_t>
  friend class dist_array;
  template <class, std::size_t>
  friend struct detail::array_access;

  explicit dist_array_ref(detail::place_object_name name) noexcept : name_(name) {}

  [[nodiscard]] TACTUS_ALWAYS_INLINE part_type& any(const char* call) const {
    return detail::part_of<part_type>(name_, call);
  }
  [[nodiscard]] TACTUS_ALWAYS_INLINE part_type& mine(const char* call) const {
    part_type& p = any(call);
    if (!p.is_member()) [[unlikely]] {
      throw place_error(std::string("tactus: ") + call + " of '" + p.options().name + "' at " + to_string(p.here()) +
                        ", which is none of the places that it is distributed over");
    }
    detail::look_for_loan(&p);  // which nobody lends: so a profile hears that a task uses it
    return p;
  }
  [[nodiscard]] part_type& mine_of_task(const char* call) const {
    static_cast<void>(detail::worker_for(call));
    return mine(call);
  }
  [[nodiscard]] value& own(const point<N>& x) const {
    for (const view<value, N>& u : mine("a cell").blocks()) {
      if (u.resident().contains(x)) {
        return u[x];
      }
    }
    return const_cast<value&>((*this)(x));  // says that it is not here
  }

  [[nodiscard]] const value& own_for(place asker, const point<N>& x) const {
    const part_type& p = mine("a cell");
    const value& found = own(x);
    if (asker == p.here()) {
      p.counts().use(detail::array_operation::get);
    } else {
      p.counts().add(detail::array_operation::get, 1, bytes_of(found));
    }
    return found;
  }
  static std::uint64_t bytes_of(const value& v) {
    if constexpr (std::is_trivially_copyable_v<value>) {
      return sizeof(value);
    } else {
      return detail::packed_bytes(v);
    }
  }

  template <class F>
  [[nodiscard]] region<N> region_of(const char* call, F&& f) const {
    region<N> all;
    for (const view<T, N>& u : blocks_for(call)) {
      all = all | f(u);
    }
    return all;
  }
  [[nodiscard]] std::vector<view<T, N>> blocks_for(const char* call) const {
    const part_type& p = mine(call);
    return std::vector<view<T, N>>(p.blocks().begin(), p.blocks().end());
  }

  static std::vector<std::size_t> who_brings(const part_type& p, const box<N>& cells) {
    std::vector<std::size_t> all;
    const auto& plan = p.forward_cells()->plan();
    for (std::size_t n = 0; n < plan.size(); ++n) {
      for (const auto& c : plan[n].in) {
        if (!(c.cells & cells).empty()) {
          all.push_back(n);
          break;
        }
      }
    }
    return all;
  }
  static bool ready_in(part_type& p, const box<N>* cells) {
    std::vector<std::size_t> some;
    if (cells != nullptr) {
      some = who_brings(p, *cells);
    } else {
      for (std::size_t n = 0; n < p.forward_cells()->plan().size(); ++n) {
        some.push_back(n);
      }
    }
    return detail::look_from_task([&] { return p.forward()->is_ready(some); });
  }

  detail::place_object_name name_;
};

}  // namespace tactus
