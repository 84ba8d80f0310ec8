// SPDX-License-Identifier: Apache-2.0
// Teams: places that wait for each other, hand values round and combine them.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

// The inner product of two vectors of which each place has a share: what each has computed is combined, and all know the sum.
//! [allreduce]
double inner_product(ts::team t, const std::vector<double>& a, const std::vector<double>& b) {
  return t.allreduce(std::inner_product(a.begin(), a.end(), b.begin(), 0.0), ts::op::sum);
}
//! [allreduce]

void at_each_place() {
  //! [team]
  const ts::team all = ts::team::world();  // the same at every place; one task at each calls what follows
  const double step = all.broadcast(all.rank() == 0 ? 0.5 : 0.0, 0);
  all.barrier();                                               // nobody goes on before all are here
  const ts::team row = all.split(all.rank() / 2, all.rank());  // two places each
  const int largest = row.allreduce(all.rank(), ts::op::max);
  //! [team]

  const std::vector<double> share(1000, step);
  const double product = inner_product(all, share, share);

  //! [split]
  auto sum = all.allreduce_async(std::vector<long>{1, all.rank()}, ts::op::sum);
  const double meanwhile = std::accumulate(share.begin(), share.end(), 0.0);  // while the values are on their way
  const std::vector<long>& sums = sum.get();
  //! [split]

  const std::vector<int> rows = all.gather(largest, 0);
  if (all.rank() == 0) {
    std::printf("%d places, rows up to", all.size());
    for (const int r : rows) {
      std::printf(" %d", r);
    }
    std::printf("; product %.0f, sums %ld %ld, meanwhile %.0f\n", product, sums[0], sums[1], meanwhile);
  }
}

}  // namespace

int main() {
  return ts::run(ts::config{.places = 4}, [] {
    ts::at_each(ts::places(), [] { at_each_place(); });
    return 0;
  });
}

// Prints: 4 places, rows up to 1 1 3 3; product 1000, sums 4 6, meanwhile 500
