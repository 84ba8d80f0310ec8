// SPDX-License-Identifier: Apache-2.0
// place_flexible: a task that may run at another place than the one it is meant for.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/flexible_target.hpp>
#include <tactus/place/impl/spawn_site.hpp>
#include <tactus/place/place.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace tactus {
namespace detail {

struct place_flexible_verb {
  [[nodiscard]] auto operator()(place p, const char* file = __builtin_FILE(),
                                std::uint32_t line = __builtin_LINE()) const {
    return flexible_target<>(p.id(), {file, line});
  }
  [[nodiscard]] auto named(std::string text, const char* file = __builtin_FILE(),
                           std::uint32_t line = __builtin_LINE()) const {
    return flexible_here({file, line}).named(std::move(text));
  }
  [[nodiscard]] auto sensitive(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) const {
    return flexible_here({file, line}).sensitive();
  }
  template <class G>
  [[nodiscard]] auto then(G&& g, const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) const {
    return flexible_here({file, line}).then(std::forward<G>(g));
  }
  template <class Ref>
  [[nodiscard]] auto carrying(Ref r, const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) const {
    return flexible_here({file, line}).carrying(r);
  }

  /// Of a task that is meant for the spawner's place.
  [[nodiscard]] static flexible_target<> flexible_here(source_line site) { return {-1, site}; }
};

template <class... Rest>
void spawn_here_flexibly(sited_flexible how, Rest&&... rest) {
  place_flexible_verb::flexible_here(how.site).spawn(std::forward<Rest>(rest)...);
}
template <class... Rest>
auto spawn_future_here_flexibly(sited_flexible how, Rest&&... rest) {
  return place_flexible_verb::flexible_here(how.site).spawn_future(std::forward<Rest>(rest)...);
}

}  // namespace detail

/// Stands in place of a place in async_at and at_future: the task is meant for a place, its designated place, which is the caller's or the
/// one given, and config::placement may have it run at another one. It is queued, never run inside of the call, and may move until it has
/// started. The innermost finish around the call joins it wherever it runs. In it here() is the place where it runs, and designated_place()
/// the one it was meant for; `place_local` and `atomic` mean those of the place where it runs.
///
/// What it returns can be told more, each once and in any order; the object may be kept and used again:
/// `.named("text")` names the task, for reports, labels and profiles; `.sensitive()`: it could move, but is to stay, unless a label says
/// otherwise (config::labels);
/// `.then(g)`: g(result of f), or g() if f returns nothing, runs as a task at the designated place, under the same finish, unless f throws;
/// at_future gives what g returns; g is a closure as f is.
/// `.carrying(r)`: f(T&, args...) is called with the object that r, a global_ref or place_local::ref(), names. The task has it for itself:
/// another one of this runtime that carries it waits. Run at its place it is the object, else it goes along, and comes back, also if f
/// throws; meanwhile using it there is place_error. With then, g runs after that.
/// \param p the designated place
/// Errors: those of async_at, but for labels; place_error where carrying names an object of another place; atomic_use_error inside an atomic block,
/// usage_error in a step of lockstep. clocked, phased, phased_all, affinity, batched and a spawn_policy do not compile.
/// Suspends: as async_at.
/// Cost: that of async_at; what goes to another place is a message.
/// Source: hybrid-placement.txt, sections 5 and 6.
/// \snippet 24_placement.cpp place_flexible
/// \ingroup places
#ifdef DOXYGEN
auto place_flexible(place p);
#else
inline constexpr detail::place_flexible_verb place_flexible{};
#endif

/// The designated place of the calling task: for one that is not place_flexible, where it runs. The body of an at() is its caller's task, so
/// there it is that one's, wherever the body runs.
/// Errors: usage_error outside a task.
/// \snippet 24_placement.cpp designated_place
/// \ingroup places
[[nodiscard]] TACTUS_API place designated_place();

}  // namespace tactus
