// SPDX-License-Identifier: Apache-2.0
// The kernels in their original clocked form on the model of X10's runtime, under the scheme that --scheme names.
#include <chrono>

#include "support/xrx_pool.hpp"
#include "x10/imsuite/problem.hpp"
#include "x10/xrx/engine.hpp"

namespace {

/// Where the program puts what the model counted in the last pass: the problem reports it with the rest.
class xrx_problem : public bench::imsuite::imsuite_problem {
public:
  using imsuite_problem::imsuite_problem;

  void report(nlohmann::json& line) const {
    imsuite_problem::report(line);
    pool->report(line);
  }

  bench::xrx_pool* pool = nullptr;
};

class xrx_imsuite {
public:
  xrx_imsuite(const bench::options& o, xrx_problem& p)
      : pool_(o),
        problem_(p),
        engine_(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double, std::micro>(o.send_us))) {
    p.pool = &pool_;
  }

  void pass() {
    pool_.run([this] { problem_.run(engine_); });
  }

private:
  bench::xrx_pool pool_;
  xrx_problem& problem_;
  bench::xrx::engine engine_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<xrx_problem, xrx_imsuite>(argc, argv, "imsuite", "xrx"); }
