// SPDX-License-Identifier: Apache-2.0
// What a program throws, and how it is known again. Where there is one place that is `thrown` and `odd_thrown`; where there are several,
// `thrown`, a stranger to the library, and exceptions of the standard library and of Tactus, which have to arrive as what they are.
#pragma once

#include <tactus/tactus.hpp>

#include <cstdint>
#include <exception>
#include <string>

#include "program.hpp"

namespace oracle {

/// Names its statement by hash. Registered, so it crosses places as what it is.
class thrown : public std::exception {
public:
  thrown() noexcept = default;
  explicit thrown(std::uint64_t hash) noexcept : hash_(hash) {}
  [[nodiscard]] const char* what() const noexcept override { return "thrown by a random program"; }
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar & hash_;
  }

private:
  std::uint64_t hash_ = 0;
};
inline const tactus::register_exception<thrown> thrown_crosses_places;

/// The same for types that are no std::exception.
struct odd_thrown {
  std::uint64_t hash;
};

/// The exception that the statement of that number throws. Of several places: that of the statement.
[[nodiscard]] std::exception_ptr exception_of(const program& p, statement_id at, unsigned place);

/// The hash of the exception that is being handled, k_foreign_hash for one that has changed on its way.
[[nodiscard]] std::uint64_t hash_of_current();

}  // namespace oracle
