// SPDX-License-Identifier: Apache-2.0
// Two tasks: on a bounded phaser with a ring of their own, or on a stream.
#include <cstddef>
#include <vector>

#include "support/tactus_pool.hpp"
#include "sync/producer_consumer/producer_consumer.hpp"

namespace ts = tactus;

namespace {

class tactus_queue {
public:
  tactus_queue(const bench::options& o, bench::producer_consumer_problem& p)
      : pool_(o), problem_(p), ring_(static_cast<std::size_t>(p.bound()) + 2) {}

  void pass() {
    pool_.run([this] { problem_.shape() == "stream" ? through_stream() : through_phaser(); });
  }

private:
  void through_phaser() {
    ts::finish([this] {
      const ts::phaser ph(ts::phaser_mode::signal_wait, ts::bound{problem_.bound()});
      ts::async(ts::phased(ph.as(ts::phaser_mode::signal_only)), [this, ph] {
        for (std::uint64_t i = 0; i < problem_.size(); ++i) {
          ring_[i % ring_.size()] = i;
          ph.signal();
        }
      });
      ts::async(ts::phased(ph.as(ts::phaser_mode::wait_only)), [this, ph] {
        for (std::uint64_t i = 0; i < problem_.size(); ++i) {
          ph.wait();
          problem_.consume(ring_[i % ring_.size()]);
        }
      });
      ph.drop();
    });
  }

  void through_stream() {
    ts::finish([this] {
      const ts::stream<std::uint64_t> s(ts::bound{problem_.bound()});
      ts::async([this, in = s.in()] {
        for (std::uint64_t i = 0; i < problem_.size(); ++i) in.push(i);
        in.close();
      });
      ts::async([this, out = s.out()] {
        while (const auto item = out.pop()) problem_.consume(*item);
      });
    });
  }

  bench::tactus_pool pool_;
  bench::producer_consumer_problem& problem_;
  std::vector<std::uint64_t> ring_;  // one place is being written, one is being read
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::producer_consumer_problem, tactus_queue>(argc, argv, "producer_consumer", "tactus");
}
