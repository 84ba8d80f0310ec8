// SPDX-License-Identifier: Apache-2.0
// One place, as the others see it: its mailbox, what it keeps of finishes, what it has sent and taken.
// docs/protocols/messages.md, remote_finish.md and quiescence.md.
#pragma once

#include <tactus/deque/impl/mailbox.hpp>
#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/received_call.hpp>

#include "base/probe.hpp"
#include "place/at_callers.hpp"
#include "place/channel_table.hpp"
#include "place/engine.hpp"
#include "place/hello.hpp"
#include "place/idle_times.hpp"
#include "place/key_table.hpp"
#include "place/lane.hpp"
#include "place/ledger.hpp"
#include "place/look_pace.hpp"
#include "place/network.hpp"
#include "place/notes.hpp"
#include "place/part.hpp"
#include "place/trains.hpp"
#include "scheduler/remote_side.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/stuck_waits.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

struct at_wait;
struct call_frame;
class framed_call;
class job;
struct frame_head;
struct quiet_frame;
struct values_elsewhere;
struct report_frame;
struct stuck_frame;
enum class stuck_step : std::uint8_t;

/// Whether another place is as this one is: settled when they meet.
struct peer_place {
  byte_order order = byte_order::same;  // in which it writes numbers
  bool is_alike = true;                 // objects mean the same there as here
};

class flexible_tasks;
struct range_wait;

class place_node final : public remote_side {
public:
  /// Of the place that `here` is the scheduler of; those of lower numbers are made already.
  explicit place_node(scheduler& here);
  ~place_node() override;
  place_node(const place_node&) = delete;
  place_node& operator=(const place_node&) = delete;

  [[nodiscard]] static place_node& of(const scheduler& s) noexcept { return static_cast<place_node&>(*s.remote()); }
  [[nodiscard]] static place_node& of(const worker* w) noexcept { return of(*w->owner); }

  [[nodiscard]] int number() const noexcept { return here_.place(); }
  [[nodiscard]] scheduler& here() const noexcept { return here_; }
  [[nodiscard]] place_node& at(int place) const noexcept;

  // ---- remote_side ----

  bool poll(worker* w) noexcept override;
  bool poll_between_tasks(worker* w) noexcept override;
  [[nodiscard]] bool in_sight() const noexcept override;
  [[nodiscard]] bool may_come() const noexcept override { return false; }
  void part_is_idle(worker* w, std::uint64_t key) noexcept override;
  void falls_asleep(worker* w) noexcept override;
  [[nodiscard]] bool looks_asleep(const worker* w) noexcept override;
  void look_asleep(worker* w) noexcept override;
  void wakes_up() noexcept override;
  failure* pack(const std::exception_ptr& escaped, std::string from) noexcept override;
  void check_that_a_run_may_begin() const override;
  void run_begins(worker* w) override;
  [[nodiscard]] run_outcome wait_for_end_of_run() override;
  void end_run(const run_outcome& outcome) noexcept override;
  void leave_run() noexcept override;
  void run_is_under_way() noexcept override;
  void run_is_over() noexcept override;
  void search_begins(worker* w) noexcept override;
  void search_ends(worker* w) noexcept override;
  void is_about_to_park(worker* w) noexcept override;
  bool help_others(worker* w) noexcept override;
  void wake_elsewhere(wait_point& point) noexcept override;
  void leaves_messages() noexcept override;
  void ask_others() noexcept override;
  [[nodiscard]] std::string messages_text() const override;
  void start_threads() override;
  void stop_threads() noexcept override;

  /// Takes messages, if none of its workers sleeps; `w` is no worker of this place, or null on the progress thread.
  bool take_for_busy(worker* w) noexcept;

  /// By who may send: what ask_others() wants; `w`: the calling worker, or null on the progress thread.
  void send_inquiries(worker* w) noexcept {
    if (inquiry_wanted_.load(memory_order_relaxed)) [[unlikely]] {  // relaxed: the lock behind it orders
      send_wanted_inquiries(w);
    }
  }

  /// By the thread of progress, or where there is none by w, which sleeps, or is of another place: tells the policy of placement, if it is time for that. Returns
  /// whether it is to come by again.
  bool come_by_for_placement(worker* w) noexcept;

