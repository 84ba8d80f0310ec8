// SPDX-License-Identifier: Apache-2.0
// Figure 5 of the paper: a task that is meant for the place of its element, and may run at another one, goes back there by an explicit `at`.
#include <tactus/tactus.hpp>

#include <cstdio>

namespace ts = tactus;

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 4, .placement = ts::placement_policy::hybrid}, argc, argv, [] {
    //! [reaching_back]
    ts::dist_array<int, 1> numbers(ts::dist<1>::block(ts::range(0, 100)));
    numbers.fill(0);
    ts::finish([&numbers] {
      for (const ts::point<1> p : numbers.dist().region()) {
        ts::async_at(
            ts::place_flexible(numbers.dist().owner(p)).named("element"),
            [](ts::dist_array_ref<int, 1> array, ts::point<1> here, int increment) {
              // Where the task has moved array(here) would be an error: the element is at the designated place.
              const ts::place home = ts::designated_place();
              const int now = ts::at(home, [array, here] { return array(here); });
              const int then = now + static_cast<int>(here[0]) + increment;  // what takes long, wherever there is time
              ts::at(home, [array, here, then] { array(here) = then; });
            },
            numbers.ref(), p, 1);
      }
    });
    //! [reaching_back]
    std::printf("%d, %d, in all %d\n", numbers.get(ts::point(0)), numbers.get(ts::point(99)),
                numbers.reduce(ts::op::sum));
  });
}

// Prints: 1, 100, in all 5050
