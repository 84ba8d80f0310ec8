// SPDX-License-Identifier: Apache-2.0
// A network between the places of this process whose time is virtual: a message arrives when nothing can happen before it. What places
// compute takes no time, so what is left is the traffic of the protocols, and each run of a program has the same. docs/scale.md.
#pragma once

#include "place/engine.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace scale {

/// What a message costs, in units of virtual time.
struct costs {
  std::int64_t latency = 1;  ///< on its way; at least 1
  std::int64_t send = 0;     ///< of its sender's time
  std::int64_t receive = 0;  ///< of its receiver's
};

/// Which messages are counted. Places that fall idle tell so, as the verdict needs it; how often depends on time, since real places
/// search before they sleep.
enum class subject : std::uint8_t {
  operations,  ///< all but what idle places tell, which takes nobody's time either
  verdict,     ///< what idle places tell until the round before the verdict begins, and that; the others take time, too
};

/// What has happened by now.
struct traffic {
  std::uint64_t messages = 0;             ///< sent; those that are counted, as the others here
  std::vector<std::int64_t> clocks;       ///< of each place: when it has sent or taken its last
  std::vector<std::uint64_t> of_a_place;  ///< sent and taken
};

class virtual_network final : public tactus::detail::engine {
public:
  /// One worker for each place.
  virtual_network(tactus::detail::run_control& run, const costs& c, subject what);

  /// That of the runtime that was made last.
  [[nodiscard]] static virtual_network& last() noexcept { return *g_last; }

  /// Before a run: waits until all places but the first, whose worker is the calling thread, have fallen asleep and told so. That counts
  /// for nothing.
  void wait_for_idle_places();

  [[nodiscard]] traffic so_far();

  /// By a task of that place.
  [[nodiscard]] std::int64_t clock_of(int place);

  void start() override;
  void send(int from, int to, tactus::detail::queued_task* m) noexcept override;
  void stop() noexcept override;

private:
  struct on_its_way {
    tactus::detail::queued_task* message;
    int to;
    bool takes_time;
    bool is_counted;
  };

  void carry();
  void wait_for_rest(std::unique_lock<std::mutex>& hold);
  [[nodiscard]] std::vector<on_its_way> take_next();

  inline static virtual_network* g_last = nullptr;

  tactus::detail::run_control& run_;
  const std::size_t places_;
  const costs costs_;
  const subject what_;

  std::mutex mutex_;  // protects what follows
  std::condition_variable something_;
  std::multimap<std::int64_t, on_its_way> under_way_;  // by the time they arrive, then in the order they were sent
  std::vector<std::int64_t> clocks_;
  std::vector<std::uint64_t> of_a_place_;
  std::uint64_t messages_ = 0;
  bool round_has_begun_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> numbered_;  // control messages, by pair
  std::vector<int> maybe_active_;  // places that have sent or got something since all were at rest
  bool ends_ = false;
  std::thread thread_;
};

/// While it lives, runtimes that are made have such a network.
class networks_in_use {
public:
  networks_in_use(const costs& c, subject what);
  ~networks_in_use();
  networks_in_use(const networks_in_use&) = delete;
  networks_in_use& operator=(const networks_in_use&) = delete;
};

}  // namespace scale
