// SPDX-License-Identifier: Apache-2.0
#include "campaign.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#ifdef ORACLE_SEES_INSIDE
#include "leftovers.hpp"
#endif

namespace ts = tactus;

namespace oracle {

namespace {

constexpr std::uint64_t k_loops_left_out =
    4;  // of so many batches one has no loops, whose tasks the library makes as it likes

constexpr std::uint64_t k_together = 8;

// With what a program shares its run.
enum class company : std::uint8_t {
  none,          // each program is a run
  others,        // several at a time: tasks of unrelated finishes meet on every worker
  earlier_ones,  // one after the other in one run
};

company company_of(std::uint64_t first) {
  const std::uint64_t dice = mix(first / k_batch) % 4;
  return dice == 0 ? company::none : dice == 1 ? company::others : company::earlier_ones;
}

}  // namespace

const char* name_of(ts::spawn_policy policy) {
  switch (policy) {
    case ts::spawn_policy::adaptive: return "adaptive";
    case ts::spawn_policy::work_first: return "work_first";
    case ts::spawn_policy::help_first: return "help_first";
    case ts::spawn_policy::work_sharing: return "work_sharing";
    default: return "?";
  }
}

const char* name_of(ts::placement_policy policy) {
  constexpr const char* names[] = {"none",   "work_dealing",    "eager_dealing",    "lifeline",
                                   "hybrid", "random_stealing", "sender_threshold", "proportional"};
  return names[static_cast<std::size_t>(policy)];
}

hang_guard::hang_guard(std::chrono::seconds patience) : patience_(patience), thread_([this] { watch(); }) {}

hang_guard::~hang_guard() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

// begin and end do not notify: the guard looks once in `patience_`, and a batch costs far less than a wake-up would.
void hang_guard::begin(std::function<std::string()> report) {
  const std::lock_guard lock(mutex_);
  ++round_;
  report_ = std::move(report);
}

void hang_guard::end() {
  const std::lock_guard lock(mutex_);
  ++round_;
  report_ = nullptr;
}

void hang_guard::watch() {
  std::unique_lock lock(mutex_);
  std::uint64_t seen = round_;
  while (!stopping_) {
    if (changed_.wait_for(lock, patience_) == std::cv_status::no_timeout) continue;
    if (seen == round_ && report_) {
      const std::string text = report_();
      std::fputs(text.c_str(), stderr);
      std::fflush(stderr);
      std::abort();
    }
    seen = round_;
  }
}

campaign::campaign(const setting& s, hang_guard& guard, std::atomic<std::uint64_t>* ended)
    : setting_(s), guard_(guard), ended_(ended), programs_(k_batch) {
  options_.foreign = s.foreign && !s.seeded;
  options_.stuck = s.stuck;
  options_.min_tasks = s.min_tasks;
  options_.max_tasks = s.max_tasks;
  options_.places = static_cast<unsigned>(s.places);
  if (options_.foreign) foreign_ = std::make_unique<foreign_thread>();
  for (std::uint64_t i = 0; i < k_batch; ++i) executions_.push_back(std::make_unique<execution>());
}

campaign::~campaign() = default;

ts::config campaign::config_of(std::uint64_t first) const {
  ts::config c;
  c.threads = setting_.threads;
  c.policy = setting_.policy;
  c.env = false;
  c.places = setting_.places;
  c.local_copy = setting_.as_bytes ? ts::copying::serialize : ts::copying::construct;
  c.message_bytes = setting_.message_bytes;
  c.placement = setting_.placement;
  c.progress = setting_.progress;
  if (setting_.seeded) c.seed = mix(first, 0x5eedu) | 1u;
  return c;
}

void campaign::run(std::uint64_t first, std::uint64_t count, totals& sum, unsigned repeat) {
  for (const std::uint64_t end = first + count; first < end && sum.failed == 0;) {
    const std::uint64_t n = std::min(end, (first / k_batch + 1) * k_batch) - first;
    options_.loops = first / k_batch % k_loops_left_out != 0;
    for (std::uint64_t i = 0; i < n; ++i) make(first + i, options_, interpreter_, programs_[i]);
    for (unsigned i = 0; i < repeat && sum.failed == 0; ++i) batch(first, n, sum);
    first += n;
  }
}

void campaign::batch(std::uint64_t first, std::uint64_t count, totals& sum) {
  // Under the seeded scheduler a batch must not depend on the ones before it, or it could not be run alone.
  if (runtime_ == nullptr || setting_.seeded) {
    runtime_.reset();
    runtime_ = std::make_unique<ts::runtime>(config_of(first));
  }
  for (std::uint64_t i = 0; i < count; ++i) executions_[i]->prepare(programs_[i], foreign_.get());
  const ts::worker_counters before = ts::stats().totals;
  guard_.begin([this, first, count] { return hanging(first, count); });
  std::string stuck;
  try {
    run_batch(first, count);
  } catch (const ts::deadlock_error& e) {  // of no program in particular: they share a run
    stuck = e.what() + std::string("\n");
  }
  guard_.end();
  judge(first, count, sum);
  if (!stuck.empty()) {
    if (sum.failed++ == 0) sum.report = replay(first, count);
    sum.report = stuck + sum.report;
  }
  look_at_counters(before, first, count, sum);
  look_for_leftovers(first, count, sum);
  agree(sum);
  for (std::uint64_t i = 0; i < count; ++i) executions_[i]->release();
}

void campaign::run_batch(std::uint64_t first, std::uint64_t count) {
  if (setting_.stuck) {
    for (std::uint64_t i = 0; i < count; ++i) executions_[i]->run_until_stuck(*runtime_);
    return;
  }
  switch (company_of(first)) {
    case company::none:
      for (std::uint64_t i = 0; i < count; ++i) executions_[i]->run_as_root(*runtime_);
      break;
    case company::others:
      runtime_->run([&] {
        for (std::uint64_t i = 0; i < count; i += k_together) {
          ts::finish([&] {
            for (std::uint64_t k = i; k < std::min(count, i + k_together); ++k) {
              ts::async([one = executions_[k].get()] { one->run_in_task(); });
            }
          });
        }
      });
      break;
    case company::earlier_ones:
      runtime_->run([&] {
        for (std::uint64_t i = 0; i < count; ++i) executions_[i]->run_in_task();
      });
      break;
  }
}

void campaign::judge(std::uint64_t first, std::uint64_t count, totals& sum) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const verdict v = executions_[i]->judge();
    ++sum.programs;
    sum.tasks += programs_[i].running_tasks;
    sum.lost += v.lost;
    sum.doubled += v.doubled;
    if (v.good()) continue;
    if (sum.failed++ == 0) sum.report = report_of(programs_[i], v, first, count);
  }
  if (execution::locals_alive() != 0 && sum.failed++ == 0) {
    sum.report = "task_local objects alive after the run: " + std::to_string(execution::locals_alive()) + '\n' +
                 replay(first, count);
  }
  // relaxed: a number for whoever watches
  if (ended_ != nullptr) ended_->fetch_add(count, std::memory_order_relaxed);
}