  // ---- sending, by tasks of this place ----

  /// Room from here to `to`.
  [[nodiscard]] lane& lane_to(int to) noexcept { return lanes_[static_cast<std::size_t>(to)]; }

  /// Counts a task of `f`, which a task of this place belongs to, as sent to `to`; returns the key of f. std::bad_alloc: it is not
  /// counted.
  std::uint64_t count_sent(finish_scope& f, int to);

  /// The same of so many, and one end, of a task of `f` that waits here and moves there, or of a train that leaves, in one cut. By whoever
  /// has it in hand; `w`: the calling worker, or null.
  std::uint64_t count_move(worker* w, finish_scope& f, int to, std::uint64_t tasks = 1);

  /// What `w` puts together for other places; null: tasks do not go together.
  [[nodiscard]] open_trains* trains_of(const worker* w) noexcept {
    return trains_ == nullptr ? nullptr : &trains_[static_cast<std::size_t>(w->id)];
  }

  /// A train is put together here now, by its worker.
  void train_opens() noexcept {
    trains_open_.fetch_add(1, memory_order_relaxed);  // relaxed: only its worker has to know
  }

  /// Around the leaving of trains that another one than their worker takes: they are in sight meanwhile. With the lock of these trains held;
  /// when they have been sent.
  void takes_trains() noexcept {
    trains_in_hand_.fetch_add(1, memory_order_relaxed);  // relaxed: that lock hands it on to their worker (messages T3)
  }
  void has_sent_trains() noexcept {
    trains_in_hand_.fetch_sub(1, memory_order_release);  // release: what was counted as sent; pairs with in_sight()
  }

  /// It leaves; `unused`: for how many tasks more room was taken. `w`: the calling worker, or null.
  void send_train(worker* w, int to, departing_train train) noexcept;

  /// Those of `w` leave; of other workers those to which nobody adds. Returns whether there are any of these. `w` as above.
  bool look_after_trains(worker* w) noexcept;

  /// Its place-flexible tasks; null where these do not move.
  [[nodiscard]] flexible_tasks* flexible() const noexcept { return flexible_.get(); }

  /// For how long its workers had nothing to do, in runs that are over.
  [[nodiscard]] std::chrono::nanoseconds idle_time() const noexcept { return idle_times_.in_runs(); }

  /// The thread of progress is to come by, if there is one.
  void want_progress() noexcept;

  /// Takes that back; by a task that f counts.
  void take_back_sent(finish_scope& f, int to) noexcept;

  /// Room that was taken here for `to`, and not used.
  void return_room(int to, std::uint32_t bytes) noexcept;

  /// The same of room for several; `w`: the calling worker, or null.
  void return_room_for(worker* w, int to, std::int64_t room) noexcept {
    take_credit(w, to, static_cast<std::uint64_t>(room));
  }

  /// What a message of so many bytes takes of it: so much at least that no window holds more than 4,096.
  [[nodiscard]] std::uint32_t room_taken_by(std::uint32_t bytes) const noexcept {
    constexpr unsigned k_most_messages_bits = 12;
    return std::max(bytes, static_cast<std::uint32_t>(here_.options().message_bytes >> k_most_messages_bits));
  }

  /// The key of `f`, at home here or not; with a ledger where it is. std::bad_alloc.
  std::uint64_t key_of(finish_scope& f);

  /// Sends a message to place `to`.
  void send(int to, queued_task* m) noexcept;

  /// Sends bytes to the end of a channel at `to`. `w`: who takes messages here, as in bring(), or the calling task's worker.
  void send_channel(worker* w, std::uint64_t key, int to, reply_bytes&& bytes) noexcept;

  /// By what carries messages: one that has come here. Any thread.
  void receive(queued_task* m) noexcept;

  /// The same of one that has come from another process; `head`: what it begins with. `w`: the calling worker, or null on the progress
  /// thread, as in the next one.
  void bring(worker* w, const frame_head& head, frame_ptr frame) noexcept;

  /// Receives a long range for a task of this place, by which that is awake; and its end.
  void receive_range(range_wait& wait) noexcept;
  void bring_range(worker* w, range_wait& wait) noexcept;

