// SPDX-License-Identifier: Apache-2.0
#include "resources/stack_limit/stack_limit.hpp"

#include "support/resident.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_stack_limit {
public:
  tactus_stack_limit(const bench::options& o, bench::stack_limit_problem& p)
      : config_(bench::config_of(o)), problem_(p) {}

  void pass() {
    problem_.search([this](bench::spanning_problem& graph) { return completes(graph); });
  }

private:
  [[nodiscard]] bool completes(bench::spanning_problem& graph) const {
    ts::config c = config_;
    c.memory_bytes = bench::resident_bytes() + problem_.limit_bytes;
    ts::runtime rt(c);
    try {
      rt.run([&graph] { compute(graph, bench::spanning_problem::k_root); });
      return true;
    } catch (const ts::resource_error&) {
      return false;
    } catch (const ts::multiple_exceptions& all) {
      for (const std::exception_ptr& one : all.flattened()) rethrow_unless_limit(one);
      return false;
    }
  }

  static void rethrow_unless_limit(const std::exception_ptr& one) {
    try {
      std::rethrow_exception(one);
    } catch (const ts::resource_error&) {
      return;
    }
  }

  static void compute(bench::spanning_problem& graph, bench::vertex u) {
    for (const bench::vertex v : graph.neighbours(u)) {
      if (graph.label(v, u)) ts::async([&graph, v] { compute(graph, v); });
    }
  }

  ts::config config_;
  bench::stack_limit_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::stack_limit_problem, tactus_stack_limit>(argc, argv, "stack_limit", "tactus");
}
