// SPDX-License-Identifier: Apache-2.0
// Parallel loops: for_each does, reduce adds up. A sum has the same bits however many workers there are.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <functional>
#include <vector>

namespace ts = tactus;

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    //! [loops]
    std::vector<double> width(1'000'000);
    ts::for_each(std::size_t{0}, width.size(), [&](std::size_t i) { width[i] = 1.0 / static_cast<double>(i + 1); });

    const double sum = ts::reduce(std::size_t{0}, width.size(), std::plus<>{}, [&](std::size_t i) { return width[i]; });
    std::printf("harmonic(%zu) = %.6f\n", width.size(), sum);
    //! [loops]
  });
}

// Prints: harmonic(1000000) = 14.392727