  /// Whether long ranges go beside the frames for place `to`.
  [[nodiscard]] bool sends_ranges_to(int to) const noexcept;

  /// What a message of this place is made of, on its way to another process. The descriptor goes.
  [[nodiscard]] frame_ptr unwrap(worker* w, queued_task* m) noexcept;

  /// Sends f as a task of `under`, which is at home here or the calling task's; without a wait for room. std::bad_alloc.
  template <class F>
  void send_under(finish_scope& under, int to, F f) {
    with_sent_call(
        "a task of the run", look::none, to,
        [&]<class Call>(Call&& call) {
          if constexpr (std::is_base_of_v<wired_call, Call>) {
            send_framed_under(under, to, std::forward<Call>(call));
          } else {
            send_object_under(under, to, std::forward<Call>(call));
          }
        },
        std::move(f));
  }

  /// So many messages of so many bytes each, of what `from` has sent here, have begun.
  void give_back(worker* w, int from, std::uint32_t bytes, std::uint32_t messages = 1) noexcept;

  /// By `w`, on which the body of the at() that `m` is has ended: sends its reply.
  void end_at_body(worker* w, queued_task* m, at_wait* caller) noexcept;

  // ---- messages that are bytes ----

  /// What this place knows of another one.
  [[nodiscard]] const peer_place& peer(int place) const noexcept { return peers_[static_cast<std::size_t>(place)]; }

  /// Whether only one worker may talk to the other processes.
  [[nodiscard]] bool is_reached_by_one_thread() const noexcept {
    return net_->carries_far && net_->carrier != nullptr && net_->carrier->is_of_one_thread();
  }

  /// Of the run.
  [[nodiscard]] std::size_t places() const noexcept { return places_; }

  /// How it writes numbers itself.
  [[nodiscard]] byte_order order() const noexcept { return order_; }

  /// Whether the run has a timeline or a profile, so that tasks have numbers.
  [[nodiscard]] bool traces() const noexcept { return notes_tasks(here_.options()); }

  [[nodiscard]] at_callers& callers() noexcept { return callers_; }

  /// What members of teams have sent this place, and who waits for more.
  [[nodiscard]] note_table& notes() noexcept { return notes_; }

  /// Its ends may be closed when this has gone.
  [[nodiscard]] const std::shared_ptr<channel_table>& channels() const noexcept { return channels_; }

  /// Another place whose memory tasks of this one can reach; null: it is of another process.
  [[nodiscard]] place_node* in_reach(int place) const noexcept { return net_->carries_far ? nullptr : &at(place); }

  /// Whether all other places are.
  [[nodiscard]] bool is_far() const noexcept override { return net_->carries_far; }

  /// How the body of an at() has ended.
  struct framed_end {
    int from;              // the place of the caller
    std::uint64_t caller;  // its number there
    reply_bytes reply;
    bool failed;
    const values_elsewhere* values;  // of its task, if it has any
  };
  void end_framed_body(worker* w, queued_task* m, framed_end end) noexcept;

  // ---- finishes at home here ----

  void close_ledger(ledger* l) noexcept;

  /// Calls f(ledger&) for each.
  template <class F>
  void for_each_ledger(F&& f) {
    ledgers_.for_each(f);
  }

  /// What has left this place for others, credits of room not counted; by kind. Bytes: of tasks what they take of the room there, of
  /// all else a descriptor.
  [[nodiscard]] std::uint64_t messages(message_kind kind) const noexcept;
  [[nodiscard]] std::uint64_t messages() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  /// What has come here and was taken, credits counted.
  [[nodiscard]] std::uint64_t taken_in_all() const noexcept;

  /// Messages sent from here to `to` that count as work, and those taken.
  [[nodiscard]] std::uint64_t sent_to(int to) const noexcept {
    return sent_[static_cast<std::size_t>(to)].load(memory_order_relaxed);  // relaxed: a count
  }
  [[nodiscard]] std::uint64_t taken_from(int from) const noexcept {
    return taken_from_[static_cast<std::size_t>(from)].load(memory_order_relaxed);  // relaxed: a count
  }
  [[nodiscard]] std::uint64_t taken() const noexcept {
    const std::uint64_t from_places = taken_.load(
        memory_order_acquire);  // acquire: that somebody takes, in the look that follows; pairs with deliver()
    return from_places + begun_.load(memory_order_relaxed);  // relaxed: by who began the run, before all else in it
  }

