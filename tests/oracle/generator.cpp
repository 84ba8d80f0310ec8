// SPDX-License-Identifier: Apache-2.0
#include "generator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace oracle {
namespace {

/// The same for phasers and accumulators. All but the last are leaves.
struct phaser_weights {
  unsigned make, wait, single, sum, send, look, misuse;
  unsigned phased_percent;  ///< chance that a finish begins with a phaser
};

/// The same for clocks and atomic blocks. All but the last are leaves.
struct sync_weights {
  unsigned make, resume, advance, drop, resume_all, advance_all, misuse, atomic, when;
  unsigned clocked_percent;  ///< chance that a spawn asks for clocks, and that a finish is clocked
  phaser_weights phased;
};

/// How often each statement is chosen, relative to the others of its group. Leaves: one step; branches: hold other statements.
struct weights {
  unsigned leaves_per_branch;  ///< up to this many leaves before each branch
  unsigned throw_percent;      ///< chance that a block ends in a throw
  // leaves
  unsigned write, read, local, yield, get_future, get_promise, set, again, ask, copy, line;
  // branches
  unsigned call, finish, attempt, guard, spawn, future, loop, fold, abandon, stream;
  sync_weights sync;
};

// Each profile makes one kind of trouble frequent; together they cover every pair of constructs.
constexpr std::array<weights, 14> k_profiles{{
    // mixed
    {3, 6, 6, 6, 3, 2,  4, 3, 3, 1, 1, 1,
     1, 3, 6, 3, 2, 12, 5, 2, 1, 1, 2, {2, 1, 5, 1, 1, 2, 1, 4, 2, 40, {1, 1, 1, 1, 2, 2, 1, 10}}},
    // escaping trees: asyncs out of called functions, few finishes
    {1, 1, 3, 3, 2, 1,  1, 1, 1, 0, 1, 0,
     0, 8, 1, 1, 0, 20, 2, 0, 0, 0, 1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}}},
    // finish nests
    {2, 3, 4,  5, 2, 2,  1, 1, 1, 0, 0, 0,
     1, 3, 16, 1, 1, 12, 2, 2, 1, 0, 2, {0, 0, 1, 0, 0, 1, 0, 1, 0, 20, {0, 1, 0, 0, 1, 1, 0, 10}}},
    // data flow: futures and promises, many suspensions
    {4, 4, 3, 3, 1, 2, 9,  7, 6, 2, 2, 0,
     1, 2, 4, 3, 2, 8, 12, 1, 1, 2, 2, {1, 0, 1, 0, 0, 1, 0, 3, 4, 20, {0, 0, 0, 1, 1, 1, 0, 5}}},
    // exceptions everywhere
    {2, 30, 4, 4, 2, 1, 4, 2, 2, 2, 1, 2,
     1, 2,  6, 8, 4, 8, 6, 3, 1, 2, 2, {1, 1, 3, 1, 0, 1, 2, 3, 1, 30, {1, 1, 1, 0, 1, 1, 1, 10}}},
    // work inside handlers and destructors
    {3, 15, 4, 4,  3,  3, 5, 3, 3, 1, 1, 1,
     1, 1,  4, 10, 10, 8, 5, 1, 1, 1, 2, {1, 1, 3, 1, 0, 1, 1, 3, 2, 30, {1, 1, 1, 1, 1, 1, 1, 10}}},
    // parallel loops
    {2, 5, 4, 4, 3, 2, 3, 2,  2, 0, 0, 0,
     1, 1, 3, 2, 1, 5, 2, 12, 6, 0, 1, {0, 0, 0, 0, 0, 1, 0, 3, 1, 10, {0, 0, 0, 1, 1, 1, 0, 5}}},
    // lock step: few clocks, many tasks and phases
    {4, 3, 3, 5, 1, 1,  1, 1, 1, 0, 0, 0,
     0, 1, 5, 1, 1, 24, 3, 1, 0, 0, 1, {2, 5, 24, 1, 1, 4, 0, 1, 1, 90, {0, 1, 1, 1, 2, 2, 0, 20}}},
    // tasks on several clocks that come and go
    {4, 6, 4, 4, 1, 2,  1, 1, 1, 0, 0, 1,
     1, 2, 8, 2, 1, 16, 5, 1, 0, 1, 1, {6, 6, 10, 5, 3, 8, 2, 1, 1, 75, {3, 2, 1, 1, 1, 1, 1, 15}}},
    // blocks, and tasks that wait for what they change
    {4, 4, 4, 3, 3, 2,  2, 2, 2, 0, 1, 0,
     3, 2, 4, 2, 1, 14, 5, 3, 1, 0, 1, {1, 1, 2, 0, 0, 1, 0, 16, 14, 20, {0, 0, 0, 0, 0, 0, 0, 5}}},
    // phasers: few, with many tasks in all modes, and phases that end in next_single
    {5, 3, 3, 4, 2, 1,  1, 1, 1, 0, 0, 0,
     0, 1, 7, 1, 1, 24, 3, 1, 0, 0, 1, {0, 8, 24, 1, 1, 5, 0, 1, 1, 90, {2, 8, 10, 1, 4, 4, 1, 70}}},
    // accumulators
    {5, 3, 3, 4, 2, 1,  1, 1, 1, 0, 0, 0,
     0, 1, 7, 1, 1, 24, 3, 1, 0, 0, 1, {1, 4, 16, 1, 1, 5, 0, 1, 1, 90, {1, 3, 2, 6, 20, 14, 1, 60}}},
    // tasks on several phasers and clocks that come and go
    {4, 6, 4, 4, 1, 2,  1, 1, 1, 0, 0, 1,
     1, 2, 8, 2, 1, 18, 5, 1, 0, 1, 1, {3, 6, 8, 5, 2, 10, 1, 1, 1, 80, {6, 5, 5, 2, 4, 4, 3, 40}}},
    // streams, and tasks that line up
    {3, 4, 4, 4, 2, 3, 2, 2, 2, 0, 0,  1,
     6, 1, 4, 2, 1, 8, 3, 1, 0, 0, 12, {1, 1, 2, 0, 0, 1, 0, 3, 3, 20, {0, 0, 0, 0, 0, 0, 0, 5}}},
}};

