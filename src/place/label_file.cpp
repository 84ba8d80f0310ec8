// SPDX-License-Identifier: Apache-2.0
#include "place/label_file.hpp"

#include <tactus/base/error.hpp>

#include "base/option_errors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::string_view k_blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(k_blanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(k_blanks) - first + 1);
}

// Whether `path` is `end`, or ends with it at the begin of a part.
bool is_end_of(std::string_view end, std::string_view path) {
  return path.ends_with(end) && (path.size() == end.size() || path[path.size() - end.size() - 1] == '/');
}

}  // namespace

label_file::label_file(std::string name) : name_(std::move(name)) {
  errno = 0;
  std::ifstream in(name_);
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    read(text, number);
    errno = 0;
  }
  if (!in.eof()) {  // also of a directory, which opens and does not read
    throw config_error("tactus: the file of labels '" + name_ + "' cannot be read (" +
                       std::generic_category().message(errno != 0 ? errno : EIO) +
                       "); name another one in config.labels, TACTUS_LABELS or --tactus-labels, or none, or all");
  }
}

void label_file::read(std::string_view text, std::size_t number) {
  const std::string_view line = trimmed(text.substr(0, text.find('#')));
  if (line.empty()) {
    return;
  }
  const std::size_t blank = line.find_last_of(k_blanks);
  const std::string_view word = line.substr(blank == std::string_view::npos ? 0 : blank + 1);
  if (word != "flexible" && word != "sensitive") {
    refuse(number,
           "ends with '" + shown(word) + "'; write SITE flexible, or SITE sensitive, and '#' before what is a comment");
  }
  const std::string_view site = trimmed(line.substr(0, line.size() - word.size()));
  if (site.empty()) {
    refuse(number, "names no site; write the name of a task, or file:line, before '" + std::string(word) + "'");
  }
  const auto before = std::ranges::find(lines_, site, &site_label::site);
  if (before != lines_.end()) {
    refuse(number,
           "labels '" + shown(site) + "', as line " + std::to_string(before->line) + " does; leave one of the two");
  }
  lines_.push_back({std::string(site), word == "flexible" ? flexibility::may_move : flexibility::stays, number});
}

void label_file::refuse(std::size_t number, const std::string& why) const {
  throw config_error("tactus: " + name_ + ":" + std::to_string(number) + ": the line " + why);
}

site_label* label_file::find_name(std::string_view name) noexcept {
  const auto found = std::ranges::find(lines_, name, &site_label::site);
  return found == lines_.end() ? nullptr : &*found;
}

site_label* label_file::find_line(std::string_view file_and_line) noexcept {
  const auto found =
      std::ranges::find_if(lines_, [&](const site_label& l) { return is_end_of(l.site, file_and_line); });
  return found == lines_.end() ? nullptr : &*found;
}

}  // namespace tactus::detail
