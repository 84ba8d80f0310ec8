// SPDX-License-Identifier: Apache-2.0
#include <tactus/place/place.hpp>

#include <tactus/base/error.hpp>

namespace tactus {

place::place(int number) : number_(number) {
  const int all = detail::any_worker_for("place")->places_of_run;
  if (number < 0 || number >= all) {
    throw place_error("tactus::place: there is no place " + std::to_string(number) + "; the run has places 0 to " +
                      std::to_string(all - 1) + " (config.places, TACTUS_PLACES)");
  }
}

place place::next() const {
  const int all = detail::any_worker_for("place::next")->places_of_run;
  return place(unchecked{(number_ + 1) % all});
}

place place::prev() const {
  const int all = detail::any_worker_for("place::prev")->places_of_run;
  return place(unchecked{(number_ + all - 1) % all});
}

std::string to_string(place p) { return "place " + std::to_string(p.id()); }

place_group detail::places_verb::operator()() const {
  const int all = any_worker_for("places")->places_of_run;
  std::vector<place> every;
  every.reserve(static_cast<std::size_t>(all));
  for (int i = 0; i < all; ++i) {
    every.emplace_back(place::unchecked{i});
  }
  return {every.begin(), every.end()};
}

}  // namespace tactus
