// SPDX-License-Identifier: Apache-2.0
// Does not compile: flexible_refusals.cmake looks at what the compiler says.
#include <tactus/place/placement.hpp>
#include <tactus/sync/clock.hpp>
#include <tactus/sync/phaser.hpp>
#include <tactus/task/batched.hpp>

#include <string>

namespace ts = tactus;

void refused(const ts::clock& c, const ts::phaser& ph) {
  ts::async_at(ts::place_flexible, ts::clocked(c), [] {});
  ts::async_at(ts::place_flexible, ts::phased(ph), [] {});
  ts::async_at(ts::place_flexible(ts::place(1)), ts::phased_all, [] {});
  ts::async_at(ts::place_flexible, ts::affinity(1), [] {});
  ts::async_at(ts::place_flexible, ts::batched, [] {});
  ts::async_at(ts::place_flexible, ts::spawn_policy::work_first, [] {});
  static_cast<void>(ts::place_flexible.named("a").named("b"));
  static_cast<void>(ts::place_flexible.sensitive().sensitive());
  static_cast<void>(ts::place_flexible.then([] {}).then([] {}));
  static_cast<void>(ts::place_flexible.carrying(3));
  ts::async_at(ts::place_flexible.then([](std::string) {}), [] { return 3; });
  ts::async_at(ts::place_flexible.then([](std::string) {}), [] {});
  int object = 0;
  ts::async_at(ts::place_flexible.carrying(ts::global_ref<int>(object)), [](std::string) {});
  static_cast<void>(ts::at_future(ts::place_flexible.carrying(ts::global_ref<int>(object)), [] { return 3; }));
  ts::async_at(ts::place_flexible, [](int) {}, std::string());
  const std::string text;
  ts::async_at(ts::place_flexible.then([text] { static_cast<void>(text); }), [] {});
}
