// SPDX-License-Identifier: Apache-2.0
// The area under 4 / (1 + x^2) from 0 to 1, an equal share at each place: as pi.chpl.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <functional>

namespace ts = tactus;

constexpr long k_n = 1'000'000;

double value(long i) {
  const double x = (static_cast<double>(i) + 0.5) / k_n;
  return 4.0 / (1.0 + x * x) / k_n;
}

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 4}, argc, argv, [] {
    double pi = 0;
    const ts::global_ref<double> sum(pi);
    ts::at_each(ts::places(), [sum] {
      const long first = ts::here().id() * k_n / ts::num_places();
      const long last = (ts::here().id() + 1) * k_n / ts::num_places();
      const double mine = ts::reduce(first, last, std::plus<>(), value);
      sum.at([mine](double& all) { ts::atomic([&] { all += mine; }); });
    });
    std::printf("pi: %.6f\n", pi);
  });
}

// Prints: pi: 3.141593
