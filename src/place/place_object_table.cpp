// SPDX-License-Identifier: Apache-2.0
#include "place/place_object_table.hpp"

#include <tactus/base/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tactus::detail {
namespace {

constinit const wait_kind k_ends{
    [](const wait_point&, std::string& text) { text += "the end of a place_local that has gone"; },
    "the end of a place_local that has gone"};

// In an entry's generation: its object is to end, and no name finds it. Places are fewer than would need the bit.
constexpr std::uint64_t k_withdrawn = std::uint64_t{1} << 63;

// A runtime's names are of none that came before it.
std::uint64_t next_name() noexcept {
  static atomic<std::uint64_t> last{0};
  return last.fetch_add(1, memory_order_relaxed) + 1;  // relaxed: only uniqueness matters
}

// Those of all runtimes of the process, for threads that have none of them.
constinit std::mutex g_tables_mutex;               // before that of a table
constinit place_object_table* g_tables = nullptr;  // the newest

}  // namespace

place_object_table::place_object_table(std::size_t places, std::size_t here) noexcept : places_(places), here_(here) {
  const std::lock_guard lock(g_tables_mutex);
  older_ = std::exchange(g_tables, this);
}

place_object_table::~place_object_table() {
  {
    const std::lock_guard lock(g_tables_mutex);
    place_object_table** at = &g_tables;
    while (*at != this) {
      at = &(*at)->older_;
    }
    *at = older_;
  }
  for (const auto& chunk : chunks_) {
    for (std::size_t i = 0; i < place_objects::k_in_chunk; ++i) {
      if (chunk[i].generation.load(memory_order_acquire) != 0) {  // acquire: the object; pairs with put()
        chunk[i].destroy(chunk[i].object);
      }
    }
  }
}

place_object_name place_object_table::name(choice wanted) {
  const std::lock_guard lock(mutex_);
  std::uint32_t number = 0;
  if (wanted == choice::any_index && !free_.empty()) {
    number = free_.back();
    free_.pop_back();
  } else {
    const std::size_t row = next_;
    if ((row + 1) * places_ > place_objects::k_chunks * place_objects::k_in_chunk) {
      throw resource_error("tactus::place_local: place " + std::to_string(here_) + " has made " + std::to_string(row) +
                           " that are alive, and there is room for no more; let some go, or keep many objects in one");
    }
    free_.reserve(row + 1);  // for all that this place has given
    ++next_;
    number = static_cast<std::uint32_t>(row * places_ + here_);
  }
  return {number, static_cast<std::uint64_t>(here_) << k_serial_bits | next_name()};
}

void place_object_table::forget(place_object_name name) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(name.index);  // there is room
}

place_object& place_object_table::entry_for(std::uint32_t index) {
  atomic<place_object*>& chunk = objects_.chunks_[index / place_objects::k_in_chunk];
  if (chunk.load(memory_order_relaxed) == nullptr) {  // relaxed: written under mutex_
    chunks_.push_back(std::make_unique<place_object[]>(place_objects::k_in_chunk));
    chunk.store(chunks_.back().get(), memory_order_release);  // release: pairs with find()
  }
  return chunk.load(memory_order_relaxed)[index % place_objects::k_in_chunk];
}

void place_object_table::put(place_object_name name, void* object, void (*destroy)(void*) noexcept) {
  const std::lock_guard lock(mutex_);
  place_object& entry = entry_for(name.index);
  entry.object = object;
  entry.destroy = destroy;
  entry.generation.store(name.generation, memory_order_release);  // release: the object; pairs with find()
}

// The entry that has the object of that name, found or not; null: there is none here.
place_object* place_object_table::entry_of_locked(place_object_name name) noexcept {
  const atomic<place_object*>& chunk = objects_.chunks_[name.index / place_objects::k_in_chunk];
  place_object* const entries = chunk.load(memory_order_relaxed);  // relaxed: written under mutex_
  if (entries == nullptr) {
    return nullptr;
  }
  place_object& entry = entries[name.index % place_objects::k_in_chunk];
  const std::uint64_t found = entry.generation.load(memory_order_relaxed);  // relaxed: as above
  return (found & ~k_withdrawn) == name.generation ? &entry : nullptr;
}

// Its end may come much later, by a message; who uses the name meanwhile is told all the same.
void place_object_table::withdraw(place_object_name name) noexcept {
  const std::lock_guard lock(mutex_);
  withdraw_locked(name);
}

void place_object_table::withdraw_locked(place_object_name name) noexcept {
  if (place_object* const entry = entry_of_locked(name)) {
    // relaxed: who still looks misuses it
    entry->generation.store(name.generation | k_withdrawn, memory_order_relaxed);
  }
}

