// SPDX-License-Identifier: Apache-2.0
// Spanning forest of a graph by escaping asyncs. Source: work-stealing.txt, figure 3 and section 5.
#include "input.hpp"
#include "line_source.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report.hpp"
#include "verify.hpp"

#include <fmt/format.h>
#include <tactus/base/error.hpp>

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

namespace {

enum exit_code : int { k_right = 0, k_failed = 1, k_unusable = 2 };

exit_code run(const spanning::options& o) {
  const spanning::loaded_graph input = spanning::load(o);
  spanning::report report{.input = input,
                          .num_components = spanning::count_components(input.g, o.settings.progress),
                          .seed = o.seed,
                          .rows = {}};
  print_heading(report);

  std::vector<spanning::vertex> parent;
  exit_code code = k_right;
  bool last_is_forest = false;
  for (const spanning::version v : o.versions) {
    report.rows.push_back(spanning::measure(v, input.g, report.num_components, o.settings, parent));
    const spanning::outcome result = report.rows.back().result;
    last_is_forest = result == spanning::outcome::ok;
    if (result == spanning::outcome::wrong || (result == spanning::outcome::limit && !o.all_versions)) {
      code = k_failed;
    }
  }

  print_table(report);
  if (!o.json_file.empty()) {
    spanning::write_json(report, o.json_file);
  }
  if (!o.forest_file.empty()) {
    if (!last_is_forest) {
      throw std::runtime_error(
          fmt::format("{}: not written, because the last version made no spanning forest", o.forest_file));
    }
    spanning::write_forest(parent, input.ids, o.forest_file);
  }
  apps::finish_printing();
  return code;
}

exit_code complain(exit_code code, const char* what) {
  apps::complain("spanning_tree", what);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto parsed = spanning::parse_options(argc, argv);
    if (const int* done = std::get_if<int>(&parsed)) {
      apps::finish_printing();
      return *done;
    }
    return run(std::get<spanning::options>(parsed));
  } catch (const spanning::input_error& e) {
    return complain(k_unusable, e.what());
  } catch (const std::invalid_argument& e) {
    return complain(k_unusable, e.what());
  } catch (const tactus::config_error& e) {
    return complain(k_unusable, e.what());
  } catch (const std::bad_alloc&) {
    return complain(k_unusable, "the graph does not fit into the memory available");
  } catch (const std::exception& e) {
    return complain(k_failed, e.what());
  }
}
