// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace oracle {

void program::clear() {
  statements.clear();
  tasks.clear();
  futures = promises = cells = clocks = flags = late_joiners = early_joiners = 0;
  external = 0;
  expected.clear();
  task_runs.clear();
  future_maker.clear();
  steps.clear();
  leaves.clear();
  arrivals.clear();
  goings.clear();
  singles.clear();
  bodies.clear();
  phasers = 0;
  places = 1;
  objects = 0;
  object_sums = {};
  sum_maker.clear();
  sums = {};
  blocks = {};
  root_exception = 0;
  stuck_leaves = 0;
  stuck_tasks.clear();
  running_tasks = 0;
  asyncs = finishes = loops = turns = 0;
}

std::uint64_t program::hash_of_leaf(statement_id at) const noexcept {
  const std::uint64_t own = mix(salt, 0x40000u + at);
  return thrown_by(at) == thrown_type::without_text ? k_textless_hash + own % k_textless_types : own;
}

namespace {

constexpr std::array k_names{"write_cell",    "read_cell",      "touch_local", "yield",         "get_future",
                             "get_promise",   "set_promise",    "set_again",   "ask_foreign",   "throw",
                             "rethrow",       "throwing_copy",  "get_never",   "when_never",    "make_clock",
                             "resume",        "advance",        "drop",        "resume_all",    "advance_all",
                             "misuse_clock",  "misuse_block",   "make_phaser", "wait",          "next_single",
                             "accumulator",   "send",           "result",      "misuse_phaser", "use_object",
                             "misuse_object", "line_up",        "call",        "finish",        "try",
                             "guarded",       "atomic",         "when",        "place_local",   "async",
                             "async_future",  "for_each",       "reduce",      "pass_on",       "at",
                             "at_each",       "abandon_promise"};
static_assert(k_names.size() == static_cast<std::size_t>(op::abandon_promise) + 1);

constexpr std::array k_queue_names{"a lock", "a condition", "a stream's items", "a stream's room"};
static_assert(k_queue_names.size() == k_queues);

constexpr std::array k_modes{"signal_wait_next", "signal_wait", "signal_only", "wait_only"};
constexpr std::array k_way_names{"dynamic_lazy",     "fixed_lazy", "tree",     "eager",
                                 "eager_with_delay", "per_worker", "automatic"};

class printer {
public:
  explicit printer(const program& p) : program_(p) {}

  void block(statement_id first, unsigned depth) {
    for (statement_id at = first; at != k_none; at = program_.statements[at].next) one(at, depth);
  }

