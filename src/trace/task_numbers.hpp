// SPDX-License-Identifier: Apache-2.0
// Numbers of tasks in a timeline: no two of a job are equal, whatever process has given them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

/// Who spawns a task gives it a number: which worker of the job it is itself, how many it has given, and in the lowest bit whether it is
/// the body of an at(). Of the first 65,536 workers of a job they are exact in readers of JSON that have floating-point numbers only.
struct task_numbers {
  static constexpr unsigned k_bits_of_one_worker = 37;

  [[nodiscard]] static constexpr std::uint64_t before_those_of(std::size_t worker_of_job) noexcept {
    return std::uint64_t{worker_of_job} << k_bits_of_one_worker;
  }
  [[nodiscard]] static constexpr std::size_t worker_of(std::uint64_t number) noexcept {
    return number >> k_bits_of_one_worker;
  }
  [[nodiscard]] static constexpr bool is_body_of_at(std::uint64_t number) noexcept { return number % 2 != 0; }
};

}  // namespace tactus::detail
