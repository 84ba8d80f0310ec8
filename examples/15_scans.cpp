// SPDX-License-Identifier: Apache-2.0
// Scans: what those before a task have sent tells it where its own part begins.
#include <tactus/tactus.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace ts = tactus;

constexpr std::size_t k_blocks = 10;

bool is_kept(int x) { return x % 7 < 3; }

std::vector<int> packed(std::span<const int> all) {
  std::vector<int> out;
  ts::finish([&] {
    const ts::phaser ph(ts::phaser_mode::signal_wait_next);
    const ts::accumulator<std::ptrdiff_t> kept(ph, ts::op::sum);
    const std::size_t size = all.size() / k_blocks;
    for (std::size_t b = 0; b < k_blocks; ++b) {
      //! [scan]
      ts::async(ts::phased(ph), [&out, ph, kept, block = all.subspan(b * size, size)] {
        kept.send(std::ranges::count_if(block, is_kept));
        ph.next_single([&] { out.resize(static_cast<std::size_t>(kept.result())); });
        std::ranges::copy_if(block, out.begin() + kept.scan(), is_kept);  // behind those of the blocks before
      });
      //! [scan]
    }
  });
  return out;
}

constexpr std::array k_payments = {100, -30, 50, -70, 25};

std::array<int, k_payments.size()> balances() {
  std::array<int, k_payments.size()> balance{};
  ts::finish([&] {
    const ts::phaser ph;
    const ts::accumulator<int> paid(ph, ts::op::sum);
    for (std::size_t day = 0; day < k_payments.size(); ++day) {
      ts::async(ts::phased(ph), [&balance, ph, paid, day] {
        paid.send(k_payments[day]);
        ph.next();
        balance[day] = paid.scan_inclusive();
      });
    }
  });
  return balance;
}

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    std::vector<int> all(1000), expected;
    std::iota(all.begin(), all.end(), 1);
    std::ranges::copy_if(all, std::back_inserter(expected), is_kept);
    const std::vector<int> out = packed(all);
    std::printf("%zu of %zu, the same as one by one: %s\n", out.size(), all.size(), out == expected ? "yes" : "no");
    for (const int b : balances()) std::printf("%d ", b);
    std::printf("on the account\n");
  });
}

// Prints: 428 of 1000, the same as one by one: yes
// Prints: 100 70 120 50 75 on the account
