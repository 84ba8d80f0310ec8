// SPDX-License-Identifier: Apache-2.0
// Does not compile: element_refusals.cmake looks at what the compiler says. Each operation has elements of a type of its own.
#include <tactus/tactus.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ts = tactus;

template <int Number>
struct only_moves {
  only_moves() = default;
  only_moves(only_moves&&) = default;
  only_moves& operator=(only_moves&&) = default;
  ~only_moves() = default;
  friend bool operator<(const only_moves&, const only_moves&) { return false; }
  std::vector<int> held;
};
template <int Number>
struct stays {
  std::shared_ptr<int> held;
};

template <int Number>
struct points {  // trivially copyable; but where it points to is nowhere else
  double x = 0;
  points* next = nullptr;
  friend bool operator<(const points& a, const points& b) { return a.x < b.x; }
};

template <int Number>
struct counts {  // trivially copyable, too; but it has no copies
  std::atomic<int> n = 0;
  friend bool operator<(const counts& a, const counts& b) { return a.n < b.n; }
};

template <class T>
using line = ts::dist_array<T, 1>;
const ts::point<1> k_at(0);
constexpr auto k_first = [](const auto& a, const auto&) -> decltype(auto) { return a; };

template <int Number>
only_moves<Number> made() {
  return {};
}
template <int Number>
ts::monoid<only_moves<Number>, decltype(k_first)> first_of() {
  return {{}, k_first};
}

template <int Number>
line<only_moves<Number>>& of();

template <int Number>
line<stays<Number>>& of_stays();

void refused(const ts::dist<1>& d) {
  const ts::box<1> all = ts::range(0, 4);
  static_cast<void>(of<1>().get(k_at));
  static_cast<void>(of<2>().ref().get(all));
  of<3>().set(k_at, made<3>());
  of<4>().fill(made<4>());
  static_cast<void>(of<5>().reduce(first_of<5>()));
  static_cast<void>(of<6>().min_at());
  of<7>().sort();
  static_cast<void>(of<8>().scan(first_of<8>()));
  static_cast<void>(of<9>().sequence());
  of<10>().accumulate_ghosts(first_of<10>());
  of<11>().move_to(d);
  of<12>().save("file");
  static_cast<void>(line<only_moves<13>>::load("file", d));
  ts::copy(of<14>(), of<14>());
  static_cast<void>(ts::redistributed(of<15>(), d));
  const ts::transfer<only_moves<16>, 1> t(of<16>(), of<16>());
  static_cast<void>(of<17>().ref().reduce_local(first_of<17>()));
  of<18>().ref().send_contributions(first_of<18>());
}

void refused_too(line<stays<1>>& a1, line<stays<2>>& a2, line<stays<3>>& a3,
                 line<std::vector<std::unique_ptr<int>>>& a4) {
  static_cast<void>(a1.ref().get_future(k_at));
  a2.fill({});
  static_cast<void>(a3.get(ts::range(0, 4)));
  a4.fill({});
  of_stays<4>().ref().send_ghosts();
  of_stays<5>().update_ghosts();
}

template <int Number>
line<points<Number>>& of_points();

void refused_as_values(const ts::box<1>& all) {
  static_cast<void>(of_points<1>().get(k_at));
  of_points<2>().set(k_at, {});
  static_cast<void>(of_points<3>().get(all));
  of_points<4>().set(ts::array<points<4>, 1>(all));
  of_points<5>().accumulate(ts::array<points<5>, 1>(all), ts::monoid{points<5>(), k_first});
  of_points<6>().fill({});
  static_cast<void>(of_points<7>().reduce(ts::monoid{points<7>(), k_first}));
  static_cast<void>(of_points<8>().reduce(k_first, {}));
  static_cast<void>(of_points<9>().min_at());
  static_cast<void>(of_points<10>().max_at());
  of_points<11>().sort();
  static_cast<void>(of_points<12>().scan(ts::monoid{points<12>(), k_first}));
  static_cast<void>(of_points<13>().scan_exclusive(ts::monoid{points<13>(), k_first}));
  static_cast<void>(of_points<14>().sequence());
  of_points<15>().accumulate_ghosts(ts::monoid{points<15>(), k_first});
  static_cast<void>(of_points<16>().ref().get(k_at));
  static_cast<void>(of_points<17>().ref().get_future(k_at));
  of_points<18>().ref().set(k_at, {});
  static_cast<void>(of_points<19>().ref().get(all));
  of_points<20>().ref().set(ts::array<points<20>, 1>(all));
  of_points<21>().ref().accumulate(ts::array<points<21>, 1>(all), ts::monoid{points<21>(), k_first});
  ts::copy(of_points<22>(), of_points<22>());
  static_cast<void>(ts::redistributed(of_points<23>(), of_points<23>().dist()));
  of_points<24>().move_to(of_points<24>().dist());
}

template <int Number>
line<counts<Number>>& of_counts();

// Arrays of them are made, moved and used; what copies them is refused.
void refused_as_copies(const ts::dist<1>& d) {
  line<counts<0>> allowed(d);
  allowed.for_each([](counts<0>& x) { ++x.n; });
  allowed.update_ghosts();
  allowed.ref().send_ghosts();
  const line<counts<0>> moved = std::move(allowed);
  static_cast<void>(moved.map([](const counts<0>& x) { return x.n.load(); }));

  static_cast<void>(of_counts<1>().get(k_at));
  of_counts<2>().set(k_at, {});
  static_cast<void>(of_counts<3>().get(ts::range(0, 4)));
  of_counts<4>().fill({});
  static_cast<void>(of_counts<5>().min_at());
  of_counts<6>().sort();
  static_cast<void>(of_counts<7>().sequence());
  of_counts<8>().move_to(d);
  of_counts<9>().save("file");
  static_cast<void>(line<counts<10>>::load("file", d));
  ts::copy(of_counts<11>(), of_counts<11>());
  static_cast<void>(ts::redistributed(of_counts<12>(), d));
  const ts::transfer<counts<13>, 1> t(of_counts<13>(), of_counts<13>());
  static_cast<void>(of_counts<14>().ref().get_future(k_at));
  of_counts<15>().accumulate_ghosts(ts::op::sum);
  static_cast<void>(of_counts<16>().reduce(ts::op::sum));
  static_cast<void>(of_counts<17>().ref().reduce_local(ts::op::sum));
  of_counts<18>().ref().send_contributions(ts::op::sum);
  static_cast<void>(of_counts<19>().scan(ts::op::sum));
}
