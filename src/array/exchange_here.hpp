// SPDX-License-Identifier: Apache-2.0
// An exchange as one place has it: slots, and who waits for them. How cells get into slots is said by put_exchange and shift_exchange.
// docs/protocols/ghosts.md.
#pragma once

#include <tactus/array/impl/exchange.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/place/impl/place_objects.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include "array/exchange_words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

class exchange_group;

class exchange_here : public exchange {
public:
  exchange_here(exchange_group& set, std::uint32_t which, const std::vector<int>& places, exchange_cells& cells,
                exchange_manner manner);
  /// A task that waits is told so.
  ~exchange_here() override;
  exchange_here(const exchange_here&) = delete;
  exchange_here& operator=(const exchange_here&) = delete;

  [[nodiscard]] bool is_open() const noexcept final {
    return count() != finished_.load(memory_order_relaxed);  // relaxed: by tasks of this place, one after the other
  }
  [[nodiscard]] std::uint64_t count() const noexcept final {
    return started_.load(memory_order_relaxed);  // relaxed: by tasks of this place, one after the other
  }
  void send(std::uint64_t tag, ghost_source promised) final;
  void wait() final;
  void wait_for(std::span<const std::size_t> neighbours, const ghosts_in& which) final;
  [[nodiscard]] bool is_ready(std::span<const std::size_t> neighbours) final;
  [[nodiscard]] std::optional<std::size_t> wait_for_any() final;
  void check_closed(const char* call) const final;
  void set_part_of(place_object_name group, const exchange& its) noexcept final {
    group_ = group;
    of_group_ = static_cast<const exchange_here*>(&its);
  }

  /// By who brings messages to this place.
  void arrive(const message_head& h, channel_message&& m) noexcept;

  // ---- by this place and its neighbours in reach; `by` says who it is ----

  [[nodiscard]] bool is_at(std::uint64_t e) const noexcept {
    // seq_cst: after what was offered; acquire: its reads of the last ghosts; pairs with opened()
    return started_.load(memory_order_seq_cst) == e;
  }
  [[nodiscard]] slot& empty_slot(std::size_t n, std::uint64_t e) noexcept;
  void place_cells(std::size_t n, std::uint64_t e, std::uint64_t tag, const actor& by) noexcept;
  void fill(std::size_t n, const message_head& h, byte_order order, frame_ptr block, std::span<const std::byte> bytes,
            const actor& by) noexcept;
  void wake_whom_it_is_enough_for(const actor& by) noexcept;
  [[nodiscard]] exchange_cells& cells() const noexcept { return cells_; }
  [[nodiscard]] link& link_of(std::size_t n) noexcept { return links_[n]; }

protected:
  // ---- what ways to exchange differ in ----

  /// Begins exchange e, at opened(e), and sends; what of it throws comes before that.
  virtual void begin(std::uint64_t e, ghost_source promised) = 0;

  /// What has come of neighbour n for exchange e is in its slot. Before waiters are looked for.
  virtual void has_come(std::size_t /*n*/, std::uint64_t /*e*/, const actor& /*by*/) noexcept {}

  /// Nothing but slots keeps the open exchange from being closed. With the order of a look at slots.
  [[nodiscard]] virtual bool may_close() const noexcept { return true; }

  /// Makes ready for exchange e + 2; it is closed.
  virtual void closed(std::uint64_t /*e*/) noexcept {}

  /// What was packed stays in its slot until the exchange is closed.
  [[nodiscard]] virtual bool keeps_what_came() const noexcept { return false; }

  // ---- of this place, by its tasks ----

  /// The ghosts of exchange e - 1 are not read any more. Some ways look at slots afterwards, of which neighbours look at this.
  void opened(std::uint64_t e) noexcept {
    started_.store(e, memory_order_seq_cst);  // before the look at slots; the last reads of ghosts: pairs with is_at()
  }
  [[nodiscard]] message_head head_of(std::size_t n, std::uint64_t e) const noexcept;
  /// What is to go to neighbour n, behind its head. What copying elements throws passes through; std::bad_alloc.
  [[nodiscard]] reply_bytes packed(std::size_t n, std::uint64_t e);
  /// The same after opened().
  [[nodiscard]] reply_bytes packed_or_end(std::size_t n, std::uint64_t e) noexcept;
  [[nodiscard]] std::uint64_t tag() const noexcept { return tag_; }
  [[nodiscard]] actor task_here() const noexcept { return {here_, nullptr}; }

