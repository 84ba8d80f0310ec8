// SPDX-License-Identifier: Apache-2.0
// Classes with a serialize of their own.
#include <tactus/base/error.hpp>
#include <tactus/place/travels.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/caught.hpp"
#include "wire/messages.hpp"

namespace geometry {

class point {
public:
  point() = default;
  point(int x, std::string name) : x_(x), name_(std::move(name)) {}
  friend bool operator==(const point&, const point&) = default;

  template <class Ar>
  friend void serialize(Ar& ar, point& p) {
    ar & p.x_ & p.name_;
  }

private:
  int x_ = 0;
  std::string name_;
};

class circle {
public:
  circle() = default;
  explicit circle(double radius) : radius_(radius) {}
  [[nodiscard]] double radius() const { return radius_; }

  template <class Ar>
  void serialize(Ar& ar) {
    ar & radius_;
  }

private:
  double radius_ = 0;
};

}  // namespace geometry

namespace {

using geometry::circle;
using geometry::point;
using messages::sent;
using messages::sent_over;
using support::caught;
using support::contains;

// An aggregate, and trivially copyable: what is sent of it is nevertheless what its serialize says.
struct halved {
  int sent;
  int kept;

  template <class Ar>
  void serialize(Ar& ar) {
    ar & sent;
  }
};

class counted {
public:
  explicit counted(int n) : n_(n) {}
  [[nodiscard]] int n() const { return n_; }

  template <class Ar>
  void serialize(Ar& ar) {
    ar & n_;
  }
  template <class Ar>
  static counted load(Ar& in) {
    int n = 0;
    in & n;
    return counted(n);
  }

private:
  int n_;
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

struct saying_nothing {
  template <class Ar>
  void serialize(Ar&) {}
};

struct knows_direction {
  bool was_loaded = false;

  template <class Ar>
  void serialize(Ar&) {
    was_loaded = Ar::loading;
  }
};

struct throws_when {
  int counts_until = 100;

  template <class Ar>
  void serialize(Ar& ar) {
    if (--counts_until == 0) {
      throw std::runtime_error("by the user");
    }
    ar & counts_until;
  }
};

struct growing {
  mutable std::size_t n = 1;

  template <class Ar>
  void serialize(Ar& ar) {
    for (std::size_t i = 0; i < n; ++i) ar& std::as_const(i);
    n *= 2;
  }
};

struct shrinking {
  mutable std::size_t n = 2;

  template <class Ar>
  void serialize(Ar& ar) {
    for (std::size_t i = 0; i < n; ++i) ar& std::as_const(i);
    n /= 2;
  }
};

struct base {
  virtual ~base() = default;
  int a = 0;

  template <class Ar>
  void serialize(Ar& ar) {
    ar & a;
  }
};
struct derived : base {
  int b = 0;
};

struct refuses_to_be_loaded {
  template <class Ar>
  void serialize(Ar& ar) {
    int n = 0;
    ar & n;
    if (Ar::loading) {
      throw std::runtime_error("by the user");
    }
  }
};

struct throwing {
  throwing() = default;
  explicit throwing(int) { throw std::runtime_error("no value"); }

  template <class Ar>
  void serialize(Ar& ar) {
    ar & text;
  }

  std::string text;  // of a trivially copyable class a variant would keep its value
};

struct link {
  std::unique_ptr<link> next;
};

TEST(user_types, travel_by_a_function_or_a_member) {
  EXPECT_EQ(sent(point(3, "x")), point(3, "x"));
  EXPECT_EQ(sent_over(point(0x1234, "x")), point(0x1234, "x"));
  EXPECT_EQ(sent(circle(2.5)).radius(), 2.5);
}

TEST(user_types, are_written_by_their_serialize_only) {
  EXPECT_EQ(messages::hex(messages::written(halved{1, 2})), "01 00 00 00");
  EXPECT_EQ(sent(std::vector<halved>{{1, 2}, {3, 4}}).at(1).sent, 3);
  struct holder {
    halved a;
    int b;
  };
  EXPECT_EQ(messages::hex(messages::written(holder{{1, 2}, 3})), "01 00 00 00 03 00 00 00");
}

TEST(user_types, need_load_where_they_have_no_default_constructor) {
  static_assert(tactus::travels<counted> && !tactus::travels<unmakable>);
  EXPECT_EQ(sent(counted(3)).n(), 3);
  EXPECT_EQ(sent(std::vector<counted>{counted(3), counted(4)}).at(1).n(), 4);
  EXPECT_EQ(sent(std::optional(counted(3)))->n(), 3);
  EXPECT_EQ(std::get<counted>(sent(std::variant<counted, int>(counted(3)))).n(), 3);
  EXPECT_EQ(sent(std::pair(counted(3), 4)).first.n(), 3);
  EXPECT_EQ(sent(std::make_unique<counted>(3))->n(), 3);
}

TEST(user_types, may_write_nothing) {
  EXPECT_EQ(messages::written(saying_nothing()).size(), 0u);
  EXPECT_EQ(sent(std::vector<saying_nothing>(100)).size(), 100u);
}

TEST(user_types, know_the_direction) {
  const knows_direction x;
  EXPECT_TRUE(sent(x).was_loaded);
  EXPECT_FALSE(x.was_loaded);
}

TEST(user_types, may_throw_while_they_are_sent) {
  const auto e = caught<std::runtime_error>([] { static_cast<void>(messages::written(throws_when{1})); });
  ASSERT_TRUE(e);
  EXPECT_STREQ(e->what(), "by the user");
}

TEST(user_types, may_throw_while_they_arrive) {
  const messages::bytes message = messages::written(std::vector<int>{5, 5});
  EXPECT_THROW(static_cast<void>(messages::read<std::vector<refuses_to_be_loaded>>(message)), std::runtime_error);
}

// What it writes beyond the memory that was counted is refused before it is written.
TEST(user_types, must_write_what_they_have_counted) {
  const auto e = caught<tactus::usage_error>([] { static_cast<void>(messages::written(growing{})); });
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), "than it has counted (8 with all else)")) << e->what();
  const auto less = caught<tactus::usage_error>([] { static_cast<void>(messages::written(shrinking{})); });
  ASSERT_TRUE(less);
  EXPECT_TRUE(contains(less->what(), "than it has counted (16 with all else)")) << less->what();
}

TEST(user_types, are_refused_behind_a_pointer_to_their_base) {
  EXPECT_EQ(sent(std::make_unique<base>())->a, 0);
  const std::unique_ptr<base> x = std::make_unique<derived>();
  const auto e = caught<tactus::usage_error>([&x] { static_cast<void>(messages::written(x)); });
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), "base leads to an object of a derived class")) << e->what();
}

TEST(user_types, hold_each_other_up_to_128_levels_deep) {
  const auto chain_of = [](int n) {
    link first;
    for (int i = 1; i < n; ++i) first.next = std::make_unique<link>(link{std::move(first.next)});
    return first;
  };
  EXPECT_NO_THROW(static_cast<void>(sent(chain_of(128))));
  const auto e = caught<tactus::resource_error>([&] { static_cast<void>(messages::written(chain_of(129))); });
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), "more than 128 levels deep")) << e->what();
}

TEST(user_types, are_refused_in_variants_that_have_lost_their_value) {
  std::variant<int, throwing> x = 1;
  EXPECT_THROW(x.emplace<1>(7), std::runtime_error);
  ASSERT_TRUE(x.valueless_by_exception());
  EXPECT_THROW(static_cast<void>(messages::written(x)), tactus::usage_error);
}

}  // namespace
