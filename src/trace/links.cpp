// SPDX-License-Identifier: Apache-2.0
#include "trace/links.hpp"

#include <algorithm>
#include <tuple>

namespace tactus::detail {
namespace {

using kind = trace_event::kind;

bool by_task(const noted_event& a, const noted_event& b) noexcept {
  return std::tie(a.event->number, a.event->time, a.event->what) <
         std::tie(b.event->number, b.event->time, b.event->what);
}

bool by_barrier(const noted_event& a, const noted_event& b) noexcept {
  return std::tie(a.event->other, a.event->time) < std::tie(b.event->other, b.event->time);
}

}  // namespace

// Before `known_from` a worker may have lost an end of a wait, and what follows is another's.
timeline_links::timeline_links(const std::vector<std::unique_ptr<timeline_part>>& parts, const own_numbers& own)
    : own_(own), arrows_(parts.size()) {
  std::int64_t known_from = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sort_in(static_cast<std::uint32_t>(i), *parts[i]);
    known_from = std::max(known_from, parts[i]->known_from());
  }
  link_spawns(known_from);
  link_results(known_from);
  link_waits(known_from);
  for (std::vector<arrow_end>& ends : arrows_) {
    std::sort(ends.begin(), ends.end(), [](const arrow_end& a, const arrow_end& b) {
      return std::tie(a.index, a.what, a.id) < std::tie(b.index, b.what, b.id);
    });
  }
}

// What lies in no slice that is still known can be no end of an arrow.
void timeline_links::sort_in(std::uint32_t worker, const timeline_part& part) {
  std::uint64_t running = 0;
  std::uint64_t last = 0;
  std::uint32_t index = 0;
  noted_event turned{};  // as the task has that runs
  part.for_each([&](const trace_event& e) {
    const noted_event here{&e, worker, index++, last};
    switch (e.what) {
      case kind::begin: begins_.push_back(here); break;
      case kind::stop:
      case kind::go_on: turnings_.push_back(here); break;
      case kind::spawn:
        if (running != 0) {
          spawns_.push_back(here);
        }
        break;
      case kind::wake:
        if (last != 0) {
          turnings_.push_back(here);
        }
        break;
      case kind::phase:
        if (last != 0) {
          phases_.push_back(here);
        }
        break;
      case kind::end:
        if (running == e.number && task_numbers::is_body_of_at(e.number)) {
          ends_.push_back(here);
        }
        break;
      case kind::result:
        if (running != 0 && turned.event->what == kind::go_on) {
          results_.push_back({e.number, turned});
        }
        break;
      case kind::steal: break;
    }
    if (e.what == kind::begin || e.what == kind::go_on) {
      running = last = e.number;
      turned = here;
    } else if (e.what == kind::stop || e.what == kind::end) {
      running = 0;
    }
  });
}

// A task whose begin is not here although nothing is lost is at another process, or its spawn has failed.
void timeline_links::link_spawns(std::int64_t known_from) {
  std::sort(spawns_.begin(), spawns_.end(), by_task);
  std::sort(begins_.begin(), begins_.end(), by_task);
  auto begin = begins_.cbegin();
  for (const noted_event& spawn : spawns_) {
    const std::uint64_t child = spawn.event->number;
    begin = std::find_if(begin, begins_.cend(), [child](const noted_event& b) { return b.event->number >= child; });
    if (begin != begins_.cend() && begin->event->number == child) {
      draw(arrow_end::kind::spawn, child, spawn, *begin);
    } else if (!own_.are_all && spawn.event->time >= known_from) {
      draw_end(arrow_end::kind::spawn, child, spawn);
    }
  }
  for (const noted_event& begun : begins_) {
    if (!own_.contain(begun.event->number)) {
      draw_end(arrow_end::kind::spawn, begun.event->number, begun);
    }
  }
}

void timeline_links::link_results(std::int64_t known_from) {
  std::sort(ends_.begin(), ends_.end(), by_task);
  for (const result& r : results_) {
    const trace_event of_body{.time = 0, .number = r.body, .text = "", .other = 0, .what = kind::spawn};
    const auto end = std::lower_bound(ends_.begin(), ends_.end(), noted_event{&of_body, 0, 0, 0}, by_task);
    if (end != ends_.end() && end->event->number == r.body) {
      if (end->event->time <= r.to.event->time) {
        draw_end(arrow_end::kind::result, r.body, *end);
        draw_result(r.body, r.to);
      }
    } else if (!own_.are_all && r.to.event->time >= known_from) {
      draw_result(r.body, r.to);
    }
  }
  for (const noted_event& end : ends_) {
    if (!own_.contain(end.event->number)) {
      draw_end(arrow_end::kind::result, end.event->number, end);
    }
  }
  std::sort(go_on_with_result_.begin(), go_on_with_result_.end());
}

void timeline_links::draw_result(std::uint64_t body, const noted_event& to) {
  draw_end(arrow_end::kind::result, body, to);
  go_on_with_result_.emplace_back(to.worker, to.index);
}

bool timeline_links::has_result(const noted_event& go_on) const {
  return std::binary_search(go_on_with_result_.begin(), go_on_with_result_.end(), std::pair(go_on.worker, go_on.index));
}

// That a task has woken itself, having found that it need not wait, is nothing to point at; nor is who has taken the message with a result.
void timeline_links::link_waits(std::int64_t known_from) {
  std::sort(turnings_.begin(), turnings_.end(), by_task);
  std::sort(phases_.begin(), phases_.end(), by_barrier);
  std::uint64_t wakes = task_numbers::before_those_of(own_.first_worker);
  for (std::size_t i = 0; i < turnings_.size(); ++i) {
    const trace_event& stop = *turnings_[i].event;
    if (stop.what != kind::stop || stop.time < known_from) {
      continue;
    }
    const auto is_of_this = [&](std::size_t k, kind what) {
      return k < turnings_.size() && turnings_[k].event->number == stop.number && turnings_[k].event->what == what;
    };
    const noted_event* waker = nullptr;
    std::size_t next = i + 1;
    for (; is_of_this(next, kind::wake); ++next) {
      waker = &turnings_[next];
    }
    if (!is_of_this(next, kind::go_on)) {
      continue;
    }
    const noted_event& go_on = turnings_[next];
    waits_.push_back({turnings_[i], go_on});
    if (waker == nullptr) {
      waker = turn_between(stop, *go_on.event);
    }
    if (waker != nullptr && waker->slice_of != stop.number && !has_result(go_on)) {
      draw(arrow_end::kind::wake, ++wakes, *waker, go_on);
    }
  }
}

// What has let a task go on that waited at a barrier; null if it did not. A phase cannot turn twice while a member waits for it.
const noted_event* timeline_links::turn_between(const trace_event& stop, const trace_event& go_on) const {
  const noted_event from{&stop, 0, 0, 0};
  const auto turn = std::lower_bound(phases_.begin(), phases_.end(), from, by_barrier);
  return stop.other != 0 && turn != phases_.end() && turn->event->other == stop.other && turn->event->time <= go_on.time
             ? &*turn
             : nullptr;
}

void timeline_links::draw(arrow_end::kind what, std::uint64_t id, const noted_event& from, const noted_event& to) {
  draw_end(what, id, from);
  draw_end(what, id, to);
}

void timeline_links::draw_end(arrow_end::kind what, std::uint64_t id, const noted_event& at) {
  arrows_[at.worker].push_back({at.index, what, id});
}

}  // namespace tactus::detail
