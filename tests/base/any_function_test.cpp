// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/impl/any_function.hpp>

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace {

using tactus::detail::any_function;

int twice(int x) { return 2 * x; }

TEST(AnyFunction, HoldsNothingAtFirst) { EXPECT_FALSE(any_function<int()>()); }

TEST(AnyFunction, CallsAnObjectThatRemembers) {
  const any_function<int()> count([n = 0]() mutable { return ++n; });
  static_cast<void>(count());
  EXPECT_EQ(count(), 2);
}

TEST(AnyFunction, CallsAFunction) { EXPECT_EQ(any_function<int(int)>(twice)(3), 6); }

TEST(AnyFunction, ConvertsResults) {
  EXPECT_EQ(any_function<std::string()>([] { return "text"; })(), std::string("text"));
}

TEST(AnyFunction, PassesReferencesOn) {
  int x = 1;
  any_function<void(int&)>([](int& to) { to = 5; })(x);
  EXPECT_EQ(x, 5);
}

TEST(AnyFunction, CopiesShareWhatIsCalled) {
  const any_function<int()> count([n = 0]() mutable { return ++n; });
  const any_function<int()> same = count;  // NOLINT(performance-unnecessary-copy-initialization): what is looked at
  static_cast<void>(count());
  EXPECT_EQ(same(), 2);
}

TEST(AnyFunction, EndsWhatItCallsWithTheLastCopy) {
  const auto token = std::make_shared<int>(0);
  auto first = std::make_unique<any_function<void()>>([token] {});
  auto second = std::make_unique<any_function<void()>>(*first);
  first.reset();
  EXPECT_EQ(token.use_count(), 2);
  second.reset();
  EXPECT_EQ(token.use_count(), 1);
}

}  // namespace
