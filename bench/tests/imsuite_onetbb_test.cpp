// SPDX-License-Identifier: Apache-2.0
// The oneTBB side of imsuite computes what the others compute.
#include <gtest/gtest.h>

#include "support/onetbb_pool.hpp"
#include "tests/imsuite_engines.hpp"
#include "x10/imsuite/engines/onetbb.hpp"

namespace bench::imsuite {
namespace {

TEST(imsuite_onetbb, keeps_the_interface) {
  onetbb_pool(2).run([] {
    onetbb_engine engine;
    keeps_the_interface(engine);
  });
}

TEST(imsuite_onetbb, solves_rings_and_trees) {
  onetbb_pool(2).run([] {
    onetbb_engine engine;
    solves_rings_and_trees(engine);
  });
}

TEST(imsuite_onetbb, solves_graphs) {
  onetbb_pool(2).run([] {
    onetbb_engine engine;
    solves_graphs(engine);
  });
}

}  // namespace
}  // namespace bench::imsuite
