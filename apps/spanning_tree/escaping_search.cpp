// SPDX-License-Identifier: Apache-2.0
#include "escaping_search.hpp"

#include "label.hpp"

#include <tactus/tactus.hpp>

#include <atomic>
#include <vector>

namespace ts = tactus;

namespace spanning {
namespace {

// A component of at most this many vertices is searched without a finish of its own: real graphs have thousands of
// isolated vertices and pairs. Small enough not to be felt in a component that tasks go on with.
constexpr std::size_t k_small_component = 64;

/// Whether the tasks have the attribute batched.
enum class tasks : bool { single, batched };

template <tasks Kind>
class search {
public:
  search(const graph& g, std::span<vertex> parent) : graph_(g), parent_(parent) {}

  // One component after the other: two searches that run at once could meet in one component, and then it would get
  // two trees.
  void all() {
    for (std::uint64_t v = 0; v < graph_.num_vertices(); ++v) {
      const auto root = static_cast<vertex>(v);
      if (!label(parent_[root]).is_set()) {
        label(parent_[root]).set(root);
        component_of(root);
      }
    }
  }

private:
  // Begins alone; if that does not get to the end, every vertex that is labelled but not computed becomes a task.
  void component_of(vertex root) {
    pending_.assign(1, root);
    for (std::size_t computed = 0; computed + pending_.size() <= k_small_component; ++computed) {
      if (pending_.empty()) {
        return;
      }
      const vertex v = pending_.back();
      pending_.pop_back();
      for (const vertex e : graph_.neighbours(v)) {
        if (label(parent_[e]).try_set(v)) {
          pending_.push_back(e);
        }
      }
    }
    ts::finish([this] {
      for (const vertex v : pending_) {
        spawn(v);
      }
    });
  }

  // Figure 3, lines 10 to 16.
  void compute(vertex v) {
    for (const vertex e : graph_.neighbours(v)) {
      if (label(parent_[e]).try_set(v)) spawn(e);
    }
  }

  // An escaping async: nobody but the finish waits for it. Once a spawn has met a limit the forest cannot be completed;
  // without the flag millions of tasks would go on to the same limit, and finish would collect an exception of each.
  void spawn(vertex v) {
    if (given_up_.load(std::memory_order_relaxed)) return;  // relaxed: a hint that guards nothing
    try {
      if constexpr (Kind == tasks::batched) {
        ts::async(ts::batched, [this, v] { compute(v); });
      } else {
        ts::async([this, v] { compute(v); });
      }
    } catch (const ts::resource_error&) {
      given_up_.store(true, std::memory_order_relaxed);  // relaxed: seen soon is enough, see above
      throw;
    }
  }

  const graph& graph_;
  std::span<vertex> parent_;
  std::vector<vertex> pending_;
  std::atomic<bool> given_up_ = false;  // written once, by whichever task meets a limit; read by all before a spawn
};

}  // namespace

void search_escaping(const graph& g, std::span<vertex> parent) { search<tasks::single>(g, parent).all(); }

void search_batched(const graph& g, std::span<vertex> parent) { search<tasks::batched>(g, parent).all(); }

}  // namespace spanning
