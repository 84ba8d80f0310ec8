// SPDX-License-Identifier: Apache-2.0
// The life of place_locals: making names, and ending objects by tasks of the run.

#include <tactus/place/impl/place_objects.hpp>

#include <tactus/base/error.hpp>
#include <tactus/place/at.hpp>
#include <tactus/task/async.hpp>

#include "place/place_node.hpp"
#include "place/place_object_table.hpp"
#include "place/task_values.hpp"
#include "scheduler/run_control.hpp"

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace tactus::detail {
namespace {

place_object_table& table_of(const worker* w) { return *w->owner->objects(); }

std::uint64_t key_of_ends() noexcept {
  static const std::uint64_t key = next_local_key();
  return key;
}

// Who makes a place_local afterwards waits until an end is done at each place, and nobody could be told that it will not be.
template <class F>
void end_is_not_lost(F&& f) {
  try {
    f();
  } catch (const std::bad_alloc& why) {
    end_without_memory("the end of a place_local needs memory", why.what());
  }
}

// The task that ends the object of one place.
struct end_here {
  place_object_name name;
  std::uint64_t number;  // of the end

  void operator()() const {
    local_value mark{key_of_ends(), [](local_value*) noexcept {}, current_worker()->task->locals};
    current_worker()->task->locals = &mark;
    end_place_object(name);
    unlink_local(*current_worker()->task, &mark);
    end_is_not_lost([this] { table_of(current_worker()).end_is_done(number); });
  }
};

// An end that is to be numbered when it gets to place 0.
constexpr std::uint64_t k_not_numbered = 0;

// Counted as what asyncs send, for it is counted where it runs.
template <class F>
void send_task(worker* w, finish_scope& under, int to, F f) {
  place_node::of(w).send_under(under, to, std::move(f));
  ++w->counters.spawned_remote;
}

// At place 0, whose finish they are tasks of.
void start_ends(place_object_name name, std::uint64_t number) {
  worker* w = current_worker();
  finish_scope& root = *w->owner->run().root_finish();
  const end_here end{name, number != k_not_numbered ? number : table_of(w).begin_end()};
  for (int p = 0; p < w->places_of_run; ++p) {
    w = current_worker();
    end_is_not_lost([&] {
      if (p == w->place) {
        queue_under(w, &root, end);
      } else {
        send_task(w, root, p, end);
      }
    });
  }
}

// At place 0: those that threads without a task have let go.
void start_later_ends() {
  for (const place_object_name name : table_of(current_worker()).take_later()) {
    start_ends(name, k_not_numbered);
  }
}

// Without a wait for room or for a reply. Nobody learns here when the ends have begun, so the name's index stays taken.
void send_for_ends(place_object_name name, std::uint64_t number) {
  worker* const w = current_worker();
  send_task(w, *w->held, 0, [=] { start_ends(name, number); });
}

// Whoever takes the name again has the ends before its making.
void start_ends_from_anywhere(place_object_name name, std::uint64_t number) {
  try {
    at(place(), [](place_object_name n, std::uint64_t as) { start_ends(n, as); }, name, number);
    table_of(current_worker()).forget(name);
    return;
    // NOLINTNEXTLINE(bugprone-empty-catch): no wait begins any more, at another place than 0; nothing was sent
  } catch (const deadlock_error&) {
    // NOLINTNEXTLINE(bugprone-empty-catch): no stack for it; as above
  } catch (const resource_error&) {
  }
  send_for_ends(name, number);
}

}  // namespace

std::unique_ptr<place_object_table, objects_end> make_place_objects(int places, int here) {
  return std::unique_ptr<place_object_table, objects_end>(
      new place_object_table(static_cast<std::size_t>(places), static_cast<std::size_t>(here)));
}

void objects_end::operator()(place_object_table* t) const noexcept { delete t; }

const place_objects* objects_in(const place_object_table& t) noexcept { return &t.objects(); }

namespace {

// That of place p; null where it is in another process.
place_object_table* table_in_reach(const worker* w, int p) noexcept {
  if (p == w->place) {
    return &table_of(w);
  }
  const place_node* const there = place_node::of(w).in_reach(p);
  return there != nullptr ? there->here().objects() : nullptr;
}

template <class F>
void for_each_table_in_reach(const worker* w, F f) {
  for (int p = 0; p < w->places_of_run; ++p) {
    if (place_object_table* const table = table_in_reach(w, p)) {
      f(*table);
    }
  }
}

// By a task that has no worker now: has another one end them. What is made afterwards waits for that one too, so the end has its number at
// once, where place 0 can be reached; else what is made here waits until the task has come back from there.
void have_a_task_end(const worker* w, place_object_name name) {
  place_object_table* const first = table_in_reach(w, 0);
  place_object_table& own = table_of(w);
  std::uint64_t number = k_not_numbered;
  if (first != nullptr) {
    number = first->begin_end();
  } else {
    own.ask_for_number();
  }
  const unrestricted_scope shown;
  try {
    async(spawn_policy::help_first, [name, number, &own] {
      start_ends_from_anywhere(name, number);
      if (number == k_not_numbered) {
        own.is_numbered();
      }
    });
  } catch (...) {  // nobody is to wait for it
    if (number != k_not_numbered) {
      for_each_table_in_reach(w, [number](place_object_table& t) { t.end_is_done(number); });
    } else {
      own.is_numbered();
    }
    throw;
  }
}

// Whether the calling task ends objects of place_locals.
bool ends_place_objects() noexcept {
  for (const local_value* v = any_worker()->task->locals; v != nullptr; v = v->next) {
    if (v->key == key_of_ends()) {
      return true;
    }
  }
  return false;
}

}  // namespace

place_object_name name_place_object() {
  const worker* const w = worker_for("place_local");
  return table_of(w).name(ends_place_objects() ? place_object_table::choice::fresh_index
                                               : place_object_table::choice::any_index);
}

std::uint64_t ends_before_making() {
  if (ends_place_objects()) {
    return 0;
  }
  table_of(current_worker()).wait_for_numbers();
  return at(place(), [] {
    start_later_ends();
    return table_of(current_worker()).ends_begun();
  });
}

void wait_for_ends(std::uint64_t n) { table_of(current_worker()).wait_for_ends(n); }

void put_place_object(place_object_name name, void* object, void (*destroy)(void*) noexcept) {
  table_of(current_worker()).put(name, object, destroy);
}

void end_place_object(place_object_name name) noexcept { table_of(current_worker()).end(name); }

void end_place_objects(place_object_name name) noexcept {
  const worker* const w = any_worker();
  if (w == nullptr) {
    try {
      place_object_table::end_later(name);
      // NOLINTNEXTLINE(bugprone-empty-catch): no memory: they go with the runtime
    } catch (const std::bad_alloc&) {
    }
    return;
  }
  for_each_table_in_reach(w, [name](place_object_table& t) { t.withdraw(name); });
  try {
    if (current_worker() != nullptr) {
      start_ends_from_anywhere(name, k_not_numbered);
    } else {
      have_a_task_end(w, name);
    }
    // NOLINTNEXTLINE(bugprone-empty-catch): no memory: they go with the runtime
  } catch (const std::exception&) {
  }
}

void end_with_root(task_frame& task) noexcept {
  end_values_elsewhere(task);
  if (current_worker()->place == 0) {
    try {
      start_later_ends();
      // NOLINTNEXTLINE(bugprone-empty-catch): no memory: they go with the runtime
    } catch (const std::exception&) {
    }
  }
}

void throw_no_place_object(const char* call, place_object_name name) {
  bool is_of_this_one = false;  // asked first: who had one and has ended it has never made it anew
  for_each_table_in_reach(any_worker(), [&](place_object_table& t) { is_of_this_one = is_of_this_one || t.has(name); });
  if (!is_of_this_one && place_object_table::any_has(name)) {
    throw usage_error(std::string("tactus::") + call +
                      " was called in a task of another runtime than the one that the place_local is of; each has its "
                      "own, made in one of its tasks");
  }
  throw place_error(std::string("tactus::") + call + ": there is no object at place " +
                    std::to_string(any_worker()->place) +
                    ": the place_local has ended, or was made by another runtime; keep it until its last use");
}

}  // namespace tactus::detail
