// SPDX-License-Identifier: Apache-2.0
// A place that falls asleep tells so; when all have, and nothing is under way, the program is stuck. docs/protocols/quiescence.md.

#include "place/flexible_tasks.hpp"
#include "place/frame.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"

#include "scheduler/run_control.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace tactus::detail {

void place_node::run_begins(worker* w) {
  if (net_->carries_far) {
    wait_for_all(w);
    if (number() == 0) {
      for (int other = 1; other < static_cast<int>(places_); ++other) {
        net_->quiet.sent_from_outside(other);  // its task that waits for the end
      }
    }
  }
  if (number() == 0) {
    net_->quiet.sent_from_outside(0);
  }
  begun_.fetch_add(1, memory_order_relaxed);  // relaxed: told by who sees this place asleep
  for (const auto& place : here_.run().places()) {
    of(*place).notes_.forget_all_but(here_.run().number());
    if (flexible_tasks* const moving = of(*place).flexible(); moving != nullptr) {
      moving->run_begins(w);
    }
  }
}

// Who sleeps since before the run has not starved in it.
void place_node::run_is_under_way() noexcept {
  for (const auto& place : here_.run().places()) {
    place_node& other = of(*place);
    other.idle_times_.run_begins();
    if (here_.seeded() != nullptr) {
      other.begin_anew(&here_.at(0));
    }
    if (other.flexible_ != nullptr) {
      other.here_.idle().wake_all();
    }
  }
}

void place_node::run_is_over() noexcept {
  for (const auto& place : here_.run().places()) {
    place_node& other = of(*place);
    other.idle_times_.run_ends();
    if (other.flexible_ != nullptr) {
      other.flexible_->run_is_over();
    }
  }
}

void place_node::search_begins(worker* w) noexcept { idle_times_.begins(w->id); }

void place_node::search_ends(worker* w) noexcept {
  idle_times_.ends(w->id);
  if (flexible_ != nullptr) {
    flexible_->has_found_work(w);
  }
}

void place_node::is_about_to_park(worker* w) noexcept {
  if (flexible_ != nullptr) {
    flexible_->is_about_to_park(w);
  }
}

// Where any worker may, one of those that sleep does, and who comes when it has been woken is the next one: who finds nobody to have
// looked, or has been the last to search and woken another since it has found work, as idle_set::end_search() says.
bool place_node::looks_asleep(const worker* w) noexcept {
  if (!net_->carries_far || net_->has_thread) {
    return false;
  }
  if (net_->carrier->is_of_one_thread()) {
    return w->id == 0;
  }
  return !is_watched_.exchange(true, memory_order_seq_cst);  // after it has announced itself: pairs with wakes_up()
}

void place_node::wakes_up() noexcept {
  is_watched_.store(false, memory_order_seq_cst);  // before the end of its search
}

// There is no thread of progress: what that does for a place whose workers sleep is done here.
void place_node::look_asleep(worker* w) noexcept {
  static_cast<void>(look_after_trains(w));
  net_->carrier->poll(w);
  send_inquiries(w);
  static_cast<void>(come_by_for_placement(w));
}

void place_node::falls_asleep(worker* w) noexcept {
  if (net_->carries_far && net_->has_thread) {
    net_->progress->sleeps();
  }
  if (w->copies_as_bytes) {
    tell_by_messages(w);
    wake_withheld();
    return;
  }
  bool stuck = false;
  here_.idle().if_all_asleep([&] { stuck = tell(); });
  wake_withheld();
  if (stuck) {
    resolve(w);
  }
}

// With the lock of the idle set held and all workers in it: none of them leaves, and what makes work visible wakes one later. But
// strangers take messages, and foreign threads send, meanwhile: what is told as taken is read before the look, what was sent after it
// (quiescence, "Two looks").
bool place_node::tell() noexcept {
  const std::uint64_t taken_by_now = taken();
  const std::uint64_t reached = here_.sent_by_strangers();
  if (withholds() || here_.work_in_sight()) {
    return false;
  }
  if (const std::optional<std::int64_t> taken_since = changes(taken_by_now, reached); taken_since) {
    return net_->quiet.apply(number(), sent_since_, *taken_since, reached);
  }
  return net_->quiet.all_zero();  // who found that first may have met a promise that is gone by now (Q9)
}

bool place_node::withholds() noexcept {
  const run_control& run = here_.run();
  if (run.has_unset_externals()) {
    if (!withholds_.exchange(true, memory_order_seq_cst)) {  // before the next look; pairs with wake_withheld()
      net_->withheld.fetch_add(1, memory_order_seq_cst);
    }
    if (run.has_unset_externals()) {
      return true;
    }
  }
  if (withholds_.exchange(false, memory_order_seq_cst)) {
    net_->withheld.fetch_sub(1, memory_order_seq_cst);
  }
  return false;
}

