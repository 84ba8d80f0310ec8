// SPDX-License-Identifier: Apache-2.0
#include "place/spawn_sites.hpp"

#include <tactus/base/error.hpp>
#include <tactus/place/impl/loan.hpp>
#include <tactus/place/impl/watched_spawn.hpp>

#include "base/probe.hpp"
#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace tactus::detail {

namespace {

// As a file of labels, or a profile, has it.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace

void sites_end::operator()(spawn_sites* s) const noexcept { delete s; }

spawn_sites_ptr make_spawn_sites(const config& options) {
  const bool asks = (!options.labels.empty() && options.labels != "none") || !options.profile.empty();
  return spawn_sites_ptr(asks ? new spawn_sites(options) : nullptr);
}

void sites_at_end_of_run(spawn_sites& s, int place) { s.run_is_over(place); }

spawn_sites::spawn_sites(const config& options) : all_(options.labels == "all"), profiled_(!options.profile.empty()) {
  if (!all_ && !options.labels.empty() && options.labels != "none") {
    file_.emplace(options.labels);
  }
  if (profiled_) {
    lent_objects.fetch_add(1, memory_order_relaxed);  // relaxed: see look_for_loan()
  }
}

spawn_sites::~spawn_sites() {
  if (profiled_) {
    lent_objects.fetch_sub(1, memory_order_relaxed);  // relaxed: as there
  }
}

spawn_sites::known_spawn spawn_sites::known(const spawn_facts& spawn) const {
  if (spawn.name == nullptr) {
    const auto found = by_line_.find({spawn.kind, {spawn.site.file, spawn.site.line}});
    return found == by_line_.end() ? known_spawn{} : known_spawn{found->second, found->second->label};
  }
  const auto& of_kind = by_text_[static_cast<std::size_t>(spawn.kind)];
  const auto found = of_kind.find(spawn.name->text);
  if (found == of_kind.end() || found->second == nullptr) {  // null: there was no memory for it
    return {};
  }
  spawn_site* const site = found->second.get();
  if (!file_) {
    return {site, nullptr};
  }
  const auto line = labels_of_lines_.find({spawn.site.file, spawn.site.line});
  if (line == labels_of_lines_.end()) {
    return {};  // another line spawns tasks of that name
  }
  return {site, site->label != nullptr ? site->label : line->second};
}

// As known() finds it from now on. Of a line of a header each file that includes it may have another pointer.
void spawn_sites::make(const spawn_facts& spawn) {
  const auto label_that = [](site_label* label) {
    if (label != nullptr) {
      label->came_up = true;
    }
    return label;
  };
  const std::string line = std::string(spawn.site.file) + ':' + std::to_string(spawn.site.line);
  const std::string& text = spawn.name != nullptr ? spawn.name->text : line;
  const written_at where(spawn.site.file, spawn.site.line);
  site_label* const of_line = file_ ? label_that(file_->find_line(line)) : nullptr;  // a name may go before it
  std::unique_ptr<spawn_site>& site = by_text_[static_cast<std::size_t>(spawn.kind)][text];
  if (site == nullptr) {
    site_label* const of_name =
        file_ && spawn.name != nullptr ? label_that(file_->find_name(on_one_line(text))) : nullptr;
    // NOLINTNEXTLINE(modernize-make-unique): an aggregate, which older compilers do not make of parentheses
    site.reset(new spawn_site{text, spawn.kind, by_number_.size() + 1, spawn.name != nullptr ? of_name : of_line, {}});
    by_number_.push_back(site.get());
  }
  if (spawn.name == nullptr) {
    by_line_.emplace(std::pair(spawn.kind, where), site.get());
  } else if (file_) {
    labels_of_lines_.emplace(where, of_line);
  }
}

void spawn_sites::refuse_plain(const site_label& label) const {
  throw config_error("tactus: " + file_->name() + ":" + std::to_string(label.line) + ": the line labels '" +
                     label.site + "', which is a plain async_at and never moves; leave the line out, or write " +
                     "async_at(place_flexible(p), ...) there if the task may run at any place");
}

std::pair<spawn_site*, flexibility> spawn_sites::look_at(const spawn_facts& told) {
  spawn_facts spawn = told;
  if (spawn.name != nullptr && spawn.name->text.empty()) {
    spawn.name = nullptr;  // an empty name is none
  }
  known_spawn is;
  {
    const std::shared_lock lock(mutex_);
    is = known(spawn);
  }
  if (is.site == nullptr) {
    const std::lock_guard lock(mutex_);
    make(spawn);
    is = known(spawn);
  }
  if (all_) {
    return {is.site, flexibility::may_move};
  }
  if (is.label != nullptr && spawn.kind == spawn_kind::plain) {
    refuse_plain(*is.label);
  }
  return {is.site, is.label != nullptr                  ? is.label->says
                   : spawn.kind == spawn_kind::flexible ? flexibility::may_move
                                                        : flexibility::stays};
}

void spawn_sites::run_is_over(int place) {
  if (!file_) {
    return;
  }
  const std::lock_guard lock(mutex_);
  for (site_label& l : file_->all()) {
    if (!l.came_up && !l.was_told) {
      l.was_told = true;
      const std::string where = place < 0 ? std::string() : " at place " + std::to_string(place);
      std::fprintf(stderr,
                   "tactus: %s:%zu: no task was spawned at '%s'%s; look for a misprint, or leave the line out\n",
                   file_->name().c_str(), l.line, l.site.c_str(), where.c_str());
    }
  }
}

// ---- by spawns ----

namespace {

// While a task spawns at a site.
class spawns_at_site {
public:
  explicit spawns_at_site(const profiled_spawn& next) noexcept { tell(&next); }
  ~spawns_at_site() { tell(nullptr); }
  spawns_at_site(const spawns_at_site&) = delete;
  spawns_at_site& operator=(const spawns_at_site&) = delete;

private:
  static void tell(const profiled_spawn* next) noexcept {
    if (worker* const w = current_worker(); w->timeline != nullptr) {
      profile_site(w, next);
    }
  }
};

}  // namespace

void spawn_as_labelled(const spawn_facts& facts, void (*spawn)(void*, flexibility), void* how) {
  worker* const w = current_worker();
  const auto [site, becomes] = w->sites->look_at(facts);
  const profiled_spawn next{site, facts.to, facts.bytes, becomes};
  const spawns_at_site told(next);
  spawn(how, becomes);
}

void note_library_spawn(library_spawn next, int to) noexcept {
  static constexpr profiled_spawn k_result{nullptr, 0, 0, flexibility::stays};
  worker* const w = current_worker();
  if (w->timeline == nullptr) {
    return;
  }
  profile_site(w, next == library_spawn::result ? &k_result : nullptr);
  if (next == library_spawn::access && to != w->place) {
    profile_access(w, 1);
  }
}

void note_values(std::size_t brought, std::size_t result) noexcept {
  if (worker* const w = current_worker(); w->timeline != nullptr) {
    profile_values(w, brought, result);
  }
}

}  // namespace tactus::detail
