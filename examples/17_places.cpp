// SPDX-License-Identifier: Apache-2.0
// Places: tasks and calls elsewhere, one finish over all of them, an object at each place, names of objects that travel.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

//! [place_local]
// What each place has of a vector that is spread over all of them.
struct share {
  explicit share(long length) : numbers(static_cast<std::size_t>(length)) {
    std::iota(numbers.begin(), numbers.end(), ts::here().id() * length);
  }
  std::vector<long> numbers;
};

long sum_of_all(long length) {
  const ts::place_local<share> all(length);  // made at every place before this returns
  long sum = 0;
  for (const ts::place p : ts::places()) {
    sum += all.at(p, [](const share& s) { return std::accumulate(s.numbers.begin(), s.numbers.end(), 0L); });
  }
  return sum;
}
//! [place_local]

}  // namespace

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 3}, argc, argv, [] {
    //! [places]
    std::printf("%s of %d, then %s\n", ts::to_string(ts::here()).c_str(), ts::num_places(),
                ts::to_string(ts::here().next()).c_str());
    //! [places]

    //! [async_at]
    ts::finish([] {
      const std::string text = "hello";
      for (const ts::place p : ts::places()) {
        ts::async_at(
            p, ts::named("greeter"),
            [](const std::string& t, ts::place from) {
              // Arguments are copied here. Tasks of this one belong to the same finish, wherever they go.
              ts::async_at(from, [](std::size_t letters) { static_cast<void>(letters); }, t.size());
            },
            text, ts::here());
      }
    });
    //! [async_at]

    //! [at]
    const int there = ts::at(ts::place(2), [](int n) { return n + ts::here().id(); }, 40);
    std::printf("at: %d\n", there);
    //! [at]

    //! [at_future]
    std::vector<ts::future<int>> squares;
    for (const ts::place p : ts::places()) {
      squares.push_back(ts::at_future(p, [] { return ts::here().id() * ts::here().id(); }));
    }
    std::printf("at_future: %d %d %d\n", squares[0].get(), squares[1].get(), squares[2].get());
    //! [at_future]

    //! [global_ref]
    int visitors = 0;
    const ts::global_ref<int> counter(visitors);  // may be captured: it names the object, and says where that is
    //! [at_each]
    ts::at_each(ts::places(), [counter] { counter.at([](int& n) { ts::atomic([&n] { ++n; }); }); });
    //! [at_each]
    std::printf("visitors: %d\n", visitors);
    //! [global_ref]

    std::printf("sum: %ld\n", sum_of_all(1000));
  });
}

// Prints: place 0 of 3, then place 1
// Prints: at: 42
// Prints: at_future: 0 1 4
// Prints: visitors: 3
// Prints: sum: 4498500
