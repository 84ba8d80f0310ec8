// SPDX-License-Identifier: Apache-2.0
// Places of one process whose messages go as bytes, and, with the shape swapped, of which those with odd numbers write them in the other
// order, as machines of another kind do.
#include "array/ghost_update/tactus_ghosts.hpp"
#include "place/engine.hpp"

namespace {

class tactus_ghost_update {
public:
  tactus_ghost_update(const bench::options& o, bench::ghost_update_problem& p)
      : problem_(p),
        ghosts_(p.setting(), bench::ghost_form_of(p), bench::steps_taking(o.body_ns)),
        runtime_(config(o)) {
    runtime_.run([] {});
  }

  void pass() {
    const std::uint64_t wrong = runtime_.run([this] { return ghosts_.pass(problem_.next_pass()); });
    problem_.done(wrong, bench::g_ghosts_took);
  }

private:
  static tactus::config config(const bench::options& o) {
    if (o.shape != "equal" && o.shape != "swapped") {
      throw std::invalid_argument("ghost_update: --shape is equal or swapped, not '" + o.shape + "'");
    }
    tactus::detail::let_odd_places_play_swapped(o.shape == "swapped");
    tactus::config c = bench::config_of_places(o, o.threads);
    c.local_copy = tactus::copying::serialize;
    return c;
  }

  bench::ghost_update_problem& problem_;
  bench::tactus_ghosts ghosts_;
  tactus::runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::ghost_update_problem, tactus_ghost_update>(argc, argv, "ghost_update", "tactus_bytes");
}