  /// Whether nothing happens here until a message comes, and all is sent that this place has to say. For networks in virtual time, while a
  /// run is under way.
  [[nodiscard]] bool is_at_rest();

  /// Parts that there are. For tests.
  [[nodiscard]] std::size_t parts();

private:
  void drop_box() noexcept;
  friend class flexible_tasks;

  template <class Call>
  void send_object_under(finish_scope& under, int to, Call&& call) {
    message_header h(message_kind::task, number(), count_sent(under, to));
    try {
      send(to, make_arriving(h, std::forward<Call>(call)));
    } catch (...) {
      take_back_sent(under, to);
      throw;
    }
  }
  void send_framed_under(finish_scope& under, int to, wired_call&& call);
  [[nodiscard]] std::uint64_t sent_but_for(std::uint64_t others) const noexcept;
  void meet(const place_node& other);
  void meet_all(job& processes);
  [[nodiscard]] hello_bytes says_hello() const;
  [[nodiscard]] std::string meets(int other, std::span<const std::byte> said);
  [[nodiscard]] bool is_first_here() const noexcept;
  void wait_for_all(worker* w);
  void hear_end(worker* w, frame_ptr frame) noexcept;
  static bool await_end(wait_point& p);

  bool take(worker* w) noexcept;
  void look_far_between_tasks(worker* w) noexcept;
  bool poll_here(worker* w) noexcept;
  void take_out_of_box() noexcept;
  void come_by_at_another(worker* w) noexcept;
  bool take_one_of_seeded(worker* w) noexcept;
  void begin_anew(worker* w) noexcept;
  void deliver(worker* w, queued_task* m) noexcept;
  void look_at_order(const queued_task* m) noexcept;
  [[nodiscard]] bool has_home(std::uint64_t key) const noexcept;
  finish_scope& arrive(worker* w, std::uint64_t key, std::uint64_t tasks);
  void queue(worker* w, queued_task* m, finish_scope& under) noexcept;
  void deliver_frame(worker* w, queued_task* m);
  void deliver_train(worker* w, queued_task* m, frame_ptr frame);
  void deliver_flexible(worker* w, queued_task* m, const message_header& h, frame_ptr frame);
  [[nodiscard]] std::unique_ptr<framed_call> framed_flexible(frame_ptr frame, const call_frame& call);
  [[nodiscard]] const wired_type& type_of(const call_frame& call) const;
  ledger& ledger_of(std::uint64_t key) noexcept;
  void apply_report(worker* w, queued_task* m);
  void apply_report(worker* w, report_frame& report);
  bool leave_body(worker* w, finish_scope& scope) noexcept;
  void end_at(worker* w, at_wait* caller, int from, bool entered);
  [[nodiscard]] queued_task* descriptor(worker* w) noexcept;
  void recycle(worker* w, queued_task* m) noexcept;
  void bring_note(worker* w, queued_task* m);
  void give_all_back(worker* w) noexcept;
  void take_credit(worker* w, int from, std::uint64_t bytes) noexcept;
  void cut(worker* w, key_table<part>::shard& s, part* p) noexcept;
  void send_credit(worker* w, int to, std::uint64_t bytes) noexcept;
  bool tell() noexcept;
  [[nodiscard]] bool withholds() noexcept;
  [[nodiscard]] bool has_told_all() const noexcept;
  std::optional<std::int64_t> changes(std::uint64_t taken_by_now, std::uint64_t reached) noexcept;
  void tell_by_messages(worker* w) noexcept;
  void tell(worker* w, quiet_frame& news);
  void tell(worker* w, stuck_frame& what, int to = 0);
  void tell_all(worker* w, stuck_step step, std::size_t tasks = 0, std::string_view text = {});
  void send_frame(worker* w, const frame_head& head, frame_ptr frame) noexcept;
  void send_wanted_inquiries(worker* w) noexcept;
  void let_inquire(bool they_may) noexcept;
  void hear(worker* w, int from, const quiet_frame& news);
  void hear(worker* w, int from, const stuck_frame& what);
  void go_round(worker* w);
  void wake_withheld() noexcept;
  void resolve(worker* w) noexcept;

