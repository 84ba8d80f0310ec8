// SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_engine.hpp"

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>

#include "mpi/checked.hpp"
#include "mpi/left_behind.hpp"
#include "mpi/mpi_lock.hpp"
#include "mpi/packed_frames.hpp"
#include "mpi/patience.hpp"
#include "place/frame.hpp"
#include "place/frame_bytes.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include <sched.h>

namespace tactus::detail {
namespace {

// Tasks wait for company, or for their sender to be through with its work: about so many.
constexpr std::uint32_t k_company = 32;
constexpr std::uint32_t k_bytes_of_company = 2048;  // in one message, these are that, too

// So that a look never takes long.
constexpr int k_messages_at_once = 16;

constexpr std::size_t k_spare_buffers = 64;

// So many messages on their way are looked after by who sends the next one.
constexpr std::size_t k_most_unseen = 16;

constexpr std::size_t k_number_at_in_frame = 4;

[[noreturn]] void end_damaged_way(int from, int to, const char* what) noexcept {
  std::fprintf(stderr, "tactus: what came from rank %d to rank %d is damaged: %s; the program cannot go on\n", from, to,
               what);
  end_job(k_status_of_failure);
  std::terminate();
}

// f(), which has messages made, sent or taken.
template <class F>
auto with_memory(F f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc& why) {
    end_without_memory("a message to another process needs memory", why.what());
  }
}

constinit std::mutex g_mutex;  // protects the next one
constinit std::vector<const mpi_engine*> g_engines;

}  // namespace

mpi_engine::mpi_engine(run_control& run, MPI_Comm comm)
    : run_(run),
      comm_(comm),
      here_(run.home().place()),
      node_(place_node::of(run.home())),
      one_thread_(one_thread_calls_mpi()),
      most_together_(one_thread_ ? k_leaves_at_once : k_buffer),
      ways_(static_cast<std::size_t>(run.options().places)),
      receives_(static_cast<std::size_t>(k_receives)),
      coming_(comm),
      beside_(comm, static_cast<std::size_t>(run.options().places)) {}

mpi_engine::~mpi_engine() = default;

bool mpi_engine::some_run_is_active() noexcept {
  const std::lock_guard lock(g_mutex);
  return std::any_of(g_engines.begin(), g_engines.end(), [](const mpi_engine* e) { return e->run_.is_running(); });
}

bool mpi_engine::some_is_there() noexcept { return how_many() != 0; }

int mpi_engine::how_many() noexcept {
  const std::lock_guard lock(g_mutex);
  return static_cast<int>(g_engines.size());
}

void mpi_engine::start() {
  {
    const std::lock_guard lock(g_mutex);
    g_engines.push_back(this);
  }
  const mpi_locked lock;
  for (receive& r : receives_) {
    r.into = std::make_unique<buffer>();
    check_mpi(MPI_Recv_init(r.into->bytes, static_cast<int>(k_buffer), MPI_BYTE, MPI_ANY_SOURCE, k_together, comm_,
                            &r.request),
              "MPI_Recv_init");
    check_mpi(MPI_Start(&r.request), "MPI_Start");
  }
  if (const double seconds = run_.options().peer_timeout; seconds > 0 && ways_.size() > 1) {
    if (one_thread_) {
      throw config_error(
          "tactus: peer_timeout (TACTUS_PEER_TIMEOUT) cannot be used here: MPI was initialised for one thread, and a "
          "worker that computes "
          "would be taken for dead; leave it at 0, or initialise MPI by MPI_Init_thread with MPI_THREAD_SERIALIZED or "
          "MPI_THREAD_MULTIPLE");
    }
    if (run_.options().progress == message_progress::worker) {
      throw config_error(
          "tactus: peer_timeout (TACTUS_PEER_TIMEOUT) cannot be used with TACTUS_PROGRESS=worker: a worker that "
          "computes "
          "would be taken for dead; leave one of them at its default");
    }
    watch_.emplace(comm_, std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds)));
    watch_->start();
  }
}

