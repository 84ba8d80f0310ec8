// SPDX-License-Identifier: Apache-2.0
// One call at each of several places, by a tree of tasks.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/pack_here.hpp>
#include <tactus/place/impl/received_call.hpp>
#include <tactus/place/place.hpp>
#include <tactus/wire/impl/pack.hpp>

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tactus::detail {

/// What is called at several places, and with what: each of them has its own.
class tree_call {
public:
  tree_call() = default;
  virtual ~tree_call() = default;
  tree_call(const tree_call&) = delete;
  tree_call& operator=(const tree_call&) = delete;

  /// At the calling task's place, with copies.
  virtual void call() const = 0;

  /// One of the two.
  struct part {
    std::unique_ptr<tree_call> copy;
    std::optional<wired_call> bytes;
  };
  /// For the first of `group`, which is to send it to the others. Throws what copying, packing and a handle's refuse_elsewhere() throw.
  [[nodiscard]] virtual part part_for(const std::vector<place>& group) const = 0;

  /// What it consists of, and what timelines call it: asked of what goes as an object.
  [[nodiscard]] virtual std::size_t size() const { return 0; }
  [[nodiscard]] virtual const char* label() const noexcept { return nullptr; }
};

/// Calls it at the first of `group`, the calling task's place, and sends it on to the others: as a task of the tree.
TACTUS_API void call_at_node(const tree_call& call, const std::vector<place>& group);

/// Sends it to all of `group` but the first, and calls it there if that is among them; then waits for all and throws what came out, as
/// at_each does.
TACTUS_API void call_at_top(const tree_call& call, const std::vector<place>& group, bool first_is_among);

/// With what it is called, as objects.
template <class Fn, class... As>
class tree_call_of final : public tree_call {
public:
  explicit tree_call_of(const Fn& f, As&&... arguments) : function_(f), arguments_(std::move(arguments)...) {}
  tree_call_of(const Fn& f, const std::tuple<As...>& arguments) : function_(f), arguments_(arguments) {}

  void call() const override {
    Fn copy(function_);
    std::tuple<As...> own(arguments_);
    std::apply([&copy](As&... each) { static_cast<void>(call_received(copy, each...)); }, own);
  }

  [[nodiscard]] part part_for(const std::vector<place>& group) const override {
    if (group.front().id() != current_worker()->place) {
      std::apply([](const As&... each) { (check_reach(each), ...); }, arguments_);
    }
    return {std::make_unique<tree_call_of>(function_, arguments_), std::nullopt};
  }

  [[nodiscard]] std::size_t size() const override {
    return sizeof *this +
           std::apply([](const As&... each) { return (std::size_t{0} + ... + held_bytes(each)); }, arguments_);
  }

  [[nodiscard]] const char* label() const noexcept override { return traced_closure::label_of<Fn>(); }

private:
  [[no_unique_address]] Fn function_;
  [[no_unique_address]] std::tuple<As...> arguments_;
};

/// Arguments for all places, as bytes that are made once and handed on as they are, so that a place that cannot read them keeps none below
/// it from being called.
struct packed_arguments {
  std::vector<std::byte> bytes;
  int from = 0;
  bool is_little = true;  // as its numbers are

  /// What a serialize throws passes through.
  template <class... As>
  static packed_arguments make(const As&... each) {
    packed_arguments made;
    made.bytes.resize(packed_bytes(each...));
    made.from = current_worker()->place;
    made.is_little = is_little_here();
    pack_here(made.bytes.data(), made.bytes.size(), each...);
    return made;
  }

  static bool is_little_here() noexcept {
    return (std::endian::native == std::endian::little) == (order_here() == byte_order::same);
  }
};

template <class Fn, class... As>
struct tree_node;

/// With what it is called, as bytes.
template <class Fn, class... As>
class packed_tree_call final : public tree_call {
public:
  packed_tree_call(const Fn& f, packed_arguments packed) : function_(f), packed_(std::move(packed)) {}

  void call() const override {
    if (packed_.is_little == (std::endian::native == std::endian::little)) {
      call_with<byte_order::same>();
    } else if constexpr ((facts_of<As>::swaps && ...)) {
      call_with<byte_order::swapped>();
    } else {
      throw_not_swapped(packed_.from);
    }
  }

  [[nodiscard]] part part_for(const std::vector<place>& group) const override {
    using node = tree_node<Fn, As...>;
    packed_call<node, std::vector<place>, packed_arguments> all(std::in_place, node{function_}, group, packed_);
    return {nullptr, std::move(all).template wired_beside<false>(group.front().id())};
  }

private:
  template <byte_order Order>
  void call_with() const {
    Fn copy(function_);
    reader<Order> in(packed_.bytes, packed_.from);
    std::tuple<As...> arguments{unpack<As>(in)...};
    in.expect_end();
    std::apply([&copy](As&... each) { static_cast<void>(call_received(copy, each...)); }, arguments);
  }

  [[no_unique_address]] Fn function_;
  packed_arguments packed_;
};

/// The same on its way.
template <class Fn, class... As>
struct tree_node {
  using timeline_label_of = typename labelled<Fn>::type;

  Fn function;

  void operator()(const std::vector<place>& group, packed_arguments& packed) const {
    call_at_node(packed_tree_call<Fn, As...>(function, std::move(packed)), group);
  }
};

}  // namespace tactus::detail
