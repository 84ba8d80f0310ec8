// SPDX-License-Identifier: Apache-2.0
// docs/protocols/ghosts.md.
#include <tactus/array/impl/exchange.hpp>

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/place/impl/channel.hpp>
#include <tactus/place/impl/pack_here.hpp>
#include <tactus/place/place.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/wire/impl/archives.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <utility>

namespace tactus::detail {
namespace {

// Before the cells of a message.
struct message_head {
  std::uint64_t number = 0;  // of the exchange
  std::uint64_t tag = 0;     // of its send
  std::uint32_t which = 0;   // of the exchanges of the object
  std::uint32_t round = 0;   // 0: of cells; else of the rounds in which all meet
};
constexpr std::size_t k_head = 24;

message_head read_head(std::span<const std::byte> bytes, byte_order order, int from) {
  message_head h;
  const auto read = [&](auto in) { in & h.number & h.tag & h.which & h.round; };
  if (order == byte_order::same) {
    read(reader<byte_order::same>(bytes, from));
  } else {
    read(reader<byte_order::swapped>(bytes, from));
  }
  return h;
}

[[noreturn]] void end_out_of_turn(const std::string& of, int from, int here, std::uint64_t number,
                                  std::uint64_t begun) noexcept {
  std::fprintf(stderr,
               "tactus: place %d has sent exchange %llu of %s to place %d, which has begun %llu: the places run unlike "
               "programs, or what carries messages has changed one; the program cannot go on\n",
               from, static_cast<unsigned long long>(number), of.c_str(), here, static_cast<unsigned long long>(begun));
  std::terminate();
}

// What has come of one neighbour, in exchanges of one parity.
enum class slot_state : std::uint8_t {
  empty,   // nothing
  full,    // it is packed
  busy,    // somebody unpacks it
  placed,  // it is where it belongs
};

struct slot {
  atomic<slot_state> state{slot_state::empty};
  std::uint64_t tag = 0;
  byte_order order = byte_order::same;
  frame_ptr block;
  std::span<const std::byte> bytes;
};

class exchange_here;

// A neighbour; or, behind those, a round in which all meet, where who is sent to is not who sends.
struct link {
  int to = 0;
  int from = 0;
  exchange_here* there = nullptr;  // of `to`, if it is in reach
  std::size_t number_there = 0;    // of this link's opposite
  bool is_told = false;            // by wait_for_any(), in the exchange that is open
  slot came[2];                    // by parity of the exchange
};

class exchange_group;

class exchange_here final : public exchange {
public:
  exchange_here(exchange_group& set, std::uint32_t which, std::vector<int> places, exchange_cells& cells,
                exchange_manner manner)
      : set_(set),
        which_(which),
        here_(current_worker()->place),
        cells_(cells),
        manner_(std::move(manner)),
        neighbours_(places.size()) {
    std::vector<std::pair<int, int>> rounds;
    if (manner_.meets_all) {
      const auto me = std::find(manner_.members.begin(), manner_.members.end(), here_);
      const auto n = static_cast<int>(manner_.members.size());
      const auto rank = static_cast<int>(me - manner_.members.begin());
      for (int far = 1; far < n && me != manner_.members.end(); far *= 2) {
        rounds.emplace_back(manner_.members[static_cast<std::size_t>((rank + far) % n)],
                            manner_.members[static_cast<std::size_t>((rank + n - far) % n)]);
      }
    }
    links_ = std::vector<link>(places.size() + rounds.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      links_[i].to = links_[i].from = places[i];
      all_.push_back(i);
    }
    for (std::size_t k = 0; k < rounds.size(); ++k) {
      links_[places.size() + k].to = rounds[k].first;
      links_[places.size() + k].from = rounds[k].second;
    }
  }

  [[nodiscard]] bool is_open() const noexcept override { return count() != finished_; }
  [[nodiscard]] std::uint64_t count() const noexcept override {
    return started_.load(memory_order_relaxed);  // relaxed: by tasks of this place, one after the other
  }