void mpi_engine::check_that_a_run_may_begin() const {
  if (is_in_mpi_call()) {
    throw usage_error(
        "tactus: a run was begun inside of tactus::mpi::call, which holds the lock under which messages go; begin it "
        "before that call or after it");
  }
  if (one_thread_ && !may_call_mpi()) {
    throw config_error(
        "tactus: a run was begun by another thread than the one that has initialised MPI, which allows that one only; "
        "begin it there, or initialise MPI by MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
  }
}

void mpi_engine::begin_run() noexcept {
  const mpi_locked lock;
  in_run_ = true;
  if (watch_) {
    watch_->begin_run();
  }
}

// Until its next run the program calls MPI as it likes, under MPI_THREAD_SERIALIZED too, or not at all: what has not left by then may stay
// for as long.
void mpi_engine::end_run() noexcept {
  worker* const w = any_worker();
  {
    const mpi_locked lock;
    with_memory([&] {
      pack(w);
      flush_all();
    });
    is_leaving_ = true;  // what somebody sends from here on may be for who has left
  }
  // The others are in the run until they have what the first one has just sent; who waits for more may wait for who has left.
  for (;;) {
    range_sender::gone_frames gone;  // before the lock, which is given back first (ranges R6)
    {
      const mpi_locked lock;
      with_memory([&] { reap(gone); });
      if (sent_.empty() || here_ != 0) {
        in_run_ = false;
        is_leaving_ = false;
        if (watch_) {
          watch_->end_run();
        }
        return;
      }
      with_memory([&] { take(w); });
    }
    ::sched_yield();
  }
}

// ---- any thread ----

void mpi_engine::send(int /*from*/, int /*to*/, queued_task* m) noexcept {
  const message_header& h = header_of(m);
  const bool may_wait = h.kind == message_kind::task;
  const bool is_company = h.several && h.bytes >= k_bytes_of_company;
  out_.send_before_load(m);
  if (!may_wait || is_company ||
      waits_.fetch_add(1, memory_order_relaxed) % k_company == k_company - 1) {  // relaxed: a hint
    if (may_wait) {  // by who sends many, and may look seldom: what comes is looked for, so that the thread of progress need not
      poll(any_worker());
    } else {
      talk(any_worker(), talk_about::own);
    }
  }
}

bool mpi_engine::poll(worker* w) noexcept { return talk(w, talk_about::all); }

// As a mailbox is taken (messages.md): who finds the lock taken leaves it to its holder, which looks once more when it has given it back.
// Where that is a thread of another runtime, or a call of the program, it is left to the next who polls.
bool mpi_engine::talk(worker* w, talk_about what) noexcept {
  range_sender::gone_frames gone;  // without the lock (ranges R6), when nobody waits for a look of this thread
  bool any = false;
  if (one_thread_ && !may_call_mpi()) {
    return any;
  }
  do {
    if (!g_mpi_lock.try_take()) {
      return any;
    }
    if (!in_run_ || is_leaving_) {
      g_mpi_lock.give_back();
      return any;
    }
    if (what == talk_about::all && w != nullptr) {
      looks_.store(looks_.load(memory_order_relaxed) + 1, memory_order_relaxed);  // relaxed: a hint, under the lock
    }
    with_memory([&] {
      any = pack(w) || any;
      flush_all();
      expect_wanted();
      if (what == talk_about::all || sent_.size() > k_most_unseen) {
        any = take(w) || any;
        reap(gone);
        if (watch_) {
          watch_->look();
        }
      }
    });
    g_mpi_lock.give_back();
  } while (!out_.looks_empty_after_store() || wanted_.there_are());
  return any;
}

// Its receive is posted at once if nobody else talks, who does it then.
void mpi_engine::receive_range(range_wait& wait) noexcept {
  wanted_.add(wait);
  talk(any_worker(), talk_about::all);
}

// The next who talks posts them.
void mpi_engine::drop_ranges(unwanted_ranges what) { wanted_.add(std::move(what)); }

// ---- by who talks ----

std::unique_ptr<mpi_engine::buffer> mpi_engine::fresh() {
  if (spare_.empty()) {
    return std::make_unique<buffer>();
  }
  std::unique_ptr<buffer> b = std::move(spare_.back());
  spare_.pop_back();
  b->used = 0;
  return b;
}

bool mpi_engine::pack(worker* w) {
  queued_task* m = out_.take_all();
  const bool any = m != nullptr;
  while (m != nullptr) {
    queued_task* const next = m->next;
    frame_ptr frame = node_.unwrap(w, m);
    frame_head head;
    static_cast<void>(read_head(frame->frame(), node_.order(), head));  // by this place
    if (is_control(head.kind)) {
      frame_writer(frame->data() + frame->begin + k_number_at_in_frame, node_.order())
          .put32(++ways_[static_cast<std::size_t>(head.to)].control_sent);
    }
    put(head.to, std::move(frame));
    m = next;
  }
  return any;
}

// Beside a frame there may be what says of its ranges.
bool mpi_engine::goes_alone(std::size_t bytes) const noexcept {
  constexpr std::size_t k_most_said = k_announcement + k_most_ranges * k_frame_word;
  static_assert(k_longest_together + k_most_said <= k_buffer && k_most_said + k_announcement <= k_leaves_at_once);
  return bytes > std::min(k_longest_together, most_together_ - k_most_said);
}

std::byte* mpi_engine::room_in_buffer(int to, std::size_t bytes) {
  peer_way& way = ways_[static_cast<std::size_t>(to)];
  if (way.open != nullptr && way.open->used + bytes > most_together_) {
    flush(to);
  }
  if (way.open == nullptr) {
    way.open = fresh();
    open_.push_back(to);
  }
  std::byte* const room = way.open->bytes + way.open->used;
  way.open->used += bytes;
  return room;
}

void mpi_engine::put(int to, frame_ptr frame) {
  const frame_bytes bytes = frame->frame();
  if (frame->extra != nullptr) {
    beside_.add(to, std::move(frame));
    let_held_go(to);
  } else if (goes_alone(bytes.size())) {
    send_alone(to, std::move(frame));
  } else {
    std::memcpy(room_in_buffer(to, bytes.size()), bytes.data(), bytes.size());
  }
}

// Announced among the frames that go together: the other side receives into its place, in the order of the announcements, which is that of
// sending.
void mpi_engine::send_alone(int to, frame_ptr frame) {
  const frame_bytes bytes = frame->frame();
  frame_writer announces(room_in_buffer(to, k_announcement), node_.order());
  announce_alone(announces, bytes.size());
  flush(to);
  const std::shared_ptr<frame_block> shared(std::move(frame));
  for (std::size_t at = 0; at < bytes.size(); at += k_longest_part) {
    const std::size_t part = std::min(bytes.size() - at, k_longest_part);
    sending& s = sent_.emplace_back();
    s.alone = shared;
    check_mpi(MPI_Isend(bytes.data() + at, static_cast<int>(part), MPI_BYTE, to, k_alone, comm_, &s.request),
              "MPI_Isend");
  }
}

void mpi_engine::let_held_go(int to) {
  beside_.let_go(to, [&](int tag, frame_block& frame) { return send_with_ranges(to, tag, frame); });
}

// Its bytes go as those of others do, with what says where its ranges are before them.
int mpi_engine::send_with_ranges(int to, int tag, frame_block& frame) {
  const frame_bytes bytes = frame.frame();
  const auto ranges = range_sender::ranges_of(frame);
  const bool is_long = goes_alone(bytes.size());
  const std::size_t said = bytes_of_announcement(ranges.size());
  std::byte* const room = room_in_buffer(to, said + (is_long ? k_announcement : bytes.size()));
  frame_writer announces(room, node_.order());
  announce_ranges(announces, tag, ranges);
  if (is_long) {
    announce_alone(announces, bytes.size());
  } else {
    announces.put_bytes(bytes.data(), bytes.size());
  }
  flush(to);
  return is_long ? k_alone : 0;
}

void mpi_engine::flush(int to) {
  peer_way& way = ways_[static_cast<std::size_t>(to)];
  if (way.open == nullptr) {
    return;
  }
  ++way.messages_sent;
  sending& s = sent_.emplace_back();
  s.together = std::move(way.open);
  check_mpi(
      MPI_Isend(s.together->bytes, static_cast<int>(s.together->used), MPI_BYTE, to, k_together, comm_, &s.request),
      "MPI_Isend");
  std::erase(open_, to);
}

void mpi_engine::flush_all() {
  while (!open_.empty()) {
    flush(open_.back());
  }
}

// A message that has not left goes behind the others: to another rank, or short, these may have left before it. One in a look, which is dear
// where it finds nothing: see take().
void mpi_engine::reap(range_sender::gone_frames& gone) {
  for (int to = beside_.reap(gone); to >= 0; to = beside_.reap(gone)) {
    let_held_go(to);
  }
  while (!sent_.empty()) {
    int done = 0;
    check_mpi(MPI_Test(&sent_.front().request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) {
      sent_.push_back(std::move(sent_.front()));
      sent_.pop_front();
      return;
    }
    if (sent_.front().together != nullptr && spare_.size() < k_spare_buffers) {
      spare_.push_back(std::move(sent_.front().together));
    }
    sent_.pop_front();
  }
}

// Who has nothing else to do takes one message at a time: somebody may wait for it, and could go on while the next one is copied; and a look
// that finds nothing is dear where MPI gives the processor up in each (Open MPI with mpi_yield_when_idle). For who is in the middle of its
// own work fewer looks are better.
bool mpi_engine::take(worker* w) {
  const bool one_at_a_time = w == nullptr || w->deque.looks_empty();
  if (take_alone(w) && one_at_a_time) {
    return true;
  }
  const bool together = take_together(w, one_at_a_time);
  return take_alone(w) || together;
}

bool mpi_engine::take_together(worker* w, bool one_at_a_time) {
  for (int i = 0; i < k_messages_at_once; ++i) {
    receive& r = receives_[next_receive_];
    int done = 0;
    MPI_Status status;
    check_mpi(MPI_Test(&r.request, &done, &status), "MPI_Test");
    if (done == 0) {
      return i != 0;
    }
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    const std::size_t receiving = coming_.parts();
    take_buffer(w, status.MPI_SOURCE, {r.into->bytes, static_cast<std::size_t>(bytes)});
    check_mpi(MPI_Start(&r.request), "MPI_Start");
    next_receive_ = (next_receive_ + 1) % receives_.size();
    if (one_at_a_time && (w != nullptr || coming_.parts() != receiving)) {
      break;
    }
  }
  return true;
}

bool mpi_engine::take_alone(worker* w) {
  bool any = false;
  while (std::optional<part_receiver::whole> came = coming_.take()) {
    if (came->wait != nullptr) {
      node_.bring_range(w, *came->wait);
    } else {
      take_frame(w, came->from, std::move(came->frame));
    }
    any = true;
  }
  return any;
}

void mpi_engine::expect(int from, std::size_t bytes, std::unique_ptr<coming_ranges> beside) {
  frame_ptr frame = make_block_at_any_rate(bytes);
  frame->bytes = bytes;
  frame->extra = beside.release();
  coming_.expect(from, std::move(frame), k_alone);
}

void mpi_engine::expect_wanted() {
  if (!wanted_.there_are()) {
    return;
  }
  wanted_ranges::all all = wanted_.take_all();
  for (const unwanted_ranges& ranges : all.unwanted) {
    coming_.expect(ranges);
  }
  while (all.first != nullptr) {  // from the time of its last receive on a wait may be over
    coming_.expect(*std::exchange(all.first, all.first->behind));
  }
}

void mpi_engine::take_buffer(worker* w, int from, std::span<const std::byte> message) {
  ++ways_[static_cast<std::size_t>(from)].messages_come;
  packed_frames frames(message, node_.peer(from).order);
  for (packed_frames::one next; frames.take(next);) {
    std::unique_ptr<coming_ranges> beside;
    if (next.tag != 0) {
      beside = std::make_unique<coming_ranges>(*this, from, next.tag, std::move(next.ranges));
    }
    if (next.alone != 0) {
      expect(from, next.alone, std::move(beside));
      continue;
    }
    frame_ptr frame = make_block_at_any_rate(next.here.size());
    frame->bytes = next.here.size();
    frame->extra = beside.release();
    std::memcpy(frame->data(), next.here.data(), next.here.size());
    take_frame(w, from, std::move(frame));
  }
  if (frames.damaged() != nullptr) {
    end_damaged_way(from, here_, frames.damaged());
  }
}

// What goes alone may come before what has gone before it, so control frames are put in order again.
void mpi_engine::take_frame(worker* w, int from, frame_ptr frame) {
  const byte_order order = node_.peer(from).order;
  frame_head head;
  if (const char* const wrong = read_head_from(from, frame->frame(), order, head); wrong != nullptr) {
    end_damaged_way(from, here_, wrong);
  }
  if (is_over_) {
    return;
  }
  peer_way& way = ways_[static_cast<std::size_t>(from)];
  if (!is_control(head.kind)) {
    node_.bring(w, head, std::move(frame));
    return;
  }
  switch (way.control_come.add(head.number, frame)) {
    case control_order::turn::later: return;
    case control_order::turn::again: end_damaged_way(from, here_, "a control message has come twice");
    case control_order::turn::now: break;
  }
  node_.bring(w, head, std::move(frame));
  while (frame_ptr next = way.control_come.take_early()) {
    static_cast<void>(read_head(next->frame(), order, head));  // read before
    node_.bring(w, head, std::move(next));
  }
}

// ---- reports ----

// Who has the lock may hang in MPI: then the report goes without.
std::string mpi_engine::text() {
  constexpr int k_looks = 1000;
  for (int i = 0; !g_mpi_lock.try_take(); ++i) {
    if (i == k_looks) {
      return {};
    }
    ::sched_yield();
  }
  const mpi_locked lock(std::adopt_lock);
  std::string text;
  for (std::size_t from = 0; from < ways_.size(); ++from) {
    const control_order& come = ways_[from].control_come;
    if (come.early() != 0) {
      text += "tactus: control message " + std::to_string(come.due()) + " from place " + std::to_string(from) +
              " to place " + std::to_string(here_) + " has not come, and " + std::to_string(come.early()) +
              " later ones have\n";
    }
  }
  return text;
}

// ---- the end ----

// Collective, unless the runtime could not be made here: then others may never come to its end, or to its begin.
void mpi_engine::stop() noexcept {
  if (is_in_mpi_call()) {
    std::fputs(
        "tactus: a runtime ends inside of tactus::mpi::call, which holds the lock under which the library calls MPI; "
        "let it end before that call or after it; the job ends\n",
        stderr);
    end_job(k_status_of_failure);
  }
  if (one_thread_ && !may_call_mpi()) {
    std::fputs(
        "tactus: a runtime ends in another thread than the one that has initialised MPI, which allows that one only; "
        "let "
        "it end there; the job ends\n",
        stderr);
    end_job(k_status_of_failure);
  }
  {
    const mpi_locked lock;
    if (std::exchange(is_over_, true)) {
      return;
    }
  }
  {
    const std::lock_guard lock(g_mutex);
    std::erase(g_engines, this);
  }
  if (!run_.is_taken_back()) {
    with_memory([this] { drain(); });
    count_left_behind(-1);
  }
  cancel_receives();
}

// What is still under way says nothing to anybody, but MPI wants it taken. Other runtimes of this process may need MPI meanwhile, and other
// processes may wait for what these send.
void mpi_engine::drain() {
  patience waits("all ranks to end their runtime");
  const auto until = [this, &waits](auto holds) {
    for (;;) {
      range_sender::gone_frames gone;  // as in end_run()
      {
        const mpi_locked lock;
        expect_wanted();
        take(nullptr);
        reap(gone);
        if (holds()) {
          return;
        }
      }
      waits.pause();
    }
  };
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> to_come(ways_.size());
  MPI_Request all = MPI_REQUEST_NULL;
  {
    range_sender::gone_frames gone;
    const mpi_locked lock;
    pack(nullptr);
    flush_all();
    beside_.forget_held(gone);
    if (watch_) {
      watch_->end();
    }
    for (const peer_way& way : ways_) {
      sent.push_back(way.messages_sent);
    }
    check_mpi(MPI_Ialltoall(sent.data(), 1, MPI_UINT64_T, to_come.data(), 1, MPI_UINT64_T, comm_, &all),
              "MPI_Ialltoall");
  }
  until([&] {
    int told = 0;
    check_mpi(MPI_Test(&all, &told, MPI_STATUS_IGNORE), "MPI_Test");
    return told != 0;
  });
  until([&] {
    for (std::size_t p = 0; p < ways_.size(); ++p) {
      if (ways_[p].messages_come < to_come[p]) {
        return false;
      }
    }
    return (!watch_ || watch_->has_ended()) && sent_.empty() && beside_.has_sent_all() && coming_.parts() == 0 &&
           !wanted_.there_are();
  });
}

void mpi_engine::cancel_receives() noexcept {
  const mpi_locked lock;
  if (watch_) {
    watch_->cancel();
  }
  for (receive& r : receives_) {
    if (r.request != MPI_REQUEST_NULL) {
      check_mpi(MPI_Cancel(&r.request), "MPI_Cancel");
      check_mpi(MPI_Wait(&r.request, MPI_STATUS_IGNORE), "MPI_Wait");
      check_mpi(MPI_Request_free(&r.request), "MPI_Request_free");
    }
  }
}

}  // namespace tactus::detail
