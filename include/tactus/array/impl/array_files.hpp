// SPDX-License-Identifier: Apache-2.0
// dist_array::save() and load(): what the places do together. docs/checkpoint-format.md.
#pragma once

#include <tactus/array/dist_array_ref.hpp>
#include <tactus/array/impl/array_operations.hpp>
#include <tactus/array/impl/loaded_blocks.hpp>
#include <tactus/array/impl/saved_block.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/place/at_each.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

/// f(), of whose exceptions the first one is thrown by itself: what several places have to say of a file is the same.
template <class F>
decltype(auto) with_first_error(const char* call, const std::string& path, F&& f) {
  try {
    return f();
  } catch (const multiple_exceptions& all) {
    try {
      std::rethrow_exception(all.flattened().front());
    } catch (const std::bad_alloc&) {
      throw_no_memory_for_file(call, path);
    }
  } catch (const std::bad_alloc&) {
    throw_no_memory_for_file(call, path);
  }
}

template <class T, std::size_t N>
struct array_file {
  using ref = dist_array_ref<T, N>;

  static void save(const ref& h, const dist<N>& d, const std::string& path) {
    with_first_error("save", path, [&] { save_checked(h, d, path); });
  }

  /// Fills an array that has just been made on the region that check() was for.
  static void load(const ref& h, const dist<N>& d, const std::string& path, std::uint32_t sum) {
    with_first_error("load", path, [&] {
      at_each(
          d.group(),
          [h](const std::string& from, std::uint32_t as_before) {
            const std::vector<view<T, N>> mine = h.blocks();
            if (mine.empty()) {
              return;
            }
            const loaded_blocks<T, N> file(from);
            if (file.head().sum != as_before) {
              throw error("tactus: load: " + from + " has been replaced while it was loaded; load it again");
            }
            std::uint64_t cells = 0;
            for (const view<T, N>& u : mine) {
              cells += u.resident().size();
            }
            if (file.fill(mine) != cells) {
              throw error("tactus: load: " + from + " is damaged: it does not have all cells of " + to_string(here()));
            }
          },
          path, sum);
    });
  }

  /// What file it is; throws all that load() throws of one that is not the array's.
  static std::uint32_t check(const dist<N>& d, const std::string& path) {
    return with_first_error("load", path, [&] {
      const loaded_blocks<T, N> file(path);
      file.check(d.region());
      return file.head().sum;
    });
  }

private:
  using numbers = std::vector<std::uint64_t>;

  static void save_checked(const ref& h, const dist<N>& d, const std::string& path) {
    const std::vector<numbers> bytes = answers_of<numbers>(d.group(), [h] {
      array_access<T, N>::part(h, "save").check_closed("save");
      numbers of_blocks;
      for (const view<T, N>& u : h.blocks()) {
        of_blocks.push_back(saved_block<T, N>::bytes(u));
      }
      return of_blocks;
    });
    checkpoint_head head = head_for(d);
    numbers first;  // of each place
    for (const numbers& of_place : bytes) {
      for (const std::uint64_t n : of_place) {
        head.blocks.push_back({0, n, 0});
      }
    }
    std::uint64_t next = head.bytes();
    std::size_t block = 0;
    for (const numbers& of_place : bytes) {
      first.push_back(next);
      for (const std::uint64_t n : of_place) {
        head.blocks[block++].offset = next;
        next += n;
      }
    }
    const auto file = make_checkpoint_writer(path, checkpoint_role::maker);
    using sums = std::vector<std::uint32_t>;
    const std::vector<sums> of_places = answers_of<sums>(
        d.group(),
        [h](const std::string& to, const std::vector<numbers>& counted, const numbers& offsets) {
          return save_here(h, to, counted, offsets);
        },
        path, bytes, first);
    block = 0;
    for (const sums& of_place : of_places) {
      for (const std::uint32_t sum : of_place) {
        head.blocks[block++].sum = sum;
      }
    }
    file->publish(head);
  }

  static checkpoint_head head_for(const dist<N>& d) {
    checkpoint_head head;
    head.type = type_name_for_files<T>();
    head.kind = kind_of_element<T>();
    head.element_bytes = is_written_raw<T> ? sizeof(T) : 0;
    head.axes = N;
    for (const box<N>& b : d.region().boxes()) {
      checkpoint_head::add_box(head.region, b);
    }
    for (const place p : d.group()) {
      for (const box<N>& b : d.blocks(p)) {
        checkpoint_head::add_box(head.boxes, b);
      }
    }
    return head;
  }

  static std::vector<std::uint32_t> save_here(const ref& h, const std::string& path,
                                              const std::vector<numbers>& counted, const numbers& offsets) {
    std::vector<std::uint32_t> sums;
    const std::vector<view<T, N>> mine = h.blocks();
    if (mine.empty()) {
      return sums;
    }
    const place_group group = h.dist().group();
    const auto member = static_cast<std::size_t>(std::find(group.begin(), group.end(), here()) - group.begin());
    const auto file = make_checkpoint_writer(path, checkpoint_role::member);
    std::uint64_t at = offsets[member];
    for (const view<T, N>& u : mine) {
      const std::uint64_t bytes = counted[member][u.number()];
      sums.push_back(saved_block<T, N>::write(*file, u, at, bytes));
      at += bytes;
    }
    file->settle();
    return sums;
  }
};

}  // namespace tactus::detail
