// SPDX-License-Identifier: Apache-2.0
#include "place/hello.hpp"

#include <tactus/base/config.hpp>

#include "place/call_table.hpp"
#include "place/frame_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::detail {
namespace {

constexpr std::uint32_t k_magic = 0x54414354;          // "TACT"
constexpr std::uint32_t k_magic_swapped = 0x54434154;  // read by a machine of the other order
constexpr std::uint16_t k_version = 5;
constexpr std::size_t k_unused_at = 62;

constexpr std::array<std::string_view, k_shared_fields> k_names{
    "places", "policy", "seed", "trace", "local_copy", "message_bytes", "placement", "labels", "peer_timeout"};

std::array<std::uint64_t, k_shared_fields> shared_values(const config& options) noexcept {
  return {static_cast<std::uint64_t>(options.places),
          static_cast<std::uint64_t>(options.policy),
          options.seed,
          options.trace.empty() ? 0U : 1U,
          static_cast<std::uint64_t>(options.local_copy),
          options.message_bytes,
          static_cast<std::uint64_t>(options.placement),
          options.labels == "none" ? 1U : 0U,  // then nothing moves
          std::bit_cast<std::uint64_t>(options.peer_timeout)};
}

constexpr std::uint64_t k_spreads = 0x9e3779b97f4a7c15;

std::uint64_t number_of(const std::array<std::uint64_t, k_shared_fields>& values) noexcept {
  std::uint64_t all = 0;
  for (const std::uint64_t x : values) {
    all = (all ^ x) * 0x100000001b3U + 1;
  }
  return all;
}

// Such as "its policy and its placement are others".
std::string what_differs(const hello& mine, const hello& theirs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < k_shared_fields; ++i) {
    if (mine.fields[i] != theirs.fields[i]) {
      names.emplace_back(k_names[i]);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "its " : i + 1 == names.size() ? " and its " : ", its ") + names[i];
  }
  return names.empty() ? "its configuration is another one"
                       : text + (names.size() == 1 ? " is another one" : " are others");
}

}  // namespace

hello hello_of(const config& options, int first_place, int places_here) {
  const auto values = shared_values(options);
  std::array<std::uint16_t, k_shared_fields> fields{};
  std::ranges::transform(values, fields.begin(),
                         [](std::uint64_t x) { return static_cast<std::uint16_t>((x * k_spreads) >> 48U); });
  return {.long_double_digits = std::numeric_limits<long double>::digits,
          .first_place = static_cast<std::uint32_t>(first_place),
          .places_here = static_cast<std::uint32_t>(places_here),
          .workers = static_cast<std::uint32_t>(options.threads),
          .window = static_cast<std::uint32_t>(options.message_bytes / 1024),
          .build = hash_of_build(),
          .configuration = number_of(values),
          .fields = fields};
}

hello_bytes write_hello(const hello& what, byte_order order) noexcept {
  hello_bytes bytes;
  frame_writer out(bytes.data(), order);
  out.put32(k_magic);
  out.put16(k_version);
  out.put8(what.pointer_bytes);
  out.put8(what.long_bytes);
  out.put8(what.long_double_bytes);
  out.put8(what.long_double_digits);
  out.put16(0);
  out.put32(what.first_place);
  out.put64(what.build);
  out.put64(what.configuration);
  out.put32(what.places_here);
  out.put32(what.workers);
  out.put32(what.window);
  for (const std::uint16_t field : what.fields) {
    out.put16(field);
  }
  out.put_zeros(k_hello_bytes - k_unused_at);
  return bytes;
}

const char* read_hello(std::span<const std::byte> bytes, hello& into, byte_order& order) noexcept {
  if (bytes.size() != k_hello_bytes) {
    return "it is not as long as a hello";
  }
  const std::uint32_t magic = frame_reader(bytes, byte_order::same).take32();
  if (magic != k_magic && magic != k_magic_swapped) {
    return "it does not begin as a hello does";
  }
  order = magic == k_magic ? byte_order::same : byte_order::swapped;
  frame_reader in(bytes, order);
  in.take32();
  if (in.take16() != k_version) {
    return "it is of another version of Tactus";
  }
  into.pointer_bytes = in.take8();
  into.long_bytes = in.take8();
  into.long_double_bytes = in.take8();
  into.long_double_digits = in.take8();
  in.take16();
  into.first_place = in.take32();
  into.build = in.take64();
  into.configuration = in.take64();
  into.places_here = in.take32();
  into.workers = in.take32();
  into.window = in.take32();
  for (std::uint16_t& field : into.fields) {
    field = in.take16();
  }
  return nullptr;
}

bool are_alike(const hello& a, byte_order order_of_a, const hello& b, byte_order order_of_b) noexcept {
  return order_of_a == order_of_b && a.pointer_bytes == b.pointer_bytes && a.long_bytes == b.long_bytes &&
         a.long_double_bytes == b.long_double_bytes && a.long_double_digits == b.long_double_digits;
}

std::string what_parts(const hello& mine, const hello& theirs, bool alike) {
  if (mine.pointer_bytes != theirs.pointer_bytes || mine.long_bytes != theirs.long_bytes) {
    return "its pointers have " + std::to_string(theirs.pointer_bytes * 8) + " bits and its longs " +
           std::to_string(theirs.long_bytes * 8) + ", here they have " + std::to_string(mine.pointer_bytes * 8) +
           " and " + std::to_string(mine.long_bytes * 8);
  }
  if (alike && mine.build != theirs.build) {
    return "it runs another build of the program or of Tactus; start the same file everywhere";
  }
  if (mine.configuration != theirs.configuration) {
    return what_differs(mine, theirs) + " than here; give all of them the same TACTUS_* variables and flags";
  }
  return {};
}

}  // namespace tactus::detail
