// SPDX-License-Identifier: Apache-2.0
// place_local: objects that are made at every place, used from everywhere, and ended by tasks of the run.
#include "execution.hpp"
#include "execution_reactions.hpp"

#include <cstddef>
#include <exception>

namespace ts = tactus;

namespace oracle {

// The object of one place. Alive between two plain counts there.
class execution::keepsake {
public:
  keepsake(std::uint16_t number, statement_id at) : program_(number), at_(at), place_(number_of_here()) {
    execution& of = numbered(number);
    const program& p = *of.program_;
    const statement& s = p.statements[at];
    if (s.earlier != k_none) {
      const life& before = of.life_of(s.earlier, place_);
      if (before.ended != before.made)
        of.differs(at, "ends of objects before the next are made", before.made, before.ended);
    }
    if (s.by_exception && p.throws_at(at, place_)) std::rethrow_exception(exception_of(p, at, place_));
    mine().made += 1;
  }

  keepsake(const keepsake&) = delete;
  keepsake& operator=(const keepsake&) = delete;

  ~keepsake() {
    execution& of = numbered(program_);
    const program& p = *of.program_;
    if (number_of_here() != place_) of.differs(at_, "the place where an object ends", place_, number_of_here());
    const std::uint64_t wanted = p.object_sums[std::size_t{slot()} * k_max_places + place_];
    if (!p.stuck && sum_ != wanted) of.differs(at_, "what was added to an object", wanted, sum_);
    mine().ended += 1;
    if (program::end_spawns(at_)) ts::async([of_it = &mine()] { of_it->followed += 1; });
  }

  // From any task of its place: what they add, they add in atomic blocks.
  std::uint64_t add(std::uint16_t program_number, statement_id user, std::uint64_t number) {
    execution& of = numbered(program_number);
    const unsigned here = number_of_here();
    if (here != place_ || program_number != program_) of.differs(user, "the place of an object", here, place_);
    if (mine().ended != 0) of.differs(user, "an object has ended while it was used", 0, mine().ended);
    ts::atomic([&] { sum_ += number; });
    return of.program_->object_value(slot(), place_);
  }

private:
  static unsigned number_of_here() { return static_cast<unsigned>(ts::here().id()); }
  [[nodiscard]] slot_id slot() const { return numbered(program_).program_->statements[at_].objects; }
  [[nodiscard]] life& mine() const { return numbered(program_).life_of(slot(), place_); }

  std::uint16_t program_;
  statement_id at_;
  unsigned place_;
  std::uint64_t sum_ = 0;
};

namespace {

struct add_to {
  std::uint16_t program;
  statement_id user;

  template <class Keepsake>
  std::uint64_t operator()(Keepsake& object, std::uint64_t number) const {
    return object.add(program, user, number);
  }
};

}  // namespace

// By a task that brings the name along.
struct execution::adding_task {
  std::uint16_t program;
  statement_id user;
  std::uint64_t wanted;

  void operator()(ts::place_local_ref<keepsake> name, std::uint64_t number) const {
    const std::uint64_t value = name->add(program, user, number);
    if (value != wanted) numbered(program).differs(user, "the value of an object", wanted, value);
  }
};

struct execution::taking_name {
  std::uint16_t program;
  slot_id slot;
  ts::place_local_ref<keepsake> name;

  void operator()() const { numbered(program).names_[slot] = name; }
};

execution::life& execution::life_of(slot_id slot, unsigned place) {
  return lives_[std::size_t{slot} * program_->places + place];
}

void execution::with_objects(continuation& self, statement_id at) {
  may_throw(self, at, [&] {
    const program& p = *program_;
    const slot_id slot = p.statements[at].objects;
    const ts::place_local<keepsake> objects(number_, at);
    names_[slot] = objects.ref();
    if (ranks().several()) {
      for (const ts::place there : ts::places())
        if (there != ts::here()) ts::at(there, taking_name{number_, slot, objects.ref()});
    }
    finish_with(self, at, [](const auto& body) { return ts::finish(body); });
    return std::uint64_t{0};
  });
}

void execution::use_object(continuation& self, statement_id at) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  const ts::place there(s.wishes);
  const std::uint64_t number = p.block_value(at);
  const auto& name = names_[s.objects];
  if (s.hint == 2) {
    ts::async_at(there, adding_task{number_, at, p.object_value(s.objects, s.wishes)}, name, number);
    return;
  }
  may_throw(self, at, [&] {
    const add_to f{number_, at};
    return s.hint == 0 ? f(*name, number) : name.at(there, f, number);
  });
}

void execution::misuse_object(continuation& self, statement_id at) {
  may_throw(self, at, [&] {
    static_cast<void>(names_[program_->statements[at].objects]->add(number_, at, 0));
    return std::uint64_t{0};
  });
}

// Those that this process has had.
void execution::judge_objects(verdict& v) {
  const program& p = *program_;
  for (statement_id at = 0; at < p.statements.size(); ++at) {
    const statement& s = p.statements[at];
    if (s.what != op::with_objects) continue;
    for (unsigned place = 0; place < p.places && v.what == nullptr; ++place) {
      if (ranks().several() && place != static_cast<unsigned>(ranks().here)) continue;
      const life& l = life_of(s.objects, place);
      const unsigned made = p.expected[at].runs && !(s.by_exception && p.throws_at(at, place)) ? 1 : 0;
      const unsigned followed = program::end_spawns(at) ? made : 0;
      const auto is = [&](const char* what, unsigned expected, unsigned got) {
        if (expected == got || v.what != nullptr) return;
        v.what = what;
        v.where = at;
        v.expected = expected;
        v.got = got;
      };
      is("how many objects were made at a place", made, l.made);
      is("how many objects have ended at a place", made, l.ended);
      is("how many tasks of ends of objects ran at a place", followed, l.followed);
    }
  }
}

}  // namespace oracle
