// SPDX-License-Identifier: Apache-2.0
// The elements of a distributed array out of a file, at one place. docs/checkpoint-format.md.
#pragma once

#include <tactus/array/impl/box_index.hpp>
#include <tactus/array/impl/checkpoint_cells.hpp>
#include <tactus/array/impl/checkpoint_file.hpp>
#include <tactus/array/region.hpp>
#include <tactus/array/view.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/wire/impl/byte_image.hpp>
#include <tactus/wire/impl/pack.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

/// What a file has, as elements of T over N axes.
template <class T, std::size_t N>
class loaded_blocks {
public:
  /// error: it is damaged. usage_error: it is of another type or number of axes, or of a machine whose numbers cannot be put right.
  explicit loaded_blocks(const std::string& path) : file_(make_checkpoint_reader(path)) {
    const checkpoint_head& h = file_->head();
    const std::string type = type_name_for_files<T>();
    const std::uint64_t bytes = is_written_raw<T> ? sizeof(T) : 0;
    if (h.axes != N) {
      file_->other("is of an array over " + std::to_string(h.axes) + " axes, and this one is over " +
                   std::to_string(N));
    }
    if (h.type != type || h.element_bytes != bytes || h.kind != kind_of_element<T>()) {
      file_->other("has elements " + described(h.type, h.element_bytes) + ", and those of this array are " +
                   described(type, bytes));
    }
    if (h.order == byte_order::swapped && !is_read_swapped<T>()) {
      file_->other("was written on a machine that stores numbers the other way round, and what " + type +
                   " consists of is not known; load and save it there as another type");
    }
    region_ = checkpoint_head::boxes_of<N>(h.region);
    boxes_ = checkpoint_head::boxes_of<N>(h.boxes);
  }

  [[nodiscard]] const checkpoint_head& head() const noexcept { return file_->head(); }

  /// usage_error: it is of another region. error: its blocks do not have each cell of it once.
  void check(const region<N>& r) const {
    const region<N> has(region_);
    if (!(has == r)) {
      file_->other("is of an array over a region in " + to_string(has.bounding_box()) +
                   ", which is not that of the distribution, in " + to_string(r.bounding_box()));
    }
    std::size_t cells = 0;
    for (const box<N>& b : boxes_) {
      cells += b.size();  // each is less than can be counted, and so is what the file holds of them
      if (cells > r.size()) {
        break;
      }
    }
    if (cells != r.size() || !(region<N>(boxes_) == r)) {
      file_->damaged(k_whole_file, "its blocks do not have each cell of its region once");
    }
  }

  /// Gives the resident cells of `mine` what the file has of them; returns how many. error: it is damaged. std::bad_alloc.
  std::uint64_t fill(const std::vector<view<T, N>>& mine) const {
    std::vector<typename box_index<N>::item> items;
    items.reserve(mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      items.push_back({mine[i].resident(), i});
    }
    const box_index<N> index(std::move(items));
    std::uint64_t cells = 0;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      std::vector<const view<T, N>*> targets;
      index.for_each_in(boxes_[i], [&](const auto& item) { targets.push_back(&mine[item.member]); });
      if (targets.empty()) {
        continue;
      }
      if constexpr (is_written_raw<T>) {
        cells += fill_raw(i, targets);
      } else if (head().order == byte_order::same) {
        cells += fill_packed<byte_order::same>(i, targets);
      } else {
        cells += fill_packed<byte_order::swapped>(i, targets);
      }
    }
    return cells;
  }

