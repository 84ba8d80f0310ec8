// SPDX-License-Identifier: Apache-2.0
// How a child is registered on phasers, and how a registration ends.

#include <tactus/sync/phaser.hpp>

#include "scheduler/scheduler.hpp"

#include "sync/calling_member.hpp"
#include "sync/members.hpp"
#include "sync/registration.hpp"

#include <memory>
#include <string>

namespace tactus::detail {
namespace {

constexpr const char* k_phased = "async (or async_future) with phased";

// The mode that a child would get.
phaser_mode check_registration(worker* w, const phaser_in_mode& what) {
  const phaser_member& parent = member_of(w, *what.core, k_phased);
  const phaser_mode mode = what.mode.value_or(parent.mode);
  if (!covers(parent.mode, mode)) {
    throw_misuse(k_phased, *what.core,
                 std::string("the calling task is registered as ") + name_of(parent.mode) +
                     " and may not register a child as " + name_of(mode) +
                     ", which can do more; give it a part of its own mode");
  }
  if (parent.within != w->held) {
    throw_misuse(
        k_phased, *what.core,
        "the calling task would register a child on a phaser that it holds from outside the finish which joins the "
        "child; that finish could wait for ever. Spawn the child outside the finish, or make the phaser in it");
  }
  return mode;
}

void register_at(spawn_attributes& all, phaser_member& parent, phaser_mode mode) {
  child_memberships& children = child_memberships::in(all);
  if (const membership* const there = children.find(parent.key); there != nullptr) {
    if (static_cast<const phaser_member*>(there)->mode != mode) {
      throw_misuse(k_phased, *parent.core,
                   std::string("it is named with two modes, ") +
                       name_of(static_cast<const phaser_member*>(there)->mode) + " and " + name_of(mode) +
                       "; name it once");
    }
    return;
  }
  const bool by_credit = may_signal(mode) && parent.mode < phaser_mode::signal_only && !parent.arrived;
  if (by_credit) {
    if (parent.credit == 0) {
      refill_credit(parent);
    }
    --parent.credit;
  }
  const std::uint64_t ordinal = take_ordinal(parent);
  std::unique_ptr<phaser_member> m;
  try {
    m = std::make_unique<phaser_member>(parent.core, parent.of, ordinal, mode);
    parent.core->join(*m, &parent);
  } catch (...) {
    parent.credit += by_credit ? 1U : 0U;
    throw;
  }
  parent.core->keep();
  children.add(m.release());
}

}  // namespace

void throw_phaser_not_over_places() {
  throw phaser_use_error(
      "tactus: phasers, and accumulators on them, do not reach over places yet; make one at that place for the tasks "
      "there");
}

void phaser_member::end(local_value* v) noexcept {
  auto* const m = static_cast<phaser_member*>(v);
  if (m->made_in != nullptr) {
    m->made_in->uncount_in_body();
  }
  if (m->sends_as != nullptr) {
    end_sender(*m);
  }
  const std::shared_ptr<phaser_core> core = m->core;  // as long as it takes
  core->leave(current_worker(), *m);
  delete m;
}

void register_on_phasers(spawn_attributes& all, const phaser_in_mode* phasers, std::size_t n) {
  if (n == 0) {
    return;
  }
  worker* const w = worker_of(*phasers[0].core, k_phased);
  for (std::size_t i = 0; i < n; ++i) {  // all of them before any
    const phaser_mode mode = check_registration(w, phasers[i]);
    for (std::size_t k = 0; k < i; ++k) {
      if (phasers[k].core == phasers[i].core && check_registration(w, phasers[k]) != mode) {
        throw_misuse(k_phased, *phasers[i].core, "it is named with two modes; name it once");
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    register_at(all, *find_phaser_member(w, *phasers[i].core), check_registration(w, phasers[i]));
  }
}

void register_on_all(spawn_attributes& all) {
  worker* const w = worker_for("async (or async_future) with phased_all");
  for_each_member(*w->task, [&all, w](membership& m) {
    if (m.within != w->held) {
      return;
    }
    if (!is_on_phaser(m)) {
      register_child(all, m);
      return;
    }
    auto& parent = static_cast<phaser_member&>(m);
    if (!parent.in_single && child_memberships::in(all).find(m.key) == nullptr) {
      register_at(all, parent, parent.mode);
    }
  });
}

}  // namespace tactus::detail
