// SPDX-License-Identifier: Apache-2.0
#include "place/packed_failure.hpp"

#include <tactus/base/impl/assert.hpp>

#include "place/place_node.hpp"

#include <new>

namespace tactus::detail {

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