/// How a block hands its budget of tasks to its branches.
enum class shape : std::uint8_t { flat, binary, chain, any };

/// What may stand where: narrowed on the way down.
struct surroundings {
  bool asyncs = true;    ///< an async here is joined by a finish of the program
  bool throws = true;    ///< an exception may leave the block
  bool waits = true;     ///< the block may wait
  bool clocks = true;    ///< the block runs in a task of its own, which may be registered
  bool handler = false;  ///< some handler of this task is active
  unsigned nest = 0;     ///< blocks of this task on its stack
  unsigned place = 0;
  slot_id objects = k_none;  ///< the innermost place_local around
  slot_id ended = k_none;    ///< one that this task has ended
};

constexpr unsigned k_max_nest = 7;  // bounds the stack that one task of a program needs

class maker {
public:
  maker(program& out, const generator_options& options, random_stream& random)
      : program_(out), options_(options), random_(random), weights_(k_profiles[random.below(k_profiles.size())]) {
    if (random.chance(40)) be_calm();
    shape_ = static_cast<shape>(random_.below(5));
    policies_ = random_.below(4);
    if (options.places > 1) away_percent_ = random.between(10, 90);
    out.places = options.places;
  }

  void root(unsigned tasks) {
    program_.tasks.push_back({});
    const statement_id body = block(tasks - 1, {});
    program_.tasks[0].body = body;
  }

private:
  /// A list of statements under construction.
  struct list {
    statement_id first = k_none;
    statement_id last = k_none;
  };

  // Without exceptions far more of a program runs, and unwinding is most of what a program costs.
  void be_calm() {
    calm_ = true;
    weights_.throw_percent = weights_.again = weights_.copy = weights_.abandon = weights_.sync.misuse =
        weights_.sync.phased.misuse = 0;
  }