  void check_closed(const char* call) const override {
    if (whole_ != nullptr) {
      throw usage_error(std::string("tactus: ") + call + " of " + manner_.of + " at " + here_text() + ": " +
                        whole_->manner_.of + " is being exchanged there; wait for that first");
    }
    if (is_open()) {
      throw usage_error(std::string("tactus: ") + call + ": exchange " + std::to_string(count()) + " of " + manner_.of +
                        " is open at " + here_text() + ": " + manner_.wait + " first");
    }
  }
  void set_part_of(const exchange* whole) noexcept override { whole_ = static_cast<const exchange_here*>(whole); }

  void send(std::uint64_t tag) override {
    check_closed(manner_.send);
    const std::uint64_t e = count() + 1;
    if (!is_linked_) {
      find_neighbours();
    }
    std::vector<reply_bytes> packed;
    if (cells_.packs_first()) {
      for (const std::size_t n : all_) {
        packed.push_back(cells_.pack(n, k_head));
      }
    }
    tag_ = tag;
    for (const std::size_t n : all_) {
      links_[n].is_told = false;
    }
    if (!packed.empty()) {
      cells_.leave_packed();
    }
    started_.store(e, memory_order_release);  // release: the last reads of ghosts come before; pairs with is_at()
    for (const std::size_t n : all_) {
      link& l = links_[n];
      if (!packed.empty()) {
        post(n, e, std::move(packed[n]));
      } else if (l.there != nullptr && l.there->is_at(e)) {
        cells_.put(n, l.there->cells_);
        l.there->place_cells(l.number_there, e, tag, this);
      } else {
        post(n, e, pack_or_end(n));
      }
    }
  }

  void wait() override {
    check_begun(manner_.wait);
    wait_for(all_);
    const std::uint64_t e = count();
    for (std::size_t n = neighbours_; n < links_.size(); ++n) {
      link& l = links_[n];
      if (l.there != nullptr) {
        l.there->place_cells(l.number_there, e, tag_, this);
      } else {
        reply_bytes empty;
        make_or_end(empty);
        post(n, e, std::move(empty));
      }
      const std::size_t one[] = {n};
      wait_for(one);
    }
    close();
  }

  void wait_for(std::span<const std::size_t> some) override {
    check_begun(manner_.wait);
    for (;;) {
      if (!have_come(some)) {
        park(some, false);
      }
      bool is_busy = false;
      for (const std::size_t n : some) {
        is_busy = !take(n) || is_busy;
      }
      if (!is_busy) {
        return;
      }
    }
  }

  [[nodiscard]] bool is_ready(std::span<const std::size_t> some) override {
    check_begun(manner_.wait);
    if (!have_come(some)) {
      return false;
    }
    bool all = true;
    for (const std::size_t n : some) {
      all = take(n) && all;
    }
    return all;
  }

  [[nodiscard]] std::optional<std::size_t> wait_for_any() override {
    check_begun(manner_.wait);
    std::vector<std::size_t> left;
    for (const std::size_t n : all_) {
      if (!links_[n].is_told) {
        left.push_back(n);
      }
    }
    while (!left.empty()) {
      for (const std::size_t n : left) {
        if (state(n) != slot_state::empty && take(n)) {
          links_[n].is_told = true;
          return n;
        }
      }
      park(left, true);
    }
    wait();
    return std::nullopt;
  }

  // ---- by who brings messages ----

  void arrive(const message_head& h, channel_message&& m) noexcept {
    std::size_t n = links_.size();
    if (h.round != 0) {
      n = neighbours_ + h.round - 1;
    } else {
      for (const std::size_t i : all_) {
        n = links_[i].from == m.from ? i : n;
      }
    }
    const std::uint64_t begun = started_.load(memory_order_relaxed);  // relaxed: neighbours are one apart (ghosts G5)
    if (n >= links_.size() || links_[n].from != m.from || (h.number != begun && h.number != begun + 1) ||
        links_[n].came[h.number & 1U].state.load(memory_order_relaxed) != slot_state::empty) {
      end_out_of_turn(manner_.of, m.from, here_, h.number, begun);
    }
    fill(n, h, m.order, std::move(m.block), m.bytes.subspan(k_head), nullptr);
  }

private:
  struct waiter : wait_point {
    exchange_here* of = nullptr;
    std::span<const std::size_t> some;
    bool is_any = false;  // one of them is enough
    int place = 0;
  };

