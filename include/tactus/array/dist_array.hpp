// SPDX-License-Identifier: Apache-2.0
// dist_array: the elements of a region, spread over places, with ghosts.
#pragma once

#include <tactus/array/array.hpp>
#include <tactus/array/array_options.hpp>
#include <tactus/array/array_type_name.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/array/dist_array_ref.hpp>
#include <tactus/array/impl/array_access.hpp>
#include <tactus/array/impl/array_files.hpp>
#include <tactus/array/impl/array_operations.hpp>
#include <tactus/array/impl/array_part.hpp>
#include <tactus/array/impl/array_sort.hpp>
#include <tactus/array/impl/cell_sequence.hpp>
#include <tactus/array/impl/element_copies.hpp>
#include <tactus/array/impl/region_loops.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/place/at_each.hpp>
#include <tactus/place/place_local.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {

/// The elements of a region, each at the place that a dist says, with ghosts: copies of cells around a place's own. One task makes it, at
/// all places, and owns it; tasks at the places use its ref(). Elements are value-initialised. Movable, not copyable.
/// T is any type with a default constructor. Ghosts, and the operations that send or return elements, need it copyable, and trivially
/// copyable or such that it travels; they do not compile otherwise, and ghosts are a usage_error.
/// Operations of the whole array are called at the place that made it, suspend, and return when all places have done their part.
/// ghost-regions.txt, sections II and III.
/// Errors: place_error at another place than where it was made; usage_error while an exchange is open, and after it was moved from;
/// multiple_exceptions of what is thrown at the places; atomic_use_error in atomic blocks.
/// \snippet 20_ghosts.cpp dist_array
/// \ingroup arrays
template <class T, std::size_t N>
class dist_array {
  static_assert(std::default_initializable<T>,
                "elements of a dist_array are value-initialised: give the type a default constructor");
  using access = detail::array_access<T, N>;
  using part_type = detail::array_part<T, N>;

public:
  using value_type = T;                   ///< of its elements
  using ref_type = dist_array_ref<T, N>;  ///< what travels

  /// Makes it at all places. resource_error that names place and bytes, usage_error for an exchange that the distribution does not allow,
  /// place_error for a distribution over places that this run does not have, config_error for ghosts of a type that machines which store
  /// numbers in different ways cannot give each other; then there is nothing of it anywhere.
  explicit dist_array(const tactus::dist<N>& d, const array_options<N>& o = {}) : dist_(d), options_(o), home_(here()) {
    check_places();
    check_options();
    make();
  }

  /// The same array, which `other` is not any more: a use of that is a usage_error.
  dist_array(dist_array&& other) noexcept
      : dist_(other.dist_),
        options_(std::move(other.options_)),
        home_(other.home_),
        ref_(other.ref_),
        is_made_(std::exchange(other.is_made_, false)) {}
  /// The same; the array that this one was ends.
  dist_array& operator=(dist_array&& other) noexcept {
    if (this != &other) {
      end();
      dist_ = other.dist_;
      options_ = std::move(other.options_);
      home_ = other.home_;
      ref_ = other.ref_;
      is_made_ = std::exchange(other.is_made_, false);
    }
    return *this;
  }

  /// Ends it everywhere. Never throws.
  ~dist_array() { end(); }

  /// What tasks at other places use.
  [[nodiscard]] ref_type ref() const {
    check_made();
    return ref_;
  }
  [[nodiscard]] const tactus::dist<N>& dist() const& noexcept { return dist_; }               ///< which place has what
  [[nodiscard]] tactus::dist<N> dist() && noexcept { return dist_; }                          ///< of an array that goes
  [[nodiscard]] const array_options<N>& options() const noexcept { return options_; }         ///< as it was made
  [[nodiscard]] const tactus::region<N>& region() const& noexcept { return dist_.region(); }  ///< of all its cells
  [[nodiscard]] tactus::region<N> region() && { return dist_.region(); }                      ///< of an array that goes

