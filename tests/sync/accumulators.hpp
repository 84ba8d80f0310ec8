// SPDX-License-Identifier: Apache-2.0
// What the tests of accumulators share: every strategy as a parameter beside the setting, and accumulators of a monoid.
#pragma once

#include <tactus/tactus.hpp>

#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>

namespace accumulators {

struct way {
  const char* name;
  tactus::strategy (*make)();
};

inline std::ostream& operator<<(std::ostream& out, const way& w) { return out << w.name; }

inline constexpr way k_eager = {"eager", [] { return tactus::strategy::eager; }};
inline constexpr way k_eager_with_delay = {"eager_with_delay", [] { return tactus::strategy::eager_with_delay; }};
inline constexpr way k_dynamic_lazy = {"dynamic_lazy", [] { return tactus::strategy::dynamic_lazy; }};
inline constexpr way k_fixed_lazy_2 = {"fixed_lazy_2", [] { return tactus::strategy::fixed_lazy(2); }};  // is outgrown
inline constexpr way k_fixed_lazy_100 = {"fixed_lazy_100", [] { return tactus::strategy::fixed_lazy(100); }};
inline constexpr way k_tree = {"tree", [] { return tactus::strategy::tree; }};
inline constexpr way k_per_worker = {"per_worker", [] { return tactus::strategy::per_worker; }};
inline constexpr way k_automatic = {"automatic", [] { return tactus::strategy::automatic; }};

/// A test that runs with each setting and each strategy of its suite.
class each_strategy : public testing::TestWithParam<std::tuple<support::setting, way>> {
protected:
  static tactus::strategy how() { return std::get<way>(GetParam()).make(); }

  template <class Body>
  static auto run(Body&& body) {
    const support::setting s = std::get<support::setting>(GetParam());
    return tactus::run(support::config_of(s.workers, s.policy), std::forward<Body>(body));
  }
};

inline auto some_settings() {
  using enum tactus::spawn_policy;
  using support::setting;
  return testing::Values(setting{1, adaptive}, setting{2, work_first}, setting{2, help_first}, setting{3, adaptive},
                         setting{8, adaptive});
}

inline auto every_strategy() {
  return testing::Values(k_eager, k_eager_with_delay, k_dynamic_lazy, k_fixed_lazy_2, k_fixed_lazy_100, k_tree,
                         k_per_worker, k_automatic);
}

/// Those that combine in registration order.
inline auto every_ordered_strategy() {
  return testing::Values(k_dynamic_lazy, k_fixed_lazy_2, k_fixed_lazy_100, k_tree);
}

/// An accumulator of a user's monoid, on a phaser or a clock.
template <class On, class T, class Combine>
auto combined_by(const On& on, tactus::monoid<T, Combine> by, tactus::strategy how) {
  return tactus::accumulator<T, tactus::monoid<T, Combine>>(on, by, how);
}

/// Strings in a row: does not commute, so that it shows the order.
inline constexpr auto k_concatenate = [](std::string a, const std::string& b) { return std::move(a) + b; };

template <class On>
auto concatenated(const On& on, tactus::strategy how) {
  return combined_by(on, tactus::monoid{std::string(), k_concatenate}, how);
}

/// As classes from before C++11 are: moving copies, and copying may find no memory.
struct scarce {
  static inline std::atomic<bool> none_left{false};
  explicit scarce(int v) : value(v) {}
  scarce(const scarce& other) : value(other.value) {
    if (none_left) throw std::bad_alloc();
  }
  scarce& operator=(const scarce&) = default;
  ~scarce() = default;
  int value;
};

template <class On>
auto sum_of_scarce(const On& on, tactus::strategy how) {
  const auto add = [](const scarce& a, const scarce& b) { return scarce(a.value + b.value); };
  return combined_by(on, tactus::monoid{scarce(0), add}, how);
}

}  // namespace accumulators

#define TACTUS_EACH_STRATEGY_OF(Suite, strategies)                                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                                                        \
      each, Suite, testing::Combine(accumulators::some_settings(), strategies), [](const auto& chosen) {           \
        return support::name_of(std::get<0>(chosen.param)) + "_" + std::get<accumulators::way>(chosen.param).name; \
      })

#define TACTUS_EACH_STRATEGY(Suite) TACTUS_EACH_STRATEGY_OF(Suite, accumulators::every_strategy())
