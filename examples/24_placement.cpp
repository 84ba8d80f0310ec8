// SPDX-License-Identifier: Apache-2.0
// Tasks that may run elsewhere: a place that has nothing to do gets some, and results and objects come home.
#include <tactus/tactus.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

namespace ts = tactus;

namespace {

long long steps_to_one(long long n) {
  long long steps = 0;
  for (; n != 1; ++steps) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  }
  return steps;
}

}  // namespace

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 2, .placement = ts::placement_policy::hybrid}, argc, argv, [] {
    //! [place_flexible]
    std::vector<long long> steps(1000);
    const ts::global_ref<std::vector<long long>> home(steps);
    ts::finish([home] {
      for (std::size_t i = 0; i < 1000; i += 100) {
        // Runs here or elsewhere; then the result is put into its place here.
        ts::async_at(
            ts::place_flexible.named("block").then([home, i](const std::vector<long long>& block) {
              std::copy(block.begin(), block.end(), home->begin() + static_cast<std::ptrdiff_t>(i));
            }),
            [](std::size_t first) {
              std::vector<long long> block;
              for (std::size_t n = first + 1; n <= first + 100; ++n) {
                block.push_back(steps_to_one(static_cast<long long>(n)));
              }
              return block;
            },
            i);
      }
    });
    std::printf("%lld\n", std::accumulate(steps.begin(), steps.end(), 0LL));

    std::vector<int> cell{3, 1, 2};
    const ts::global_ref<std::vector<int>> of_cell(cell);
    ts::finish([of_cell] {
      // The cell goes along, if the task moves, and is home again when the finish ends.
      ts::async_at(
          ts::place_flexible(of_cell.home()).carrying(of_cell),
          [](std::vector<int>& c, int more) { c.push_back(more); }, 4);
    });
    std::printf("%zu\n", cell.size());
    //! [place_flexible]

    //! [designated_place]
    const ts::future<bool> meant_for_here = ts::at_future(ts::place_flexible, [] {
      return ts::designated_place() == ts::place(0);  // whatever here() is
    });
    std::printf("%s\n", meant_for_here.get() ? "meant for place 0" : "meant for another one");
    //! [designated_place]
  });
}

// Prints: 59542
// Prints: 4
// Prints: meant for place 0
