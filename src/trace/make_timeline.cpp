// SPDX-License-Identifier: Apache-2.0
#include "trace/make_timeline.hpp"

#include <tactus/base/error.hpp>

#include "scheduler/run_control.hpp"
#include "trace/gathering.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

std::vector<int> places_by_worker(const run_control& r) {
  std::vector<int> places;
  for (const worker* const w : r.workers()) {
    places.push_back(w->place);
  }
  return places;
}

// The first process has the file. Whether it can be written the others hear before they go on.
std::unique_ptr<timeline> make_timeline_of_job(const run_control& r) {
  const int here = r.home().place();
  const std::size_t workers = r.workers().size();
  auto processes = std::make_unique<timeline_gathering>(*r.processes(), here, r.options().places);
  std::unique_ptr<timeline> made;
  if (here == 0) {
    try {
      made =
          std::make_unique<timeline>(r.options().trace, places_by_worker(r), timeline_process{timeline_role::first, 0});
    } catch (const config_error& why) {
      processes->let_in(workers, why.what());
      throw;
    }
    processes->let_in(workers, {});
  } else {
    const timeline_process as{timeline_role::other, processes->enter(workers)};
    made = std::make_unique<timeline>(r.options().trace, places_by_worker(r), as);
  }
  processes->compare_clocks();
  made->gather_by(std::move(processes));
  return made;
}

}  // namespace

std::unique_ptr<timeline> make_timeline(const run_control& r) {
  const bool is_of_job = r.processes() != nullptr && !r.options().trace.empty();
  return is_of_job ? make_timeline_of_job(r) : std::make_unique<timeline>(r.options().trace, places_by_worker(r));
}

}  // namespace tactus::detail
