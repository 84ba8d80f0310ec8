// SPDX-License-Identifier: Apache-2.0
#include "placement/starving_places.hpp"

namespace tactus::detail {

starving_places::starving_places(int places)
    : places_(places),
      n_((static_cast<std::size_t>(places) + 63) / 64),
      words_(std::make_unique<atomic<std::uint64_t>[]>(n_)) {}

starving_places::starving_places(const starving_places& other) : starving_places(other.places_) {
  for (int p = 0; p < places_; ++p) {
    if (other.is_up(p)) raise(p);
  }
}

bool starving_places::raise(int place) {
  const bool was_down = (word_of(place).fetch_or(bit_of(place), memory_order_relaxed) & bit_of(place)) == 0;
  if (was_down) up_.fetch_add(1, memory_order_relaxed);  // a hint only
  return was_down;
}

bool starving_places::take_down(int place) {
  const bool was_up = (word_of(place).fetch_and(~bit_of(place), memory_order_relaxed) & bit_of(place)) != 0;
  if (was_up) up_.fetch_sub(1, memory_order_relaxed);  // a hint only
  return was_up;
}

bool starving_places::is_up(int place) const {
  return (word_of(place).load(memory_order_relaxed) & bit_of(place)) != 0;  // take_down() decides
}

int starving_places::next(int after, int but) const {
  for (int distance = 1; distance <= places_; ++distance) {
    const int p = (after + distance) % places_;
    const bool is_first_of_word = p % 64 == 0 && places_ - distance >= 64 && p + 64 <= places_;
    if (is_first_of_word && word_of(p).load(memory_order_relaxed) == 0) {  // take_down() decides
      distance += 63;
    } else if (p != but && is_up(p)) {
      return p;
    }
  }
  return -1;
}

void starving_places::clear() {
  for (int p = 0; p < places_; ++p) take_down(p);
}

std::string starving_places::text() const {
  std::string all = "starving:";
  for (int p = 0; p < places_; ++p) {
    if (is_up(p)) all += ' ' + std::to_string(p);
  }
  return all;
}

}  // namespace tactus::detail