  // Appends a statement; references into the vector die with the next append, so callers use the id.
  statement_id append(list& to, op what) {
    const auto id = static_cast<statement_id>(program_.statements.size());
    program_.statements.push_back({});
    program_.statements.back().what = what;
    if (to.first == k_none) to.first = id;
    if (to.last != k_none) program_.statements[to.last].next = id;
    to.last = id;
    return id;
  }

  [[nodiscard]] statement& at(statement_id id) { return program_.statements[id]; }

  task_id new_tasks(unsigned count, statement_id by, unsigned place) {
    const auto first = static_cast<task_id>(program_.tasks.size());
    for (unsigned i = 0; i < count; ++i) program_.tasks.push_back({k_none, by, static_cast<std::uint8_t>(place)});
    return first;
  }

  // Uses up exactly `budget` tasks.
  statement_id block(unsigned budget, surroundings where) {
    list out;
    while (budget > 0) {
      leaves(out, random_.below(weights_.leaves_per_branch + 1), where);
      const unsigned share = portion(budget);
      branch(out, share, where);
      budget -= share;
      if (at(out.last).what == op::with_objects) where.ended = at(out.last).objects;
    }
    leaves(out, random_.below(3), where);
    if (where.throws && random_.chance(weights_.throw_percent)) fail(out, where);
    return out.first;
  }

  void fail(list& out, const surroundings& where) {
    append(out, where.handler && random_.chance(40) ? op::rethrow : op::throw_now);
  }

  unsigned portion(unsigned budget) {
    const shape now = shape_ == shape::any ? static_cast<shape>(random_.below(3)) : shape_;
    switch (now) {
      case shape::flat: return std::min(budget, random_.between(1, 4));
      case shape::binary: return (budget + 1) / 2;
      case shape::chain: return budget;
      case shape::any: break;
    }
    return random_.between(1, budget);
  }

  void leaves(list& out, unsigned how_many, const surroundings& where) {
    for (unsigned i = 0; i < how_many; ++i) leaf(out, where);
  }

  void leaf(list& out, const surroundings& where) {
    const weights& w = weights_;
    const bool gets = where.waits && (where.throws || !options_.stuck);
    const sync_weights& y = w.sync;
    const unsigned on = where.clocks ? 1 : 0;
    const unsigned waits_on = where.clocks && gets ? 1 : 0;
    const phaser_weights& ph = y.phased;
    const std::array<std::pair<op, unsigned>, 29> choices{{
        {op::write_cell, w.write},
        {op::read_cell, w.read},
        {op::touch_local, w.local},
        {op::yield_now, w.yield},
        {op::get_future, gets ? w.get_future : 0},
        {op::get_promise, gets ? w.get_promise : 0},
        {op::set_promise, w.set},
        {op::set_again, options_.stuck ? 0 : w.again},
        {op::ask_foreign, options_.foreign && !options_.stuck && random_.chance(5) ? w.ask : 0},
        {op::throwing_copy, options_.stuck || !where.asyncs ? 0 : w.copy},
        {op::make_clock, on * y.make},
        {op::resume_clock, on * y.resume},
        {op::advance_clock, waits_on * y.advance},
        {op::drop_clock, on * y.drop},
        {op::resume_all, on * y.resume_all},
        {op::advance_all, waits_on * y.advance_all},
        {op::misuse_clock, options_.stuck ? 0 : on * y.misuse},
        {op::make_phaser, on * ph.make},
        {op::wait_phaser, waits_on * ph.wait},
        {op::next_single, waits_on * ph.single},
        {op::make_sum, on * ph.sum},
        {op::send_to_sum, on * ph.send},
        {op::look_at_sum, on * ph.look},
        {op::misuse_phaser, options_.stuck ? 0 : on * ph.misuse},
        {op::atomic_block, y.atomic},
        {op::when_block, gets ? y.when : 0},
        {op::line_up, gets && !options_.stuck ? w.line : 0},
        {op::use_object, where.objects != k_none ? 8 : 0},
        {op::misuse_object, where.ended != k_none && !options_.stuck && !calm_ ? 3 : 0},
    }};
    op what = pick(choices, op::write_cell);
    // Where there are clocks, tasks come to a stop at them.
    if (options_.stuck && gets && random_.chance(y.advance > 2 ? 2 : 12))
      what = random_.chance(50) ? op::get_never : op::when_never;
    if (where.throws && random_.below(2000) < weights_.throw_percent) what = op::throw_now;
    const statement_id id = append(out, what);
    statement& s = at(id);
    s.reaction = reaction(where);
    s.by_exception =
        (what == op::set_promise || what == op::ask_foreign) && !options_.stuck && !calm_ && random_.chance(20);
    s.policy = policy();
    s.carries = static_cast<baggage>(random_.below(3));  // of a get: which form of the handle
    s.hint = static_cast<std::uint8_t>(random_.below(3));
    s.wishes = static_cast<std::uint8_t>(random_.below(what == op::misuse_phaser ? 8 : 3));
    on_phasers(s);
    if (what == op::use_object) {
      s.objects = where.objects;
      s.wishes = static_cast<std::uint8_t>(random_.below(options_.places));
      if ((s.hint == 1 && !where.waits) || (s.hint == 2 && !where.asyncs)) s.hint = 0;
    }
    if (what == op::misuse_object) s.objects = where.ended;
    if (what == op::line_up) {
      s.queue = static_cast<queue_at>(random_.below(k_queues));
      s.count = static_cast<std::uint16_t>(random_.between(2, 6));
    }
    if (what == op::when_block && !options_.stuck && !calm_) s.by_exception = random_.chance(12);
    if (what == op::when_never) s.domain = domain_here(where, random_.below(k_domains));
    if (what == op::atomic_block || what == op::when_block) {
      const auto domain = random_.chance(40) ? 0u : random_.below(k_domains);
      at(id).domain = domain_here(where, domain);
      const statement_id body = inside_block(1u << domain, domain, where);
      at(id).body = body;
    }
  }

