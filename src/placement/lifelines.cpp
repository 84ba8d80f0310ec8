// SPDX-License-Identifier: Apache-2.0
#include "placement/lifelines.hpp"

#include "placement/lifeline_graph.hpp"

#include <algorithm>

namespace tactus::detail {
namespace {

constexpr std::int64_t k_longest_rest = 1'000'000'000'000'000;  // eleven days, in nanoseconds

std::size_t rounded_up(std::int64_t a, std::int64_t b) {
  b = std::max<std::int64_t>(b, 1);
  return static_cast<std::size_t>((a + b - 1) / b);
}

}  // namespace

std::int64_t fresh_until(const place_view& view) { return view.last_taken + 4 * (view.rtt + view.mean_move); }

std::int64_t old_at(const place_view& view) {
  return view.youngest_began == k_never ? k_never : view.youngest_began + 2 * view.rtt;
}

lifelines::lifelines(const placement_settings& settings, placement_action::order pick, bool guard)
    : edges_(lifelines_of(settings.here, settings.places, settings.tuning.lifeline_base)),
      workers_(settings.workers),
      pick_(pick),
      guard_(guard) {}

void lifelines::remember(int from) {
  if (std::ranges::find(waiters_, from) == waiters_.end()) waiters_.push_back(from);
  in_vain_ = 0;
}

void lifelines::put_back(int from, bool may_not_go) {
  if (may_not_go) ++in_vain_;
  if (std::ranges::find(waiters_, from) != waiters_.end()) return;
  waiters_.insert(may_not_go ? waiters_.end() : waiters_.begin(), from);  // another one may be served before it
}

// One task is kept, so that two places do not pass it to each other for ever; and of tasks so small that the own workers would have done
// them by the time they were elsewhere, so many more. But only while these workers do take tasks: they may run something that
// takes for ever (L1).
std::size_t lifelines::reserve(const place_view& view) const {
  if (view.now > fresh_until(view)) return 0;
  if (!guard_ || !view.leaves) return 1;
  return std::max<std::size_t>(1, rounded_up(2 * workers_ * (2 * view.rtt + 2 * view.mean_move), view.mean_task));
}

// Where all workers of all places run something long, places wait at each other on behalf of some that have long got work. What they send
// each other goes on at longer and longer intervals: never to lie for ever (L1), nor to travel all the time (L2).
std::size_t lifelines::passing_through(const place_view& view) const {
  return view.idle == 0 && view.last_taken == since_ && view.now < next_pass_ ? through_ : 0;
}

void lifelines::came(std::size_t n, const place_view& view) {
  if (view.idle > 0) return;
  if (view.last_taken != since_) {
    since_ = view.last_taken;
    through_ = 0;
    rest_ = view.rtt + view.mean_move;
    next_pass_ = view.now;
  }
  through_ += n;
}

void lifelines::passed(const place_view& view) {
  if (view.flexible >= through_) return;
  through_ = view.flexible;
  if (view.idle > 0 || view.last_taken != since_) return;
  rest_ = std::min(4 * rest_, k_longest_rest);
  next_pass_ = view.now + rest_;
}

std::size_t lifelines::spare(const place_view& view) const {
  const std::size_t kept = view.idle > 0 ? static_cast<std::size_t>(view.idle) : reserve(view);
  return view.flexible > kept ? view.flexible - kept : 0;
}

// Who waits may have got work since. Who asks has a worker that idles or soon will: what passes through may go there at any time.
std::size_t lifelines::spare_for_waiters(const place_view& view) const {
  const std::size_t passing = passing_through(view);
  return view.flexible > passing ? std::min(spare(view), view.flexible - passing) : 0;
}

placement_action lifelines::half_of(std::size_t spare, place_view& view) const {
  const std::size_t n = (spare + 1) / 2;
  view.flexible -= n;
  return {.what = placement_action::give, .pick = pick_, .n = n};
}

void lifelines::serve(place_view& view, std::vector<placement_action>& actions) {
  std::size_t served = 0;
  for (; served < waiters_.size(); ++served) {
    const std::size_t there = spare_for_waiters(view);
    if (there == 0) break;
    placement_action give = half_of(there, view);
    give.why = move_cause::lifeline;
    give.to = waiters_[served];
    actions.push_back(give);
  }
  waiters_.erase(waiters_.begin(), waiters_.begin() + static_cast<std::ptrdiff_t>(served));
  if (served > 0) passed(view);
}

bool lifelines::give_to(int to, std::uint32_t nonce, place_view& view, std::vector<placement_action>& actions) {
  const std::size_t there = spare(view);
  if (there == 0) return false;
  placement_action give = half_of(there, view);
  give.why = move_cause::asked;
  give.to = to;
  give.nonce = nonce;
  actions.push_back(give);
  through_ = std::min(through_, view.flexible);
  return true;
}

bool lifelines::ask_next(std::vector<placement_action>& actions) {
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((asked_ & bit) != 0) continue;
    asked_ |= bit;
    actions.push_back({.what = placement_action::lifeline, .why = move_cause::lifeline, .to = edges_[i]});
    return true;
  }
  return false;
}

// Where tasks are short, what runs here ends soon, and then this place asks for itself.
void lifelines::relay(const place_view& view, std::vector<placement_action>& actions) {
  if (!waiters_.empty() && view.flexible == 0 && view.idle == 0 && view.now >= old_at(view)) ask_all(actions);
}

void lifelines::loot_of(int from) {
  const auto edge = std::ranges::find(edges_, from);
  if (edge != edges_.end()) asked_ &= ~(std::uint64_t{1} << (edge - edges_.begin()));
}

// Time may have passed since the last event that could have served: then the moment is now. But of tasks that may go to none of those who
// wait the next event is heard; once more than there are of these, since what came during the first give of all was perhaps not told.
std::int64_t lifelines::poll_at(const place_view& view) const {
  if (waiters_.empty()) return k_never;
  if (spare_for_waiters(view) > 0) return in_vain_ <= waiters_.size() ? view.now : k_never;
  if (view.idle > 0) return k_never;
  if (view.flexible > 0) {
    const std::int64_t stale_at = fresh_until(view) + 1;
    return passing_through(view) == 0 ? stale_at : stale_at <= view.now ? next_pass_ : std::min(stale_at, next_pass_);
  }
  return all_asked() ? k_never : std::max(view.now, old_at(view));
}

void lifelines::reset() {
  waiters_.clear();
  in_vain_ = 0;
  asked_ = 0;
  since_ = -1;
  through_ = 0;
}

std::string lifelines::text() const {
  std::string all = "waiting here:";
  for (const int w : waiters_) all += ' ' + std::to_string(w);
  all += "; asked:";
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    if ((asked_ >> i & 1) != 0) all += ' ' + std::to_string(edges_[i]);
  }
  if (in_vain_ > 0) all += "; in vain: " + std::to_string(in_vain_);
  if (through_ > 0) all += "; passing through: " + std::to_string(through_);
  return all;
}

}  // namespace tactus::detail
