// SPDX-License-Identifier: Apache-2.0
// Settings of tests that must hold for every number of places.
#pragma once

#include "../support/settings.hpp"

#include <ostream>
#include <string>
#include <tuple>

namespace support {

struct place_setting {
  int places;
  int workers;
  tactus::spawn_policy policy;
  std::uint64_t seed = 0;
};

inline std::string name_of(const place_setting& s) {
  return std::to_string(s.places) + "_places_" + name_of(setting{s.workers, s.policy}) +
         (s.seed != 0 ? "_seed_" + std::to_string(s.seed) : "");
}

inline std::ostream& operator<<(std::ostream& out, const place_setting& s) { return out << name_of(s); }

inline tactus::config config_of(const place_setting& s) {
  return tactus::config{.threads = s.workers, .places = s.places, .policy = s.policy, .seed = s.seed, .env = false};
}

/// A test that runs with each setting.
class each_place_setting : public testing::TestWithParam<place_setting> {
protected:
  template <class Body>
  static auto run(Body&& body) {
    return tactus::run(config_of(GetParam()), std::forward<Body>(body));
  }
};

inline auto every_place_setting() {
  using enum tactus::spawn_policy;
  return testing::Values(place_setting{2, 1, adaptive}, place_setting{2, 2, help_first},
                         place_setting{3, 1, work_first}, place_setting{4, 2, adaptive},
                         place_setting{8, 1, work_sharing}, place_setting{1, 2, adaptive},
                         place_setting{3, 2, adaptive, 7}, place_setting{4, 1, work_first, 11});
}

inline std::string place_setting_name(const testing::TestParamInfo<place_setting>& info) { return name_of(info.param); }

}  // namespace support