  // What of another place's exchange its neighbours call.

  [[nodiscard]] bool is_at(std::uint64_t e) const noexcept {
    return started_.load(memory_order_acquire) == e;  // acquire: its reads of the last ghosts; pairs with send()
  }

  void place_cells(std::size_t n, std::uint64_t e, std::uint64_t tag, const exchange_here* by) noexcept {
    slot& s = links_[n].came[e & 1U];
    TACTUS_ALWAYS_ASSERT(s.state.load(memory_order_relaxed) == slot_state::empty,
                         "a slot is empty when it is filled (ghosts G3)");
    s.tag = tag;
    s.state.store(slot_state::placed, memory_order_seq_cst);  // before the look for waiters; what was placed
    wake_whom_it_is_enough_for(by);
  }

  void fill(std::size_t n, const message_head& h, byte_order order, frame_ptr block, std::span<const std::byte> bytes,
            const exchange_here* by) noexcept {
    slot& s = links_[n].came[h.number & 1U];
    TACTUS_ALWAYS_ASSERT(s.state.load(memory_order_relaxed) == slot_state::empty,
                         "a slot is empty when it is filled (ghosts G3)");
    s.tag = h.tag;
    s.order = order;
    s.block = std::move(block);
    s.bytes = bytes;
    s.state.store(slot_state::full, memory_order_seq_cst);  // before the look for waiters; the bytes
    wake_whom_it_is_enough_for(by);
  }

  void find_neighbours();

  void post(std::size_t n, std::uint64_t e, reply_bytes&& what) noexcept;

  reply_bytes pack_or_end(std::size_t n) noexcept {
    try {
      return cells_.pack(n, k_head);
    } catch (const std::exception& why) {
      end_without_memory("what goes to a neighbour needs memory", why.what());
    }
  }
  static void make_or_end(reply_bytes& bytes) noexcept {
    try {
      bytes.make(k_head);
    } catch (const std::exception& why) {
      end_without_memory("a message to another place needs memory", why.what());
    }
  }

  [[nodiscard]] slot& of_open(std::size_t n) noexcept { return links_[n].came[count() & 1U]; }
  [[nodiscard]] slot_state state(std::size_t n) noexcept {
    return of_open(n).state.load(memory_order_seq_cst);  // after waiting_, if that was raised; acquire: what has come
  }

  // Something of each is here, and nobody is at it.
  [[nodiscard]] bool have_come(std::span<const std::size_t> some) noexcept {
    return std::all_of(some.begin(), some.end(), [this](std::size_t n) {
      const slot_state s = state(n);
      return s == slot_state::full || s == slot_state::placed;
    });
  }
  [[nodiscard]] bool is_enough(const waiter& w) noexcept {
    if (!w.is_any) {
      return have_come(w.some);
    }
    return std::any_of(w.some.begin(), w.some.end(), [this](std::size_t n) {
      const slot_state s = state(n);
      return s == slot_state::full || s == slot_state::placed;
    });
  }

  // False: another task is at it.
  bool take(std::size_t n) {
    slot& s = of_open(n);
    slot_state was = slot_state::full;
    if (!s.state.compare_exchange_strong(was, slot_state::busy, memory_order_acquire, memory_order_acquire)) {
      if (was == slot_state::placed) {
        check_tag(n, s);
      }
      return was == slot_state::placed;
    }
    try {
      check_tag(n, s);
      if (n < neighbours_) {
        cells_.unpack(n, s.bytes, s.order);
      }
    } catch (...) {
      s.state.store(slot_state::full, memory_order_seq_cst);
      wake_whom_it_is_enough_for(this);
      throw;
    }
    s.block = nullptr;
    s.state.store(slot_state::placed, memory_order_seq_cst);  // before the look for waiters
    wake_whom_it_is_enough_for(this);
    return true;
  }

