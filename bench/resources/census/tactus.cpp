// SPDX-License-Identifier: Apache-2.0
#include "resources/census/census.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_census {
public:
  tactus_census(const bench::options& o, bench::census_problem& p) : pool_(o), problem_(p) {}

  void pass() {
    pool_.run([this] {
      problem_.nothing_created();
      ts::promise<void> gate;
      const ts::future<void> open = gate.get_future();
      ts::finish([this, &gate, &open] {
        for (std::uint64_t i = 0; i < problem_.size(); ++i) {
          ts::async([this, open, i] {
            problem_.starts();
            open.get();
            problem_.set(i);
          });
        }
        while (!problem_.all_started()) ts::yield();
        problem_.all_suspended();
        gate.set_value();
      });
    });
  }

private:
  bench::tactus_pool pool_;
  bench::census_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::census_problem, tactus_census>(argc, argv, "census", "tactus");
}
