// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <tactus/place/travels.hpp>
#include <vector>

#include "places/serialise/serialise.hpp"

namespace {

class tactus_pack {
public:
  tactus_pack(const bench::options&, bench::serialise_problem& p) : problem_(p) {}

  void pass() {
    problem_.send_all([this]<class T>(const T& x) {
      const std::size_t n = tactus::detail::packed_bytes(x);
      if (buffer_.size() < n) buffer_.resize(n);
      tactus::detail::pack(buffer_.data(), n, x);
      tactus::detail::reader<tactus::detail::byte_order::same> in({buffer_.data(), n}, 0);
      return tactus::detail::unpack<T>(in);
    });
  }

private:
  bench::serialise_problem& problem_;
  std::vector<std::byte> buffer_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::serialise_problem, tactus_pack>(argc, argv, "serialise", "tactus");
}