  // ---- cells from anywhere ----

  /// As dist_array_ref::get.
  [[nodiscard]] T get(const point<N>& x) const {
    if constexpr (detail::values_go<T>) {
      return checked("get").get(x);
    } else {
      detail::refuse_elements<T>();
    }
  }
  /// As dist_array_ref::set.
  void set(const point<N>& x, const T& v) {
    if constexpr (detail::values_go<T>) {
      checked("set").set(x, v);
    } else {
      detail::refuse_elements<T>();
    }
  }

  /// A copy of a box of cells: one message to each owner. usage_error: some are not of the array.
  [[nodiscard]] array<T, N> get(const box<N>& b) const {
    if constexpr (detail::values_go<T>) {
      return detail::box_access<T, N>::get(checked("get"), b);
    } else {
      detail::refuse_elements<T>();
    }
  }

  /// The other way round.
  void set(const array<T, N>& a) {
    if constexpr (detail::values_go<T>) {
      detail::box_access<T, N>::set(checked("set"), a);
    } else {
      detail::refuse_elements<T>();
    }
  }

  /// Combines each cell with that of `a`, by an op or a monoid. Of tasks that do so at once, one after the other has each block.
  template <class Op>
  void accumulate(const array<T, N>& a, const Op& o) {
    if constexpr (detail::values_go<T>) {
      detail::box_access<T, N>::accumulate(checked_for_many("accumulate"), a, o);
    } else {
      detail::refuse_elements<T>();
    }
  }

  // ---- all cells ----

  /// Gives all cells the value, ghosts and outer ones too.
  void fill(const T& v) {
    if constexpr (detail::values_go<T>) {
      each(
          "fill", detail::array_operation::fill,
          [](const view<T, N>& u, const T& given) { u.stored().each([&](const point<N>& x) { u[x] = given; }); }, v);
    } else {
      detail::refuse_elements<T>();
    }
  }

  /// f(point, element), or f(element), for each cell where it is, in parallel; where it can be called in both ways, as with `auto...`, with
  /// the point. f travels.
  template <class F>
  void for_each(F f) {
    each("for_each", detail::array_operation::for_each, [sent = detail::sent_function<F>(f)](const view<T, N>& u) {
      const F& called = detail::to_be_called(sent);
      tactus::for_each(u.resident(),
                       [f = called, u](const point<N>& x) mutable { detail::call_with_cell(f, x, u[x]); });
    });
  }

  /// A new array on the same dist, with the same options, of f(element), or f(point, element); where both can be called, as with `auto...`,
  /// of that with the point.
  template <class F>
  [[nodiscard]] auto map(F f) const {
    using U =
        std::decay_t<decltype(detail::call_with_cell(f, std::declval<const point<N>&>(), std::declval<const T&>()))>;
    static_cast<void>(checked_whole("map"));
    dist_array<U, N> made(dist_, options_);
    made.map_by(dist_array<U, N>::mapping::made, f, *this);
    return made;
  }

  /// Gives each cell f(elements of a, c, ... there), or f(point, those); where both can be called, as with `auto...`, that with the point.
  /// usage_error: one is on another dist.
  template <class F, class A, class... C>
  void map_from(F f, const dist_array<A, N>& a, const dist_array<C, N>&... c) {
    map_by(mapping::given, f, a, c...);
  }

  /// What all cells come to: an op, or a monoid. By place in the order of the dist's group, by block, in a tree of fixed shape.
  template <class Op>
  [[nodiscard]] T reduce(const Op& o) const {
    if constexpr (detail::values_go<T>) {
      const ref_type h = checked_whole("reduce");
      detail::look_at_monoid(o, "reduce");
      const auto m = detail::monoid_of<T>("reduce", o);
      const std::vector<T> parts = detail::answers_of<T>(
          dist_.group(),
          [h, asker = here()](const auto& how) {
            access::part(h, "reduce").check_closed("reduce");
            return sent(h, detail::array_operation::reduce, asker, h.reduce_local(as_given(how.to_be_used())));
          },
          m);
      const auto used = m.to_be_used();
      T all = used.identity();
      for (const T& p : parts) {
        all = used(all, p);
      }
      return all;
    } else {
      detail::refuse_elements<T>();
    }
  }

