// SPDX-License-Identifier: Apache-2.0
// Which types travel. That others do not compile is the test travel_refusals.
#include <tactus/place/place_local.hpp>
#include <tactus/place/travels.hpp>
#include <tactus/sync/atomic.hpp>
#include <tactus/sync/stream.hpp>
#include <tactus/task/future.hpp>
#include <tactus/task/task_local.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <compare>
#include <complex>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace {

using tactus::travels;
using tactus::detail::shown_fields;
using tactus::detail::swaps;

struct nothing {};
struct two {
  int a;
  std::string b;
};
struct sixteen {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};
struct seventeen {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
};
struct seventeen_with_text {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
  std::string q;
};
struct with_arrays {
  int a[3];
  std::string b[2];
};
struct with_buffer {
  char text[4096];
  std::size_t size;
};
struct derived : two {
  int c;
};
struct numbered_row : std::vector<int> {  // which has all that a vector has, and more
  int number;
};
struct derived_bytes : nothing {
  int c;
};
struct bits {
  int a : 20;
  int b : 20;
};
union either {
  int a;
  float b;
};
struct tagged {
  int tag;
  union {
    int a;
    float b;
  };
};
struct with_pointer {
  int a;
  int* b;
};
struct with_pointers {
  int* a[2];
};
struct holds_pointer {
  int a;
  std::vector<std::optional<with_pointer>> b;
};
class hidden_number {
public:
  explicit hidden_number(int value) : value_(value) {}
  [[nodiscard]] int value() const { return value_; }

private:
  int value_;
};
struct holds_reference {
  int a;
  int& b;
};
struct holds_two_references {
  const int& a;
  double& b;
  int c;
};
int somewhere = 0;
struct holds_given_reference {
  int a;
  int& b = somewhere;
};
struct without_default {
  hidden_number a;
  int b;
};
struct tree {
  int value;
  std::vector<tree> below;
};
struct list_of {
  std::unique_ptr<list_of> next;
  std::map<std::string, list_of> more;
};
struct tree_of_pointers {
  int* value;
  std::vector<tree_of_pointers> below;
};
struct const_number {
  const int a;
  int b;
};
struct const_text {
  const std::string a;
};
class hidden {
  int a_ = 0;

public:
  [[nodiscard]] int a() const { return a_; }
};
class hidden_text {
  std::string a_;

public:
  [[nodiscard]] const std::string& a() const { return a_; }
};
struct by_state {
  bool down = false;
  bool operator()(int a, int b) const { return down ? b < a : a < b; }
  std::size_t operator()(int a) const { return static_cast<std::size_t>(a) + (down ? 1 : 0); }
};
struct by_remainder {
  bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
class metres {
public:
  using type = double;
  explicit metres(double x) : x_(x) {}
  double& get() { return x_; }
  [[nodiscard]] double get() const { return x_; }

private:
  double x_;
};
class counting_iterator {
public:
  using iterator_category = std::input_iterator_tag;
  explicit counting_iterator(int at) : at_(at) {}
  int operator*() const { return at_; }
  counting_iterator& operator++() {
    ++at_;
    return *this;
  }

private:
  int at_;
};
class row_iterator {
public:
  using iterator_category = std::forward_iterator_tag;
  explicit row_iterator(int* at) : at_(at) {}
  int& operator*() const { return *at_; }

private:
  int* at_;
};
enum class colour : unsigned char { red, green };

TEST(travels, is_true_of_numbers_and_enums) {
  static_assert(travels<int> && travels<double> && travels<bool> && travels<char8_t> && travels<wchar_t> &&
                travels<long double>);
  static_assert(travels<colour> && travels<std::byte>);
  static_assert(travels<const int>);
}

TEST(travels, is_true_of_what_the_standard_library_makes_of_such) {
  static_assert(travels<std::string> && travels<std::u16string> && travels<std::vector<int>> &&
                travels<std::vector<bool>>);
  static_assert(travels<std::deque<int>> && travels<std::list<std::string>> && travels<std::array<std::string, 3>>);
  static_assert(travels<std::pair<int, std::string>> && travels<std::tuple<>> && travels<std::tuple<int, std::string>>);
  static_assert(travels<std::optional<std::string>> && travels<std::variant<std::monostate, int, std::string>>);
  static_assert(travels<std::map<int, std::string>> && travels<std::multimap<int, int>> &&
                travels<std::set<std::string>>);
  static_assert(travels<std::multiset<int>> && travels<std::unordered_map<std::string, int>>);
  static_assert(travels<std::unordered_multimap<int, int>> && travels<std::unordered_set<int>>);
  static_assert(travels<std::unordered_multiset<int>> && travels<std::unique_ptr<std::string>>);
  static_assert(travels<std::chrono::nanoseconds> && travels<std::chrono::system_clock::time_point>);
  static_assert(travels<std::complex<double>> && travels<std::bitset<100>> && travels<std::mt19937>);
  static_assert(travels<std::map<std::string, std::vector<std::optional<std::pair<two, colour>>>>>);
}

TEST(travels, is_false_of_maps_and_sets_whose_order_or_hash_has_a_state) {
  static_assert(!travels<std::set<int, by_state>> && !travels<std::map<int, int, bool (*)(int, int)>>);
  static_assert(!travels<std::multiset<int, std::function<bool(int, int)>>> &&
                !travels<std::multimap<int, int, by_state>>);
  static_assert(!travels<std::unordered_set<int, by_state>> &&
                !travels<std::unordered_map<int, int, std::hash<int>, bool (*)(int, int)>>);
  static_assert(!travels<std::vector<std::set<int, by_state>>>);
  static_assert(travels<std::set<int, by_remainder>> && travels<std::set<std::string, std::less<>>> &&
                travels<std::set<int, decltype([](int a, int b) { return b < a; })>>);
}

TEST(travels, is_true_of_aggregates_of_up_to_16_fields) {
  static_assert(travels<nothing> && travels<two> && travels<sixteen> && travels<with_arrays>);
  static_assert(shown_fields<two> == 2 && shown_fields<sixteen> == 16 && shown_fields<with_arrays> == 2);
  static_assert(!travels<seventeen_with_text> && !travels<derived> && !travels<numbered_row>);
}

TEST(travels, is_true_of_classes_that_hold_themselves) {
  static_assert(travels<tree> && travels<list_of> && swaps<tree>);
  static_assert(!travels<tree_of_pointers>);
}

TEST(travels, is_true_of_other_trivially_copyable_classes) {
  static_assert(travels<hidden> && travels<seventeen> && travels<bits> && travels<either> && travels<tagged>);
  static_assert(travels<derived_bytes> && travels<with_buffer> && travels<const_number> && travels<without_default>);
  static_assert(!travels<hidden_text> && !travels<const_text>);
}

TEST(travels, is_true_of_classes_that_wrap_a_number) {
  static_assert(travels<metres> && travels<counting_iterator> && travels<std::vector<metres>>);
  static_assert(travels<std::ranlux24> && travels<std::strong_ordering> && travels<std::chrono::weekday> &&
                travels<std::uniform_int_distribution<int>>);  // and show it by other names
}

TEST(travels, is_true_of_closures_whose_captures_are_bytes) {
  const auto adds = [n = 1](int x) { return n + x; };
  static_assert(!std::is_copy_assignable_v<decltype(adds)>);  // asking must not change the answer
  static_assert(travels<decltype(adds)>);
  const auto says = [text = std::string()] { return text; };
  static_assert(!travels<decltype(says)>);
}

TEST(travels, is_false_of_whatever_is_an_address) {
  static_assert(!travels<int*> && !travels<const char*> && !travels<void (*)()> && !travels<int two::*> &&
                !travels<std::nullptr_t>);
  static_assert(!travels<int&> && !travels<const std::string&> && !travels<std::reference_wrapper<int>>);
  static_assert(!travels<std::span<int>> && !travels<std::span<int, 3>> && !travels<std::string_view>);
  static_assert(!travels<std::vector<int>::iterator> && !travels<std::error_code> && !travels<std::coroutine_handle<>>);
  static_assert(!travels<std::initializer_list<int>> && !travels<std::ranges::subrange<int*>> &&
                !travels<std::ranges::ref_view<std::vector<int>>> && !travels<std::reverse_iterator<int*>> &&
                !travels<std::istreambuf_iterator<char>> && !travels<row_iterator>);
  static_assert(!travels<std::ranges::iterator_t<std::ranges::transform_view<std::span<int>, std::negate<>>>>);
  static_assert(!travels<std::type_index> && !travels<std::pair<int, std::initializer_list<int>>>);
#if defined(__cpp_lib_atomic_ref)
  static_assert(!travels<std::atomic_ref<int>>);
#endif
#if defined(__cpp_lib_source_location)
  static_assert(!travels<std::source_location>);
#endif
  static_assert(!travels<decltype(std::declval<const tactus::place_group&>().begin())>);
  static_assert(!travels<with_pointer> && !travels<with_pointers> && !travels<holds_pointer> &&
                !travels<holds_reference>);
  static_assert(!travels<holds_two_references> && !travels<holds_given_reference>);
  static_assert(!travels<std::map<int, std::string_view>> && !travels<std::tuple<int, int*>> &&
                !travels<std::pair<int&, int>>);
}

TEST(travels, is_false_of_what_belongs_to_a_place) {
  static_assert(!travels<std::function<void()>> && !travels<std::shared_ptr<int>> && !travels<std::weak_ptr<int>>);
  static_assert(!travels<std::thread> && !travels<std::mutex> && !travels<std::atomic<int>> &&
                !travels<std::unique_ptr<int[]>>);
  static_assert(!travels<std::unique_ptr<int, void (*)(int*)>> && !travels<std::exception_ptr>);
  static_assert(!travels<tactus::future<int>> && !travels<tactus::promise<int>> && !travels<tactus::monitor>);
  static_assert(!travels<tactus::stream<int>> && !travels<tactus::stream<int>::producer_end> &&
                !travels<tactus::stream<int>::consumer_end>);
  static_assert(!travels<tactus::task_local<int>> && !travels<tactus::place_local<int>>);
  static_assert(!travels<std::vector<tactus::future<int>>> && !travels<std::optional<tactus::monitor>>);
}

TEST(swaps, is_false_where_the_numbers_are_not_seen) {
  static_assert(swaps<int> && swaps<two> && swaps<sixteen> && swaps<with_arrays> && swaps<std::complex<float>>);
  static_assert(swaps<std::chrono::seconds> && swaps<std::bitset<100>> && swaps<const_number>);
  static_assert(!swaps<long double> && !swaps<std::vector<long double>> && !swaps<std::complex<long double>>);
  static_assert(!swaps<hidden> && !swaps<seventeen> && !swaps<bits> && !swaps<tagged> &&
                !swaps<std::vector<std::pair<int, hidden>>>);
}

}  // namespace
