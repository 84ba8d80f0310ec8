// SPDX-License-Identifier: Apache-2.0
#include "updates.hpp"

#include <numeric>
#include <vector>

namespace tour {

namespace {

using table = std::vector<std::uint64_t>;

table new_table() {
  table all(k_words);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  return all;
}

void put(table& all, std::uint64_t number, std::size_t updates) {
  for (std::size_t i = 0; i < updates; ++i) {
    number = next_number(number);
    all[word_of(number)] ^= number;
  }
}

std::uint64_t marks(const table& all) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < k_words; ++i) {
    sum += mark(i, all[i]);
  }
  return sum;
}

}  // namespace

std::uint64_t right_once(int places, std::size_t updates_of_each) {
  table all = new_table();
  for (int p = 0; p < places; ++p) {
    put(all, first_number(p), updates_of_each);
  }
  return marks(all);
}

update_form updates_plainly() {
  return [](std::size_t updates) {
    table all = new_table();
    put(all, first_number(0), updates);
    seen result{.once = marks(all)};
    put(all, first_number(0), updates);
    for (std::size_t i = 0; i < k_words; ++i) {
      result.wrong += all[i] != i ? 1U : 0U;
    }
    return result;
  };
}

}  // namespace tour
