// SPDX-License-Identifier: Apache-2.0
// A program that catches what another library throws: by the library, by code in headers there, out of a run.
#include <tactus/base/error.hpp>

#include <exception>

__attribute__((visibility("default"))) void misuse_tactus(int how);

namespace {

template <class E>
bool catches(int how) {
  try {
    misuse_tactus(how);
  } catch (const E&) {
    return true;
  } catch (...) {
  }
  return false;
}

bool catches_inside() {
  try {
    misuse_tactus(2);
  } catch (const tactus::multiple_exceptions& all) {
    try {
      std::rethrow_exception(all.exceptions().at(0));
    } catch (const tactus::phaser_use_error&) {
      return true;
    }
  }
  return false;
}

}  // namespace

int main() { return catches<tactus::usage_error>(0) && catches<tactus::error>(1) && catches_inside() ? 0 : 1; }
