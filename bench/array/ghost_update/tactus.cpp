// SPDX-License-Identifier: Apache-2.0
#include "array/ghost_update/tactus_ghosts.hpp"

namespace {

class tactus_ghost_update {
public:
  tactus_ghost_update(const bench::options& o, bench::ghost_update_problem& p)
      : problem_(p),
        ghosts_(p.setting(), bench::ghost_form_of(p), bench::steps_taking(o.body_ns)),
        runtime_(bench::config_of_places(o, o.threads)) {
    runtime_.run([] {});
  }

  void pass() {
    const std::uint64_t wrong = runtime_.run([this] { return ghosts_.pass(problem_.next_pass()); });
    problem_.done(wrong, bench::g_ghosts_took);
  }

private:
  bench::ghost_update_problem& problem_;
  bench::tactus_ghosts ghosts_;
  tactus::runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::ghost_update_problem, tactus_ghost_update>(argc, argv, "ghost_update", "tactus");
}
