// SPDX-License-Identifier: Apache-2.0
// The buffer and the zone of unpacked values are kept from object to object.
#include <msgpack.hpp>

#include "places/serialise/serialise.hpp"

namespace msgpack {
MSGPACK_API_VERSION_NAMESPACE(MSGPACK_DEFAULT_API_NS) {
  namespace adaptor {

  template <>
  struct pack<bench::three_numbers> {
    template <class Stream>
    packer<Stream>& operator()(packer<Stream>& out, const bench::three_numbers& x) const {
      return out.pack_array(3).pack(x.a).pack(x.b).pack(x.c);
    }
  };
  template <>
  struct convert<bench::three_numbers> {
    const msgpack::object& operator()(const msgpack::object& from, bench::three_numbers& x) const {
      const msgpack::object* const fields = from.via.array.ptr;
      x = {fields[0].as<std::int64_t>(), fields[1].as<double>(), fields[2].as<std::int64_t>()};
      return from;
    }
  };
  template <>
  struct pack<bench::mixed_record> {
    template <class Stream>
    packer<Stream>& operator()(packer<Stream>& out, const bench::mixed_record& x) const {
      return out.pack_array(3).pack(x.name).pack(x.values).pack(x.marks);
    }
  };
  template <>
  struct convert<bench::mixed_record> {
    const msgpack::object& operator()(const msgpack::object& from, bench::mixed_record& x) const {
      const msgpack::object* const fields = from.via.array.ptr;
      fields[0].convert(x.name);
      fields[1].convert(x.values);
      fields[2].convert(x.marks);
      return from;
    }
  };

  }  // namespace adaptor
}
}  // namespace msgpack

namespace {

class msgpack_cxx {
public:
  msgpack_cxx(const bench::options&, bench::serialise_problem& p) : problem_(p) {}

  void pass() {
    problem_.send_all([this]<class T>(const T& x) {
      buffer_.clear();
      msgpack::pack(buffer_, x);
      zone_.clear();
      T back;
      msgpack::unpack(zone_, buffer_.data(), buffer_.size()).convert(back);
      return back;
    });
  }

private:
  bench::serialise_problem& problem_;
  msgpack::sbuffer buffer_;
  msgpack::zone zone_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::serialise_problem, msgpack_cxx>(argc, argv, "serialise", "msgpack");
}
