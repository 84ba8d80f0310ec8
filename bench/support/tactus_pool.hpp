// SPDX-License-Identifier: Apache-2.0
// A Tactus runtime as the command line asks for it; its limits are the library's defaults.
#pragma once

#include <exception>
#include <string>
#include <tactus/tactus.hpp>

#include "support/program.hpp"

namespace bench {

inline tactus::config config_of(const options& o) {
  tactus::config c;
  c.threads = o.threads;
  c.env = false;
  if (o.policy == "work_first") c.policy = tactus::spawn_policy::work_first;
  if (o.policy == "help_first") c.policy = tactus::spawn_policy::help_first;
  if (o.policy == "work_sharing") c.policy = tactus::spawn_policy::work_sharing;
  return c;
}

inline tactus::placement_policy placement_named(const std::string& name) {
  using enum tactus::placement_policy;
  if (name == "work_dealing") return work_dealing;
  if (name == "eager_dealing") return eager_dealing;
  if (name == "lifeline") return lifeline;
  if (name == "hybrid") return hybrid;
  if (name == "random_stealing") return random_stealing;
  if (name == "sender_threshold") return sender_threshold;
  if (name == "proportional") return proportional;
  return none;
}

/// The same over so many places of one worker.
inline tactus::config config_of_places(const options& o, int places) {
  tactus::config c = config_of(o);
  c.threads = 1;
  c.places = places;
  c.placement = placement_named(o.placement);
  return c;
}

class tactus_pool {
public:
  explicit tactus_pool(const options& o) : runtime_(config_of(o)) {
    runtime_.run([] {});  // the workers exist before the clock starts
  }

  /// A limit that the library reached and named becomes refused; every other exception passes.
  template <class Body>
  void run(Body&& body) {
    try {
      runtime_.run(static_cast<Body&&>(body));
    } catch (const tactus::resource_error& e) {
      throw refused(e.what());
    } catch (const tactus::multiple_exceptions& all) {
      for (const std::exception_ptr& one : all.flattened()) rethrow_refused(one);
      throw;
    }
  }

private:
  static void rethrow_refused(const std::exception_ptr& one) {
    try {
      std::rethrow_exception(one);
    } catch (const tactus::resource_error& e) {
      throw refused(e.what());
    } catch (...) {
      return;  // not a limit: the caller throws the whole collection
    }
  }

  tactus::runtime runtime_;
};

}  // namespace bench
