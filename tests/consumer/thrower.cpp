// SPDX-License-Identifier: Apache-2.0
// A shared library that uses Tactus and hides all but one function.
#include <tactus/tactus.hpp>

__attribute__((visibility("default"))) void misuse_tactus(int how);
void misuse_tactus(int how) {
  switch (how) {
    case 0: static_cast<void>(tactus::worker_id()); return;  // outside a task
    case 1: throw tactus::usage_error("a library's own");
    default: tactus::run([] { tactus::async([] { throw tactus::phaser_use_error("a task's own"); }); });
  }
}
