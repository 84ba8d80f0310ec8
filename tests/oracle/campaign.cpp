// SPDX-License-Identifier: Apache-2.0
#include "campaign.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace ts = tactus;

namespace oracle {

const char* name_of(ts::spawn_policy policy) {
  switch (policy) {
    case ts::spawn_policy::adaptive: return "adaptive";
    case ts::spawn_policy::work_first: return "work_first";
    case ts::spawn_policy::help_first: return "help_first";
    case ts::spawn_policy::work_sharing: return "work_sharing";
    default: return "?";
  }
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
  options_.foreign = !s.seeded;
  options_.stuck = s.stuck;
  options_.min_tasks = s.min_tasks;
  options_.max_tasks = s.max_tasks;
  if (options_.foreign) foreign_ = std::make_unique<foreign_thread>();
  for (std::uint64_t i = 0; i < k_batch; ++i) executions_.push_back(std::make_unique<execution>());
}

campaign::~campaign() = default;

ts::config campaign::config_of(std::uint64_t first) const {
  ts::config c;
  c.threads = setting_.threads;
  c.policy = setting_.policy;
  c.env = false;
  if (setting_.seeded) c.seed = mix(first, 0x5eedu) | 1u;
  return c;
}

void campaign::run(std::uint64_t first, std::uint64_t count, totals& sum, unsigned repeat) {
  for (const std::uint64_t end = first + count; first < end && sum.failed == 0;) {
    const std::uint64_t n = std::min(end, (first / k_batch + 1) * k_batch) - first;
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
  guard_.begin([this, first, count] { return hanging(first, count); });
  run_batch(first, count);
  guard_.end();
  judge(first, count, sum);
  for (std::uint64_t i = 0; i < count; ++i) executions_[i]->release();
}

void campaign::run_batch(std::uint64_t first, std::uint64_t count) {
  if (setting_.stuck) {
    for (std::uint64_t i = 0; i < count; ++i) executions_[i]->run_until_stuck(*runtime_);
    return;
  }
  switch (mix(first / k_batch) % 4) {
    case 0:  // each program is a run
      for (std::uint64_t i = 0; i < count; ++i) executions_[i]->run_as_root(*runtime_);
      break;
    case 1:  // several at a time: tasks of unrelated finishes meet on every worker
      runtime_->run([&] {
        constexpr std::uint64_t k_together = 8;
        for (std::uint64_t i = 0; i < count; i += k_together) {
          ts::finish([&] {
            for (std::uint64_t k = i; k < std::min(count, i + k_together); ++k) {
              ts::async([one = executions_[k].get()] { one->run_in_task(); });
            }
          });
        }
      });
      break;
    default:  // one after the other in one run
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

std::string campaign::replay(std::uint64_t first, std::uint64_t count) const {
  std::string line = "replay: soak --first-seed " + std::to_string(first) + " --programs " + std::to_string(count) +
                     " --threads " + std::to_string(setting_.threads) + " --policy " + name_of(setting_.policy);
  if (setting_.seeded) line += " --seeded";
  if (setting_.stuck) line += " --stuck";
  const generator_options usual;
  if (options_.min_tasks != usual.min_tasks || options_.max_tasks != usual.max_tasks) {
    line += " --tasks " + std::to_string(options_.min_tasks) + ',' + std::to_string(options_.max_tasks);
  }
  if (!setting_.seeded) line += " --repeat 1000";
  return line + '\n';
}

std::string campaign::hanging(std::uint64_t first, std::uint64_t count) const {
  std::string text = "HANGS: threads " + std::to_string(setting_.threads) + ", policy " + name_of(setting_.policy) +
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
