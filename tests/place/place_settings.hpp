// SPDX-License-Identifier: Apache-2.0
// Settings of tests that must hold for every number of places.
#pragma once

#include "../support/settings.hpp"

#include <ostream>
#include <string>
#include <tuple>

namespace support {

/// How arguments go to other places of the process: as builds with assertions do it, or as users' builds do.
enum class passing : std::uint8_t { as_bytes, as_objects };

struct place_setting {
  int places;
  int workers;
  tactus::spawn_policy policy;
  std::uint64_t seed = 0;
  passing how = passing::as_bytes;
};

inline std::string name_of(const place_setting& s) {
  return std::to_string(s.places) + "_places_" + name_of(setting{s.workers, s.policy}) +
         (s.seed != 0 ? "_seed_" + std::to_string(s.seed) : "") + (s.how == passing::as_objects ? "_as_objects" : "");
}

inline std::ostream& operator<<(std::ostream& out, const place_setting& s) { return out << name_of(s); }

inline tactus::config config_of(const place_setting& s) {
  return tactus::config{
      .threads = s.workers,
      .places = s.places,
      .policy = s.policy,
      .seed = s.seed,
      .env = false,
      .local_copy = s.how == passing::as_objects ? tactus::copying::construct : tactus::copying::automatic};
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
  return testing::Values(
      place_setting{2, 1, adaptive}, place_setting{2, 2, help_first}, place_setting{3, 1, work_first},
      place_setting{4, 2, adaptive}, place_setting{8, 1, work_sharing}, place_setting{1, 2, adaptive},
      place_setting{3, 2, adaptive, 7}, place_setting{4, 1, work_first, 11},
      place_setting{2, 2, adaptive, 0, passing::as_objects}, place_setting{5, 1, work_first, 0, passing::as_objects},
      place_setting{3, 1, help_first, 13, passing::as_objects});
}

inline std::string place_setting_name(const testing::TestParamInfo<place_setting>& info) { return name_of(info.param); }

}  // namespace support
