// SPDX-License-Identifier: Apache-2.0
// A program from outside the source tree: it compiles, links against the library, and catches what the library throws.
#include <tactus/base/error.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

int main() {
  // -Wold-style-cast and -Wconversion would object: our warnings are not the consumer's.
  [[maybe_unused]] int three = (int)3.5;
  try {
    throw tactus::multiple_exceptions(std::vector{std::make_exception_ptr(std::runtime_error("from outside"))});
  } catch (const tactus::error& e) {
    std::puts(e.what());
    return 0;
  }
  return 1;
}
