// SPDX-License-Identifier: Apache-2.0
// An open file, closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace tactus::detail {

class owned_file {
public:
  owned_file() noexcept = default;

  /// `number` is what open() has returned.
  explicit owned_file(int number) noexcept : number_(number) {}
  owned_file(owned_file&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  owned_file& operator=(owned_file&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~owned_file() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }

  [[nodiscard]] explicit operator bool() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }

private:
  int number_ = -1;
};

}  // namespace tactus::detail
