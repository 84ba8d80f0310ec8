// SPDX-License-Identifier: Apache-2.0
#include "support/tactus_batched.hpp"
#include "support/tactus_pool.hpp"
#include "tasks/flat/flat.hpp"

namespace ts = tactus;

namespace {

using bench::tasks;

class tactus_flat {
public:
  tactus_flat(const bench::options& o, bench::flat_problem& p) : pool_(o), tasks_(bench::tasks_of(o)), problem_(p) {}
  void pass() {
    pool_.run([this] {
      ts::finish([this] { tasks_ == tasks::batched ? spawn_all<tasks::batched>() : spawn_all<tasks::single>(); });
    });
  }

private:
  template <tasks Kind>
  void spawn_all() {
    for (std::uint64_t i = 0; i < problem_.size(); ++i) bench::spawn<Kind>([this, i] { problem_.set(i); });
  }

  bench::tactus_pool pool_;
  tasks tasks_;
  bench::flat_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::flat_problem, tactus_flat>(argc, argv, "flat", "tactus");
}