void place_object_table::end(place_object_name name) noexcept {
  void* object = nullptr;
  void (*destroy)(void*) noexcept = nullptr;
  {
    const std::lock_guard lock(mutex_);
    place_object* const entry = entry_of_locked(name);
    if (entry == nullptr) {
      return;
    }
    entry->generation.store(0, memory_order_relaxed);  // relaxed: who still looks misuses it
    object = std::exchange(entry->object, nullptr);
    destroy = entry->destroy;
  }
  destroy(object);  // runs user code
}

void place_object_table::end_later(place_object_name name) {
  const std::lock_guard lock(g_tables_mutex);
  for (place_object_table* table = g_tables; table != nullptr; table = table->older_) {
    const std::lock_guard own(table->mutex_);
    if (table->here_ == 0 && table->entry_of_locked(name) != nullptr) {
      table->later_.push_back(name);
    }
    table->withdraw_locked(name);
  }
}

bool place_object_table::has(place_object_name name) noexcept {
  const std::lock_guard lock(mutex_);
  return entry_of_locked(name) != nullptr;
}

bool place_object_table::any_has(place_object_name name) noexcept {
  const std::lock_guard lock(g_tables_mutex);
  for (place_object_table* table = g_tables; table != nullptr; table = table->older_) {
    if (table->has(name)) {
      return true;
    }
  }
  return false;
}

std::vector<place_object_name> place_object_table::take_later() noexcept {
  const std::lock_guard lock(mutex_);
  return std::exchange(later_, {});
}

std::uint64_t place_object_table::begin_end() noexcept {
  const std::lock_guard lock(mutex_);
  return ++ends_begun_;
}

std::uint64_t place_object_table::ends_begun() noexcept {
  const std::lock_guard lock(mutex_);
  return ends_begun_;
}

void place_object_table::end_is_done(std::uint64_t number) {
  waiter* ready = nullptr;
  {
    const std::lock_guard lock(mutex_);
    early_.push_back(number);
    for (auto next = early_.end(); (next = std::find(early_.begin(), early_.end(), ends_done_ + 1)) != early_.end();) {
      *next = early_.back();
      early_.pop_back();
      ++ends_done_;
    }
    ready = take_ready_locked();
  }
  resume(ready);
}

void place_object_table::ask_for_number() noexcept {
  const std::lock_guard lock(mutex_);
  ++numbers_asked_;
}

void place_object_table::is_numbered() {
  waiter* ready = nullptr;
  {
    const std::lock_guard lock(mutex_);
    ++numbers_come_;
    ready = take_ready_locked();
  }
  resume(ready);
}

// Those whose counter has come so far.
place_object_table::waiter* place_object_table::take_ready_locked() noexcept {
  waiter* ready = nullptr;
  for (waiter* p = std::exchange(waiting_, nullptr); p != nullptr;) {
    auto* const behind = static_cast<waiter*>(p->next);
    waiter*& list = *p->counter >= p->wanted ? ready : waiting_;
    p->next = list;
    list = p;
    p = behind;
  }
  return ready;
}

void place_object_table::resume(waiter* ready) {
  while (ready != nullptr) {
    auto* const behind = static_cast<waiter*>(ready->next);  // before it goes on
    make_ready(*ready);
    ready = behind;
  }
}

bool place_object_table::enlist(wait_point& p) {
  auto& self = *static_cast<place_object_table*>(p.object);
  auto& joins = static_cast<waiter&>(p);
  const std::lock_guard lock(self.mutex_);
  if (*joins.counter >= joins.wanted) {
    return false;
  }
  p.next = self.waiting_;
  self.waiting_ = &joins;
  return true;
}

// All of them, as a verdict does it.
void place_object_table::cancel(wait_point& p) { static_cast<place_object_table*>(p.object)->waiting_ = nullptr; }

void place_object_table::wait_for_ends(std::uint64_t n) { wait_until(ends_done_, n); }

void place_object_table::wait_for_numbers() {
  std::uint64_t wanted = 0;
  {
    const std::lock_guard lock(mutex_);
    wanted = numbers_asked_;
  }
  wait_until(numbers_come_, wanted);
}

void place_object_table::wait_until(const std::uint64_t& counter, std::uint64_t wanted) {
  {
    const std::lock_guard lock(mutex_);
    if (counter >= wanted) {
      return;
    }
  }
  waiter p;
  p.counter = &counter;
  p.wanted = wanted;
  p.commit = enlist;
  p.cancel = cancel;
  p.kind = &k_ends;
  p.object = this;
  suspend(p);
}

}  // namespace tactus::detail
