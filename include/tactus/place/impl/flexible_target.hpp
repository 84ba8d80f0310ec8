// SPDX-License-Identifier: Apache-2.0
// What an async_at says of a task that may move, put together by place_flexible.
#pragma once

#include <tactus/place/async_at.hpp>
#include <tactus/place/at_future.hpp>
#include <tactus/place/impl/carrying.hpp>
#include <tactus/place/impl/flexible_spawn.hpp>
#include <tactus/place/impl/named_function.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Nothing is carried, or nothing comes then.
struct nothing {};

/// What may stand between the target and the function.
struct flexible_attributes {
  std::unique_ptr<task_name> name;
  look how = look::into_closure;

  void apply(named n) { name = std::make_unique<task_name>(std::move(n.name)); }
  void apply(unlooked_tag) noexcept { how = look::none; }
};

template <class A>
concept flexible_attribute = requires(flexible_attributes& all, A&& a) { all.apply(std::forward<A>(a)); };

/// Does not compile for an attribute of async that a task which may move cannot have.
template <class A>
constexpr bool check_no_attribute() {
  using D = std::decay_t<A>;
  static_assert(!registering_attribute<D>,
                "a place-flexible task cannot be registered on a clock or a phaser (clocked, phased, phased_all): each "
                "move would need a registration of its own; use async_at(place, clocked(c), f)");
  static_assert(!std::is_same_v<D, affinity>,
                "a place-flexible task has no affinity: which place's worker runs it is not known; use async_at(place, "
                "f) and async(affinity(n), f) there");
  static_assert(!std::is_same_v<D, batched_attribute>,
                "a place-flexible task cannot be batched: tasks that share an entry of the queue move together or not "
                "at all; use async(batched, f)");
  static_assert(!std::is_same_v<D, spawn_policy>,
                "a place-flexible task has no spawn_policy: it is queued, so that it can move before it starts; use "
                "async(spawn_policy, f)");
  return !(registering_attribute<D> || std::is_same_v<D, affinity> || std::is_same_v<D, batched_attribute> ||
           std::is_same_v<D, spawn_policy>);
}