  [[nodiscard]] static std::uint8_t domain_here(const surroundings& where, unsigned which) {
    return static_cast<std::uint8_t>(domain_at(where.place, which));
  }

  // What statements on phasers and accumulators have of their own.
  void on_phasers(statement& s) {
    switch (s.what) {
      case op::make_phaser: {
        const unsigned dice = random_.below(100);
        s.how = dice < 50   ? mode::signal_wait_next
                : dice < 75 ? mode::signal_wait
                : dice < 90 ? mode::signal_only
                            : mode::wait_only;
        if (!options_.stuck && random_.chance(30)) s.bound = static_cast<std::uint8_t>(random_.between(1, 4));
        s.way = static_cast<sum_way>(random_.below(k_ways));
        break;
      }
      case op::make_sum:
        s.adds = static_cast<sum_kind>(random_.below(3));
        s.way = static_cast<sum_way>(random_.below(s.adds == sum_kind::ordered_maps ? k_ordered_ways : k_ways));
        s.count = static_cast<std::uint16_t>(random_.below(4));  // cells of fixed_lazy
        break;
      case op::send_to_sum: s.count = static_cast<std::uint16_t>(random_.between(1, 3)); break;
      case op::advance_clock:
      case op::advance_all:  // if the interpreter makes it a next_single
      case op::next_single:
        s.all = s.what == op::advance_all || (s.what == op::next_single && random_.chance(30));
        s.by_exception = !options_.stuck && !calm_ && random_.chance(30);
        break;
      default: break;
    }
  }