  void check_tag(std::size_t n, const slot& s) const {
    if (s.tag != tag_) {
      throw usage_error("tactus: exchange " + std::to_string(count()) + " of " + manner_.of +
                        " has another operation at " + place_text(links_[n].from) + " than at " + here_text() +
                        "; all places give the same");
    }
  }

  void check_begun(const char* call) const {
    if (!is_open()) {
      throw usage_error(std::string("tactus: ") + call + ": no exchange of " + manner_.of + " is open at " +
                        here_text() + ": " + manner_.send + " first");
    }
  }

  // Slots first: what neighbours send for the exchange after the next comes behind my send of the next (ghosts G5).
  void close() noexcept {
    for (link& l : links_) {
      slot& s = l.came[count() & 1U];
      s.block = nullptr;
      s.state.store(slot_state::empty, memory_order_relaxed);  // relaxed: neighbours hear of it by the next send
    }
    finished_ = count();
  }

  void park(std::span<const std::size_t> some, bool is_any) {
    waiter w;
    w.of = this;
    w.some = some;
    w.is_any = is_any;
    w.commit = begin_to_wait;
    w.cancel = give_up;
    w.kind = &k_wait;
    w.object = this;
    suspend(w);
  }

  static bool begin_to_wait(wait_point& p) {
    auto& w = static_cast<waiter&>(p);
    exchange_here& self = *w.of;
    const std::lock_guard lock(self.mutex_);
    self.waiting_.fetch_add(1, memory_order_seq_cst);  // before the look at slots: who fills one sees this, or we that
    if (self.is_enough(w)) {
      self.waiting_.fetch_sub(1, memory_order_relaxed);
      return false;
    }
    w.next = self.waiters_;
    self.waiters_ = &w;
    return true;
  }

  static void give_up(wait_point& p) {
    auto& w = static_cast<waiter&>(p);
    exchange_here& self = *w.of;
    const std::lock_guard lock(self.mutex_);
    self.waiting_.store(0, memory_order_relaxed);
    self.waiters_ = nullptr;
  }

  // `by`: whose task it is; null: who brings messages.
  void wake_whom_it_is_enough_for(const exchange_here* by) noexcept {
    if (waiting_.load(memory_order_seq_cst) == 0) {
      return;
    }
    waiter* ready = nullptr;
    {
      const std::lock_guard lock(mutex_);
      for (waiter* w = std::exchange(waiters_, nullptr); w != nullptr;) {
        auto* const behind = static_cast<waiter*>(w->next);
        const bool goes = is_enough(*w);
        waiter*& list = goes ? ready : waiters_;
        w->next = list;
        list = w;
        if (goes) {
          waiting_.fetch_sub(1, memory_order_relaxed);
        }
        w = behind;
      }
    }
    while (ready != nullptr) {
      auto* const behind = static_cast<waiter*>(ready->next);  // before it goes on
      if (by != nullptr && by->here_ != here_) {
        wake_in_reach(here_, *ready);
      } else {
        make_ready(*ready);
      }
      ready = behind;
    }
  }

  static void describe(const wait_point& p, std::string& text) {
    const auto& w = static_cast<const waiter&>(p);
    exchange_here& self = *w.of;
    text += "exchange " + std::to_string(self.count()) + " of " + self.manner_.of + " with";
    bool first = true;
    for (const std::size_t n : w.some) {
      if (self.state(n) == slot_state::empty) {
        text += (first ? " " : ", ") + place_text(self.links_[n].from);
        if (const exchange_here* const there = self.links_[n].there; there != nullptr && n < self.neighbours_) {
          text += " (which has begun " + std::to_string(there->count()) + ")";
        }
        first = false;
      }
    }
  }
  static const wait_kind k_wait;

