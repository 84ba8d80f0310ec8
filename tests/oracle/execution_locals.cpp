// SPDX-License-Identifier: Apache-2.0
#include "execution_locals.hpp"
#include "execution.hpp"

#include <atomic>

namespace ts = tactus;

namespace oracle {
namespace {

std::atomic<std::int64_t> locals_made_and_alive{0};  // relaxed throughout: a count publishes nothing

}  // namespace

local_value::local_value() { locals_made_and_alive.fetch_add(1, std::memory_order_relaxed); }
local_value::~local_value() { locals_made_and_alive.fetch_sub(1, std::memory_order_relaxed); }

ts::task_local<local_value> local_object;
ts::task_local<std::uint64_t> local_number;

std::int64_t execution::locals_alive() noexcept { return locals_made_and_alive.load(std::memory_order_relaxed); }

void execution::touch_local(continuation& self, statement_id at) {
  if (!self.own_task) return;
  const std::uint64_t mine = mix(program_->salt, self.id);
  const std::uint64_t wanted = self.local_is_set ? mine : 0;
  if (local_object->owner != wanted) differs(at, "an object in task_local", wanted, local_object->owner);
  if (*local_number != wanted) differs(at, "a number in task_local", wanted, *local_number);
  local_object->owner = mine;
  *local_number = mine;
  self.local_is_set = true;
}

}  // namespace oracle