  /// The same with a function and its neutral element.
  template <class Function>
  [[nodiscard]] T reduce(Function f, const T& unit) const {
    if constexpr (detail::values_go<T>) {
      return reduce(monoid<T, Function>{unit, f});
    } else {
      detail::refuse_elements<T>();
    }
  }

  /// The least element and where it is; of equal ones the least point. A NaN is passed over where there is anything else. usage_error:
  /// there is no element.
  [[nodiscard]] std::pair<point<N>, T> min_at() const {
    if constexpr (detail::values_go<T>) {
      return best_at("min_at", [](const T& a, const T& b) { return a < b; });
    } else {
      detail::refuse_elements<T>();
    }
  }
  /// The largest one.
  [[nodiscard]] std::pair<point<N>, T> max_at() const {
    if constexpr (detail::values_go<T>) {
      return best_at("max_at", [](const T& a, const T& b) { return b < a; });
    } else {
      detail::refuse_elements<T>();
    }
  }

  /// Sorts by `less`, which travels, or by `<` with NaNs behind all numbers; equal ones keep their order. All places take part: each element
  /// goes through one other place at most, and each place has about as many meanwhile, whatever the elements are.
  template <class Less = detail::is_less>
  void sort(Less less = {})
    requires(N == 1)
  {
    if constexpr (detail::values_go<T>) {
      const ref_type h = checked_whole("sort");
      access::count_use(h, detail::array_operation::sort);
      using sent = detail::sent_function<Less>;
      detail::array_sorter<T, sent>(h, dist_, sent(less)).sort();
    } else {
      detail::refuse_elements<T>();
    }
  }

  /// A new array of what each cell and those before it along the axis come to.
  template <class Op>
  [[nodiscard]] dist_array scan(const Op& o, std::size_t axis = 0) const {
    if constexpr (detail::values_go<T>) {
      return scanned("scan", o, axis, true);
    } else {
      detail::refuse_elements<T>();
    }
  }
  /// The same without the cell itself: begins with the identity.
  template <class Op>
  [[nodiscard]] dist_array scan_exclusive(const Op& o, std::size_t axis = 0) const {
    if constexpr (detail::values_go<T>) {
      return scanned("scan_exclusive", o, axis, false);
    } else {
      detail::refuse_elements<T>();
    }
  }

  // ---- cells in order ----

  /// All cells, as pairs of point and value, block by block: an input range that fetches each by one message, two ahead of the loop.
  [[nodiscard]] detail::cell_sequence<T, N> sequence() const {
    if constexpr (detail::values_go<T>) {
      const ref_type h = checked_whole("sequence");
      access::count_use(h, detail::array_operation::sequence);
      return detail::cell_sequence<T, N>(h, dist_);
    } else {
      detail::refuse_elements<T>();
    }
  }

  // ---- ghosts ----

  /// dist_array_ref::update_ghosts() at all places of the dist. Where one is open at another place than the calling one, that place is
  /// told, and neighbours may wait for it in vain: its usage_error then comes with their deadlock_errors. To ask all places before would double
  /// the time.
  void update_ghosts() {
    const ref_type h = checked_whole("update_ghosts");
    at_each(dist_.group(), [h] { h.update_ghosts(); });
  }