  static std::string place_text(int p) { return to_string(place(place::unchecked{p})); }
  [[nodiscard]] std::string here_text() const { return place_text(here_); }

  exchange_group& set_;
  const std::uint32_t which_;
  const int here_;
  exchange_cells& cells_;
  const exchange_manner manner_;
  const std::size_t neighbours_;
  std::vector<link> links_;
  std::vector<std::size_t> all_;          // numbers of neighbours
  bool is_linked_ = false;                // by who sends
  std::uint64_t tag_ = 0;                 // of the last send
  std::uint64_t finished_ = 0;            // by who closes
  const exchange_here* whole_ = nullptr;  // whose exchange it is part of
  alignas(k_cache_line) atomic<std::uint64_t> started_{0};
  alignas(k_cache_line) atomic<std::uint32_t> waiting_{0};  // waiters, or that one is about to be
  std::mutex mutex_;                                        // protects what follows
  waiter* waiters_ = nullptr;
};

constinit const wait_kind exchange_here::k_wait{exchange_here::describe, "an exchange with neighbours"};

class exchange_group final : public exchange_set, public channel_end {
public:
  explicit exchange_group(std::uint64_t k) noexcept : channel_end(k) {}
  ~exchange_group() override { close(); }

  exchange& add(std::vector<int> places, exchange_cells& cells, exchange_manner manner) override {
    const auto which = static_cast<std::uint32_t>(all_.size());
    all_.push_back(std::make_unique<exchange_here>(*this, which, std::move(places), cells, std::move(manner)));
    return *all_.back();
  }
  void open() override { channel_end::open(); }

  void arrive(channel_message&& m) noexcept override {
    if (m.bytes.size() < k_head) {
      end_out_of_turn("an array", m.from, current_place(), 0, 0);
    }
    const message_head h = read_head(m.bytes, m.order, m.from);
    if (h.which >= all_.size()) {
      end_out_of_turn("an array", m.from, current_place(), h.number, 0);
    }
    all_[h.which]->arrive(h, std::move(m));
  }

  [[nodiscard]] exchange_here& at(std::uint32_t which) noexcept { return *all_[which]; }

private:
  static int current_place() noexcept {
    const worker* const w = any_worker();
    return w == nullptr ? 0 : w->place;
  }

  std::vector<std::unique_ptr<exchange_here>> all_;
};

void exchange_here::find_neighbours() {
  for (std::size_t n = 0; n < links_.size(); ++n) {
    link& l = links_[n];
    exchange_group* there = nullptr;
    if (l.to == here_) {
      there = &set_;
    } else {
      there = static_cast<exchange_group*>(channel_end_in_reach(set_.key, l.to));
    }
    if (there == nullptr) {
      continue;
    }
    exchange_here& opposite = there->at(which_);
    l.number_there = n;
    if (n < neighbours_) {
      for (const std::size_t i : opposite.all_) {
        l.number_there = opposite.links_[i].from == here_ ? i : l.number_there;
      }
    } else {
      l.number_there = opposite.neighbours_ + (n - neighbours_);
    }
    l.there = &opposite;
  }
  is_linked_ = true;
}

void exchange_here::post(std::size_t n, std::uint64_t e, reply_bytes&& what) noexcept {
  const link& l = links_[n];
  message_head h{e, tag_, which_, n < neighbours_ ? 0 : static_cast<std::uint32_t>(n - neighbours_ + 1)};
  if (l.there != nullptr) {
    const std::span<const std::byte> bytes = what.bytes().subspan(k_head);
    l.there->fill(l.number_there, h, order_here(), std::move(what.block), bytes, this);
    return;
  }
  pack_here(what.block->data() + reply_bytes::k_room, k_head, h.number, h.tag, h.which, h.round);
  send_on_channel(set_.key, l.to, std::move(what));
}

}  // namespace

std::unique_ptr<exchange_set> make_exchange_set(std::uint64_t key) { return std::make_unique<exchange_group>(key); }

}  // namespace tactus::detail
