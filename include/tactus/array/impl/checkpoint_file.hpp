// SPDX-License-Identifier: Apache-2.0
// Files of arrays, without what their elements are: docs/checkpoint-format.md.
#pragma once

#include <tactus/array/array_type_name.hpp>
#include <tactus/array/box.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/wire/impl/archives.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tactus::detail {

/// Where the elements of a box are.
struct checkpoint_block {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t sum = 0;
};

/// What a file says before its elements.
struct checkpoint_head {
  std::string type;
  element_kind kind = element_kind::bytes;
  std::uint64_t element_bytes = 0;  // 0: each is as long as it is
  std::uint64_t axes = 0;
  std::vector<index_t> region;  // of each of its boxes the lower corner and the upper one
  std::vector<index_t> boxes;   // of the blocks, as the region's
  std::vector<checkpoint_block> blocks;
  byte_order order = byte_order::same;  // of all numbers in the file
  std::uint32_t sum = 0;                // of all that stands here

  /// How many bytes it is written as, from which on the blocks lie, one behind the other.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    constexpr std::uint64_t k_begin = 80;
    constexpr std::uint64_t k_of_block = 24;
    return k_begin + (type.size() + 7) / 8 * 8 + sizeof(index_t) * (region.size() + boxes.size()) +
           k_of_block * blocks.size();
  }

  template <std::size_t N>
  [[nodiscard]] static std::vector<box<N>> boxes_of(const std::vector<index_t>& numbers) {
    std::vector<box<N>> all(numbers.size() / (2 * N));
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t d = 0; d < N; ++d) {
        all[i].lo[d] = numbers[i * 2 * N + d];
        all[i].hi[d] = numbers[i * 2 * N + N + d];
      }
    }
    return all;
  }
  template <std::size_t N>
  static void add_box(std::vector<index_t>& numbers, const box<N>& b) {
    for (const point<N>& corner : {b.lo, b.hi}) {
      for (std::size_t d = 0; d < N; ++d) {
        numbers.push_back(corner[d]);
      }
    }
  }
};

/// A file that is being written, under another name until it is complete. Errors of all members: resource_error where there is no room,
/// error for what else keeps a file from being written; then what was there before is as it was.
class checkpoint_writer {
public:
  virtual ~checkpoint_writer() = default;

  virtual void write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;

  /// What has been written here is on the disk.
  virtual void settle() = 0;

  /// By the maker, when all members have settled: writes the head, and gives the file its name. Without it there is no file.
  virtual void publish(const checkpoint_head& head) = 0;
};

/// The maker begins the file, the others write to what it has begun.
enum class checkpoint_role : std::uint8_t { maker, member };
[[nodiscard]] TACTUS_API std::unique_ptr<checkpoint_writer> make_checkpoint_writer(const std::string& path,
                                                                                   checkpoint_role role);

/// For a block: none in particular.
inline constexpr std::size_t k_whole_file = static_cast<std::size_t>(-1);

/// A file whose head is sound: its sums are right, its lengths are those of the file, its blocks lie one behind the other.
class checkpoint_reader {
public:
  virtual ~checkpoint_reader() = default;

  [[nodiscard]] virtual const checkpoint_head& head() const noexcept = 0;

  /// error: the file ends before, or cannot be read.
  virtual void read(std::size_t block, std::uint64_t offset, std::span<std::byte> to) const = 0;

  /// Throws error that names the file, and the block where it is one.
  [[noreturn]] virtual void damaged(std::size_t block, const std::string& what) const = 0;

  /// Throws usage_error that names the file: it is of something else.
  [[noreturn]] virtual void other(const std::string& what) const = 0;
};

/// error: there is none, it cannot be read, or it is damaged.
[[nodiscard]] TACTUS_API std::unique_ptr<checkpoint_reader> make_checkpoint_reader(const std::string& path);

/// Throws resource_error.
[[noreturn]] TACTUS_API void throw_no_memory_for_file(const char* call, const std::string& path);

/// CRC-32C of what `sum` is of, and of these bytes behind it; of nothing it is 0.
[[nodiscard]] TACTUS_API std::uint32_t crc32c(std::uint32_t sum, std::span<const std::byte> bytes) noexcept;

}  // namespace tactus::detail