  /// dist_array_ref::accumulate_ghosts() at all places of the dist.
  template <class Op>
  void accumulate_ghosts(const Op& o) {
    if constexpr (detail::copies_go<T> && (std::is_enum_v<Op> || travels<T>)) {
      detail::look_at_monoid(o, "accumulate_ghosts");
      const ref_type h = closed_everywhere("accumulate_ghosts");
      at_each(
          dist_.group(), [h](const auto& how) { h.accumulate_ghosts(as_given(how.to_be_used())); },
          detail::monoid_of<T>("accumulate_ghosts", o));
    } else {
      detail::refuse_elements<T>();
    }
  }

  // ---- other distributions ----

  /// The same elements on another dist of its region; refs of before are of none. usage_error: that has another region.
  void move_to(const tactus::dist<N>& d) {
    if constexpr (detail::values_go<T>) {
      static_cast<void>(checked_whole("move_to"));
      check_region(d, "move_to");
      dist_array moved(d, options_);
      moved.fetch_from(detail::copying_call::move_to, *this, d.region().bounding_box(), {});
      at_each(places(),
              [old = access::name(ref_)] { detail::end_place_object(old); });  // refs of before are of none from now on
      *this = std::move(moved);
    } else {
      detail::refuse_elements<T>();
    }
  }

  // ---- files ----

  /// Writes all cells to a file, without ghosts: each place its own, at once. The file has another name, PATH.part, until it is complete
  /// and on the disk; an interrupted save leaves what was there before. Trivially copyable elements are written as their bytes, others as
  /// they travel. docs/checkpoint-format.md. All places have to reach the file.
  /// resource_error: there is no room. error: it cannot be written for another reason. What a serialize throws passes through.
  /// The workers of all places wait for the disk.
  /// \snippet 23_checkpoints.cpp save
  void save(const std::string& path) const {
    if constexpr (detail::copies_go<T>) {
      const ref_type h = checked_whole("save");
      access::count_use(h, detail::array_operation::save);
      detail::array_file<T, N>::save(h, dist_, path);
    } else {
      detail::refuse_elements<T>();
    }
  }

  /// A new array of what such a file has: on any dist over the same region, at any number of places, with any options. Each place reads
  /// what it needs. usage_error: elements of another type, another number of axes, another region. error: it cannot be read, or is
  /// damaged: never other values than were saved. resource_error: there is no memory.
  /// \snippet 23_checkpoints.cpp load
  [[nodiscard]] static dist_array load(const std::string& path, const tactus::dist<N>& d,
                                       const array_options<N>& o = {}) {
    if constexpr (detail::copies_go<T>) {
      static_cast<void>(detail::worker_for("load"));
      const std::uint32_t file = detail::array_file<T, N>::check(d, path);
      dist_array made(d, o);
      access::count_use(made.ref_, detail::array_operation::load);
      detail::array_file<T, N>::load(made.ref_, d, path, file);
      return made;
    } else {
      detail::refuse_elements<T>();
    }
  }

#ifndef DOXYGEN
  void fetch_from(detail::copying_call call, const dist_array& a, const box<N>& wanted, const point<N>& shift) {
    if constexpr (detail::values_go<T>) {
      const ref_type to = checked_whole(detail::name_of(call));
      const ref_type from = a.checked_whole(detail::name_of(call));
      if (from == to) {
        throw usage_error("tactus: copy of '" + options_.name + "' to itself; give two arrays");
      }
      at_each(a.dist().group(), [from, call] { access::part(from, "copy").check_closed(detail::name_of(call)); });
      at_each(
          dist_.group(),
          [from, to, call](const box<N>& b, const point<N>& by) {
            access::part(to, "copy").check_closed(detail::name_of(call));
            access::fetch(from, to, b, by);
          },
          wanted, shift);
    } else {
      detail::refuse_elements<T>();
    }
  }
  void check_region(const tactus::dist<N>& d, const char* call) const {
    check_made();
    if (!(d.region() == region())) {
      throw usage_error(std::string("tactus: ") + call + " of '" + options_.name +
                        "': the distribution is of another region; restrict or extend one of them");
    }
  }
#endif

private:
  template <class, std::size_t>
  friend class dist_array;
  enum class mapping : std::uint8_t { made, given };