  /// Sends what was packed for link n. By whom `by` says.
  void post(std::size_t n, std::uint64_t e, reply_bytes&& what, const actor& by) noexcept;

  [[nodiscard]] int here() const noexcept { return here_; }
  [[nodiscard]] const std::string& name() const noexcept { return manner_.of; }
  [[nodiscard]] const std::vector<std::size_t>& neighbours() const noexcept { return all_; }

private:
  enum class until : std::uint8_t { box, all, any, may_close };  // box: by any task, and nothing is closed then
  struct waiter;

  void find_neighbours();
  [[nodiscard]] std::vector<std::pair<int, int>> rounds() const;
  void meet_all(std::uint64_t e);

  [[nodiscard]] slot& slot_for(std::size_t n, std::uint64_t e) noexcept { return links_[n].came[e & 1U]; }
  [[nodiscard]] slot_state state(std::size_t n, std::uint64_t e) noexcept {
    // seq_cst: after waiting_, if that was raised; acquire: what has come
    return slot_for(n, e).state.load(memory_order_seq_cst);
  }
  [[nodiscard]] bool has_come(std::size_t n, std::uint64_t e) noexcept {
    const slot_state s = state(n, e);  // something is here, and nobody is at it
    return s == slot_state::full || s == slot_state::placed;
  }
  [[nodiscard]] bool has_ended(std::uint64_t e) const noexcept {
    // seq_cst: after waiting_, if that was raised; acquire: what has been placed; pairs with close()
    return finished_.load(memory_order_seq_cst) >= e;
  }
  [[nodiscard]] bool have_come(std::span<const std::size_t> some, std::uint64_t e) noexcept;
  [[nodiscard]] bool is_enough(std::span<const std::size_t> some, until what, std::uint64_t e) noexcept;
  void wait_until(std::span<const std::size_t> some, until what, std::uint64_t e, const ghosts_in* which = nullptr);
  [[nodiscard]] bool take(std::size_t n, until what, std::uint64_t e);
  [[nodiscard]] bool place_has_come(std::size_t n, std::uint64_t e) noexcept;
  [[nodiscard]] bool take_all_of_place(std::size_t n, std::uint64_t e);
  void check_tag(std::size_t n, const slot& s) const;
  [[nodiscard]] std::uint64_t number_of_open(const char* call) const;
  [[nodiscard]] const exchange_here* open_group() const noexcept;
  void end(std::uint64_t e);
  void close(std::uint64_t e) noexcept;
  void park(std::span<const std::size_t> some, until what, std::uint64_t e, const ghosts_in* which = nullptr);
  static bool begin_to_wait(wait_point& p);
  static void give_up(wait_point& p);
  void note_who_begins() noexcept;
  void describe_last(std::string& text);
  void describe_missing(std::size_t n, std::uint64_t e, std::string& text);
  static void describe(const wait_point& p, std::string& text);
  static const wait_kind k_wait;
  [[nodiscard]] std::string here_text() const;

  exchange_group& set_;
  const std::uint32_t which_;
  const int here_;
  exchange_cells& cells_;
  const exchange_manner manner_;
  const std::size_t neighbours_;
  std::vector<link> links_;
  std::vector<std::size_t> all_;             // numbers of neighbours
  bool is_linked_ = false;                   // by who sends
  std::uint64_t tag_ = 0;                    // of the last send
  atomic<std::uint64_t> closing_{0};         // the last that a task here has begun to close; that task writes finished_
  atomic<std::uint64_t> finished_{0};        // by who closes
  place_object_name group_;                  // that it was last exchanged with, and
  const exchange_here* of_group_ = nullptr;  // whose exchange that was: it lives as long as group_ is found
  alignas(k_cache_line) atomic<std::uint64_t> started_{0};
  alignas(k_cache_line) atomic<std::uint32_t> waiting_{0};  // waiters, or that one is about to be
  atomic<std::int64_t> began_at_{0};                        // the last one, in time_of_report(); by who sends
  const bool tells_times_;                                  // a seeded run says the same each time
  std::mutex mutex_;                                        // protects what follows
  waiter* waiters_ = nullptr;
  std::array<char, 64>
      began_by_{};  // the last one, as much of the task's name as there is room for; written by who sends
};

}  // namespace tactus::detail
