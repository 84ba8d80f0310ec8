// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "output.hpp"
#include "text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace spanning {
namespace {

double edges_per_second(const report& r, const measurement& m) {
  const double seconds = m.median_seconds();
  return seconds > 0 ? static_cast<double>(r.input.g.num_edges()) / seconds : 0;
}

std::string verdict_text(const measurement& m) {
  switch (m.result) {
    case outcome::ok: return "spanning forest";
    case outcome::limit: return "limit";
    case outcome::wrong: return "WRONG";
  }
  return "?";
}

std::string json_name(outcome result) {
  switch (result) {
    case outcome::ok: return "ok";
    case outcome::limit: return "limit";
    case outcome::wrong: return "wrong";
  }
  return "?";
}

}  // namespace

void print_heading(const report& r) {
  const graph& g = r.input.g;
  fmt::print("{}: {} vertices, {} edges, {} component{}\n", r.input.description, grouped(g.num_vertices()),
             grouped(g.num_edges()), grouped(r.num_components), r.num_components == 1 ? "" : "s");
  std::fflush(stdout);
}

void print_table(const report& r) {
  int workers = 1;
  std::size_t reps = 0;
  for (const measurement& m : r.rows) {
    workers = std::max(workers, m.workers);
    reps = std::max(reps, m.seconds.size());
  }
  const double serial_seconds = r.rows.front().median_seconds();
  fmt::print("{:<12}{:>9}{:>12}{:>14}{:>11}{:>13}{:>10}  {}\n", "version", "workers", "median ms", "M edges/s",
             "vs serial", "memory MiB", "trees", "verified");
  for (const measurement& m : r.rows) {
    const std::string memory =
        m.peak_bytes ? fmt::format("{:.1f}", static_cast<double>(*m.peak_bytes) / k_mebibyte) : "-";
    if (m.result == outcome::limit) {
      fmt::print("{:<12}{:>9}{:>12}{:>14}{:>11}{:>13}{:>10}  {}\n", name_of(m.what), m.workers, "-", "-", "-", memory,
                 "-", verdict_text(m));
      continue;
    }
    const double seconds = m.median_seconds();
    fmt::print("{:<12}{:>9}{:>12.3f}{:>14.2f}{:>10.2f}x{:>13}{:>10}  {}\n", name_of(m.what), m.workers, seconds * 1e3,
               edges_per_second(r, m) / 1e6, seconds > 0 ? serial_seconds / seconds : 1.0, memory, grouped(m.num_trees),
               verdict_text(m));
  }
  for (const measurement& m : r.rows) {
    if (m.result != outcome::ok) {
      fmt::print("{}: {}: {}\n", name_of(m.what), verdict_text(m), m.message);
    }
  }
  fmt::print(
      "serial: one thread, an explicit stack, no tasks and no atomic read-modify-write. Median of {} repetition{}; "
      "each\n"
      "undirected edge counts once; memory: peak beyond graph and forest.\n",
      reps, reps == 1 ? "" : "s");
  std::fflush(stdout);
}

void write_json(const report& r, const std::string& path) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const measurement& m : r.rows) {
    nlohmann::ordered_json row = {
        {"version", name_of(m.what)},
        {"result", json_name(m.result)},
        {"workers", m.workers},
        {"seconds", m.seconds},
        {"median_seconds", m.median_seconds()},
        {"edges_per_second", edges_per_second(r, m)},
        {"trees", m.num_trees},
        {"peak_bytes", nullptr},
    };
    if (m.peak_bytes) {
      row["peak_bytes"] = *m.peak_bytes;
    }
    if (!m.message.empty()) {
      row["message"] = m.message;
    }
    rows.push_back(std::move(row));
  }
  const nlohmann::ordered_json all = {
      {"graph", r.input.description},
      {"vertices", r.input.g.num_vertices()},
      {"edges", r.input.g.num_edges()},
      {"components", r.num_components},
      {"seed", r.seed},
      {"versions", std::move(rows)},
  };
  apps::output_file file(path, "the results");
  // A file name need not be UTF-8; what is not is replaced rather than refused.
  file.write(all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  file.finish();
}

void write_forest(std::span<const vertex> parent, std::span<const vertex> ids, const std::string& path) {
  const auto id = [&](vertex v) { return ids.empty() ? v : ids[v]; };
  apps::output_file file(path, "the forest");
  fmt::memory_buffer lines;
  const auto flush = [&] {
    file.write({lines.data(), lines.size()});
    lines.clear();
  };
  fmt::format_to(std::back_inserter(lines), "# Spanning forest: vertex, its parent; a root is its own parent\n");
  for (std::size_t v = 0; v < parent.size(); ++v) {
    fmt::format_to(std::back_inserter(lines), "{}\t{}\n", id(static_cast<vertex>(v)), id(parent[v]));
    if (lines.size() > 64 * 1024) {
      flush();
    }
  }
  flush();
  file.finish();
}

}  // namespace spanning
