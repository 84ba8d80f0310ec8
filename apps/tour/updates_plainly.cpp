// SPDX-License-Identifier: Apache-2.0
#include "updates.hpp"

#include <numeric>
#include <vector>

namespace tour {

update_form updates_plainly() {
  return [](std::size_t updates) {
    std::vector<std::uint64_t> table(k_words);
    std::iota(table.begin(), table.end(), std::uint64_t{0});
    for (int time = 0; time < 2; ++time) {
      std::uint64_t number = first_number(0);
      for (std::size_t i = 0; i < updates; ++i) {
        number = next_number(number);
        table[word_of(number)] ^= number;
      }
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < k_words; ++i) {
      wrong += table[i] != i ? 1U : 0U;
    }
    return wrong;
  };
}

}  // namespace tour
