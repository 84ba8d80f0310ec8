// SPDX-License-Identifier: Apache-2.0
// A plugin with a type of exception of its own, which it registers while it is loaded.
#include <tactus/place/remote_exception.hpp>

#include <exception>

namespace {

struct plugin_error : std::exception {
  int code = 0;

  [[nodiscard]] const char* what() const noexcept override { return "of a plugin"; }

  template <class Ar>
  void serialize(Ar& ar) {
    ar & code;
  }
};

const tactus::register_exception<plugin_error> k_plugin_error;

}  // namespace

// An exception with that code, and the code of one; -1 of any other.
extern "C" void make_plugin_error(int code, std::exception_ptr& into) {
  plugin_error e;
  e.code = code;
  into = std::make_exception_ptr(e);
}

extern "C" int code_of_plugin_error(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const plugin_error& same) {
    return same.code;
  } catch (...) {
    return -1;
  }
}