  // What an atomic block does. `held` are the domains around, `last` the latest of them: new ones come in a fixed order.
  statement_id inside_block(unsigned held, unsigned last, const surroundings& where) {
    list out;
    for (unsigned left = random_.below(3); left > 0; --left) {
      const unsigned dice = random_.below(100);
      op what = dice < 25   ? op::write_cell
                : dice < 45 ? op::read_cell
                : dice < 55 ? op::touch_local
                : dice < 65 ? op::misuse_block
                            : op::atomic_block;
      if (what == op::misuse_block && (calm_ || options_.stuck)) what = op::write_cell;
      const statement_id id = append(out, what);
      at(id).reaction = reaction(where);
      at(id).wishes = static_cast<std::uint8_t>(random_.below(13));
      if (what != op::atomic_block) continue;
      unsigned domain = random_.between(last, k_domains - 1);
      if (random_.chance(20)) domain = static_cast<unsigned>(std::countr_zero(held));  // held already
      at(id).domain = domain_here(where, domain);
      const statement_id body = inside_block(held | 1u << domain, std::max(last, domain), where);
      at(id).body = body;
    }
    if (where.throws && random_.below(200) < weights_.throw_percent) append(out, op::throw_now);
    return out.first;
  }

  void branch(list& out, unsigned budget, const surroundings& where) {
    const weights& w = weights_;
    const bool deeper = where.nest < k_max_nest;
    const bool simple = options_.stuck;  // nothing there may catch what the deadlock throws
    const std::array<std::pair<op, unsigned>, 13> choices{{
        {op::call, deeper ? w.call : 0},
        {op::finish_block, deeper ? w.finish : 0},
        {op::try_catch, deeper && !simple ? w.attempt : 0},
        {op::with_guard, deeper && !simple ? w.guard : 0},
        {op::spawn, where.asyncs ? w.spawn : 0},
        {op::spawn_future, futures_ < k_max_futures ? w.future : 0},
        {op::loop, deeper && options_.loops ? w.loop : 0},
        {op::fold, deeper && options_.loops ? w.fold : 0},
        {op::pass_on, deeper && where.waits && !simple && budget >= 2 ? w.stream : 0},
        {op::at_place, where.waits && where.asyncs ? away_percent_ / 10 : 0},
        {op::abandon_promise, where.asyncs && where.waits && !simple ? w.abandon : 0},
        {op::each_place, where.waits ? away_percent_ / 12 : 0},
        {op::with_objects, deeper && where.waits && program_.objects < k_max_objects ? away_percent_ / 15 : 0},
    }};
    const op what = pick(choices, op::finish_block);
    if (what == op::spawn_future) ++futures_;
    const statement_id id = append(out, what);
    at(id).reaction = reaction(where);
    surroundings inner = where;
    switch (what) {
      case op::call: {
        ++inner.nest;
        enclose(id, budget, inner);
        break;
      }
      case op::finish_block: {
        ++inner.nest;
        inner.asyncs = inner.throws = true;
        if (simple && !where.throws) inner.throws = inner.waits = false;
        at(id).clocked = where.clocks && random_.chance(w.sync.clocked_percent * 2 / 3);
        enclose(id, budget, inner);
        if (where.clocks && random_.chance(w.sync.phased.phased_percent)) begin_with_phaser(id);
        break;
      }
      case op::with_objects: {
        ++inner.nest;
        inner.asyncs = inner.throws = true;
        if (simple && !where.throws) inner.throws = inner.waits = false;
        inner.objects = static_cast<slot_id>(program_.objects++);
        at(id).objects = inner.objects;
        at(id).earlier = where.ended;
        at(id).by_exception = !simple && !calm_ && random_.chance(15);
        enclose(id, budget, inner);
        break;
      }
      case op::try_catch:
      case op::with_guard: {
        ++inner.nest;
        const unsigned second = random_.below(budget + 1);
        surroundings body = inner;
        body.throws = what == op::try_catch || where.throws;
        surroundings other = inner;
        if (what == op::try_catch)
          other.handler = true;
        else {
          other.throws = true;    // the guard swallows
          other.handler = false;  // `throw;` where that very exception may be unwinding would throw one object twice
        }
        const task_id first = next_task();
        const statement_id body_first = failing_block(budget - second, body);
        const statement_id other_first = block(second, other);
        at(id).body = body_first;
        at(id).other = other_first;
        at(id).first_task = first;
        at(id).last_task = next_task();
        break;
      }
      case op::spawn:
      case op::spawn_future:
      case op::at_place:
      case op::abandon_promise: spawn(id, what, budget, where); break;
      case op::loop:
      case op::fold:
      case op::pass_on: elements(id, what, budget, where); break;
      case op::each_place: calls(id, budget, where); break;
      default: break;
    }
  }