// A part of a finish, say, that stays: no program comes to anything else by it.
void campaign::look_for_leftovers(std::uint64_t first, std::uint64_t count, totals& sum) {
#ifdef ORACLE_SEES_INSIDE
  guard_.begin([this, first, count] { return hanging(first, count); });
  const std::string left = leftovers_of(*runtime_);
  guard_.end();
  if (!left.empty() && sum.failed++ == 0) sum.report = "left behind\n" + left + replay(first, count);
#else
  static_cast<void>(first);
  static_cast<void>(count);
  static_cast<void>(sum);
#endif
}

// What has gone wrong at a rank is told to all, which go on together or not at all. Nobody lays out the next programs before all have
// looked at these.
void campaign::agree(totals& sum) {
  if (!ranks().several()) return;
  static const totals* here = nullptr;  // of one campaign at a time
  here = &sum;
  const std::string report = runtime_->run([&sum] {
    std::string all = sum.report;
    for (const ts::place p : ts::places()) {
      if (p == ts::here()) continue;
      const std::string other = ts::at(p, [] { return here->report; });
      if (!other.empty() && all.empty()) all = ts::to_string(p) + ": " + other;
    }
    return all;
  });
  if (report.empty()) return;
  sum.report = report;
  if (sum.failed == 0) sum.failed = 1;
}

