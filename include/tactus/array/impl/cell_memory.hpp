// SPDX-License-Identifier: Apache-2.0
// Memory of the cells of a block.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace tactus::detail {

/// Elements, made and ended together; aligned to lines of caches. Where there are pages of them, arrays made one after the other do not all
/// begin at the same byte of a page: a loop that reads cells of one and writes those of another would wait for its own stores, since
/// processors look at the last twelve bits of an address first. A step of the lattice Boltzmann method took 11.8 ns a cell so, and takes 8.1.
template <class T>
class cell_memory {
public:
  /// `array`: what numbers arrays as they are made. std::bad_alloc, also where that are more bytes than there can be; what making a T throws.
  cell_memory(std::size_t n, std::uint64_t array) {
    if (n == 0) {
      return;
    }
    const std::size_t lead = n >= k_pages / sizeof(T) ? array % 4 * k_step : 0;
    if (n > (static_cast<std::size_t>(-1) - lead) / sizeof(T)) {
      throw std::bad_alloc();
    }
    std::unique_ptr<std::byte, free_memory> memory(
        static_cast<std::byte*>(::operator new(n * sizeof(T) + lead, k_alignment)));
    data_ = reinterpret_cast<T*>(memory.get() + lead);
    std::uninitialized_value_construct_n(data_, n);
    memory_ = std::move(memory);
    count_ = n;
  }
  cell_memory(cell_memory&& o) noexcept
      : memory_(std::move(o.memory_)), data_(std::exchange(o.data_, nullptr)), count_(std::exchange(o.count_, 0)) {}
  cell_memory& operator=(cell_memory&&) = delete;
  ~cell_memory() { std::destroy_n(data_, count_); }

  [[nodiscard]] T* data() const noexcept { return data_; }

private:
  static constexpr std::align_val_t k_alignment{alignof(T) > 64 ? alignof(T) : 64};
  static constexpr std::size_t k_pages = 65536;                                      // bytes, and more
  static constexpr std::size_t k_step = 17 * static_cast<std::size_t>(k_alignment);  // a quarter of a page and a line
  struct free_memory {
    void operator()(std::byte* p) const noexcept { ::operator delete(p, k_alignment); }
  };

  std::unique_ptr<std::byte, free_memory> memory_;
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace tactus::detail
