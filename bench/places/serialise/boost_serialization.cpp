// SPDX-License-Identifier: Apache-2.0
// On a streambuf, without the header and without tracking, which objects that nobody points to do not need.
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/tracking.hpp>
#include <boost/serialization/vector.hpp>
#include <vector>

#include "places/serialise/memory_stream.hpp"
#include "places/serialise/serialise.hpp"

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, bench::three_numbers& x, unsigned) {
  archive & x.a & x.b & x.c;
}
template <class Archive>
void serialize(Archive& archive, bench::mixed_record& x, unsigned) {
  archive & x.name & x.values & x.marks;
}

}  // namespace boost::serialization

BOOST_CLASS_IMPLEMENTATION(bench::three_numbers, boost::serialization::object_serializable)
BOOST_CLASS_TRACKING(bench::three_numbers, boost::serialization::track_never)
BOOST_CLASS_IMPLEMENTATION(bench::mixed_record, boost::serialization::object_serializable)
BOOST_CLASS_TRACKING(bench::mixed_record, boost::serialization::track_never)

namespace {

class boost_binary {
public:
  boost_binary(const bench::options&, bench::serialise_problem& p) : problem_(p), memory_(bench::k_memory_bytes) {}

  void pass() {
    problem_.send_all([this]<class T>(const T& x) {
      bench::memory_stream memory(memory_);
      boost::archive::binary_oarchive(memory, boost::archive::no_header) << x;
      memory.turn_round();
      T back;
      boost::archive::binary_iarchive(memory, boost::archive::no_header) >> back;
      return back;
    });
  }

private:
  bench::serialise_problem& problem_;
  std::vector<char> memory_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::serialise_problem, boost_binary>(argc, argv, "serialise", "boost_serialization");
}