// What is to be told since the last time: what was sent is in sent_since_, what was taken is returned; null: nothing.
std::optional<std::int64_t> place_node::changes(std::uint64_t taken_by_now, std::uint64_t reached) noexcept {
  const std::int64_t first = std::exchange(told_first_, true) ? 0 : 1;  // which the ledger has waited for
  bool changed = std::exchange(told_reached_, reached) != reached || first != 0;
  for (std::size_t to = 0; to < places_; ++to) {
    const std::uint64_t sent = sent_to(static_cast<int>(to));
    sent_since_[to] = static_cast<std::int64_t>(sent - std::exchange(told_sent_[to], sent));
    changed = changed || sent_since_[to] != 0;
  }
  const auto taken_since = static_cast<std::int64_t>(taken_by_now - std::exchange(told_taken_, taken_by_now)) + first;
  return changed || taken_since != 0 ? std::optional(taken_since) : std::nullopt;
}

bool place_node::is_at_rest() {
  const std::lock_guard nobody_tells(telling_);
  bool rests = false;
  here_.idle().if_all_asleep([&] {
    // relaxed: who asks wakes a worker afterwards, so that not all are asleep
    rests = !here_.work_in_sight() && asked_.load(memory_order_relaxed) == k_not_asked &&
            (!here_.at(0).copies_as_bytes || has_told_all());
  });
  return rests;
}

bool place_node::has_told_all() const noexcept {
  if (!told_first_ || told_taken_ != taken() || told_reached_ != here_.sent_by_strangers()) {
    return false;
  }
  for (std::size_t to = 0; to < places_; ++to) {
    if (told_sent_[to] != sent_to(static_cast<int>(to))) {
      return false;
    }
  }
  return true;
}

// The promise is gone: who was passive all the time tells it now.
void place_node::wake_withheld() noexcept {
  if (net_->withheld.load(memory_order_seq_cst) == 0 || here_.run().has_unset_externals()) {  // pairs with tell()
    return;
  }
  for (const auto& place : here_.run().places()) {
    place_node& other = of(*place);
    if (other.withholds_.exchange(false, memory_order_seq_cst)) {  // as above
      net_->withheld.fetch_sub(1, memory_order_seq_cst);
      other.here_.idle().wake_one_for_sure();
    }
  }
}

void place_node::resolve(worker* w) noexcept {
  run_control& run = here_.run();
  // From here on only a foreign thread can change anything, by a promise of its own or by letting the last handle of something go.
  const foreign_visit nobody_reaches_in;
  const bool untold = std::any_of(run.places().begin(), run.places().end(), [this](const auto& p) {
    return !net_->quiet.has_told(p->place(), p->sent_by_strangers());
  });
  // Who was reached first, zero last (Q6).
  if (!untold && run.is_active() && !here_.deadlocked() && !run.has_unset_externals() && net_->quiet.all_zero()) {
    run.resolve_deadlock(w);
  }
}

// ---- by messages ----