  scheduler& here_;
  const std::size_t places_;
  std::shared_ptr<network> net_;  // of the run
  std::vector<place_node*> all_;  // by number; complete when the workers start

  mailbox<queued_task> box_;      // messages, from any place
  mailbox<queued_task> arrived_;  // tasks that strangers have taken out of it
  alignas(k_cache_line) atomic<bool> taking_{
      false};                              // somebody takes from box_; and sees to it that nobody sleeps over it
  std::vector<queued_task*> chosen_from_;  // seeded: taken out of it, not delivered; by who takes

  static constexpr std::size_t k_kinds = static_cast<std::size_t>(message_kind::join) + 1;
  atomic<std::uint64_t> messages_[k_kinds] = {};  // sent, of each kind but tasks, which sent_ has
  atomic<std::uint64_t> bytes_beyond_{0};         // of what is longer than a descriptor

  key_table<part> parts_;
  part_pool part_memory_;
  key_table<ledger> ledgers_;
  atomic<std::uint64_t> serial_{0};  // of finishes

  const byte_order order_;
  std::vector<peer_place> peers_;
  at_callers callers_;
  note_table notes_;
  std::shared_ptr<channel_table> channels_ = std::make_shared<channel_table>();

  atomic<bool> inquiry_wanted_{false};
  std::mutex inquiry_mutex_;  // protects what follows, while inquiries are sent
  bool may_inquire_ = false;  // between the begin of a run and its end

  std::unique_ptr<flexible_tasks> flexible_;
  idle_times idle_times_;

  std::unique_ptr<open_trains[]> trains_;    // of each worker
  atomic<std::uint32_t> trains_open_{0};     // so many are put together, or about to leave
  atomic<std::uint32_t> trains_in_hand_{0};  // so many who are no worker of theirs have taken some away

  std::unique_ptr<lane[]> lanes_;                        // to each place
  std::unique_ptr<atomic<std::uint64_t>[]> owed_;        // to each place: room that is free again
  std::unique_ptr<atomic<std::uint64_t>[]> sent_;        // to each place
  atomic<std::uint64_t> taken_{0};                       // by who takes
  atomic<std::uint64_t> begun_{0};                       // runs, each of which counts as a message to place 0
  std::unique_ptr<atomic<std::uint64_t>[]> taken_from_;  // from each place; likewise
  std::vector<std::uint32_t> last_control_;              // from each place: the number of the last; by who takes
  std::unique_ptr<atomic<std::uint32_t>[]> joined_;      // at place 0: runs that each other process has joined
  std::uint32_t runs_ = 0;                               // by the thread that calls run
  std::mutex end_mutex_;                                 // protects the next two
  frame_ptr end_frame_;                                  // what has come of the end of the run
  wait_point* waits_for_end_ = nullptr;
  std::vector<std::uint64_t> told_sent_;  // under the lock of the idle set, as the next ones
  std::vector<std::int64_t> sent_since_;
  std::uint64_t told_taken_ = 0;
  std::uint64_t told_reached_ = 0;
  bool told_first_ = false;
  atomic<bool> withholds_{false};  // its share of net_->withheld

  // Where places send each other bytes: of the rounds before a verdict.
  static constexpr stuck_step k_not_asked{};
  std::mutex telling_;                     // what this place tells goes in order
  atomic<stuck_step> asked_{k_not_asked};  // what it is to answer when it falls idle
  atomic<std::uint32_t> asked_of_{0};      // the run that is said to be stuck
  stuck_waits in_vain_;                    // by who falls asleep, then by who brings the last step
  atomic<std::uint32_t> helped_{0};        // looks at places that compute
  atomic<std::uint32_t> come_by_{0};       // and at places that rest

  // Where there are other processes: when each worker looks for what comes from there, and whether one of them does so while it sleeps.
  std::vector<look_pace> paces_;
  atomic<bool> is_watched_{false};
};

}  // namespace tactus::detail
