// SPDX-License-Identifier: Apache-2.0
// How a run ends where a rank cannot make anything of its end: `endings WHAT` ends with status 0 at each rank where that is told.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <stdexcept>
#include <string_view>

namespace {
namespace ts = tactus;

// Reads more than it has written.
struct unreadable_error : std::runtime_error {
  unreadable_error() : std::runtime_error("unreadable") {}

  template <class Archive>
  void serialize(Archive& archive) {
    archive & code;
    if constexpr (Archive::loading) {
      int more = 0;
      archive & more;
    }
  }

  int code = 5;
};
const ts::register_exception<unreadable_error> k_unreadable;

// Rank 0 throws what has escaped, the others that it cannot be read; and all of them go on with the next run.
int exception_that_cannot_be_read() {
  ts::runtime rt;
  bool has_thrown = false;
  try {
    rt.run([] { throw unreadable_error(); });
  } catch (const ts::error& /*e*/) {
    has_thrown = true;
  }
  const int places = rt.run([] { return ts::num_places(); });
  if (!has_thrown) {
    std::fprintf(stderr, "endings: a rank of %d returned as if nothing had been thrown\n", places);
  }
  return has_thrown ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "unreadable") {
    return exception_that_cannot_be_read();
  }
  std::fprintf(stderr, "endings: unreadable, not '%s'\n", argc > 1 ? argv[1] : "");
  return 2;
}