  // A monoid as it was given.
  static op as_given(const detail::named_monoid<T>& m) noexcept { return m.kind; }
  template <class Function>
  static monoid<T, Function> as_given(const detail::given_monoid<T, Function>& m) {
    return {m.unit, m.function};
  }

  // What a place sends to who has asked.
  template <class V>
  static V sent(const ref_type& h, detail::array_operation o, place asker, V&& value) {
    access::count_use(h, o);
    if (asker != here()) {
      access::count(h, o, 1, access::bytes_of(value));
    }
    return std::forward<V>(value);
  }

  // What a program calls to have cells made of others.
  static const char* name_of(mapping m) noexcept { return m == mapping::made ? "map" : "map_from"; }

  template <class F, class... A>
  void map_by(mapping call, F f, const dist_array<A, N>&... of) {
    const ref_type h = checked_whole(name_of(call));
    (check_same_dist(of), ...);
    const auto body = [sent = detail::sent_function<F>(f), h, call](const auto&... from) {
      access::part(h, name_of(call)).check_closed(name_of(call));
      (from.any(name_of(call)).check_closed(name_of(call)), ...);
      access::count_use(h, detail::array_operation::map);
      F called = detail::to_be_called(sent);
      for (const view<T, N>& u : h.blocks()) {
        map_block(called, u, from.blocks()[u.number()]...);
      }
    };
    at_each(dist_.group(), body, dist_array_ref<const A, N>(of.checked_whole(name_of(call)))...);
  }

  template <class F, class... V>
  static void map_block(F& f, const view<T, N>& u, const V&... of) {
    tactus::for_each(u.resident(), [&](const point<N>& x) { u[x] = detail::call_with_cell(f, x, of[x]...); });
  }

  void check_places() const {
    const int all = num_places();
    for (const place p : dist_.group()) {
      if (p.id() >= all) {
        throw place_error("tactus: '" + options_.name + "' is to be at " + to_string(p) + ", and this run has " +
                          std::to_string(all) + (all == 1 ? " place" : " places") +
                          "; make the distribution in the run in which the array is made");
      }
    }
  }

  // Elements that nobody can put right go as they are, or not at all.
  void check_alike() const {
    if constexpr (detail::copies_go<T> && !(travels<T> && detail::swaps<T>)) {
      const place_group& all = dist_.group();
      const auto is_alike = [](place p) { return detail::is_alike(p.id()); };
      const auto other = std::find_if_not(all.begin(), all.end(), is_alike);
      if (other != all.end() && std::any_of(all.begin(), all.end(), is_alike)) {
        throw config_error("tactus: '" + options_.name + "' is to have ghosts, and " + to_string(*other) +
                           " stores numbers in another way than " + to_string(here()) + "; what its elements, of " +
                           detail::spelled<T>() +
                           ", consist of cannot be seen, or has no other form: give that type a serialize, or leave "
                           "ghost at 0");
      }
    }
  }
  void check_options() const {
    constexpr index_t k_most = std::numeric_limits<index_t>::max() / 4;  // sums of two are indices, too
    const box<N> all = dist_.region().bounding_box();
    for (std::size_t d = 0; d < N; ++d) {
      const width w = options_.ghost[d];
      if (w.lower < 0 || w.upper < 0) {
        throw usage_error("tactus: '" + options_.name + "' is to have " + std::to_string(std::min(w.lower, w.upper)) +
                          " layers of ghosts along axis " + std::to_string(d) + "; give 0 or more");
      }
      if (w != width() && (std::max(w.lower, w.upper) > k_most || all.lo[d] < -k_most || all.hi[d] > k_most)) {
        throw usage_error("tactus: '" + options_.name + "' is to have " + std::to_string(std::max(w.lower, w.upper)) +
                          " layers of ghosts along axis " + std::to_string(d) + " around indices from " +
                          std::to_string(all.lo[d]) + " to " + std::to_string(all.hi[d]) +
                          ", more than can be counted; give less");
      }
      if (!detail::copies_go<T> && w != width()) {
        throw usage_error("tactus: '" + options_.name + "' is to have ghosts, which are copies, and its elements, of " +
                          detail::spelled<T>() + ", " +
                          (detail::can_be_copied<T>() ? "do not travel: give that type a serialize"
                                                      : "cannot be copied: make that type copyable") +
                          ", or leave ghost at 0");
      }
      if (w != width()) {
        check_alike();
      }
    }
    if (options_.exchange == ghost_exchange::shift && !detail::grid_of_parts<N>::of(dist_)) {
      throw usage_error("tactus: '" + options_.name + "': shift needs parts in a grid; " + dist_.made_by() +
                        " has none. Use put or automatic (ghost_exchange)");
    }
    const detail::ghost_shape<N> shape(dist_, options_);
    for (const box<N>& b : dist_.region().boxes()) {
      const std::size_t most = shape.stored(b).size();  // usage_error: more than can be counted
      if (most > static_cast<std::size_t>(-1) / 2 / sizeof(T)) {
        throw resource_error("tactus: '" + options_.name + "' has " + std::to_string(most) + " elements of " +
                             std::to_string(sizeof(T)) + " bytes, more than can be addressed");
      }
    }
  }

