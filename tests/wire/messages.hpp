// SPDX-License-Identifier: Apache-2.0
// Values as messages: what they are written as, and what comes out of that.
#pragma once

#include <tactus/place/travels.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace messages {

namespace td = tactus::detail;

using bytes = std::vector<std::byte>;

/// As this machine writes x, or as one of the other byte order would.
template <td::byte_order Order = td::byte_order::same, class T>
bytes written(const T& x) {
  const std::size_t n = td::packed_bytes(x);
  bytes out(n);
  td::pack<Order>(out.data(), n, x);
  return out;
}

template <class T, td::byte_order Order = td::byte_order::same>
T read(const bytes& message, int from = 0) {
  td::reader<Order> in(message, from);
  T x = td::unpack<T>(in);
  in.expect_end();
  return x;
}

template <class T>
T sent(const T& x) {
  return read<T>(written(x));
}

/// From a machine of the other byte order.
template <class T>
T sent_over(const T& x) {
  return read<T, td::byte_order::swapped>(written<td::byte_order::swapped>(x));
}

/// "01 02 ff": as a hexadecimal editor shows them.
inline std::string hex(std::span<const std::byte> message) {
  static constexpr char k_digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte each : message) {
    text += text.empty() ? "" : " ";
    text += k_digits[std::to_integer<unsigned>(each) / 16];
    text += k_digits[std::to_integer<unsigned>(each) % 16];
  }
  return text;
}

}  // namespace messages
