// SPDX-License-Identifier: Apache-2.0
#include <tactus/trace/stats.hpp>

#include "trace/json_string.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace tactus {

namespace {

constexpr std::size_t k_most_columns = 8;

// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t digits = 3; digits < text.size(); digits += 4) {
    text.insert(text.size() - digits, 1, ',');
  }
  return text;
}

std::string as_bytes(std::uint64_t bytes) {
  constexpr const char* k_units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    return std::to_string(bytes) + " B";
  }
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1023.95 && unit + 1 < std::size(k_units)) {  // what would print as 1024.0 has a larger unit
    amount /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", amount, k_units[unit]);
  return text;
}

std::string as_seconds(std::chrono::nanoseconds time) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3f s", std::chrono::duration<double>(time).count());
  return text;
}

std::string shown(counter_kind kind, std::uint64_t value) {
  return kind == counter_kind::bytes ? as_bytes(value) : grouped(value);
}

using row = std::vector<std::string>;

row heading(std::size_t workers) {
  row cells{"", "total"};
  if (workers > k_most_columns) {
    cells.insert(cells.end(), {"least", "most"});
  } else if (workers > 1) {
    for (std::size_t i = 0; i < workers; ++i) {
      cells.push_back("worker " + std::to_string(i));
    }
  }
  return cells;
}

// The cells of one counter: the total alone where there is one worker, since both say the same.
template <class Member>
row line(const runtime_stats& stats, const char* meaning, counter_kind kind, Member member) {
  row cells{meaning, shown(kind, stats.totals.*member)};
  if (stats.workers.size() > k_most_columns) {
    const auto less = [&](const auto& a, const auto& b) { return a.*member < b.*member; };
    const auto [least, most] = std::minmax_element(stats.workers.begin(), stats.workers.end(), less);
    cells.push_back(shown(kind, (*least).*member));
    cells.push_back(shown(kind, (*most).*member));
  } else if (stats.workers.size() > 1) {
    for (const auto& worker : stats.workers) {
      cells.push_back(shown(kind, worker.*member));
    }
  }
  return cells;
}

std::string aligned(const std::vector<row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& cells : rows) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
      widths[column] = std::max(widths[column], cells[column].size());
    }
  }
  std::string text;
  for (const auto& cells : rows) {
    text.append(2, ' ').append(cells[0]).append(widths[0] - cells[0].size(), ' ');
    for (std::size_t column = 1; column < cells.size(); ++column) {
      text.append(2 + widths[column] - cells[column].size(), ' ').append(cells[column]);
    }
    text += '\n';
  }
  return text;
}

std::string places_line(const std::vector<place_stats>& places) {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for (const place_stats& p : places) {
    messages += p.messages;
    bytes += p.bytes;
  }
  return "tactus: " + std::to_string(places.size()) + " places, " + grouped(messages) + " messages between them, " +
         as_bytes(bytes) + '\n';
}

// Where tasks could move.
std::string placement_line(const runtime_stats& stats) {
  std::uint64_t flexible = 0;
  for (const place_stats& p : stats.places) {
    flexible += p.flexible_spawned;
  }
  if (flexible == 0) {
    return {};
  }
  char shares[64];
  std::snprintf(shares, sizeof shares, "%.1f %% (standard deviation %.1f)", stats.utilisation_mean,
                stats.utilisation_sigma);
  return "tactus: " + grouped(flexible) + " place-flexible tasks, of which " + grouped(stats.migrations) + " moved, " +
         grouped(stats.moves) + " moves; places busy " + shares + '\n';
}

// As std::to_string has it, but with a point in every locale.
std::string json_number(double value) {
  constexpr int k_digits = 6;
  char text[std::numeric_limits<double>::max_exponent10 + k_digits + 4];  // with a sign, the first digit and the point
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, k_digits).ptr};
}

// Those of one place, as members of an object.
std::string json_placement(const place_stats& p) {
  const std::pair<const char*, std::uint64_t> counts[] = {{"flexible_spawned", p.flexible_spawned},
                                                          {"kept", p.kept},
                                                          {"dealt", p.dealt},
                                                          {"given", p.given},
                                                          {"migrated", p.migrated},
                                                          {"received", p.received},
                                                          {"migrated_bytes", p.migrated_bytes},
                                                          {"migrations", p.migrations},
                                                          {"results_home", p.results_home},
                                                          {"results_home_bytes", p.results_home_bytes},
                                                          {"starvations", p.starvations},
                                                          {"remote_steals_tried", p.remote_steals_tried},
                                                          {"remote_steals_failed", p.remote_steals_failed},
                                                          {"lifeline_requests", p.lifeline_requests},
                                                          {"relays", p.relays},
                                                          {"loads_asked", p.loads_asked}};
  std::string text;
  for (const auto& [name, count] : counts) {
    text += std::string(",\"") + name + "\":" + std::to_string(count);
  }
  return text + ",\"busy_seconds\":" + json_number(p.busy_seconds);
}