  [[nodiscard]] task_id next_task() const { return static_cast<task_id>(program_.tasks.size()); }

  void enclose(statement_id id, unsigned budget, const surroundings& inner) {
    const task_id first = next_task();
    const statement_id body = block(budget, inner);
    at(id).body = body;
    at(id).first_task = first;
    at(id).last_task = next_task();
  }

  void begin_with_phaser(statement_id id) {
    list out;
    const statement_id made = append(out, op::make_phaser);
    at(made).wishes = static_cast<std::uint8_t>(random_.below(3));
    on_phasers(at(made));
    at(made).next = at(id).body;
    at(id).body = made;
  }

  // A block that more often than not ends in a throw, so that handlers and destructors have something to do.
  statement_id failing_block(unsigned budget, const surroundings& where) {
    const statement_id first = block(budget, where);
    if (!where.throws || calm_ || !random_.chance(60)) return first;
    list out;
    out.first = out.last = first;
    while (out.last != k_none && at(out.last).next != k_none) out.last = at(out.last).next;
    fail(out, where);
    return out.first;
  }

  void spawn(statement_id id, op what, unsigned budget, const surroundings& where) {
    const bool away =
        what == op::at_place || (what != op::abandon_promise && away_percent_ != 0 && random_.chance(away_percent_));
    const unsigned there = away ? random_.below(options_.places) : where.place;
    const task_id child = new_tasks(1, id, there);
    statement& s = at(id);
    s.first_task = child;
    s.away = away && what != op::at_place;
    s.flexible = s.away && !options_.stuck && mix(program_.seed, id) % 3 == 0;
    s.policy = policy();
    s.carries = random_.chance(75) ? baggage::little : random_.chance(50) ? baggage::much : baggage::aligned;
    s.named = random_.chance(10);
    s.value = static_cast<value_kind>(random_.chance(70) ? 0u : random_.between(1, 2));
    if (s.away && s.value == value_kind::reference) s.value = value_kind::nothing;
    if (what != op::abandon_promise && !away && random_.chance(weights_.sync.clocked_percent)) {
      s.wishes = static_cast<std::uint8_t>(random_.chance(70) ? 1u : random_.between(2, 3));
      s.value = value_kind::number;
      s.all = random_.chance(12);
    }
    surroundings inner;
    inner.place = there;
    inner.waits = where.waits && !(options_.stuck && what == op::spawn_future);
    inner.asyncs = where.asyncs;
    inner.objects = where.objects;
    inner.throws = !options_.stuck || ((what == op::spawn || what == op::at_place) && where.throws);
    const statement_id body = block(budget - 1, inner);
    program_.tasks[child].body = body;
    at(id).last_task = next_task();
  }

  void elements(statement_id id, op what, unsigned budget, const surroundings& where) {
    const bool stream = what == op::pass_on;
    const unsigned count = stream              ? random_.between(2, std::min(budget, 8u))
                           : random_.chance(4) ? 0
                                               : random_.between(1, std::min(budget, 24u));
    const task_id first = new_tasks(count, id, where.place);
    at(id).first_task = first;
    at(id).count = static_cast<std::uint16_t>(count);
    at(id).grain = static_cast<std::uint16_t>(stream               ? random_.between(1, count - 1)
                                              : random_.chance(40) ? 0
                                                                   : random_.between(1, 8));
    if (stream) at(id).bound = static_cast<std::uint8_t>(random_.between(1, 4));
    unsigned left = budget - count;
    if (count == 0) left = 0;  // the rest of the share is given up: programs are "about" their size
    surroundings inner;
    inner.place = where.place;
    inner.waits = where.waits;
    inner.objects = where.objects;
    inner.asyncs = what != op::fold;  // what an async in reduce's f is joined by is not promised
    if (what == op::fold) {
      inner.clocks = false;
      inner.throws = false;  // nor what a throw there does
      if (options_.stuck) inner.waits = false;
    } else if (options_.stuck && !where.throws) {
      inner.throws = inner.waits = false;
    }
    bodies(id, first, left, inner);
  }

