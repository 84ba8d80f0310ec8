// SPDX-License-Identifier: Apache-2.0
// Exceptions as bytes and back: which arrive as they were, and what becomes of the others.
#include <tactus/base/error.hpp>
#include <tactus/place/impl/exception_bytes.hpp>
#include <tactus/place/remote_exception.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <ios>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "support/caught.hpp"

namespace {

namespace td = tactus::detail;
using support::caught;
using support::contains;
using support::message;
using tactus::deadlock_error;
using tactus::multiple_exceptions;
using tactus::place;
using tactus::remote_exception;
using list = std::vector<std::exception_ptr>;

class disk_error : public std::runtime_error {
public:
  disk_error() : std::runtime_error("") {}
  explicit disk_error(int sector) : std::runtime_error("bad sector " + std::to_string(sector)), sector_(sector) {}
  [[nodiscard]] int sector() const { return sector_; }

  template <class Ar>
  void serialize(Ar& ar) {
    ar & sector_;
  }

private:
  int sector_ = 0;
};
const tactus::register_exception<disk_error> k_disk_error;
const tactus::register_exception<disk_error> k_disk_error_again;

class worse_disk_error : public disk_error {
public:
  using disk_error::disk_error;
};

// Throws in its serialize: where it is sent, or where it arrives.
struct shy_error : std::exception {
  bool is_shy_at_home = false;

  [[nodiscard]] const char* what() const noexcept override { return "shy"; }

  template <class Ar>
  void serialize(Ar& ar) {
    if (is_shy_at_home && !Ar::loading) {
      throw std::runtime_error("not here");
    }
    ar & is_shy_at_home;
    if (Ar::loading) {
      throw std::runtime_error("not there");
    }
  }
};
const tactus::register_exception<shy_error> k_shy_error;

struct silent_error : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};

struct other_category : std::error_category {
  [[nodiscard]] const char* name() const noexcept override { return "other"; }
  [[nodiscard]] std::string message(int) const override { return "other"; }
};

std::exception_ptr crossed(const std::exception_ptr& e, int from = 2) {
  return td::exception_of_bytes(td::exception_to_bytes(e, place(place::unchecked{from})),
                                place(place::unchecked{from}));
}

template <class E>
std::exception_ptr crossed(E e) {
  return crossed(std::make_exception_ptr(std::move(e)));
}

// The exception as it arrives, if its type is exactly that.
template <class E>
std::optional<E> arrived(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const E& same) {
    return typeid(same) == typeid(E) ? std::optional<E>(same) : std::nullopt;
  } catch (...) {
    return std::nullopt;
  }
}

std::exception_ptr failure(const std::string& what) { return std::make_exception_ptr(std::runtime_error(what)); }

template <class E>
void expect_text_kept() {
  const auto e = arrived<E>(crossed(E("a text")));
  ASSERT_TRUE(e) << typeid(E).name();
  EXPECT_STREQ(e->what(), "a text");
}

template <class E>
void expect_type_kept() {
  const auto e = arrived<E>(crossed(E()));
  ASSERT_TRUE(e) << typeid(E).name();
  EXPECT_STREQ(e->what(), E().what());
}

TEST(exception_crossing, keeps_the_errors_of_the_standard_library) {
  expect_text_kept<std::logic_error>();
  expect_text_kept<std::invalid_argument>();
  expect_text_kept<std::domain_error>();
  expect_text_kept<std::length_error>();
  expect_text_kept<std::out_of_range>();
  expect_text_kept<std::runtime_error>();
  expect_text_kept<std::range_error>();
  expect_text_kept<std::overflow_error>();
  expect_text_kept<std::underflow_error>();
  expect_type_kept<std::exception>();
  expect_type_kept<std::bad_alloc>();
  expect_type_kept<std::bad_array_new_length>();
  expect_type_kept<std::bad_cast>();
  expect_type_kept<std::bad_typeid>();
  expect_type_kept<std::bad_exception>();
  expect_type_kept<std::bad_optional_access>();
  expect_type_kept<std::bad_variant_access>();
  expect_type_kept<std::bad_function_call>();
  expect_type_kept<std::bad_weak_ptr>();
}

TEST(exception_crossing, keeps_the_errors_of_tactus) {
  expect_text_kept<tactus::error>();
  expect_text_kept<tactus::usage_error>();
  expect_text_kept<tactus::clock_use_error>();
  expect_text_kept<tactus::phaser_use_error>();
  expect_text_kept<tactus::atomic_use_error>();
  expect_text_kept<tactus::config_error>();
  expect_text_kept<tactus::resource_error>();
  expect_text_kept<tactus::broken_promise>();
  expect_text_kept<tactus::place_error>();
}