  void make() {
    const detail::place_object_name name = detail::name_place_object();
    ref_ = access::made(name);
    try {
      at_each(places(), detail::make_place_object<part_type>{name, detail::ends_before_making()}, dist_, options_,
              name.generation);
    } catch (const multiple_exceptions& all) {
      detail::end_place_objects(name);
      throw_first_if_no_room(all);
      throw;
    } catch (...) {
      detail::end_place_objects(name);
      throw;
    }
    is_made_ = true;
  }

  static void throw_first_if_no_room(const multiple_exceptions& all) {
    for (const std::exception_ptr& e : all.exceptions()) {
      try {
        std::rethrow_exception(e);
      } catch (const resource_error&) {
        throw;
      } catch (...) {
        return;
      }
    }
  }

  void end() noexcept {
    if (std::exchange(is_made_, false)) {
      detail::end_place_objects(access::name(ref_));
    }
  }

  void check_made() const {
    if (!is_made_) {
      throw usage_error("tactus: a dist_array was used that has been moved from");
    }
  }
  [[nodiscard]] ref_type checked_for_many(const char* call) const {
    check_made();
    static_cast<void>(detail::worker_for(call));
    if (here() != home_) {
      throw place_error(std::string("tactus: ") + call + ": '" + options_.name + "' was made at " + to_string(home_) +
                        "; its ref() may be used at " + to_string(here()));
    }
    static_cast<void>(access::part(ref_, call));  // usage_error here, and not at all places: its run has ended
    return ref_;
  }
  [[nodiscard]] ref_type checked(const char* call) const { return checked_for_many(call); }

  /// For what all places do: an exchange that is open here is an error before anybody is asked.
  [[nodiscard]] ref_type checked_whole(const char* call) const {
    const ref_type h = checked_for_many(call);
    access::part(h, call).check_closed(call);
    return h;
  }

  // The same of all places, before one of them sends: its neighbours would wait for one that is told.
  [[nodiscard]] ref_type closed_everywhere(const char* call) const {
    const ref_type h = checked_whole(call);
    at_each(dist_.group(), [h, call] { access::part(h, call).check_closed(call); });
    return h;
  }

  template <class A>
  void check_same_dist(const dist_array<A, N>& a) const {
    a.check_made();
    if (!(a.dist() == dist_)) {
      throw usage_error("tactus: map_from of '" + options_.name + "': '" + a.options().name +
                        "' is on another distribution; use redistributed() first");
    }
  }

