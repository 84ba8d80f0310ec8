// SPDX-License-Identifier: Apache-2.0
#include "trace/slices.hpp"

#include <limits>
#include <vector>

namespace tactus::detail {
namespace {

using kind = trace_event::kind;

// The slices of one worker, with what lies in them. At most one is open at a time, so that each has its end whatever the events
// before it were.
class slices {
public:
  slices(event_file& out, std::size_t worker, const timeline_links& links) noexcept
      : out_(out), worker_(worker), arrows_(links.arrows_at(worker)) {}

  void add(const trace_event& e) {
    switch (e.what) {
      case kind::begin:
      case kind::go_on:
        close(e.time);
        write_end();
        out_.slice_begins(worker_, e);
        state_ = state::open;
        break;
      case kind::stop:
      case kind::end: close(e.time); break;
      case kind::steal: out_.steal(worker_, e); break;
      case kind::phase: out_.phase(worker_, e); break;
      case kind::spawn:
      case kind::result:
      case kind::wake: break;
    }
    for (; arrow_ != arrows_.size() && arrows_[arrow_].index == index_; ++arrow_) {
      write_arrow(e, arrows_[arrow_]);
    }
    ++index_;
  }

  void end(std::int64_t last) {
    close(last);
    write_end();
  }

private:
  enum class state : std::uint8_t { none, open, closed };

  void close(std::int64_t time) noexcept {
    if (state_ == state::open) {
      state_ = state::closed;
      closed_at_ = time;
    }
  }

  // Only before the next slice, and behind the arrows that begin at the very end of this one: those of a worker that has found
  // after a task that another one need not wait any more.
  void write_end() {
    if (state_ == state::closed) {
      out_.slice_ends(worker_, closed_at_);
      state_ = state::none;
    }
  }

  void write_arrow(const trace_event& e, const arrow_end& arrow) {
    if (e.what == kind::begin || e.what == kind::go_on) {
      out_.arrow_ends(worker_, arrow, e.time);
    } else {
      out_.arrow_begins(worker_, arrow, state_ == state::closed ? closed_at_ : e.time);
    }
  }

  event_file& out_;
  const std::size_t worker_;
  const std::vector<arrow_end>& arrows_;
  std::size_t arrow_ = 0;  // the next to be written
  std::uint32_t index_ = 0;
  state state_ = state::none;
  std::int64_t closed_at_ = 0;
};

}  // namespace

void write_worker(event_file& out, std::size_t worker, const timeline_part& part, const timeline_links& links,
                  std::int64_t last) {
  out.thread(worker, part.lost());
  slices of_worker(out, worker, links);
  part.for_each([&of_worker](const trace_event& e) { of_worker.add(e); });
  of_worker.end(last);
}

void write_moves(event_file& out, int place, const move_track& moves) {
  bool any = false;
  moves.for_each([&](const move_event& e, const move_event* next) {
    if (!any) {
      out.moves(place, moves.lost());
      any = true;
    }
    out.move(place, e, next != nullptr ? next->time : std::numeric_limits<std::int64_t>::max());
  });
}

}  // namespace tactus::detail
