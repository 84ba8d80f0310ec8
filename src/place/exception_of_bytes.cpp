// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/error.hpp>
#include <tactus/place/impl/exception_bytes.hpp>
#include <tactus/place/impl/exception_registry.hpp>
#include <tactus/place/remote_exception.hpp>
#include <tactus/wire/impl/pack.hpp>

#include "place/exception_nodes.hpp"
#include "place/known_exceptions.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

namespace {

template <byte_order Order>
class reader_of_exceptions {
public:
  reader_of_exceptions(std::span<const std::byte> bytes, place sent_by)
      : in_(bytes.subspan(sizeof k_order_mark), sent_by.id()), converted_at_(place::unchecked{take<std::int32_t>()}) {}

  std::exception_ptr read() {
    for (;;) {
      std::exception_ptr one;
      if (!begin(one)) {
        continue;  // a list, whose elements follow
      }
      while (!open_.empty()) {
        open_list& last = open_.back();
        last.elements.push_back(one);
        if (last.elements.size() != last.n) {
          break;
        }
        one = close(last);
        open_.pop_back();
      }
      if (open_.empty()) {
        in_.expect_end();
        return one;
      }
    }
  }

private:
  struct open_list {
    exception_node node;
    std::optional<std::string> text;
    std::size_t n;
    std::vector<std::exception_ptr> elements;
  };

  template <class T>
  T take() {
    return unpack<T>(in_);
  }

  bool begin(std::exception_ptr& one);
  bool open(exception_node node, std::exception_ptr& one);
  std::exception_ptr registered();
  std::exception_ptr made(std::exception_ptr one, const char* otherwise) {
    if (one == nullptr) {
      in_.damaged(otherwise);
    }
    return one;
  }

  std::exception_ptr close(open_list& list) {
    if (list.node == exception_node::deadlock) {
      --deadlocks_;
      return std::make_exception_ptr(deadlock_error(*list.text, std::move(list.elements)));
    }
    return std::make_exception_ptr(list.text ? exceptions_that_say(*std::move(list.text), std::move(list.elements))
                                             : multiple_exceptions(std::move(list.elements)));
  }

  reader<Order> in_;
  const place converted_at_;
  std::vector<open_list> open_;
  int deadlocks_ = 0;
};

// True if there is one, false if a list has begun.
template <byte_order Order>
bool reader_of_exceptions<Order>::begin(std::exception_ptr& one) {
  const auto node = take<exception_node>();
  switch (node) {
    case exception_node::nothing: return true;
    case exception_node::unknown: {
      auto type_name = take<std::string>();
      const auto text = take<std::string>();
      one = std::make_exception_ptr(
          remote_exception(std::move(type_name), place(place::unchecked{take<std::int32_t>()}), text));
      return true;
    }
    case exception_node::known: {
      const auto number = take<known_number>();
      one = made(make_known(number, take<std::string>()), "no exception has this number");
      return true;
    }
    case exception_node::system:
      one = made(put_together(take<system_error_parts>()), "no category of errors has this number");
      return true;
    case exception_node::registered: one = registered(); return true;
    case exception_node::list:
    case exception_node::deadlock: return open(node, one);
  }
  in_.damaged("no kind of exception has this number");
}

template <byte_order Order>
bool reader_of_exceptions<Order>::open(exception_node node, std::exception_ptr& one) {
  open_list list{.node = node, .text = {}, .n = 0, .elements = {}};
  if (node == exception_node::deadlock && ++deadlocks_ > k_most_deadlocks) {
    in_.damaged("too many deadlock errors below each other");
  }
  if (node == exception_node::deadlock || take<bool>()) {
    list.text = take<std::string>();
  }
  list.n = in_.take_length(1);
  if (list.n == 0) {
    one = close(list);
    return true;
  }
  open_.push_back(std::move(list));
  return false;
}

template <byte_order Order>
std::exception_ptr reader_of_exceptions<Order>::registered() {
  const auto name = take<std::string>();
  auto type_name = take<std::string>();
  const auto text = take<std::string>();
  const std::size_t n = in_.take_length(1);
  reader<Order> data({in_.take(n), n}, in_.from());
  if (const auto crossing = find_registered(name)) {
    try {
      std::exception_ptr one;
      if constexpr (Order == byte_order::same) {
        one = crossing->load_same(data);
      } else {
        one = crossing->load_swapped(data);
      }
      data.expect_end();
      return one;
    } catch (...) {
      if (data.is_damaged()) {
        throw;
      }
    }
  }
  return std::make_exception_ptr(remote_exception(std::move(type_name), converted_at_, text));
}

}  // namespace

std::exception_ptr exception_of_bytes(std::span<const std::byte> bytes, place sent_by) {
  reader<byte_order::same> mark(bytes, sent_by.id());
  const auto order = unpack<std::uint16_t>(mark);
  if (order == k_order_mark) {
    return reader_of_exceptions<byte_order::same>(bytes, sent_by).read();
  }
  if (order != k_order_mark_swapped) {
    mark.damaged("an exception does not begin with its byte order");
  }
  return reader_of_exceptions<byte_order::swapped>(bytes, sent_by).read();
}

}  // namespace tactus::detail
