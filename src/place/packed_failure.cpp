// SPDX-License-Identifier: Apache-2.0
// What escapes at a place, on its way to the home of its finish.

#include <tactus/base/impl/assert.hpp>
#include <tactus/place/impl/exception_bytes.hpp>

#include "place/place_node.hpp"

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

// Made again by the task that takes it, at home.
struct packed_failure final : failure {
  packed_failure(std::vector<std::byte> made, place where, std::string text) noexcept
      : failure(nullptr, std::move(text)), bytes(std::move(made)), sent_by(where) {}

  std::exception_ptr take() override { return exception_of_bytes(bytes, byte_order::same, sent_by); }

  std::vector<std::byte> bytes;
  place sent_by;
};

}  // namespace

failure* place_node::pack(const std::exception_ptr& escaped, std::string from) noexcept {
  const place where(place::unchecked{number()});
  try {
    from += (from.empty() ? "a task at " : " at ") + to_string(where);
    return new packed_failure(exception_to_bytes(escaped, where), where, std::move(from));
  } catch (const std::bad_alloc& why) {
    end_without_memory("an exception on its way to another place needs memory", why.what());
  }
}

}  // namespace tactus::detail