TEST(exception_crossing, keeps_codes_of_the_standard_categories) {
  const std::system_error told(std::make_error_code(std::errc::timed_out), "reading");
  const auto e = arrived<std::system_error>(crossed(told));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->code(), told.code());
  EXPECT_STREQ(e->what(), told.what());
  const std::system_error bare(std::error_code(5, std::system_category()));
  EXPECT_STREQ(arrived<std::system_error>(crossed(bare))->what(), bare.what());
  EXPECT_EQ(arrived<std::system_error>(crossed(bare))->code(), bare.code());
}

TEST(exception_crossing, makes_a_remote_exception_of_codes_of_other_categories) {
  static const other_category category;
  const auto e = arrived<remote_exception>(crossed(std::system_error(std::error_code(1, category), "x")));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->type_name(), "std::system_error");
  EXPECT_STREQ(e->what(), "x: other");
}

TEST(exception_crossing, keeps_registered_types) {
  const auto e = arrived<disk_error>(crossed(disk_error(0x1234)));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->sector(), 0x1234);
}

TEST(exception_crossing, makes_a_remote_exception_of_any_other) {
  struct unknown : std::runtime_error {
    using runtime_error::runtime_error;
  };
  const auto e = arrived<remote_exception>(crossed(unknown("a text")));
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->type_name(), "unknown")) << e->type_name();
  EXPECT_STREQ(e->what(), "a text");
  EXPECT_EQ(e->place(), place(place::unchecked{2}));
}

TEST(exception_crossing, does_not_take_a_derived_class_for_its_base) {
  const auto worse = arrived<remote_exception>(crossed(worse_disk_error(7)));
  ASSERT_TRUE(worse);
  EXPECT_TRUE(contains(worse->type_name(), "worse_disk_error"));
  EXPECT_STREQ(worse->what(), "bad sector 7");
  struct own_deadlock : deadlock_error {
    using deadlock_error::deadlock_error;
  };
  EXPECT_TRUE(arrived<remote_exception>(crossed(own_deadlock("x"))));
  struct own_many : multiple_exceptions {
    using multiple_exceptions::multiple_exceptions;
  };
  EXPECT_TRUE(arrived<remote_exception>(crossed(own_many({failure("x")}))));
  EXPECT_TRUE(
      contains(arrived<remote_exception>(crossed(std::ios_base::failure("x")))->type_name(), "std::ios_base::failure"));
}

TEST(exception_crossing, takes_what_is_no_std_exception_for_unknown) {
  const auto e = arrived<remote_exception>(crossed(7));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->type_name(), "int");
  EXPECT_STREQ(e->what(), "exception of type int");
}

TEST(exception_crossing, survives_a_text_that_is_not_there) {
  EXPECT_STREQ(arrived<remote_exception>(crossed(silent_error()))->what(), "");
}

TEST(exception_crossing, leaves_a_remote_exception_as_it_is) {
  const auto once = crossed(worse_disk_error(7));
  const auto e = arrived<remote_exception>(crossed(once, 5));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->place(), place(place::unchecked{2}));
  EXPECT_TRUE(contains(e->type_name(), "worse_disk_error"));
}

TEST(exception_crossing, makes_a_remote_exception_where_a_serialize_throws) {
  for (const bool at_home : {true, false}) {
    shy_error shy;
    shy.is_shy_at_home = at_home;
    const auto e = arrived<remote_exception>(crossed(shy));
    ASSERT_TRUE(e);
    EXPECT_TRUE(contains(e->type_name(), "shy_error"));
    EXPECT_STREQ(e->what(), "shy");
    EXPECT_EQ(e->place(), place(place::unchecked{2}));
  }
}

TEST(exception_crossing, keeps_nothing_as_nothing) { EXPECT_EQ(crossed(std::exception_ptr()), nullptr); }

TEST(exception_crossing, converts_multiple_exceptions_leaf_by_leaf) {
  const multiple_exceptions inner({failure("a"), std::make_exception_ptr(disk_error(7))});
  const multiple_exceptions outer({std::make_exception_ptr(inner), std::make_exception_ptr(8), nullptr},
                                  {"task 'reader'"});
  const auto e = arrived<multiple_exceptions>(crossed(outer));
  ASSERT_TRUE(e);
  EXPECT_STREQ(e->what(), outer.what());
  ASSERT_EQ(e->exceptions().size(), 3u);
  ASSERT_EQ(e->flattened().size(), 4u);
  EXPECT_EQ(message(e->flattened()[0]), "a");
  EXPECT_EQ(arrived<disk_error>(e->flattened()[1])->sector(), 7);
  EXPECT_EQ(arrived<remote_exception>(e->flattened()[2])->type_name(), "int");
  EXPECT_EQ(e->flattened()[3], nullptr);
}

