// SPDX-License-Identifier: Apache-2.0
// Does not compile: travel_refusals.cmake looks at what the compiler says. Each number is that of the argument, and stands there once.
#include <tactus/place/impl/closure_check.hpp>
#include <tactus/place/place_local.hpp>
#include <tactus/place/travels.hpp>
#include <tactus/sync/atomic.hpp>
#include <tactus/sync/stream.hpp>
#include <tactus/task/future.hpp>
#include <tactus/task/task_local.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

struct with_pointer {
  int a;
  int* b;
};
struct holds_pointer {
  std::vector<std::optional<with_pointer>> a;
};
struct holds_future {
  int a;
  std::vector<tactus::future<int>> b;
};
struct by_state {
  bool down = false;
  bool operator()(int a, int b) const { return down ? b < a : a < b; }
};
struct holds_unordered {
  std::unordered_map<int, int, std::size_t (*)(int)> a;
};
class opaque {
  std::string a_;
};
class unmakable {
public:
  explicit unmakable(int n) : n_(n) {}
  template <class Ar>
  void serialize(Ar& ar) {
    ar & n_;
  }

private:
  int n_;
};
struct abstract {
  virtual ~abstract() = default;
  virtual void f() = 0;
};
struct const_text {
  const std::string a;
};
struct hands_on_pointer {
  int* a = nullptr;
  template <class Ar>
  void serialize(Ar& ar) {
    ar & a;
  }
};
using too_many_choices = decltype([]<std::size_t... I>(std::index_sequence<I...>) {
  return std::variant<std::integral_constant<std::size_t, I>...>();
}(std::make_index_sequence<256>{}));

using tactus::detail::check_closure;
using tactus::detail::check_result_travels;
using tactus::detail::check_travels;

void refused() {
  check_travels<1, int*>();
  check_travels<2, const char*>();
  check_travels<3, int&>();
  check_travels<4, std::span<double>>();
  check_travels<5, std::string_view>();
  check_travels<6, std::function<void()>>();
  check_travels<7, std::shared_ptr<int>>();
  check_travels<8, std::thread>();
  check_travels<9, std::mutex>();
  check_travels<10, holds_pointer>();
  check_travels<11, opaque>();
  check_travels<12, unmakable>();
  check_travels<13, std::unique_ptr<int[]>>();
  check_travels<14, std::unique_ptr<abstract>>();
  check_travels<15, const_text>();
  check_travels<16, too_many_choices>();
  check_travels<17, std::reference_wrapper<int>>();
  check_travels<18, std::tuple<int, std::map<int, std::string_view>>>();
  check_travels<19, std::atomic<int>>();
  check_travels<20, tactus::future<int>>();
  check_travels<21, tactus::promise<int>>();
  check_travels<22, tactus::monitor>();
  check_travels<23, tactus::stream<int>>();
  check_travels<24, tactus::stream<int>::producer_end>();
  check_travels<25, tactus::stream<int>::consumer_end>();
  check_travels<26, tactus::task_local<int>>();
  check_travels<27, tactus::place_local<int>>();
  check_travels<28, holds_future>();
  check_travels<29, std::set<int, by_state>>();
  check_travels<30, holds_unordered>();
  check_result_travels<void (*)()>();
  static_cast<void>(tactus::detail::packed_bytes(hands_on_pointer()));
  check_closure<decltype([text = std::string()] { return text; })>();
  check_closure<int with_pointer::*>();
}
