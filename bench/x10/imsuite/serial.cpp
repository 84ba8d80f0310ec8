// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/engines/serial.hpp"

#include "x10/imsuite/problem.hpp"

namespace {

class serial {
public:
  serial(const bench::options& /*o*/, bench::imsuite::imsuite_problem& p) : problem_(p) {}
  void pass() {
    bench::imsuite::serial_engine engine;
    problem_.run(engine);
  }

private:
  bench::imsuite::imsuite_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::imsuite::imsuite_problem, serial>(argc, argv, "imsuite", "serial");
}