TEST(exception_crossing, keeps_the_text_of_a_list_that_knows_its_tasks) {
  const multiple_exceptions known({failure("disk full")}, {"task 'reader'"});
  EXPECT_STREQ(arrived<multiple_exceptions>(crossed(known))->what(),
               "1 exception: std::runtime_error: \"disk full\" (task 'reader')");
  EXPECT_STREQ(arrived<multiple_exceptions>(crossed(multiple_exceptions(list())))->what(), "0 exceptions");
}

// As an inner finish of an inner finish fails: nothing may call itself once for each.
TEST(exception_crossing, goes_through_a_hundred_thousand_nested_finishes) {
  static constexpr int k_levels = 100000;
  std::exception_ptr one = failure("deep");
  for (int i = 0; i < k_levels; ++i) one = std::make_exception_ptr(multiple_exceptions({one}));
  const std::vector<std::byte> bytes = td::exception_to_bytes(one, place(place::unchecked{1}));
  EXPECT_LT(bytes.size(), std::size_t{k_levels} * 16);
  const auto e = arrived<multiple_exceptions>(td::exception_of_bytes(bytes, place(place::unchecked{1})));
  ASSERT_TRUE(e);
  EXPECT_STREQ(e->what(), "1 exception: std::runtime_error: \"deep\"");
  EXPECT_EQ(message(e->flattened().at(0)), "deep");
}

TEST(exception_crossing, keeps_what_a_deadlock_error_has_besides) {
  const deadlock_error stuck("stuck", {failure("a"), std::make_exception_ptr(multiple_exceptions({failure("b")}))});
  const auto e = arrived<deadlock_error>(crossed(stuck));
  ASSERT_TRUE(e);
  EXPECT_STREQ(e->what(), "stuck");
  ASSERT_EQ(e->exceptions().size(), 2u);
  EXPECT_EQ(message(e->exceptions()[0]), "a");
  EXPECT_EQ(message(arrived<multiple_exceptions>(e->exceptions()[1])->exceptions().at(0)), "b");
}

TEST(exception_crossing, takes_deadlock_errors_below_eight_of_them_for_unknown) {
  std::exception_ptr one = failure("deep");
  for (int i = 0; i < 20; ++i) one = std::make_exception_ptr(deadlock_error("stuck", {one}));
  std::exception_ptr last = crossed(one);
  int levels = 0;
  while (const auto e = arrived<deadlock_error>(last)) {
    last = e->exceptions().at(0);
    ++levels;
  }
  EXPECT_EQ(levels, 8);
  EXPECT_EQ(arrived<remote_exception>(last)->type_name(), "tactus::deadlock_error");
}

TEST(exception_crossing, refuses_bytes_that_are_damaged) {
  const multiple_exceptions many(
      {failure("a"), std::make_exception_ptr(disk_error(7)), std::make_exception_ptr(8),
       std::make_exception_ptr(deadlock_error("d", {failure("b")})),
       std::make_exception_ptr(std::system_error(std::make_error_code(std::errc::io_error), "x"))});
  std::vector<std::byte> whole = td::exception_to_bytes(std::make_exception_ptr(many), place(place::unchecked{2}));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    const auto e = caught<tactus::place_error>(
        [&] { static_cast<void>(td::exception_of_bytes(cut, place(place::unchecked{3}))); });
    ASSERT_TRUE(e) << n;
    EXPECT_TRUE(contains(e->what(), "message of place 3 is damaged")) << e->what();
  }
  for (std::byte& each : whole) {
    const std::byte before = std::exchange(each, std::byte{0xff});
    static_cast<void>(caught<tactus::place_error>(
        [&] { static_cast<void>(td::exception_of_bytes(whole, place(place::unchecked{3}))); }));
    each = before;
  }
}

TEST(exception_registry, is_used_by_several_threads_at_once) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) {
        const tactus::register_exception<disk_error> once_more;
        EXPECT_TRUE(arrived<disk_error>(crossed(disk_error(i))));
      }
    });
  }
  for (std::thread& each : threads) each.join();
}

TEST(remote_exception_test, can_be_made_from_a_text) {
  const tactus::remote_exception e("of my own");
  EXPECT_STREQ(e.what(), "of my own");
  EXPECT_EQ(e.type_name(), "");
  EXPECT_EQ(e.place(), tactus::place());
}

}  // namespace
