// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include "x10/imsuite/engines/async_finish.hpp"
#include "x10/imsuite/engines/clocked.hpp"
#include "x10/imsuite/engines/lockstep.hpp"
#include "x10/imsuite/engines/serial.hpp"
#include "x10/imsuite/generate.hpp"
#include "x10/imsuite/lcr.hpp"
#include "x10/xrx/engine.hpp"

#include <tactus/tactus.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace lock_step {
namespace {

namespace imsuite = bench::imsuite;
namespace xrx = bench::xrx;

constexpr double k_enough_seconds = 2;
constexpr double k_short_seconds = 0.005;  // a repetition takes at least so long, in several elections if need be

/// A form with what it has taken so far.
struct contestant {
  contestant(std::string what, std::function<void()> how, std::function<std::uint64_t()> threads_made)
      : name(std::move(what)), elect(std::move(how)), threads(std::move(threads_made)) {}

  std::string name;
  std::function<void()> elect;
  std::function<std::uint64_t()> threads;
  std::vector<double> seconds;
  double spent = 0;
  std::string why_stopped;
};

// One repetition: the mean of as many elections as make a measurable time, each verified outside of it.
void repeat(contestant& c, imsuite::lcr_state& state) {
  using steady = std::chrono::steady_clock;
  double seconds = 0;
  int passes = 0;
  do {
    state.reset();
    const auto start = steady::now();
    try {
      c.elect();
    } catch (const xrx::stopped& e) {
      c.why_stopped = e.what();
      return;
    }
    seconds += std::chrono::duration<double>(steady::now() - start).count();
    ++passes;
    imsuite::verify_lcr(state);
  } while (seconds < k_short_seconds);
  c.spent += seconds;
  c.seconds.push_back(seconds / passes);
}

double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

// The model, as one of the paper's runtimes.
class model {
public:
  model(int threads, xrx::scheme how, double cap_seconds, imsuite::lcr_state& state)
      : pool_(threads, how), cap_seconds_(cap_seconds), state_(state) {}

  void elect() {
    pool_.run([this] { imsuite::run_lcr(engine_, state_); }, cap_seconds_);
  }
  [[nodiscard]] std::uint64_t threads() const { return pool_.counted().threads; }

private:
  xrx::pool pool_;
  xrx::engine engine_;
  double cap_seconds_;
  imsuite::lcr_state& state_;
};

}  // namespace

table measure(const settings& s) {
  imsuite::lcr_state state(imsuite::generate<imsuite::lcr_input>({imsuite::family::ring, s.nodes, s.seed}));

  imsuite::serial_engine serial;
  imsuite::lockstep_engine lockstep;
  imsuite::clocked_engine clocked(imsuite::waiting::automatic);
  imsuite::async_finish_engine async_finish;
  tactus::runtime tasks(tactus::config{.threads = s.threads, .env = false});
  const int workers = tasks.run([] { return tactus::num_workers(); });
  model uclocks(workers, xrx::scheme::uclocks, s.cap_seconds, state);
  model baseline(workers, xrx::scheme::baseline, s.cap_seconds, state);

  const auto by_tasks = [&](const char* name, auto& engine) {
    return contestant(
        name, [&] { tasks.run([&] { imsuite::run_lcr(engine, state); }); },
        [workers] { return static_cast<std::uint64_t>(workers); });
  };
  const auto by_model = [](const char* name, model& m) {
    return contestant(name, [&m] { m.elect(); }, [&m] { return m.threads(); });
  };
  std::vector<contestant> all;
  all.emplace_back("a loop, no tasks", [&] { imsuite::run_lcr(serial, state); }, [] { return std::uint64_t{1}; });
  all.push_back(by_tasks("Tactus lockstep", lockstep));
  all.push_back(by_tasks(k_clock, clocked));
  all.push_back(by_tasks("Tactus async_finish", async_finish));
  all.push_back(by_model("X10 model, uClocks", uclocks));
  all.push_back(by_model("X10 model, baseline", baseline));

  for (int rep = 0; rep < s.reps; ++rep) {
    for (contestant& c : all) {
      if (c.why_stopped.empty() && c.spent < k_enough_seconds) {
        repeat(c, state);
      }
    }
  }
  table result{.threads = workers, .rows = {}};
  for (const contestant& c : all) {
    measurement m{.form = c.name, .threads = c.threads(), .median_seconds = {}, .why_stopped = c.why_stopped};
    if (c.why_stopped.empty()) {
      m.median_seconds = median(c.seconds);
    }
    result.rows.push_back(std::move(m));
  }
  return result;
}

}  // namespace lock_step
