// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/finish.hpp>

#include <tactus/base/error.hpp>

namespace tactus::detail {

void throw_failures(finish_scope& scope) { throw multiple_exceptions(scope.take_failures()); }

}  // namespace tactus::detail