// What goes to place 0 is put together under the lock of the idle set and sent without it: to send takes that of place 0's. telling_ keeps
// the order.
void place_node::tell_by_messages(worker* w) noexcept {
  const std::lock_guard in_order(telling_);
  // Before the lock of the idle set, as foreign threads take the two.
  std::optional<foreign_visit> nobody_reaches_in;
  if (asked_.load(memory_order_acquire) == stuck_step::set) {  // acquire: pairs with hear()
    nobody_reaches_in.emplace();
  }
  std::optional<quiet_frame> news;
  std::optional<stuck_frame> answer;
  std::size_t tasks = 0;
  std::string lines;
  bool has_cut = false;
  try {
    here_.idle().if_all_asleep([&] {
      const std::uint64_t taken_by_now = taken();
      const std::uint64_t reached = here_.sent_by_strangers();
      const bool says_nothing = withholds();
      if (here_.work_in_sight() || (says_nothing && !nobody_reaches_in)) {
        return;
      }
      has_cut = !says_nothing;
      if (const auto taken_since = says_nothing ? std::nullopt : changes(taken_by_now, reached); taken_since) {
        news.emplace().taken = static_cast<std::uint64_t>(*taken_since);
        for (std::size_t to = 0; to < places_; ++to) {
          if (sent_since_[to] != 0) {
            news->sent.emplace_back(static_cast<int>(to), static_cast<std::uint64_t>(sent_since_[to]));
          }
        }
      }
      switch (asked_.load(memory_order_relaxed)) {  // relaxed: acquired above; what came since wakes a worker
        case stuck_step::ask:
          answer.emplace().head.flags = static_cast<std::uint8_t>(stuck_step::answer);
          lines = stuck_waits::lines(here_, std::max<std::size_t>(stuck_waits::k_most_lines / places_, 1), tasks);
          asked_.store(k_not_asked, memory_order_relaxed);  // relaxed: nobody asks again before it is answered
          break;
        case stuck_step::set:
          if (!nobody_reaches_in) {
            break;  // it came after the look above: whoever brought it wakes a worker
          }
          // Of a run that has gone on after all, and is over, nobody waits in vain; the round is to end all the same (Q13).
          if (asked_of_.load(memory_order_relaxed) == here_.run().number()) {  // relaxed: acquired with asked_
            here_.set_deadlocked(true);
            in_vain_.cancel(here_);
          }
          answer.emplace().head.flags = static_cast<std::uint8_t>(stuck_step::confirmed);
          asked_.store(k_not_asked, memory_order_relaxed);  // relaxed: as above
          break;
        default: break;
      }
    });
    nobody_reaches_in.reset();
    if (news) {
      tell(w, *news);
    }
    if (answer) {
      answer->tasks = static_cast<std::uint32_t>(tasks);
      answer->text = lines;
      tell(w, *answer);
    }
    if (has_cut && !news && !answer && number() == 0 && net_->quiet.all_zero()) {
      go_round(w);  // as in tell()
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("what places tell each other when they fall idle needs memory", why.what());
  }
}

void place_node::tell(worker* w, quiet_frame& news) {
  if (number() == 0) {
    hear(w, 0, news);
    return;
  }
  news.head = {.kind = message_kind::quiet, .from = number(), .to = 0};
  send_frame(w, news.head, make_quiet(news, order()));
}

void place_node::tell(worker* w, stuck_frame& what, int to) {
  if (number() == to) {
    hear(w, to, what);
    return;
  }
  what.head.kind = message_kind::stuck;
  what.head.from = number();
  what.head.to = to;
  send_frame(w, what.head, make_stuck(what, order()));
}

void place_node::tell_all(worker* w, stuck_step step, std::size_t tasks, std::string_view text) {
  for (int to = 0; to < static_cast<int>(places_); ++to) {
    stuck_frame what{.head = {.flags = static_cast<std::uint8_t>(step), .object = here_.run().number()},
                     .tasks = static_cast<std::uint32_t>(tasks),
                     .text = text};
    tell(w, what, to);
  }
}

void place_node::send_frame(worker* w, const frame_head& head, frame_ptr frame) noexcept {
  queued_task* const m = descriptor(w);
  put_frame(m, head.kind, number(), std::move(frame));
  send(head.to, m);
}

// ---- at place 0, and what it asks for ----

void place_node::hear(worker* w, int from, const quiet_frame& news) {
  net_->judge.told();
  if (net_->quiet.apply(from, news.sent, news.taken)) {
    go_round(w);
  }
}

void place_node::go_round(worker* w) {
  const run_control& run = here_.run();
  if (run.is_active() && !here_.deadlocked() && !run.has_unset_externals() && net_->judge.begins()) {
    tell_all(w, stuck_step::ask);
  }
}

void place_node::hear(worker* w, int from, const stuck_frame& what) {
  run_control& run = here_.run();
  switch (what.step()) {
    case stuck_step::set:
      if (is_first_here()) {
        run.set_deadlock_text(static_cast<std::uint32_t>(what.head.object), what.tasks, std::string(what.text));
      }
      [[fallthrough]];
    case stuck_step::ask:
      // relaxed: released with asked_
      asked_of_.store(static_cast<std::uint32_t>(what.head.object), memory_order_relaxed);
      asked_.store(what.step(), memory_order_release);  // release: the text; pairs with tell_by_messages()
      here_.idle().wake_one_for_sure();
      break;
    case stuck_step::go: in_vain_.go_on(w); break;
    case stuck_step::answer:
      switch (net_->judge.answered(from, what.tasks, std::string(what.text))) {
        case verdict::next::set:
          if (run.is_active() && !run.has_unset_externals() && net_->quiet.all_zero()) {
            net_->judge.sets();
            const auto [tasks, lines] = net_->judge.all_waits();
            tell_all(w, stuck_step::set, tasks, lines);
            break;
          }
          net_->judge.gives_up();
          [[fallthrough]];
        case verdict::next::look_again:
          if (net_->quiet.all_zero()) {
            go_round(w);
          }
          break;
        default: break;
      }
      break;
    case stuck_step::confirmed:
      if (net_->judge.confirmed() == verdict::next::go) {
        tell_all(w, stuck_step::go);
      }
      break;
  }
}

}  // namespace tactus::detail
