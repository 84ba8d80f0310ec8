// SPDX-License-Identifier: Apache-2.0
#include <cereal/archives/binary.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <istream>
#include <ostream>
#include <vector>

#include "places/serialise/memory_stream.hpp"
#include "places/serialise/serialise.hpp"

namespace bench {

template <class Archive>
void serialize(Archive& archive, three_numbers& x) {
  archive(x.a, x.b, x.c);
}
template <class Archive>
void serialize(Archive& archive, mixed_record& x) {
  archive(x.name, x.values, x.marks);
}

}  // namespace bench

namespace {

class cereal_binary {
public:
  cereal_binary(const bench::options&, bench::serialise_problem& p) : problem_(p), memory_(bench::k_memory_bytes) {}

  void pass() {
    problem_.send_all([this]<class T>(const T& x) {
      bench::memory_stream memory(memory_);
      std::ostream out(&memory);
      cereal::BinaryOutputArchive{out}(x);
      memory.turn_round();
      std::istream in(&memory);
      T back;
      cereal::BinaryInputArchive{in}(back);
      return back;
    });
  }

private:
  bench::serialise_problem& problem_;
  std::vector<char> memory_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::serialise_problem, cereal_binary>(argc, argv, "serialise", "cereal");
}