  // What the elements of `id` do. One of them gets what is left of the budget.
  void bodies(statement_id id, task_id first, unsigned left, surroundings inner) {
    const unsigned count = at(id).count;
    const unsigned big = random_.below(count + 1);
    for (unsigned i = 0; i < count; ++i) {
      const unsigned share = i == big ? left : i + 1 == count && big == count ? left : 0;
      statement_id body = k_none;
      inner.place = program_.tasks[first + i].place;
      if (share > 0 || random_.chance(50)) body = block(share, inner);
      program_.tasks[first + i].body = body;
    }
    at(id).last_task = next_task();
  }

  // Of at_each: at all places, or at some in any order, some of them more than once. The call at the own place is a part of the calling
  // task, whose clocks are none of its business here.
  void calls(statement_id id, unsigned budget, const surroundings& where) {
    const unsigned places = options_.places;
    const bool all = budget >= places && random_.chance(50);
    const unsigned count = all ? places : random_.chance(4) ? 0 : random_.between(1, std::min(budget, 8u));
    const task_id first = new_tasks(count, id, where.place);
    for (unsigned i = 0; i < count; ++i)
      program_.tasks[first + i].place = static_cast<std::uint8_t>(all ? i : random_.below(places));
    statement& s = at(id);
    s.first_task = first;
    s.count = static_cast<std::uint16_t>(count);
    s.all = all;
    s.carries = static_cast<baggage>(random_.below(3));
    surroundings inner;
    inner.clocks = false;
    inner.waits = where.waits;
    inner.objects = where.objects;
    if (options_.stuck && !where.throws) inner.throws = inner.waits = false;
    bodies(id, first, count == 0 ? 0 : budget - count, inner);
  }

  on_throw reaction(const surroundings& where) {
    if (options_.stuck) return on_throw::pass;
    if (!where.throws) return on_throw::swallow;
    const unsigned dice = random_.below(10);
    return dice < 7 ? on_throw::swallow : dice < 9 ? on_throw::look_and_pass : on_throw::pass;
  }

  asked_policy policy() {
    switch (policies_) {
      case 0: return asked_policy::none;
      case 1: return static_cast<asked_policy>(random_.below(5));
      case 2: return random_.chance(80) ? asked_policy::work_first : asked_policy::help_first;
      default: return random_.chance(80) ? asked_policy::none : static_cast<asked_policy>(random_.between(1, 4));
    }
  }

  template <std::size_t N>
  op pick(const std::array<std::pair<op, unsigned>, N>& choices, op otherwise) {
    unsigned total = 0;
    for (const auto& c : choices) total += c.second;
    if (total == 0) return otherwise;
    unsigned ticket = random_.below(total);
    for (const auto& c : choices) {
      if (ticket < c.second) return c.first;
      ticket -= c.second;
    }
    return choices[0].first;
  }

  program& program_;
  const generator_options& options_;
  random_stream& random_;
  weights weights_;
  shape shape_ = shape::any;
  bool calm_ = false;  // nothing throws
  unsigned policies_ = 0;
  unsigned away_percent_ = 0;  // chance that a spawn is for a place
  unsigned futures_ = 0;       // never more than there are slots
};

}  // namespace

void generate(std::uint64_t seed, const generator_options& options, program& out) {
  out.clear();
  out.seed = seed;
  out.salt = mix(seed, 0x5a17u);
  out.stuck = options.stuck;
  random_stream random(mix(seed, 0x9e4u));
  // Small programs are the many: the cube of a uniform number puts the mean near a quarter of the range.
  const unsigned u = random.below(100);
  const unsigned span = options.max_tasks - options.min_tasks;
  const unsigned tasks = options.min_tasks + span * (u * u * u / 100) / 10000;
  maker(out, options, random).root(tasks);
}

}  // namespace oracle
