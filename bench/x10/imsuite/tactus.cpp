// SPDX-License-Identifier: Apache-2.0
// The forms of a kernel that Tactus offers: --form clocked, async_finish or lockstep; --wait says how clocked tasks wait.
#include "support/tactus_pool.hpp"
#include "x10/imsuite/engines/async_finish.hpp"
#include "x10/imsuite/engines/clocked.hpp"
#include "x10/imsuite/engines/lockstep.hpp"
#include "x10/imsuite/problem.hpp"

namespace {

using bench::imsuite::waiting;

waiting waiting_named(const std::string& name) {
  if (name == "own") return waiting::own;
  if (name == "eager") return waiting::eager;
  if (name == "lazy") return waiting::lazy;
  if (name == "automatic") return waiting::automatic;
  throw std::invalid_argument("imsuite: --wait is own, eager, lazy or automatic, not '" + name + "'");
}

class tactus_imsuite {
public:
  tactus_imsuite(const bench::options& o, bench::imsuite::imsuite_problem& p)
      : pool_(o), problem_(p), form_(form_named(o.form)), clocked_(waiting_named(o.wait)) {}

  void pass() {
    pool_.run([this] {
      switch (form_) {
        case form::clocked: problem_.run(clocked_); break;
        case form::async_finish: problem_.run(async_finish_); break;
        case form::lockstep: problem_.run(lockstep_); break;
      }
    });
  }

private:
  enum class form { clocked, async_finish, lockstep };

  static form form_named(const std::string& name) {
    if (name == "clocked") return form::clocked;
    if (name == "async_finish") return form::async_finish;
    if (name == "lockstep") return form::lockstep;
    throw std::invalid_argument("imsuite: --form is clocked, async_finish or lockstep, not '" + name + "'");
  }

  bench::tactus_pool pool_;
  bench::imsuite::imsuite_problem& problem_;
  form form_;
  bench::imsuite::clocked_engine clocked_;
  bench::imsuite::async_finish_engine async_finish_;
  bench::imsuite::lockstep_engine lockstep_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::imsuite::imsuite_problem, tactus_imsuite>(argc, argv, "imsuite", "tactus");
}