  std::string text;

private:
  void one(statement_id at, unsigned depth) {
    const statement& s = program_.statements[at];
    text.append(2 * depth, ' ');
    text += '#' + std::to_string(at) + ' ' + k_names[static_cast<std::size_t>(s.what)];
    if (s.policy == asked_policy::work_first) text += " work_first";
    if (s.policy == asked_policy::help_first) text += " help_first";
    if (s.policy == asked_policy::work_sharing) text += " work_sharing";
    if (s.policy == asked_policy::affinity) text += " affinity";
    if (s.slot != k_none) text += " slot " + std::to_string(s.slot);
    if (s.first_task != k_none) text += " task " + std::to_string(s.first_task);
    if (s.what == op::loop || s.what == op::fold)
      text += " x" + std::to_string(s.count) + " grain " + std::to_string(s.grain);
    if (s.what == op::pass_on)
      text += " x" + std::to_string(s.count) + " producers " + std::to_string(s.grain) + " bound " +
              std::to_string(s.bound);
    if (s.what == op::line_up)
      text += std::string(" x") + std::to_string(s.count) + " at " + k_queue_names[static_cast<std::size_t>(s.queue)];
    if (s.what == op::each_place) text += s.all ? " at all places" : " at " + std::to_string(s.count) + " places";
    if (s.objects != k_none) text += " objects " + std::to_string(s.objects);
    if (s.what == op::use_object) text += " by way " + std::to_string(s.hint) + " at place " + std::to_string(s.wishes);
    if (s.flexible) text += " by way of anywhere";
    if (s.away || s.what == op::at_place) text += " at place " + std::to_string(program_.tasks[s.first_task].place);
    if (s.clocked) text += " clocked";
    if (s.all) text += " all";
    std::size_t n = 0;
    for (slot_id c = 0; c < k_max_clocks; ++c) {
      if ((s.clocks >> c & 1u) == 0) continue;
      text += (program_.is_phaser(c) ? " on phaser " : " on clock ") + std::to_string(c);
      if (!program_.is_phaser(c) || s.all) continue;
      text += std::string(" as ") + k_modes[static_cast<std::size_t>(s.modes[n++])];
    }
    if (s.what == op::atomic_block || s.what == op::when_block) text += " domain " + std::to_string(s.domain);
    if (s.what == op::make_phaser) {
      text += std::string(" as ") + k_modes[static_cast<std::size_t>(s.how)];
      if (s.bound != 0) text += " bound " + std::to_string(s.bound);
    }
    if (s.sum != k_none) text += " accumulator " + std::to_string(s.sum);
    if (s.what == op::make_sum || (s.what == op::make_phaser && s.sum != k_none))
      text += std::string(" ") + k_way_names[static_cast<std::size_t>(s.way)];
    if (s.what == op::make_sum && s.adds != sum_kind::numbers)
      text += s.adds == sum_kind::ordered_maps ? " of maps in order" : " in order";
    if (s.what == op::send_to_sum) text += " x" + std::to_string(s.count);
    if (s.awaits != k_none) text += " after flag " + std::to_string(s.awaits);
    if (s.blocks != 0) text += " after " + std::to_string(s.blocks) + " blocks";
    if (s.by_exception) text += " by exception";
    if (s.reaction == on_throw::swallow) text += " (swallows)";
    if (at < program_.expected.size()) {
      const expectation& e = program_.expected[at];
      if (!e.runs) text += "  [never runs]";
      if (e.exception != 0) text += "  [throws]";
      for (unsigned i = 0; i < e.arrives.count; ++i) {
        const clock_step& step = program_.steps[e.arrives.first + i];
        text += "  [clock " + std::to_string(step.clock) + " phase " + std::to_string(step.phase) + "]";
      }
    }
    text += '\n';
    if (has_elements(s.what)) {
      for (unsigned i = 0; i < s.count; ++i) {
        text.append(2 * depth, ' ');
        text += "- element " + std::to_string(i) + " task " + std::to_string(s.first_task + i);
        if (s.what == op::each_place) text += " at place " + std::to_string(program_.tasks[s.first_task + i].place);
        text += '\n';
        block(program_.tasks[s.first_task + i].body, depth + 1);
      }
      return;
    }
    const bool makes_task =
        s.what == op::spawn || s.what == op::spawn_future || s.what == op::abandon_promise || s.what == op::at_place;
    block(makes_task ? program_.tasks[s.first_task].body : s.body, depth + 1);
    if (s.other != k_none) {
      text.append(2 * depth, ' ');
      text += s.what == op::try_catch ? "catch\n" : "destructor\n";
      block(s.other, depth + 1);
    }
  }

  const program& program_;
};

}  // namespace

std::vector<std::uint8_t> places_of_statements(const program& p) {
  std::vector<std::uint8_t> places(p.statements.size(), 0);
  std::vector<std::pair<statement_id, std::uint8_t>> blocks;
  for (const task& t : p.tasks) blocks.emplace_back(t.body, t.place);
  while (!blocks.empty()) {
    const auto [first, place] = blocks.back();
    blocks.pop_back();
    for (statement_id at = first; at != k_none; at = p.statements[at].next) {
      places[at] = place;
      blocks.emplace_back(p.statements[at].body, place);
      blocks.emplace_back(p.statements[at].other, place);
    }
  }
  return places;
}

std::string describe(const program& p) {
  printer out(p);
  out.text = "program " + std::to_string(p.seed) + ": " + std::to_string(p.statements.size()) + " statements, " +
             std::to_string(p.running_tasks) + " of " + std::to_string(p.tasks.size()) + " tasks run\n";
  if (!p.tasks.empty()) out.block(p.tasks[0].body, 1);
  return out.text;
}

}  // namespace oracle
