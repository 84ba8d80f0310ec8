// SPDX-License-Identifier: Apache-2.0
// The spanning forest by escaping asyncs. Source: work-stealing.txt, figure 3.
#pragma once

#include "graph.hpp"

#include <span>

namespace spanning {

/// Writes the parent of every vertex, a root's being itself. Each vertex is one task, spawned by the task that labelled
/// it, which does not wait for it: one finish per component joins them all.
///
/// Called in a task, with `parent` of one element per vertex, all k_no_vertex; suspends. What a spawn throws (under
/// work_first a resource_error, when the graph is too deep for the memory that live stacks may take) arrives as
/// multiple_exceptions; the forest is then incomplete.
void search_escaping(const graph& g, std::span<vertex> parent);

/// The same with the attribute batched: the tasks that a vertex spawns may share an entry of the queue.
void search_batched(const graph& g, std::span<vertex> parent);

}  // namespace spanning
