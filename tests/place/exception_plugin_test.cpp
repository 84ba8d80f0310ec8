// SPDX-License-Identifier: Apache-2.0
// What a plugin registers is known while it is loaded.
#include <tactus/place/impl/exception_bytes.hpp>
#include <tactus/place/remote_exception.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <vector>

#include <dlfcn.h>

#include "support/caught.hpp"

namespace {

namespace td = tactus::detail;
using tactus::place;

TEST(exception_registry, forgets_a_plugin_when_it_is_unloaded) {
  void* const plugin = ::dlopen(EXCEPTION_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << ::dlerror();
  const auto make = reinterpret_cast<void (*)(int, std::exception_ptr&)>(::dlsym(plugin, "make_plugin_error"));
  const auto code_of = reinterpret_cast<int (*)(const std::exception_ptr&)>(::dlsym(plugin, "code_of_plugin_error"));
  ASSERT_TRUE(make != nullptr && code_of != nullptr);

  std::exception_ptr sent;
  make(7, sent);
  const auto bytes = td::exception_to_bytes(sent, place(place::unchecked{1}));
  std::exception_ptr got = td::exception_of_bytes(bytes, place(place::unchecked{1}));
  EXPECT_EQ(code_of(got), 7);
  sent = nullptr;  // their destructors lie in the plugin
  got = nullptr;

  ASSERT_EQ(::dlclose(plugin), 0);
  ASSERT_EQ(::dlopen(EXCEPTION_PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr) << "the plugin is still loaded";
  const auto e = support::caught<tactus::remote_exception>(
      [&] { std::rethrow_exception(td::exception_of_bytes(bytes, place(place::unchecked{1}))); });
  ASSERT_TRUE(e);
  EXPECT_STREQ(e->what(), "of a plugin");
  EXPECT_TRUE(support::contains(e->type_name(), "plugin_error")) << e->type_name();
}

}  // namespace
