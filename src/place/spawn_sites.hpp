// SPDX-License-Identifier: Apache-2.0
// The sites of spawns at places that have come up in a run, where its config asks for labels or a profile.
#pragma once

#include <tactus/base/config.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/place/impl/spawn_site.hpp>

#include "place/label_file.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

/// What a profile counts of the tasks of one site. Any thread.
struct site_counts {
  atomic<std::uint64_t> spawned{0};
  atomic<std::int64_t> body_ns{0};       // of these themselves
  atomic<std::int64_t> inclusive_ns{0};  // with all that they have spawned, and that has, and so on
  atomic<std::int64_t> after_ns{0};      // of what their results have done at home
  atomic<std::uint64_t> bytes{0};        // of functions, arguments and objects that are carried
  atomic<std::uint64_t> result_bytes{0};
  atomic<std::uint64_t> accesses{0};  // to other places
  atomic<std::uint64_t> uses{0};      // of what is bound to a place
  atomic<std::uint64_t> flexible_parents{0};
};

struct spawn_site {
  std::string text;  ///< the name of its tasks, or file:line
  spawn_kind kind;   ///< as written
  std::size_t number;
  site_label* label;  ///< what a file says of that text; null: nothing, so of a name the line of each spawn counts
  site_counts counts;
};

/// What a profile is told of the next child of a task.
struct profiled_spawn {
  spawn_site* of;
  int to;
  std::size_t bytes;
  flexibility how;
};

class spawn_sites {
public:
  /// config_error.
  explicit spawn_sites(const config& options);
  ~spawn_sites();
  spawn_sites(const spawn_sites&) = delete;
  spawn_sites& operator=(const spawn_sites&) = delete;

  /// The site of a spawn, and what becomes of it. Any thread; std::bad_alloc, config_error.
  [[nodiscard]] std::pair<spawn_site*, flexibility> look_at(const spawn_facts& spawn);

  /// sites_at_end_of_run().
  void run_is_over(int place);

  /// Calls f(site&) for each that has come up, by their numbers.
  template <class F>
  void for_each(F&& f) const {
    const std::shared_lock lock(mutex_);
    for (const spawn_site* s : by_number_) {
      f(*s);
    }
  }

private:
  using written_at = std::pair<const char*, std::uint32_t>;

  struct known_spawn {
    spawn_site* site = nullptr;   // null: nothing like it has come up
    site_label* label = nullptr;  // what the file says of it; null: nothing
  };

  [[nodiscard]] known_spawn known(const spawn_facts& spawn) const;
  void make(const spawn_facts& spawn);
  [[noreturn]] void refuse_plain(const site_label& label) const;

  const bool all_;       // are flexible
  const bool profiled_;  // a profile hears of each use of what is bound to a place, as of that of what is lent
  std::optional<label_file> file_;
  mutable std::shared_mutex mutex_;  // protects the next four, but for the counts
  std::array<std::map<std::string, std::unique_ptr<spawn_site>>, 3> by_text_;  // of each kind
  std::map<std::pair<spawn_kind, written_at>, spawn_site*> by_line_;           // of what is not named
  std::map<written_at, site_label*> labels_of_lines_;                          // of what is named, if there is a file
  std::vector<const spawn_site*> by_number_;
};

}  // namespace tactus::detail
