// SPDX-License-Identifier: Apache-2.0
// What has escaped at one place, as it goes to another.
#pragma once

#include <tactus/place/impl/exception_bytes.hpp>
#include <tactus/scheduler/impl/finish_scope.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Made again by the task that takes it, at home.
struct packed_failure final : failure {
  packed_failure(std::vector<std::byte> made, place where, std::string text) noexcept
      : failure(nullptr, std::move(text)), bytes(std::move(made)), sent_by(where) {}

  std::exception_ptr take() override { return exception_of_bytes(bytes, sent_by); }

  std::vector<std::byte> bytes;
  place sent_by;
};

}  // namespace tactus::detail