  // body(view, arguments...) for each block, where it is.
  template <class Body, class... Args>
  void each(const char* call, detail::array_operation o, Body body, const Args&... arguments) {
    const ref_type h = checked_whole(call);
    at_each(
        dist_.group(),
        [h, o, body](const auto&... given) {
          access::part(h, detail::name_of(o)).check_closed(detail::name_of(o));
          access::count_use(h, o);
          if (o == detail::array_operation::fill) {
            access::part(h, "fill").checks().forget();
          }
          for (const view<T, N>& u : h.blocks()) {
            body(u, given...);
          }
        },
        arguments...);
  }

  template <class Better>
  [[nodiscard]] std::pair<point<N>, T> best_at(const char* call, Better better) const {
    using found = std::optional<std::pair<point<N>, T>>;
    const ref_type h = checked_whole(call);
    const auto all = detail::answers_of<found>(dist_.group(), [h, better, asker = here()]() -> found {
      access::part(h, "min_at").check_closed("min_at or max_at");
      found best;
      for (const view<T, N>& u : h.blocks()) {
        u.resident().each([&](const point<N>& x) { choose(best, found(std::in_place, x, u[x]), better); });
      }
      return sent(h, detail::array_operation::reduce, asker, std::move(best));
    });
    found best;
    for (const found& one : all) {
      if (one) {
        choose(best, one, better);
      }
    }
    if (!best) {
      throw usage_error(std::string("tactus: ") + call + " of '" + options_.name + "', which has no elements");
    }
    return *best;
  }
  template <class Better>
  static void choose(std::optional<std::pair<point<N>, T>>& best, const std::optional<std::pair<point<N>, T>>& one,
                     const Better& better) {
    if (!best || precedes(one->second, best->second, better) ||
        (!precedes(best->second, one->second, better) && one->first < best->first)) {
      best = one;
    }
  }
  // NaNs behind all numbers: what comes first does not depend on the order in which cells are looked at.
  template <class Better>
  static bool precedes(const T& a, const T& b, const Better& better) {
    if constexpr (std::floating_point<T>) {
      if (std::isnan(b)) {
        return !std::isnan(a);
      }
    }
    return better(a, b);
  }

