// SPDX-License-Identifier: Apache-2.0
// A file of labels: which sites spawn tasks that may move. docs/placement-labels.md has its form.
#pragma once

#include <tactus/place/impl/spawn_site.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::detail {

/// One line of it.
struct site_label {
  std::string site;  ///< a name, or file:line
  flexibility says;
  std::size_t line;
  bool came_up = false;   ///< whether a spawn was of this site
  bool was_told = false;  ///< that none was
};

class label_file {
public:
  /// Reads it. config_error, which names the file, the line and the remedy.
  explicit label_file(std::string name);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The label of what has this name; of what stands at this file:line, of which a label may leave out the first folders. Null: there
  /// is none.
  [[nodiscard]] site_label* find_name(std::string_view name) noexcept;
  [[nodiscard]] site_label* find_line(std::string_view file_and_line) noexcept;

  [[nodiscard]] std::vector<site_label>& all() noexcept { return lines_; }

private:
  void read(std::string_view text, std::size_t number);
  [[noreturn]] void refuse(std::size_t number, const std::string& why) const;

  std::string name_;
  std::vector<site_label> lines_;
};

}  // namespace tactus::detail
