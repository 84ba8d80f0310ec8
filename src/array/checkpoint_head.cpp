// SPDX-License-Identifier: Apache-2.0
#include "array/checkpoint_head.hpp"

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace tactus::detail {
namespace {

constexpr char k_magic[] = {'T', 'A', 'C', 'T', 'U', 'S', 'A', 'R'};
constexpr std::uint32_t k_mark = 0x01020304;
constexpr std::uint32_t k_mark_turned = 0x04030201;
constexpr std::uint32_t k_version = 1;
constexpr std::uint64_t k_most_of_name = 4096;
constexpr std::uint64_t k_most_axes = 64;

// The numbers of the beginning, in their order.
struct begin_numbers {
  std::uint32_t mark = k_mark;
  std::uint32_t version = k_version;
  std::uint64_t file_bytes = 0;
  std::uint64_t element_bytes = 0;
  std::uint64_t type_hash = 0;
  std::uint32_t kind = 0;
  std::uint32_t axes = 0;
  std::uint64_t name_bytes = 0;
  std::uint64_t region_boxes = 0;
  std::uint64_t blocks = 0;
  std::uint32_t sum = 0;       // of what stands before it
  std::uint32_t rest_sum = 0;  // of the head behind the beginning

  template <class F>
  void visit(F&& f) {
    f(mark);
    f(version);
    f(file_bytes);
    f(element_bytes);
    f(type_hash);
    f(kind);
    f(axes);
    f(name_bytes);
    f(region_boxes);
    f(blocks);
    f(rest_sum);
    f(sum);
  }
};
constexpr std::size_t k_sum_at = k_checkpoint_begin - sizeof(std::uint32_t);

std::uint64_t hash_of(const std::string& text) noexcept {  // FNV-1a
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

constexpr std::uint64_t padded(std::uint64_t bytes) noexcept { return (bytes + 7) / 8 * 8; }

class head_writer {
public:
  explicit head_writer(std::size_t bytes) : bytes_(bytes) {}

  template <class T>
  void put(const T& number) {
    put_bytes(&number, sizeof number);
  }
  void put_bytes(const void* from, std::size_t n) {
    TACTUS_ASSERT(n <= bytes_.size() - at_, "a head is as long as it says");
    if (n != 0) {
      std::memcpy(bytes_.data() + at_, from, n);
    }
    at_ += n;
  }
  void skip_to(std::size_t position) { at_ = position; }  // zeros
  [[nodiscard]] std::vector<std::byte>& bytes() noexcept { return bytes_; }

private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

class head_reader {
public:
  head_reader(std::span<const std::byte> bytes, byte_order order) : bytes_(bytes), order_(order) {}

  template <class T>
  void take(T& number) {
    std::byte one[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      one[order_ == byte_order::same ? i : sizeof(T) - 1 - i] = bytes_[at_ + i];
    }
    std::memcpy(&number, one, sizeof(T));
    at_ += sizeof(T);
  }
  void skip_to(std::size_t position) { at_ = position; }

private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  byte_order order_;
};

[[noreturn]] void damaged(const std::string& path, const std::string& what, std::uint64_t offset) {
  throw error("tactus: load: " + path + " is damaged: " + what + ", at byte " + std::to_string(offset));
}

std::pair<begin_numbers, byte_order> begin_of(std::span<const std::byte, k_checkpoint_begin> bytes,
                                              const std::string& path) {
  if (std::memcmp(bytes.data(), k_magic, sizeof k_magic) != 0) {
    throw error("tactus: load: " + path + " is no file of an array: it does not begin with TACTUSAR");
  }
  begin_numbers n;
  std::memcpy(&n.mark, bytes.data() + sizeof k_magic, sizeof n.mark);
  if (n.mark != k_mark && n.mark != k_mark_turned) {
    damaged(path, "the mark of its byte order is none", sizeof k_magic);
  }
  const byte_order order = n.mark == k_mark ? byte_order::same : byte_order::swapped;
  head_reader in(bytes, order);
  in.skip_to(sizeof k_magic);
  n.visit([&in](auto& number) { in.take(number); });
  if (n.sum != crc32c(0, bytes.first(k_sum_at))) {
    damaged(path, "the checksum of its beginning is wrong", k_sum_at);
  }
  if (n.version != k_version) {
    throw error("tactus: load: " + path + " is of version " + std::to_string(n.version) +
                " of the format, and this library reads version " + std::to_string(k_version) +
                "; load it with a newer one");
  }
  return {n, order};
}

// Without overflow, whatever the numbers are.
std::uint64_t length_of(const begin_numbers& n, std::uint64_t file_bytes, const std::string& path) {
  if (n.file_bytes != file_bytes) {
    throw error("tactus: load: " + path + " is damaged: it is to have " + std::to_string(n.file_bytes) +
                " bytes and has " + std::to_string(file_bytes) + "; it has been cut short, or something is behind it");
  }
  if (n.name_bytes > k_most_of_name || n.axes == 0 || n.axes > k_most_axes) {
    damaged(path, "a name of " + std::to_string(n.name_bytes) + " bytes, or " + std::to_string(n.axes) + " axes", 44);
  }
  const std::uint64_t box = std::uint64_t{2} * sizeof(index_t) * n.axes;
  std::uint64_t left = file_bytes;
  const auto take = [&left](std::uint64_t many, std::uint64_t each) {
    if (many > left / each) {
      return false;
    }
    left -= many * each;
    return true;
  };
  if (!take(1, k_checkpoint_begin + padded(n.name_bytes)) || !take(n.region_boxes, box) || !take(n.blocks, box + 24)) {
    damaged(path, "its head is longer than the file", 56);
  }
  return file_bytes - left;
}

// The kinds that there are, with their sizes.
bool is_kind(element_kind kind, std::uint64_t bytes) noexcept {
  switch (kind) {
    case element_kind::truth: return bytes == 1;
    case element_kind::signed_number:
    case element_kind::unsigned_number: return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
    case element_kind::floating: return bytes == 4 || bytes == 8;
    case element_kind::complex: return bytes == 8 || bytes == 16;
    case element_kind::bytes: return bytes != 0;
    case element_kind::wire: return bytes == 0;
  }
  return false;
}

// How many points a box has; none: it is empty, or they cannot be counted.
std::uint64_t points_of(const index_t* corners, std::size_t axes) noexcept {
  std::uint64_t points = 1;
  for (std::size_t d = 0; d < axes; ++d) {
    if (corners[d] >= corners[axes + d]) {
      return 0;
    }
    const std::uint64_t along = static_cast<std::uint64_t>(corners[axes + d]) - static_cast<std::uint64_t>(corners[d]);
    if (__builtin_mul_overflow(points, along, &points) || points > static_cast<std::uint64_t>(INT64_MAX)) {
      return 0;
    }
  }
  return points;
}

void check_blocks(const checkpoint_head& h, std::uint64_t file_bytes, const std::string& path) {
  const auto axes = static_cast<std::size_t>(h.axes);
  for (std::size_t i = 0; i < h.region.size(); i += 2 * axes) {
    if (points_of(&h.region[i], axes) == 0) {
      damaged(path, "a box of its region has no points, or more than can be counted", k_checkpoint_begin);
    }
  }
  std::uint64_t next = h.bytes();
  for (std::size_t i = 0; i < h.blocks.size(); ++i) {
    const checkpoint_block& b = h.blocks[i];
    const std::uint64_t points = points_of(&h.boxes[2 * axes * i], axes);
    std::uint64_t bytes = b.bytes;
    if (points == 0 || b.offset != next || b.bytes > file_bytes - next ||
        (h.element_bytes != 0 && (__builtin_mul_overflow(points, h.element_bytes, &bytes) || bytes != b.bytes))) {
      damaged(path, "block " + std::to_string(i) + " is not where and as long as it has to be", b.offset);
    }
    next += b.bytes;
  }
  if (next != file_bytes) {
    damaged(path, "there is something behind its last block", next);
  }
}

}  // namespace

std::vector<std::byte> bytes_of(const checkpoint_head& head) {
  begin_numbers n;
  n.file_bytes = head.blocks.empty() ? head.bytes() : head.blocks.back().offset + head.blocks.back().bytes;
  n.element_bytes = head.element_bytes;
  n.type_hash = hash_of(head.type);
  n.kind = static_cast<unsigned char>(head.kind);
  n.axes = static_cast<std::uint32_t>(head.axes);
  n.name_bytes = head.type.size();
  n.region_boxes = head.region.size() / (2 * static_cast<std::size_t>(head.axes));
  n.blocks = head.blocks.size();
  head_writer out(static_cast<std::size_t>(head.bytes()));
  out.put(k_magic);
  out.skip_to(k_checkpoint_begin);
  out.put_bytes(head.type.data(), head.type.size());
  out.skip_to(k_checkpoint_begin + static_cast<std::size_t>(padded(head.type.size())));
  out.put_bytes(head.region.data(), head.region.size() * sizeof(index_t));
  const std::size_t corners = 2 * static_cast<std::size_t>(head.axes);
  for (std::size_t i = 0; i < head.blocks.size(); ++i) {
    out.put_bytes(&head.boxes[corners * i], corners * sizeof(index_t));
    out.put(head.blocks[i].offset);
    out.put(head.blocks[i].bytes);
    out.put(head.blocks[i].sum);
    out.put(std::uint32_t{0});
  }
  n.rest_sum = crc32c(0, std::span<const std::byte>(out.bytes()).subspan(k_checkpoint_begin));
  out.skip_to(sizeof k_magic);
  n.visit([&out](const auto& number) { out.put(number); });
  n.sum = crc32c(0, std::span<const std::byte>(out.bytes()).first(k_sum_at));
  out.skip_to(k_sum_at);
  out.put(n.sum);
  return std::move(out.bytes());
}

std::uint64_t length_of_head(std::span<const std::byte, k_checkpoint_begin> begin, std::uint64_t file_bytes,
                             const std::string& path) {
  return length_of(begin_of(begin, path).first, file_bytes, path);
}

checkpoint_head head_of(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& path) {
  const auto [n, order] = begin_of(bytes.first<k_checkpoint_begin>(), path);
  if (length_of(n, file_bytes, path) != bytes.size() || n.rest_sum != crc32c(0, bytes.subspan(k_checkpoint_begin))) {
    damaged(path, "the checksum of its table is wrong", k_checkpoint_begin);
  }
  checkpoint_head h;
  h.order = order;
  h.sum = n.sum;
  h.type.assign(reinterpret_cast<const char*>(bytes.data()) + k_checkpoint_begin,
                static_cast<std::size_t>(n.name_bytes));
  h.kind = static_cast<element_kind>(n.kind);
  h.element_bytes = n.element_bytes;
  h.axes = n.axes;
  if (n.type_hash != hash_of(h.type) || n.kind > 0x7F || !is_kind(h.kind, h.element_bytes)) {
    damaged(path, "there are no such elements", 24);
  }
  const std::size_t corners = 2 * static_cast<std::size_t>(n.axes);
  h.region.resize(corners * static_cast<std::size_t>(n.region_boxes));
  h.boxes.resize(corners * static_cast<std::size_t>(n.blocks));
  h.blocks.resize(static_cast<std::size_t>(n.blocks));
  head_reader in(bytes, order);
  in.skip_to(k_checkpoint_begin + static_cast<std::size_t>(padded(n.name_bytes)));
  for (index_t& i : h.region) {
    in.take(i);
  }
  for (std::size_t b = 0; b < h.blocks.size(); ++b) {
    for (std::size_t i = 0; i < corners; ++i) {
      in.take(h.boxes[b * corners + i]);
    }
    std::uint32_t zero = 0;
    in.take(h.blocks[b].offset);
    in.take(h.blocks[b].bytes);
    in.take(h.blocks[b].sum);
    in.take(zero);
  }
  check_blocks(h, file_bytes, path);
  return h;
}

}  // namespace tactus::detail