/// Calls then(f, args...) of a list of attributes, function and arguments.
template <class Then, class First, class... Rest>
decltype(auto) apply_flexible_attributes(flexible_attributes& attributes, Then&& then, First&& first, Rest&&... rest) {
  if constexpr (flexible_attribute<First>) {
    attributes.apply(std::forward<First>(first));
    return apply_flexible_attributes(attributes, std::forward<Then>(then), std::forward<Rest>(rest)...);
  } else if constexpr (check_no_attribute<First>()) {
    return then(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
}

/// The function of a task whose result goes home: to another function, by a task there.
template <class Fn, class Then>
struct and_then {
  using timeline_label_of = typename labelled<Fn>::type;

  Fn function;
  Then then;
  int home;

  template <class... As>
    requires std::is_invocable_v<Fn&, As...>
  void operator()(As&&... arguments) {
    using made = std::decay_t<std::invoke_result_t<Fn&, As...>>;
    const place back(place::unchecked{home});
    if constexpr (std::is_void_v<made>) {
      function(std::forward<As>(arguments)...);
      if (current_worker()->place != home) {
        note_result_home(0);
      }
      async_at(with_result(back), unlooked, then);
    } else {
      made result = function(std::forward<As>(arguments)...);
      if (current_worker()->sites != nullptr) [[unlikely]] {
        note_values(0, packed_bytes(result));
      }
      if (current_worker()->place != home) {
        note_result_home(packed_bytes(result));
      }
      async_at(with_result(back), unlooked, then, std::move(result));
    }
  }
};

/// The same where a future waits for what that other function returns: what escapes from either is the future's.
template <class T, class Fn, class Then>
struct and_then_for_home {
  using timeline_label_of = typename labelled<Fn>::type;

  Fn function;
  Then then;
  int home;
  future_at_home<T> to;

  template <class... As>
    requires std::is_invocable_v<Fn&, As...>
  void operator()(As&&... arguments) {
    std::exception_ptr failed;
    try {
      and_then<Fn, make_for_home<T, Then>>{function, {then, to}, home}(std::forward<As>(arguments)...);
      return;
    } catch (...) {
      failed = std::current_exception();
    }
    fails(failed);
  }

  /// The arguments cannot be made of their bytes.
  void fails(const std::exception_ptr& why) const { fail_for_home(to, why); }
};

/// Whether Then can be called with what Fn returns.
template <class Then, class Fn, class... As>
inline constexpr bool can_come_after = can_be_received<Then, received_result<Fn, As...>>;
template <class Then, class Fn, class... As>
  requires std::is_void_v<received_result<Fn, As...>>
inline constexpr bool can_come_after<Then, Fn, As...> = std::is_invocable_v<Then&>;
template <class Fn, class... As>
inline constexpr bool can_come_after<nothing, Fn, As...> = true;

/// Of a function that nothing comes after, its result; else that of what does.
template <class Then, class Fn, class... As>
struct final_result {
  using type = void;  // which the compiler has refused
};
template <class Then, class Fn, class... As>
  requires(can_come_after<Then, Fn, As...> && !std::is_void_v<received_result<Fn, As...>>)
struct final_result<Then, Fn, As...> {
  using type = received_result<Then, received_result<Fn, As...>>;
};
template <class Then, class Fn, class... As>
  requires(can_come_after<Then, Fn, As...> && std::is_void_v<received_result<Fn, As...>>)
struct final_result<Then, Fn, As...> {
  using type = received_result<Then>;
};
template <class Fn, class... As>
struct final_result<nothing, Fn, As...> {
  using type = received_result<Fn, As...>;
};

/// What was said so far: of type arguments what changes how the task is made; `Said`: which of them, each once.
template <class Then = nothing, class Carried = nothing, unsigned Said = 0>
class flexible_target {
public:
  using is_flexible_target = void;

  /// \param place_or_here a place's number; negative: the spawner's
  /// \param site where the first of it was said
  flexible_target(int place_or_here, source_line site, std::string label = {}, Then after = {}, Carried carried = {})
      : place_(place_or_here),
        site_(site),
        label_(std::move(label)),
        then_(std::move(after)),
        carried_(std::move(carried)) {}

  [[nodiscard]] auto named(std::string text) const {
    static_assert((Said & k_named) == 0, "place_flexible: named stands twice");
    return flexible_target < Then, Carried, Said | k_named > (place_, site_, std::move(text), then_, carried_);
  }
  [[nodiscard]] auto sensitive() const {
    static_assert((Said & k_sensitive) == 0, "place_flexible: sensitive stands twice");
    return flexible_target < Then, Carried, Said | k_sensitive > (place_, site_, label_, then_, carried_);
  }
  template <class G>
  [[nodiscard]] auto then(G&& g) const {
    static_assert((Said & k_then) == 0, "place_flexible: then stands twice");
    check_closure<std::decay_t<G>>();
    using After = std::decay_t<G>;
    return flexible_target < After, Carried, Said | k_then > (place_, site_, label_, std::forward<G>(g), carried_);
  }
  template <class Ref>
  [[nodiscard]] auto carrying(Ref r) const {
    static_assert((Said & k_carrying) == 0, "place_flexible: carrying stands twice");
    static_assert(carried_name<Ref>, "what a task carries is named by a global_ref or by place_local::ref()");
    check_travels<0, typename carried_by<Ref>::type>();
    return flexible_target < Then, Ref, Said | k_carrying > (place_, site_, label_, then_, r);
  }

  // ---- by async_at and at_future ----

  template <class... Rest>
  void spawn(Rest&&... rest) const {
    const int to = designated("async_at");
    flexible_attributes attributes = labelled_attributes();
    apply_flexible_attributes(
        attributes,
        [&]<class F, class... Args>(F&& f, Args&&... args) {
          look_at_closures("async_at", attributes.how, f);
          const auto with_object = carrying_function(std::forward<F>(f), to);
          using Fn = std::decay_t<decltype(with_object)>;
          if constexpr (!check_result<Fn, std::decay_t<Args>...>()) {
            return;  // the compiler has said why
          } else if constexpr (has_then) {
            send("async_at", to, std::move(attributes.name), and_then<Fn, SentThen>{with_object, SentThen(then_), to},
                 std::forward<Args>(args)...);
          } else {
            send("async_at", to, std::move(attributes.name), with_object, std::forward<Args>(args)...);
          }
        },
        std::forward<Rest>(rest)...);
  }

  template <class... Rest>
  auto spawn_future(Rest&&... rest) const {
    const int to = designated("at_future");
    flexible_attributes attributes = labelled_attributes();
    return apply_flexible_attributes(
        attributes,
        [&]<class F, class... Args>(F&& f, Args&&... args) {
          look_at_closures("at_future", attributes.how, f);
          const auto with_object = carrying_function(std::forward<F>(f), to);
          using Fn = std::decay_t<decltype(with_object)>;
          if constexpr (!check_result<Fn, std::decay_t<Args>...>()) {
            return;  // as above
          } else {
            using T = typename final_result<Then, Fn, std::decay_t<Args>...>::type;
            return at_future_verb::with_future_at_home<T>(attributes.name, [&](future_at_home<T> home) {
              if constexpr (has_then) {
                send("at_future", to, std::move(attributes.name),
                     and_then_for_home<T, Fn, SentThen>{with_object, SentThen(then_), to, home},
                     std::forward<Args>(args)...);
              } else {
                send("at_future", to, std::move(attributes.name), make_for_home<T, Fn, true>{with_object, home},
                     std::forward<Args>(args)...);
              }
            });
          }
        },
        std::forward<Rest>(rest)...);
  }

private:
  static constexpr unsigned k_named = 1;
  static constexpr unsigned k_sensitive = 2;
  static constexpr unsigned k_then = 4;
  static constexpr unsigned k_carrying = 8;
  static constexpr bool has_then = (Said & k_then) != 0;
  using SentThen = sent_function<Then>;

  [[nodiscard]] int designated(const char* call) const {
    const worker* const w = worker_for(call);
    const int to = place_ < 0 ? w->place : place_;
    check_target(w, to, call);
    if constexpr ((Said & k_carrying) != 0) {
      carried_by<Carried>::check(carried_, to);
    }
    return to;
  }

  [[nodiscard]] flexible_attributes labelled_attributes() const {
    flexible_attributes all;
    if constexpr ((Said & k_named) != 0) {
      all.name = std::make_unique<task_name>(label_);
    }
    return all;
  }

  template <class F>
  void look_at_closures(const char* call, look how, const F& f) const {
    check_closure<std::decay_t<F>>();
    if (how == look::into_closure) {
      look_at_closure(static_cast<const std::decay_t<F>&>(f), lies_on_a_stack, call);
      if constexpr (has_then) {
        look_at_closure(then_, lies_on_a_stack, call);
      }
    }
  }

  template <class F>
  auto carrying_function(F&& f, [[maybe_unused]] int to) const {
    using Fn = sent_function<std::decay_t<F>>;
    if constexpr ((Said & k_carrying) != 0) {
      return with_carried<Carried, Fn>{carried_, Fn(std::forward<F>(f)), to};
    } else {
      return Fn(std::forward<F>(f));
    }
  }

  // Does not compile unless the result can go home, and can be used there.
  template <class Fn, class... As>
  static constexpr bool check_result() {
    if constexpr (!can_be_received<Fn, As...>) {
      static_assert(can_be_received<Fn, As...>,
                    "the function of the task cannot be called with these arguments, as rvalues or as lvalues; one "
                    "with carrying(r) gets the object, T&, before them");
      return false;
    } else {
      static_assert(can_come_after<Then, Fn, As...>,
                    "what stands in then(...) cannot be called with the result of the task's function, or without "
                    "arguments where that returns nothing");
      if constexpr (has_then && !std::is_void_v<received_result<Fn, As...>>) {
        check_result_travels<received_result<Fn, As...>>();
      }
      return can_come_after<Then, Fn, As...>;
    }
  }

  template <class Fn, class... Args>
  void send(const char* call, int to, std::unique_ptr<task_name> name, const Fn& f, Args&&... args) const {
    constexpr flexibility how = (Said & k_sensitive) != 0 ? flexibility::stays : flexibility::may_move;
    with_sent_call(
        call, look::none, to,
        [&]<class Call>(Call&& packed) {
          spawn_flexible_from(site_, to, how, std::move(name), std::forward<Call>(packed));
        },
        f, std::forward<Args>(args)...);
  }

  int place_;
  source_line site_;
  std::string label_;
  [[no_unique_address]] Then then_;
  [[no_unique_address]] Carried carried_;
};

}  // namespace tactus::detail
