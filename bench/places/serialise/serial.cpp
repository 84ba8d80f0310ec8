// SPDX-License-Identifier: Apache-2.0
// No bytes: the object is copied, and the copy is copied. The floor for what makes an object of another one by memory of its own.
#include "places/serialise/serialise.hpp"

namespace {

class copies {
public:
  copies(const bench::options&, bench::serialise_problem& p) : problem_(p) {}

  void pass() {
    problem_.send_all([]<class T>(const T& x) {
      T there = x;
      return T(there);
    });
  }

private:
  bench::serialise_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::serialise_problem, copies>(argc, argv, "serialise", "serial");
}
