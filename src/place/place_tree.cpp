// SPDX-License-Identifier: Apache-2.0
// The tasks of at_each.

#include <tactus/base/impl/lesser.hpp>
#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/place_tree.hpp>
#include <tactus/place/impl/watched_spawn.hpp>
#include <tactus/scheduler/impl/finish_scope.hpp>
#include <tactus/scheduler/impl/worker.hpp>
#include <tactus/task/impl/task_body.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

// A finish of the tree: what escapes from it goes to that of the node above, each exception by itself.
class tree_finish {
public:
  tree_finish() noexcept { scope_.open(current_worker()); }
  tree_finish(const tree_finish&) = delete;
  tree_finish& operator=(const tree_finish&) = delete;

  // Keeps the exception being handled, for each of n places.
  void keep(std::size_t n = 1) noexcept {
    for (; n != 0; --n) {
      scope_.add_failure(std::current_exception());
    }
  }

  // Waits for all below, then hands on what has escaped, to the finish of the calling task.
  void hand_on() {
    scope_.close();
    const failures all = scope_.take_failures();
    for (const std::exception_ptr& e : all.exceptions) {
      keep_failure(e);
    }
  }

  // The same, of the top where nothing could be sent: throws why.
  [[noreturn]] void close_and_throw_first() {
    scope_.close();
    const failures all = scope_.take_failures();
    std::rethrow_exception(all.exceptions.front());
  }

  // The same, of the top: throws it as one multiple_exceptions.
  void close_and_throw() { scope_.close_and_throw(); }

private:
  finish_scope scope_;
};

constexpr std::size_t k_tree_width = 4;

// A node that goes as objects.
class object_node : public knows_its_label {
public:
  object_node(std::unique_ptr<tree_call> call, std::vector<place> group) noexcept
      : call_(std::move(call)), group_(std::move(group)) {}

  void operator()() { call_at_node(*call_, group_); }
  [[nodiscard]] std::size_t held() const { return call_->size() + group_.size() * sizeof(place); }
  [[nodiscard]] const char* timeline_label() const noexcept { return call_->label(); }

private:
  std::unique_ptr<tree_call> call_;
  std::vector<place> group_;
};

void send_node(const tree_call& call, std::vector<place> group) {
  check_target(current_worker(), group.front().id(), "at_each");  // it has come as bytes
  tree_call::part part = call.part_for(group);
  const library_place next = to_reach(group.front());
  if (part.bytes) {
    next.spawn(nullptr, *std::move(part.bytes));
  } else {
    next.spawn(nullptr, object_node(std::move(part.copy), std::move(group)));
  }
}

// Sends what follows the first of `group` on, in at most k_tree_width parts; what keeps one from being sent counts for each place that is
// not called. Returns how many have been sent.
std::size_t send_below(tree_finish& all, const tree_call& call, const std::vector<place>& group) {
  const std::size_t n = group.empty() ? 0 : group.size() - 1;
  const std::size_t parts = lesser(n, k_tree_width);
  std::size_t sent = 0;
  auto first = n == 0 ? group.end() : group.begin() + 1;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t size = n * (i + 1) / parts - n * i / parts;
    const auto last = first + static_cast<std::ptrdiff_t>(size);
    try {
      send_node(call, std::vector<place>(first, last));
      ++sent;
    } catch (...) {
      all.keep(size);
    }
    first = last;
  }
  return sent;
}

void call_first(tree_finish& all, const tree_call& call) {
  try {
    call.call();
  } catch (...) {
    all.keep();
  }
}

}  // namespace

void call_at_node(const tree_call& call, const std::vector<place>& group) {
  tree_finish all;
  send_below(all, call, group);
  call_first(all, call);
  all.hand_on();
}

void call_at_top(const tree_call& call, const std::vector<place>& group, bool first_is_among) {
  tree_finish whole;
  const bool is_sent = send_below(whole, call, group) != 0;
  if (!is_sent && group.size() > 1) {
    whole.close_and_throw_first();  // nobody has been called
  }
  if (first_is_among) {
    call_first(whole, call);
  }
  whole.close_and_throw();
}

}  // namespace tactus::detail