  // First each block by itself; then what comes before it along the axis, which the calling place knows from the blocks' last layers.
  template <class Op>
  [[nodiscard]] dist_array scanned(const char* call, const Op& o, std::size_t axis, bool is_inclusive) const {
    const ref_type h = checked_whole(call);
    if (axis >= N) {
      throw usage_error(std::string("tactus: ") + call + " of '" + options_.name + "' along axis " +
                        std::to_string(axis) + "; axes are 0 to " + std::to_string(N - 1));
    }
    detail::look_at_monoid(o, call);
    const auto m = detail::monoid_of<T>(call, o);
    dist_array made(dist_, options_);
    const ref_type to = made.ref_;
    using layers = std::vector<array<T, N>>;
    std::vector<layers> last = detail::answers_of<layers>(
        dist_.group(),
        [h, to, axis, is_inclusive, asker = here()](const auto& how) {
          access::part(h, "scan").check_closed("scan");
          const auto used = how.to_be_used();
          layers all;
          const auto results = to.blocks();
          for (const view<T, N>& u : h.blocks()) {
            all.push_back(scan_block(u, results[u.number()], used, axis, is_inclusive));
          }
          return sent(h, detail::array_operation::scan, asker, std::move(all));
        },
        m);
    struct block_layer {
      std::size_t member;
      std::size_t number;
      index_t low;
    };
    std::vector<block_layer> order;
    for (std::size_t i = 0; i < last.size(); ++i) {
      for (std::size_t k = 0; k < last[i].size(); ++k) {
        order.push_back({i, k, last[i][k].region().lo[axis]});
      }
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
    box<N> cross = region().bounding_box();
    cross.lo[axis] = 0;
    cross.hi[axis] = 1;
    const auto used_here = m.to_be_used();
    array<T, N> before(cross, m.identity());
    for (const block_layer& l : order) {
      array<T, N>& of_block = last[l.member][l.number];
      of_block.region().each([&](const point<N>& x) {
        point<N> line = x;
        line[axis] = 0;
        T sum = used_here(before[line], of_block[x]);
        of_block[x] = std::exchange(before[line], std::move(sum));
      });
    }
    finish([&] {
      for (std::size_t i = 0; i < last.size(); ++i) {
        if (dist_.group()[i] != here()) {
          access::count(h, detail::array_operation::scan, 1, access::bytes_of(last[i]));
        }
        async_at(
            detail::to_reach(dist_.group()[i]),
            [to, axis](const layers& all, const auto& how) {
              const auto used = how.to_be_used();
              for (const view<T, N>& u : to.blocks()) {
                const array<T, N>& of_block = all[u.number()];
                u.resident().each([&](const point<N>& x) {
                  point<N> line = x;
                  line[axis] = of_block.region().lo[axis];
                  u[x] = used(of_block[line], u[x]);
                });
              }
            },
            last[i], m);
      }
    });
    return made;
  }

  // Returns what each line of the block comes to, in a layer at its lower side.
  template <class Monoid>
  static array<T, N> scan_block(const view<T, N>& from, const view<T, N>& to, const Monoid& m, std::size_t axis,
                                bool is_inclusive) {
    box<N> layer = from.resident();
    layer.hi[axis] = layer.lo[axis] + 1;
    array<T, N> sums(layer, m.identity());
    from.resident().each([&](const point<N>& x) {
      point<N> line = x;
      line[axis] = layer.lo[axis];
      T with = m(sums[line], from[x]);
      to[x] = is_inclusive ? with : sums[line];
      sums[line] = std::move(with);
    });
    return sums;
  }

  tactus::dist<N> dist_;
  array_options<N> options_;
  place home_;
  ref_type ref_;
  bool is_made_ = false;
};

/// The elements of `a` on another dist of its region: a new array.
/// Errors: usage_error where the regions differ; those of dist_array.
/// \snippet 20_ghosts.cpp redistributed
/// \ingroup arrays
template <class T, std::size_t N>
[[nodiscard]] dist_array<T, N> redistributed(const dist_array<T, N>& a, const dist<N>& d) {
  a.check_region(d, "redistributed");
  dist_array<T, N> made(d, a.options());
  made.fetch_from(detail::copying_call::redistributed, a, d.region().bounding_box(), {});
  return made;
}

namespace detail {

struct copy_verb {
  template <class T, std::size_t N>
  void operator()(const dist_array<T, N>& a, dist_array<T, N>& b) const {
    b.fetch_from(detail::copying_call::copy, a, a.region().bounding_box(), {});
  }
  template <class T, std::size_t N>
  void operator()(const dist_array<T, N>& a, const box<N>& cells, dist_array<T, N>& b,
                  const point<N>& offset = {}) const {
    b.fetch_from(detail::copying_call::copy, a, cells, offset);
  }
};

}  // namespace detail

/// Copies cells of `a` to `b`, on any two dists: all of them, or those of a box to where they are plus an offset. Cells that b does not have
/// are left out.
/// Errors: usage_error for an array that is copied to itself; those of dist_array.
/// \snippet 20_ghosts.cpp redistributed
/// \ingroup arrays
#ifdef DOXYGEN
template <class T, std::size_t N>
void copy(const dist_array<T, N>& a, dist_array<T, N>& b);
/// The cells of a box, to where they are plus the offset.
/// \ingroup arrays
template <class T, std::size_t N>
void copy(const dist_array<T, N>& a, const box<N>& cells, dist_array<T, N>& b, const point<N>& offset = {});
#else
inline constexpr detail::copy_verb copy{};
#endif

}  // namespace tactus
