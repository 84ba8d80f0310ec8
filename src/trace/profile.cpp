// SPDX-License-Identifier: Apache-2.0
#include "trace/profile.hpp"

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>

#include "trace/timeline.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include <unistd.h>

namespace tactus::detail {
namespace {

using role = traced_task::role;

std::int64_t now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// All counts are sums that are read when their task is over, or the run: what ends a task or a run orders them.
template <class T, class V>
void add(atomic<T>& sum, V more) noexcept {
  sum.fetch_add(static_cast<T>(more), memory_order_relaxed);  // relaxed: see above
}
template <class T>
T seen(const atomic<T>& sum) noexcept {
  return sum.load(memory_order_relaxed);  // relaxed: as above
}

// What a child is to the task that its parent counts for.
role inherited(role parent, role child) noexcept { return parent <= role::sub_task ? child : parent; }

// What stands in a line, parted by blanks.
class line_of_numbers {
public:
  template <std::integral T>
  void add(T value) noexcept {
    end_ = std::to_chars(end_, text_.data() + text_.size(), value).ptr;
    *end_++ = ' ';
  }
  void add(std::string_view word) noexcept {
    end_ = std::ranges::copy(word, end_).out;
    *end_++ = ' ';
  }

  /// And begins the next one.
  void write(std::FILE* to) noexcept {
    end_[-1] = '\n';
    std::fwrite(text_.data(), 1, static_cast<std::size_t>(end_ - text_.data()), to);
    end_ = text_.data();
  }

private:
  std::array<char, 256> text_;  // eight numbers of up to 20 characters
  char* end_ = text_.data();
};

constexpr const char* k_kinds[] = {"plain", "flexible", "sensitive"};  // as spawn_kind has them

}  // namespace

void profile_part::turn_to(profiled_task* next, role as) noexcept {
  const std::int64_t at = now();
  if (runs_ != nullptr) {
    atomic<std::int64_t>& time = as_ == role::body    ? runs_->body_ns
                                 : as_ == role::after ? runs_->after_ns
                                                      : runs_->sub_ns;
    add(time, at - since_);
  }
  runs_ = next;
  as_ = as;
  since_ = at;
}

profile::profile(const std::string& file, int places, int of_each, std::size_t workers, const spawn_sites& sites)
    : name_(own_file_name(file)),
      file_(std::fopen(name_.c_str(), "we")),
      places_(places),
      of_each_(of_each),
      sites_(sites),
      parts_(workers) {
  if (file_ == nullptr) {
    const int why = errno;
    give_file_name_back(file, name_);
    throw config_error("tactus: the profile '" + name_ + "' cannot be written (" + std::strerror(why) +
                       "); name another file in config.profile, TACTUS_PROFILE or --tactus-profile");
  }
}

profile::~profile() { std::fclose(file_); }

// ---- tasks ----

void profile::spawned(std::uint64_t number, traced_task& parent, role as) noexcept {
  try {
    const child made = make_child(parent, as);
    if (made.of != nullptr) {
      shard& s = shard_of(number);
      const std::lock_guard lock(s.mutex);
      s.expected.emplace(number, made);
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("a profile needs memory", why.what());
  }
}

// A hold for the task itself comes with it.
profile::child profile::make_child(traced_task& parent, role as) {
  const profiled_spawn* const site = parent.spawns;
  parent.spawns = nullptr;
  profiled_task* const of = parent.counts_for;
  if (site != nullptr && site->of != nullptr) {
    return {make(*site, of), role::body};
  }
  if (of != nullptr) {
    add(of->holders, 1);
  }
  return {of, site != nullptr ? role::after : inherited(parent.counts_as, as)};
}

profiled_task* profile::make(const profiled_spawn& what, profiled_task* parent) {
  add(what.of->counts.spawned, 1);
  if (parent != nullptr) {
    add(parent->holders, 1);
    if (what.how == flexibility::may_move) {
      add(parent->flexible_children, 1);
    }
  }
  const std::lock_guard lock(mutex_);
  profiled_task* t = nullptr;
  if (free_.empty()) {
    memory_.emplace_back();
    if (free_.capacity() < memory_.size()) {
      free_.reserve(2 * memory_.size());  // so that giving back cannot fail
    }
    t = &memory_.back();
  } else {
    t = free_.back();
    free_.pop_back();
    std::destroy_at(t);
    ::new (static_cast<void*>(t)) profiled_task();
  }
  t->of = what.of;
  t->parent = parent;
  t->id = ++last_id_;
  t->parent_id = parent != nullptr ? parent->id : 0;
  t->place = what.to;
  t->bytes = what.bytes;
  t->how = what.how;
  return t;
}

void profile::begins(traced_task& task, std::uint64_t number, const traced_task* below) noexcept {
  if (number != 0) {
    shard& s = shard_of(number);
    const std::lock_guard lock(s.mutex);
    if (const auto found = s.expected.find(number); found != s.expected.end()) {
      task.counts_for = found->second.of;
      task.counts_as = found->second.as;
      s.expected.erase(found);
    }
  } else if (below != nullptr && below->counts_for != nullptr) {  // a share of a loop: it helps whom it runs on top of
    task.counts_for = below->counts_for;
    task.counts_as = inherited(below->counts_as, role::sub_task);
    add(task.counts_for->holders, 1);
  }
}

void profile::not_spawned(std::uint64_t number) noexcept {
  child none{};
  {
    shard& s = shard_of(number);
    const std::lock_guard lock(s.mutex);
    const auto found = s.expected.find(number);
    if (found == s.expected.end()) {
      return;  // nobody's
    }
    none = found->second;
    s.expected.erase(found);
  }
  if (none.as == role::body) {
    add(none.of->of->counts.spawned, -1);
    if (none.of->parent != nullptr && none.of->how == flexibility::may_move) {
      add(none.of->parent->flexible_children, -1);
    }
    none.of->is_spawned = false;
    const std::lock_guard lock(mutex_);
    ++not_spawned_;
  }
  let_go(none.of);
}

void profile::let_go(profiled_task* t) noexcept {
  // acq_rel: what others have counted, with theirs
  while (t != nullptr && t->holders.fetch_sub(1, memory_order_acq_rel) == 1) {
    try {
      t = is_over(*t);
    } catch (const std::bad_alloc& why) {
      end_without_memory("a profile needs memory", why.what());
    }
  }
}

// Returns whom it held.
profiled_task* profile::is_over(profiled_task& t) {
  profiled_task* const parent = t.parent;
  if (!t.is_spawned) {
    const std::lock_guard lock(mutex_);
    free_.push_back(&t);
    return parent;
  }
  site_counts& site = t.of->counts;
  const std::int64_t inclusive = seen(t.body_ns) + seen(t.sub_ns) + seen(t.children_ns);
  const std::uint64_t bytes = t.bytes + seen(t.brought);
  add(site.body_ns, seen(t.body_ns));
  add(site.inclusive_ns, inclusive);
  add(site.after_ns, seen(t.after_ns));
  add(site.bytes, bytes);
  add(site.result_bytes, seen(t.result_bytes));
  add(site.accesses, std::max<std::int64_t>(seen(t.accesses), 0));
  add(site.uses, seen(t.uses));
  add(site.flexible_parents, seen(t.flexible_children) != 0 ? 1 : 0);
  if (parent != nullptr) {
    add(parent->children_ns, inclusive);
  }
  const std::lock_guard lock(mutex_);
  if (t.id <= k_most_rows) {
    rows_.push_back({t.id, t.parent_id, seen(t.body_ns) + seen(t.sub_ns) + seen(t.after_ns), bytes,
                     seen(t.result_bytes), t.of->number, t.place, t.how});
  }
  free_.push_back(&t);
  return parent;
}

// ---- the file ----

void profile::write() {
  const std::lock_guard lock(mutex_);
  std::rewind(file_);
  const bool is_empty = ::ftruncate(::fileno(file_), 0) == 0 || errno == EINVAL;  // EINVAL: a pipe, or the like
  std::fprintf(file_, "tactus-profile 1\nrun %d %d\n", places_, of_each_);
  write_sites(file_);
  write_rows(file_);
  std::fprintf(file_, "end %llu %zu\n", static_cast<unsigned long long>(last_id_ - not_spawned_), rows_.size());
  if (std::fflush(file_) != 0 || std::ferror(file_) != 0 || !is_empty) {
    std::fprintf(stderr, "tactus: writing the profile '%s' failed (%s); it is not complete\n", name_.c_str(),
                 std::strerror(errno));
  }
}

void profile::write_sites(std::FILE* to) const {
  sites_.for_each([to](const spawn_site& s) {
    std::string text = s.text;
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    const site_counts& c = s.counts;
    std::fprintf(to, "site %zu %s", s.number, k_kinds[static_cast<std::size_t>(s.kind)]);
    for (const std::uint64_t value :
         {seen(c.spawned), static_cast<std::uint64_t>(seen(c.body_ns)),
          static_cast<std::uint64_t>(seen(c.inclusive_ns)), static_cast<std::uint64_t>(seen(c.after_ns)), seen(c.bytes),
          seen(c.result_bytes), seen(c.accesses), seen(c.uses), seen(c.flexible_parents)}) {
      std::fprintf(to, " %llu", static_cast<unsigned long long>(value));
    }
    std::fprintf(to, " %s\n", text.c_str());
  });
}

// A million of them: printf would take longer than many a run.
void profile::write_rows(std::FILE* to) const {
  line_of_numbers line;
  for (const row& r : rows_) {
    line.add(r.id);
    line.add(r.parent);
    line.add(r.place);
    line.add(r.ns);
    line.add(r.bytes);
    line.add(r.result_bytes);
    line.add(r.how == flexibility::may_move ? "flexible" : "sensitive");
    line.add(r.site);
    line.write(to);
  }
}

}  // namespace tactus::detail
