// SPDX-License-Identifier: Apache-2.0
#include "placement/uts_places/tactus_search.hpp"

namespace {

class tactus_uts_places {
public:
  tactus_uts_places(const bench::options& o, bench::uts_places_problem& p) : problem_(p), search_(o, p) {}
  void pass() { problem_.sent(search_.pass()); }

private:
  bench::uts_places_problem& problem_;
  bench::tactus_search search_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::uts_places_problem, tactus_uts_places>(argc, argv, "uts_places", "tactus");
}
