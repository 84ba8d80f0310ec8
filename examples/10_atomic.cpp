// SPDX-License-Identifier: Apache-2.0
// Mutual exclusion: a bounded buffer from a monitor's when, a sum from atomic blocks of the place.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <deque>

namespace ts = tactus;

//! [monitor]
class buffer {
public:
  void put(int x) {
    m_.when([this] { return items_.size() < k_room; }, [this, x] { items_.push_back(x); });
  }

  int take() {
    return m_.when([this] { return !items_.empty(); },
                   [this] {
                     const int x = items_.front();
                     items_.pop_front();
                     return x;
                   });
  }

private:
  static constexpr std::size_t k_room = 4;
  ts::monitor m_;
  std::deque<int> items_;
};
//! [monitor]

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    buffer b;
    long sum = 0;
    int taken = 0;
    ts::finish([&] {
      for (int p = 0; p < 10; ++p) {
        ts::async([&b, p] {
          for (int i = 1; i <= 100; ++i) b.put(100 * p + i);
        });
        ts::async([&] {
          for (int i = 0; i < 100; ++i) {
            const int x = b.take();
            //! [atomic]
            ts::atomic([&] {
              sum += x;
              ++taken;
            });
            //! [atomic]
          }
        });
      }
      //! [when]
      ts::when([&] { return taken >= 500; }, [] { std::printf("half of the numbers have been taken\n"); });
      //! [when]
    });
    std::printf("%d numbers, sum %ld\n", taken, sum);
  });
}

// Prints: half of the numbers have been taken
// Prints: 1000 numbers, sum 500500