// Those of the run.
std::string json_placement(const runtime_stats& stats) {
  return ",\"moves\":" + std::to_string(stats.moves) + ",\"migrations\":" + std::to_string(stats.migrations) +
         ",\"migration_ratio\":" + json_number(stats.migration_ratio) +
         ",\"utilisation_mean\":" + json_number(stats.utilisation_mean) +
         ",\"utilisation_sigma\":" + json_number(stats.utilisation_sigma);
}

std::string json_counters(const worker_counters& counters) {
  std::string text = "{";
  worker_counters::visit([&](const char* name, const char*, counter_kind, auto member) {
    text += text.size() == 1 ? "\"" : ",\"";
    text += name;
    text += "\":" + std::to_string(counters.*member);
  });
  return text + '}';
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string text = "[";
  for (const std::string& t : texts) {
    text += (text.size() == 1 ? "" : ",") + detail::json_string(t);
  }
  return text + ']';
}

std::string json_operations(const std::vector<operation_stats>& operations) {
  std::string text = "[";
  for (const operation_stats& o : operations) {
    text += (text.size() == 1 ? "" : ",") + std::string(R"({"array":)") + detail::json_string(o.array) +
            R"(,"operation":)" + detail::json_string(o.operation) + R"(,"messages":)" + std::to_string(o.messages) +
            R"(,"bytes":)" + std::to_string(o.bytes) + '}';
  }
  return text + ']';
}

// A line for each operation of arrays that has sent anything, all places together.
std::string operation_lines(const std::vector<place_stats>& places) {
  std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, std::uint64_t>> sums;
  for (const place_stats& p : places) {
    for (const operation_stats& o : p.operations) {
      auto& [messages, bytes] = sums[{o.array, o.operation}];
      messages += o.messages;
      bytes += o.bytes;
    }
  }
  std::string text;
  for (const auto& [which, sum] : sums) {
    if (sum.first != 0) {
      text += "tactus: '" + which.first + "': " + which.second + " sent " + grouped(sum.first) + " messages, " +
              as_bytes(sum.second) + '\n';
    }
  }
  return text;
}

}  // namespace

worker_counters sum_of(const std::vector<worker_counters>& workers) {
  worker_counters sum;
  for (const auto& one : workers) {
    accumulate(sum, one);
  }
  return sum;
}

std::string to_table(const runtime_stats& stats) {
  std::string text = "tactus: " + std::to_string(stats.workers.size()) +
                     (stats.workers.size() == 1 ? " worker, " : " workers, ") + as_seconds(stats.wall) + " wall, " +
                     as_seconds(stats.cpu) + " processor time\n";
  if (stats.places.size() > 1) {
    text += places_line(stats.places) + placement_line(stats) + operation_lines(stats.places);
  }
  for (const std::string& notice : stats.notices) {
    text += "tactus: " + notice + '\n';
  }
  std::vector<row> rows{heading(stats.workers.size())};
  worker_counters::visit([&](const char*, const char* meaning, counter_kind kind, auto member) {
    const auto is_counted = [&](const worker_counters& one) { return one.*member != 0; };
    if (is_counted(stats.totals) || std::any_of(stats.workers.begin(), stats.workers.end(), is_counted)) {
      rows.push_back(line(stats, meaning, kind, member));
    }
  });
  return text + (rows.size() > 1 ? aligned(rows) : "  nothing counted\n");
}

std::string to_json(const runtime_stats& stats) {
  std::string text = "{\"wall_ns\":" + std::to_string(stats.wall.count()) +
                     ",\"cpu_ns\":" + std::to_string(stats.cpu.count()) + ",\"totals\":" + json_counters(stats.totals) +
                     json_placement(stats) + ",\"notices\":" + json_list(stats.notices) + ",\"places\":[";
  for (std::size_t i = 0; i < stats.places.size(); ++i) {
    const place_stats& p = stats.places[i];
    text += (i == 0 ? "" : ",") + std::string("{\"workers\":") + std::to_string(p.workers.size()) +
            ",\"messages\":" + std::to_string(p.messages) + ",\"bytes\":" + std::to_string(p.bytes) +
            ",\"messages_taken\":" + std::to_string(p.messages_taken) + json_placement(p) +
            ",\"operations\":" + json_operations(p.operations) + '}';
  }
  text += "],\"workers\":[";
  for (std::size_t i = 0; i < stats.workers.size(); ++i) {
    text += i == 0 ? "" : ",";
    text += json_counters(stats.workers[i]);
  }
  return text + "]}";
}

}  // namespace tactus
