// SPDX-License-Identifier: Apache-2.0
// Tests that must hold for every number of workers and every policy take their setting from here.
#pragma once

#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

namespace support {

struct setting {
  int workers;
  tactus::spawn_policy policy;
};

inline const char* name_of(tactus::spawn_policy policy) {
  switch (policy) {
    case tactus::spawn_policy::adaptive: return "adaptive";
    case tactus::spawn_policy::work_first: return "work_first";
    case tactus::spawn_policy::help_first: return "help_first";
    case tactus::spawn_policy::work_sharing: return "work_sharing";
    default: return "another_policy";
  }
}

inline std::string name_of(const setting& s) {
  return std::string(name_of(s.policy)) + "_" + std::to_string(s.workers);
}

inline std::ostream& operator<<(std::ostream& out, const setting& s) { return out << name_of(s); }

/// A configuration that the environment of whoever runs the tests cannot change.
inline tactus::config config_of(int workers, tactus::spawn_policy policy = tactus::spawn_policy::adaptive) {
  return tactus::config{.threads = workers, .policy = policy, .env = false};
}

/// The seeded scheduler: virtual workers on one thread, one interleaving per seed.
inline tactus::config seeded_config_of(std::uint64_t seed, int workers,
                                       tactus::spawn_policy policy = tactus::spawn_policy::adaptive) {
  return tactus::config{.threads = workers, .policy = policy, .seed = seed, .env = false};
}

/// A test that runs with each setting. Two cores are the usual machine: 3 and 8 workers are oversubscribed on purpose.
class each_setting : public testing::TestWithParam<setting> {
protected:
  template <class Body>
  static auto run(Body&& body) {
    return tactus::run(config_of(GetParam().workers, GetParam().policy), std::forward<Body>(body));
  }
};

inline auto every_setting() {
  using enum tactus::spawn_policy;
  return testing::Values(setting{1, work_sharing}, setting{3, work_sharing},                    //
                         setting{1, adaptive}, setting{1, work_first}, setting{1, help_first},  //
                         setting{2, adaptive}, setting{2, work_first}, setting{2, help_first},  //
                         setting{3, adaptive}, setting{3, work_first}, setting{3, help_first},  //
                         setting{8, adaptive}, setting{8, work_first}, setting{8, help_first});
}

/// The same without the settings of one worker: for tests in which two tasks must run at one time.
inline auto every_parallel_setting() {
  using enum tactus::spawn_policy;
  return testing::Values(setting{2, work_sharing},                                              //
                         setting{2, adaptive}, setting{2, work_first}, setting{2, help_first},  //
                         setting{3, adaptive}, setting{3, work_first}, setting{3, help_first},  //
                         setting{8, adaptive}, setting{8, work_first}, setting{8, help_first});
}

}  // namespace support

#define TACTUS_EACH_SETTING(Suite)                                \
  INSTANTIATE_TEST_SUITE_P(each, Suite, support::every_setting(), \
                           [](const auto& chosen) { return support::name_of(chosen.param); })

#define TACTUS_EACH_PARALLEL_SETTING(Suite)                                \
  INSTANTIATE_TEST_SUITE_P(each, Suite, support::every_parallel_setting(), \
                           [](const auto& chosen) { return support::name_of(chosen.param); })