// Between runs the counters are exact. A program made to be stuck is cut off somewhere: what it comes to is not known
// to a number.
void campaign::look_at_counters(const ts::worker_counters& before, std::uint64_t first, std::uint64_t count,
                                totals& sum) {
  const ts::worker_counters now = ts::stats().totals;
  const auto grown = [&](auto member) { return now.*member - before.*member; };
  const auto differs = [&](const char* what, std::uint64_t expected, std::uint64_t got) {
    if (sum.failed++ != 0) return;
    sum.report = std::string("a counter differs\n") + what + ": expected " + std::to_string(expected) + ", got " +
                 std::to_string(got) + '\n' + replay(first, count);
  };
  const auto is = [&](const char* what, std::uint64_t expected, std::uint64_t got) {
    if (expected != got) differs(what, expected, got);
  };
  const auto is_at_least = [&](const char* what, std::uint64_t expected, std::uint64_t got) {
    if (expected > got) differs(what, expected, got);
  };
  using c = ts::worker_counters;
  const std::uint64_t spawned = grown(&c::spawned_work_first) + grown(&c::spawned_help_first) +
                                grown(&c::spawned_shared) + grown(&c::spawned_invited) + grown(&c::spawned_throttled) +
                                grown(&c::spawned_remote);
  is("tasks run, of those spawned", spawned, grown(&c::tasks_run) - grown(&c::bodies_for_others));
  is("resumptions, of suspensions", grown(&c::suspensions), grown(&c::resumptions));
  is_at_least("steals tried, of those won", grown(&c::steals_won), grown(&c::steals_tried));
  is_at_least("what was stolen, of steals won", grown(&c::steals_won),
              grown(&c::tasks_stolen) + grown(&c::continuations_stolen) + grown(&c::invited_taken));
  is_at_least("finishes, of those that waited", grown(&c::finishes_in_place) + grown(&c::finishes_parked),
              grown(&c::finishes));
  if (setting_.threads == 1) is("steals of one worker", 0, grown(&c::steals_tried));
  if (setting_.stuck) return;

  const company around = company_of(first);
  std::uint64_t asyncs = around == company::others ? count : 0;
  std::uint64_t finishes = around == company::none     ? 2 * count
                           : around == company::others ? count + (count + k_together - 1) / k_together + 1
                                                       : count + 1;
  const std::uint64_t runs = around == company::none ? 2 * count : 1;
  finishes += runs * static_cast<std::uint64_t>(ranks().all - 1);  // each process has one of its own around a run
  std::uint64_t loops = 0;
  std::uint64_t turns = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    asyncs += programs_[i].asyncs;
    finishes += programs_[i].finishes;
    loops += programs_[i].loops;
    turns += programs_[i].turns;
  }
  is("exceptions unseen", 0, grown(&c::unseen_exceptions));
  is_at_least("phases", turns, grown(&c::phases));
  is_at_least("tasks spawned", asyncs, spawned);
  is_at_least("finishes", finishes, grown(&c::finishes));
  if (loops != 0) return;
  is("tasks spawned, without loops", asyncs, spawned);
  is("finishes, without loops", finishes, grown(&c::finishes));
}

std::string campaign::replay(std::uint64_t first, std::uint64_t count) const {
  std::string line = (ranks().several() ? "replay: mpirun -n " + std::to_string(ranks().all) + " soak_..."
                                        : std::string("replay: soak")) +
                     " --first-seed " + std::to_string(first) + " --programs " + std::to_string(count) + " --threads " +
                     std::to_string(setting_.threads) + " --policy " + name_of(setting_.policy);
  if (setting_.seeded) line += " --seeded";
  if (setting_.stuck) line += " --stuck";
  if (setting_.places != 1 && !ranks().several()) line += " --places " + std::to_string(setting_.places);
  if (setting_.placement != ts::placement_policy::none)
    line += std::string(" --placement ") + name_of(setting_.placement);
  if (setting_.places != 1 && !ranks().several())
    line += std::string(setting_.as_bytes ? " --as-bytes" : " --as-objects") + " --message-bytes " +
            std::to_string(setting_.message_bytes);
  line += setting_.around;
  const generator_options usual;
  if (options_.min_tasks != usual.min_tasks || options_.max_tasks != usual.max_tasks) {
    line += " --tasks " + std::to_string(options_.min_tasks) + ',' + std::to_string(options_.max_tasks);
  }
  if (!setting_.seeded) line += " --repeat 1000";
  return line + '\n';
}

std::string campaign::hanging(std::uint64_t first, std::uint64_t count) const {
  std::string text = "HANGS: threads " + std::to_string(setting_.threads) + ", places " +
                     std::to_string(setting_.places) + ", policy " + name_of(setting_.policy) +
                     (setting_.seeded ? ", seeded" : "") + "; these programs have not ended:";
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!executions_[i]->ended()) text += ' ' + std::to_string(first + i);
  }
  if (count == 1) text += '\n' + describe(programs_[0]);
  if (ended_ != nullptr) text += "\nafter " + std::to_string(ended_->load(std::memory_order_relaxed)) + " programs";
  return text + '\n' + replay(first, count);
}

std::string campaign::report_of(const program& p, const verdict& v, std::uint64_t first, std::uint64_t count) {
  const std::string changed = interpreter_.confirm(p, 1);  // for the names of exceptions
  const std::string what = v.what;
  const bool of_exceptions = what.starts_with("exception");
  const auto show = [&](std::uint64_t x) { return of_exceptions ? interpreter_.name_of(x) : std::to_string(x); };
  std::string text = "program " + std::to_string(p.seed) + " differs, threads " + std::to_string(setting_.threads) +
                     ", policy " + name_of(setting_.policy) + (setting_.seeded ? ", seeded" : "") + "\n" + what;
  text += v.where == k_none ? std::string(" at the root") : " at statement #" + std::to_string(v.where);
  text += ": expected " + show(v.expected) + ", got " + show(v.got) + '\n';
  text += "lost " + std::to_string(v.lost) + ", doubled " + std::to_string(v.doubled) + '\n';
  return text + replay(first, count) + changed + describe(p);
}

}  // namespace oracle
