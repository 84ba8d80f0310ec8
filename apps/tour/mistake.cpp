// SPDX-License-Identifier: Apache-2.0
#include "mistake.hpp"

#include <tactus/tactus.hpp>

namespace ts = tactus;

namespace tour {

std::string what_a_deadlock_says(int threads) {
  try {
    ts::run(ts::config{.threads = threads, .env = false}, [] {
      ts::promise<int> flour, bread;
      ts::finish([&] {
        ts::async(ts::named("miller"), [&] { flour.set_value(bread.get_future().get() + 1); });
        ts::async(ts::named("baker"), [&] { bread.set_value(flour.get_future().get() + 1); });
      });
    });
  } catch (const ts::deadlock_error& e) {
    return e.what();
  }
  return {};
}

}  // namespace tour
