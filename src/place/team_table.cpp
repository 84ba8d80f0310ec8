// SPDX-License-Identifier: Apache-2.0
#include "place/team_table.hpp"

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/place/impl/team_operation.hpp>
#include <tactus/scheduler/impl/worker.hpp>

#include "place/frame.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <tuple>
#include <utility>

namespace tactus::detail {
namespace {

// Those that end nowhere before all members have begun them.
bool waits_for_all(team_call call) noexcept {
  return call == team_call::barrier || call == team_call::allreduce || call == team_call::alltoall ||
         call == team_call::split;
}

void describe_room(const wait_point&, std::string& text) {
  text += "one of " + std::to_string(team_member::k_most_under_way) + " operations of a team to end, or the one " +
          std::to_string(team_member::k_farthest) + " operations ago";
}
constinit const wait_kind k_room{describe_room, "an operation of a team to end"};

constexpr unsigned k_serial_of_split_bits = 16;

}  // namespace

// ---- one team ----

std::uint32_t team_part::begin(team_call call, team_form form) {
  {
    const std::lock_guard lock(mutex_);
    if (is_used_) {
      throw place_error(
          std::string("tactus::team: a task at ") + to_string(at(rank())) + " called " + name_of(call) +
          " of a team of " + std::to_string(size()) +
          " while another one there was in an operation of it; one task at each place calls them, one after the other");
    }
    is_used_ = true;
  }
  try {
    wait_for_room(call);
  } catch (...) {
    free_caller(team_form::blocking);
    throw;
  }
  const std::lock_guard lock(mutex_);
  in_a_row_ = waits_for_all(call) ? 0 : in_a_row_ + 1;
  under_way_[how_many_++] = next_;
  is_used_ = form == team_form::blocking;
  return next_++;
}

void team_part::free_caller(team_form form) noexcept {
  if (form == team_form::blocking) {
    const std::lock_guard lock(mutex_);
    is_used_ = false;
  }
}

void team_part::end(team_form form, std::uint32_t number) noexcept {
  waiter* ready = nullptr;
  free_caller(form);
  {
    const std::lock_guard lock(mutex_);
    static_cast<void>(std::remove(under_way_.begin(), under_way_.begin() + how_many_, number));
    --how_many_;
    ready = std::exchange(waits_, nullptr);
  }
  if (ready != nullptr) {
    make_ready(any_worker(), *ready);
  }
}

// Under the lock. Numbers come again: one that waits for its end must not meet itself (teams T1).
bool team_part::has_room() const noexcept {
  return how_many_ == 0 || (how_many_ < under_way_.size() && next_ - under_way_[0] < k_farthest);
}

void team_part::wait_for_room(team_call call) {
  for (;;) {
    waiter w;
    {
      const std::lock_guard lock(mutex_);
      if (has_room()) {
        break;
      }
    }
    w.part = this;
    w.commit = wait_for_end;
    w.cancel = give_up;
    w.kind = &k_room;
    w.object = this;
    suspend(w);
  }
  bool is_far = false;
  {
    const std::lock_guard lock(mutex_);
    is_far = !waits_for_all(call) && in_a_row_ == k_most_under_way;
  }
  if (is_far && size() > 1) {
    join_all();
  }
}

bool team_part::wait_for_end(wait_point& p) {
  auto& w = static_cast<waiter&>(p);
  const std::lock_guard lock(w.part->mutex_);
  if (w.part->has_room()) {
    return false;
  }
  w.part->waits_ = &w;
  return true;
}

void team_part::give_up(wait_point& p) {
  auto& w = static_cast<waiter&>(p);
  const std::lock_guard lock(w.part->mutex_);
  w.part->waits_ = nullptr;
}

// The barrier that keeps members together (teams T1).
void team_part::join_all() {
  note_of_step which{team_call::barrier, 0, 0};
  {
    const std::lock_guard lock(mutex_);
    which.operation = next_++;
    in_a_row_ = 0;
  }
  for (int far = 1; far < size(); far *= 2) {
    send(which, (rank() + far) % size(), nullptr);
    const int from = (rank() + size() - far) % size();
    if (const note came = receive(which, from); came.call != team_call::barrier) {
      throw_differs(which, came, differs::call, 0);
    }
  }
}

void end_for_want_of_memory() noexcept {
  end_without_memory("a member of a team needs memory for what the others have sent", "");
}

void team_part::send(note_of_step which, int to, std::unique_ptr<note_object> object) noexcept {
  worker* const w = current_worker();
  const std::uint64_t key = note_key::of(name(), which, rank());
  if (w->copies_as_bytes) {
    reply_bytes none;
    post(which, to, key, none, false);
    return;
  }
  queued_task* const m = w->tasks.take_or_end();
  message_header h(message_kind::note, w->place, key);
  h.call = static_cast<std::uint8_t>(which.call) & 7U;
  put_header(m, h);
  put_pointer(m, object.release());
  place_node::of(w).send(at(to).id(), m);
}

void team_part::send_bytes(note_of_step which, int to, reply_bytes bytes) noexcept {
  post(which, to, note_key::of(name(), which, rank()), bytes, false);
}

void team_part::send_failure(note_of_step which, int to, const std::vector<std::byte>& bytes) noexcept {
  worker* const w = current_worker();
  const std::uint64_t key = note_key::of(name(), which, rank());
  if (w->copies_as_bytes) {
    reply_bytes in_frame;
    try {
      if (!bytes.empty()) {
        std::memcpy(in_frame.make(bytes.size()), bytes.data(), bytes.size());
      }
    } catch (const std::bad_alloc&) {
      in_frame = {};  // none stand for that
    }
    post(which, to, key, in_frame, true);
    return;
  }
  std::unique_ptr<note_object> object;
  try {
    if (!bytes.empty()) {
      object = std::make_unique<note_of<std::vector<std::byte>>>(bytes);
    }
  } catch (const std::bad_alloc&) {
    object = nullptr;
  }
  queued_task* const m = w->tasks.take_or_end();
  message_header h(message_kind::note, w->place, key);
  h.call = static_cast<std::uint8_t>(which.call) & 7U;
  h.failed = true;
  put_header(m, h);
  put_pointer(m, object.release());
  place_node::of(w).send(at(to).id(), m);
}

void team_part::post(note_of_step which, int to, std::uint64_t key, reply_bytes& bytes, bool failed) noexcept {
  worker* const w = current_worker();
  place_node& here = place_node::of(w);
  frame_head head{.kind = message_kind::note, .from = here.number(), .to = at(to).id(), .object = key};
  head.flags = static_cast<std::uint8_t>(static_cast<unsigned>(which.call) << k_call_shift | (failed ? k_throws : 0U));
  queued_task* const m = w->tasks.take_or_end();
  try {
    finish_reply(bytes.block, bytes.size, head, here.order());
  } catch (const std::bad_alloc& why) {
    end_without_memory("a message to another place needs memory", why.what());
  }
  put_frame(m, message_kind::note, here.number(), std::move(bytes.block));
  here.send(head.to, m);
}

note team_part::receive(note_of_step which, int from) {
  queued_task* const m = place_node::of(current_worker()).notes().take(*this, which, from);
  worker* const w = current_worker();
  const message_header h = header_of(m);
  note came;
  came.call = static_cast<team_call>(h.call);
  came.failed = h.failed;
  came.from = h.from;
  if (h.framed) {
    came.block = take_frame(m);
    came.order = place_node::of(w).peer(h.from).order;
    reply_frame frame;
    static_cast<void>(read_note(came.block->frame(), came.order, frame));  // looked at when it came
    came.bytes = frame.payload;
  } else {
    came.object.reset(pointer_in<note_object>(m));
  }
  w->tasks.put(m);
  return came;
}

void team_part::throw_differs(note_of_step which, const note& came, differs in, int root_there) const {
  const std::string there = to_string(place(place::unchecked{came.from}));
  const std::string here = to_string(at(rank()));
  if (in == differs::call) {
    throw place_error("tactus::team: as operation " + std::to_string(which.operation) + " of a team of " +
                      std::to_string(size()) + ", " + there + " has called " + name_of(came.call) + ", and " + here +
                      " " + name_of(which.call) + "; all members call the same operations in the same order");
  }
  if (in == differs::type) {
    throw place_error("tactus::team: " + there + " has called " + call_text(*this, which) +
                      " with a value of another type than " + here + "; all members give values of one type");
  }
  throw place_error("tactus::team: " + there + " has called " + call_text(*this, which) + " with root " +
                    std::to_string(root_there) + ", and " + here + " with root " + std::to_string(which.root) +
                    "; all members give the same root");
}

namespace {

struct split_answer {
  std::uint32_t id = 0;
  std::vector<int> members;  // ranks of the team that is split
};

}  // namespace

team_name team_part::split(int colour, int key) {
  team_operation o(*this, team_call::split, team_form::blocking);
  const auto asked = gather_of(o, std::pair(colour, key), 0, k_step_to);
  member_value<std::vector<split_answer>> answers;
  if (rank() == 0) {
    answers.error = asked.error;
    if (answers.error == nullptr) {
      fill(answers, [&] {
        std::vector<std::tuple<int, int, int>> by_colour;  // and key, and rank
        for (int r = 0; r < size(); ++r) {
          const auto [c, k] = (*asked.value)[static_cast<std::size_t>(r)];
          by_colour.emplace_back(c, k, r);
        }
        std::sort(by_colour.begin(), by_colour.end());
        std::vector<split_answer> all(by_colour.size());
        for (auto first = by_colour.begin(); first != by_colour.end();) {
          const auto last = std::find_if(first, by_colour.end(),
                                         [&](const auto& x) { return std::get<0>(x) != std::get<0>(*first); });
          split_answer group;
          std::for_each(first, last, [&](const auto& x) { group.members.push_back(std::get<2>(x)); });
          group.id = table_.name_split(current_worker(), name(), group.members).id;
          for (const int r : group.members) {
            all[static_cast<std::size_t>(r)] = group;
          }
          first = last;
        }
        return all;
      });
    }
  }
  const split_answer mine = scatter_of(o, std::move(answers), 0, k_step_from).take();
  std::vector<place> members;
  members.reserve(mine.members.size());
  for (const int r : mine.members) {
    members.push_back(at(r));
  }
  const auto me = std::find(mine.members.begin(), mine.members.end(), rank());
  const team_name made{mine.id, name().run};
  table_.enter(made, members, static_cast<int>(me - mine.members.begin()));
  return made;
}

// ---- all teams of a place ----

void team_table::forget_other_runs(std::uint32_t run) noexcept {
  if (run_ != run) {
    parts_.clear();
    named_.clear();
    run_ = run;
  }
}

team_part& team_table::find(const worker* w, team_name name, const char* call) {
  const std::uint32_t run = w->owner->run().number();
  const auto refuse = [&](const char* why) { throw place_error(std::string("tactus::") + call + ": " + why); };
  if (name.id == team_name::k_none) {
    refuse("the team is of no places: it was made without any; assign one from team::world() or split()");
  }
  if (name.run != 0 && name.run != run) {
    refuse("the team is of a run that has ended; make it anew in each run");
  }
  const std::lock_guard lock(mutex_);
  forget_other_runs(run);
  std::unique_ptr<team_part>& part = parts_[name.id];
  if (part == nullptr && name.id == team_name::k_world) {
    const int places = w->places_of_run;
    if (places > note_key::k_most_members) {
      parts_.erase(name.id);
      throw resource_error(std::string("tactus::") + call + ": the run has " + std::to_string(places) +
                           " places, and a team has at most " + std::to_string(note_key::k_most_members));
    }
    std::vector<place> all;
    all.reserve(static_cast<std::size_t>(places));
    for (int p = 0; p < places; ++p) {
      all.emplace_back(place::unchecked{p});
    }
    part = std::make_unique<team_part>(*this, team_name{name.id, run}, std::move(all), w->place);
  }
  if (part == nullptr) {
    parts_.erase(name.id);
    refuse("the calling task's place is no member of the team");
  }
  return *part;
}

void team_table::enter(team_name name, const std::vector<place>& members, int rank) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<team_part>& part = parts_[name.id];
  if (part == nullptr) {
    part = std::make_unique<team_part>(*this, name, members, rank);
  }
}

team_name team_table::name_split(const worker* w, team_name of, const std::vector<int>& members) {
  const std::lock_guard lock(mutex_);
  const auto found = named_.find({of.id, members});
  if (found != named_.end()) {
    return {found->second, of.run};
  }
  const std::size_t serial = named_.size() + 1;  // 0 is the world's
  if (serial >> k_serial_of_split_bits != 0) {
    throw resource_error("tactus::team::split: place " + std::to_string(w->place) + " has made " +
                         std::to_string(serial - 1) +
                         " teams in this run, and there is room for no more; equal splits are one team");
  }
  const std::uint32_t id =
      static_cast<std::uint32_t>(w->place) << k_serial_of_split_bits | static_cast<std::uint32_t>(serial);
  named_.emplace(std::pair(of.id, members), id);
  return {id, of.run};
}

team_member& member_of(team_name name, const char* call, team_use use) {
  const worker* const w = use == team_use::operation ? worker_for(call) : any_worker_for(call);
  return w->owner->teams()->find(w, name, call);
}

std::unique_ptr<team_table, teams_end> make_team_table() {
  return std::unique_ptr<team_table, teams_end>(new team_table);
}
void teams_end::operator()(team_table* t) const noexcept { delete t; }

}  // namespace tactus::detail
