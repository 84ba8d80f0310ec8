// SPDX-License-Identifier: Apache-2.0
// One block of a distributed array into a file, at the place that has it. docs/checkpoint-format.md.
#pragma once

#include <tactus/array/impl/checkpoint_cells.hpp>
#include <tactus/array/impl/checkpoint_file.hpp>
#include <tactus/array/view.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/wire/impl/pack.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tactus::detail {

/// One block at the place that has it.
template <class T, std::size_t N>
struct saved_block {
  /// How many bytes its elements take. What a serialize throws passes through.
  static std::uint64_t bytes(const view<T, N>& u) {
    if constexpr (is_written_raw<T>) {
      return std::uint64_t{u.resident().size()} * sizeof(T);
    } else {
      std::uint64_t all = 0;
      u.resident().each([&](const point<N>& x) { all += packed_bytes(u[x]); });
      return all;
    }
  }

  /// Writes them; returns their checksum. usage_error: they take another number of bytes now.
  static std::uint32_t write(checkpoint_writer& file, const view<T, N>& u, std::uint64_t offset,
                             std::uint64_t counted) {
    if constexpr (is_written_raw<T>) {
      return write_raw(file, u, offset);
    } else {
      return write_packed(file, u, offset, counted);
    }
  }

private:
  static std::uint32_t write_raw(checkpoint_writer& file, const view<T, N>& u, std::uint64_t offset) {
    const box<N>& b = u.resident();
    const std::uint64_t all = b.size();
    constexpr std::uint64_t k_cells = std::max<std::size_t>(k_checkpoint_buffer / sizeof(T), 1);
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(all, k_cells)) * sizeof(T));
    std::uint32_t sum = 0;
    for (std::uint64_t first = 0; first < all; first += k_cells) {
      const std::uint64_t n = std::min(k_cells, all - first);
      std::byte* at = buffer.data();
      for_each_run(b, first, n, [&](const point<N>& p, std::size_t cells) {
        std::memcpy(at, static_cast<const void*>(&u[p]), cells * sizeof(T));
        at += cells * sizeof(T);
      });
      const std::span<const std::byte> full(buffer.data(), at);
      sum = crc32c(sum, full);
      file.write(offset + first * sizeof(T), full);
    }
    return sum;
  }

  static std::uint32_t write_packed(checkpoint_writer& file, const view<T, N>& u, std::uint64_t offset,
                                    std::uint64_t counted) {
    std::vector<std::byte> buffer;
    std::uint32_t sum = 0;
    std::uint64_t written = 0;
    const auto flush = [&] {
      if (buffer.size() > counted - written) {
        throw_unwritable(unwritable::not_as_counted, static_cast<std::size_t>(counted));
      }
      sum = crc32c(sum, buffer);
      file.write(offset + written, buffer);
      written += buffer.size();
      buffer.clear();
    };
    u.resident().each([&](const point<N>& x) {
      const std::size_t n = packed_bytes(u[x]);
      const std::size_t before = buffer.size();
      buffer.resize(before + n);
      pack(buffer.data() + before, n, u[x]);
      if (buffer.size() >= k_checkpoint_buffer) {
        flush();
      }
    });
    flush();
    if (written != counted) {
      throw_unwritable(unwritable::not_as_counted, static_cast<std::size_t>(counted));
    }
    return sum;
  }
};

}  // namespace tactus::detail
