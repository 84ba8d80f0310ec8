// SPDX-License-Identifier: Apache-2.0
#include "places/messages/messages.hpp"

#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

using form = bench::messages_problem::form;

// The problem lies where both places can reach it; its address goes along as a number.
void arrives(std::uintptr_t problem, std::uint64_t number) {
  reinterpret_cast<bench::messages_problem*>(problem)->arrives(number);
}

class tactus_messages {
public:
  tactus_messages(const bench::options& o, bench::messages_problem& p)
      : runtime_(bench::config_of_places(o, 2)), problem_(p) {
    runtime_.run([] {});
  }

  void pass() {
    runtime_.run([this] {
      const auto p = reinterpret_cast<std::uintptr_t>(&problem_);
      const ts::place there(1);
      switch (problem_.what()) {
        case form::at:
          for (std::uint64_t i = 0; i < problem_.size(); ++i) {
            problem_.arrives(ts::at(there, [](std::uint64_t n) { return n + 1; }, i) - 1);
          }
          break;
        case form::finish:
          for (std::uint64_t i = 0; i < problem_.size(); ++i) ts::finish([&] { ts::async_at(there, arrives, p, i); });
          break;
        case form::one_way:
          ts::finish([&] {
            for (std::uint64_t i = 0; i < problem_.size(); ++i) {
              ts::async_at(there, [p](std::uint64_t number) { arrives(p, number); }, i);
            }
          });
          break;
      }
    });
  }

private:
  ts::runtime runtime_;
  bench::messages_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::messages_problem, tactus_messages>(argc, argv, "messages", "tactus");
}