private:
  using targets_type = std::vector<const view<T, N>*>;

  static std::string described(const std::string& type, std::uint64_t bytes) {
    return "'" + type + "' of " + (bytes == 0 ? std::string("any length") : std::to_string(bytes) + " bytes");
  }

  std::uint64_t fill_raw(std::size_t i, const targets_type& targets) const {
    const box<N>& b = boxes_[i];
    const checkpoint_block& block = head().blocks[i];
    const std::uint64_t all = block.bytes / sizeof(T);
    constexpr std::uint64_t k_cells = std::max<std::size_t>(k_checkpoint_buffer / sizeof(T), 1);
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(all, k_cells)) * sizeof(T));
    std::uint32_t sum = 0;
    std::uint64_t filled = 0;
    for (std::uint64_t first = 0; first < all; first += k_cells) {
      const std::uint64_t n = std::min(k_cells, all - first);
      const std::span<std::byte> full(buffer.data(), static_cast<std::size_t>(n) * sizeof(T));
      file_->read(i, block.offset + first * sizeof(T), full);
      sum = crc32c(sum, full);
      const std::byte* at = full.data();
      for_each_run(b, first, n, [&](const point<N>& p, std::size_t cells) {
        box<N> run{p, p + point<N>::all(1)};
        run.hi[N - 1] = p[N - 1] + static_cast<index_t>(cells);
        for (const view<T, N>* u : targets) {
          if (const box<N> both = run & u->resident(); !both.empty()) {
            const auto from = static_cast<std::size_t>(both.lo[N - 1] - p[N - 1]);
            filled += copy_run(i, *u, both, at + from * sizeof(T));
          }
        }
        at += cells * sizeof(T);
      });
    }
    check_sum(i, sum);
    return filled;
  }

  std::uint64_t copy_run(std::size_t i, const view<T, N>& u, const box<N>& run, const std::byte* from) const {
    const auto cells = static_cast<std::size_t>(run.extent(N - 1));
    T* const to = &u[run.lo];
    if constexpr (travels<T>) {
      if constexpr (is_image<T>) {
        if (head().order == byte_order::swapped || is_doubtful<T>) {
          for (std::size_t k = 0; k < cells; ++k) {
            copy_settled(i, to[k], from + k * sizeof(T));
          }
          return cells;
        }
      }
    }
    std::memcpy(static_cast<void*>(to), from, cells * sizeof(T));
    return cells;
  }

  // What is no value of the type never becomes one.
  void copy_settled(std::size_t i, T& to, const std::byte* from) const {
    if constexpr (kind_of<T> != travel_kind::empty) {
      std::memcpy(static_cast<void*>(&to), from, sizeof(T));
      bool is_sound = true;
      if constexpr (is_read_swapped<T>()) {
        is_sound = head().order == byte_order::same ? settle<byte_order::same>(to) : settle<byte_order::swapped>(to);
      } else {
        is_sound = settle<byte_order::same>(to);
      }
      if (!is_sound) {
        std::memset(static_cast<void*>(&to), 0, sizeof(T));
        file_->damaged(i, "a bool is neither true nor false");
      }
    }
  }

  template <byte_order Order>
  std::uint64_t fill_packed(std::size_t i, const targets_type& targets) const {
    std::uint64_t filled = 0;
    if constexpr (Order == byte_order::same || is_read_swapped<T>()) {
      const checkpoint_block& block = head().blocks[i];
      if (least_bytes<T> != 0 && boxes_[i].size() > block.bytes / std::max<std::size_t>(least_bytes<T>, 1)) {
        file_->damaged(i, "it is too short for its elements");
      }
      std::vector<std::byte> bytes(static_cast<std::size_t>(block.bytes));
      file_->read(i, block.offset, bytes);
      check_sum(i, crc32c(0, bytes));
      reader<Order> in(bytes, 0);
      try {
        boxes_[i].each([&](const point<N>& x) {
          T value = unpack<T>(in);
          for (const view<T, N>* u : targets) {
            if (u->resident().contains(x)) {
              (*u)[x] = std::move(value);
              ++filled;
              break;
            }
          }
        });
        in.expect_end();
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::exception& why) {
        file_->damaged(i, "its elements cannot be read at byte " + std::to_string(block.offset + in.position()) + " (" +
                              why.what() + ")");
      }
    }
    return filled;
  }

  void check_sum(std::size_t i, std::uint32_t sum) const {
    if (sum != head().blocks[i].sum) {
      file_->damaged(i, "its checksum is wrong; load an older file");
    }
  }

  std::unique_ptr<checkpoint_reader> file_;
  std::vector<box<N>> region_;
  std::vector<box<N>> boxes_;
};

}  // namespace tactus::detail
