// SPDX-License-Identifier: Apache-2.0
// What dist_array::sequence() returns: an input range over all cells, which fetches block after block, and two ahead.
#pragma once

#include <tactus/array/array.hpp>
#include <tactus/array/dist_array_ref.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/place/at_future.hpp>

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace tactus::detail {

template <class T, std::size_t N>
class cell_sequence {
public:
  class iterator {
  public:
    using value_type = std::pair<point<N>, T>;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    iterator() = default;
    explicit iterator(cell_sequence* of) : of_(of) { settle(); }

    [[nodiscard]] std::pair<point<N>, T&> operator*() const {
      const point<N> x = *of_->at_;
      return {x, of_->block_[x]};
    }
    iterator& operator++() {
      ++of_->at_;
      settle();
      return *this;
    }
    void operator++(int) { ++*this; }
    [[nodiscard]] friend bool operator==(const iterator& a, std::default_sentinel_t) { return a.of_ == nullptr; }
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) { return a.of_ == b.of_; }

  private:
    void settle() {
      if (of_->at_ == of_->block_.region().end() && !of_->next_block()) {
        of_ = nullptr;
      }
    }
    cell_sequence* of_ = nullptr;
  };

  cell_sequence(const dist_array_ref<T, N>& h, const dist<N>& d) : h_(h) {
    for (const place p : d.group()) {
      for (const box<N>& b : d.blocks(p)) {
        blocks_.emplace_back(p, b);
      }
    }
    std::sort(blocks_.begin(), blocks_.end(), [](const auto& a, const auto& b) { return a.second.lo < b.second.lo; });
  }
  cell_sequence(const cell_sequence&) = delete;
  cell_sequence& operator=(const cell_sequence&) = delete;
  ~cell_sequence() { forget_what_comes(); }

  [[nodiscard]] iterator begin() {
    forget_what_comes();
    next_ = asked_ = 0;
    block_ = {};
    at_ = block_.region().end();
    return iterator(this);
  }
  [[nodiscard]] iterator end() const noexcept { return {}; }

private:
  static constexpr std::size_t k_ahead = 2;

  bool next_block() {
    if (next_ == blocks_.size()) {
      return false;
    }
    while (asked_ < blocks_.size() && asked_ <= next_ + k_ahead) {
      const auto& [owner, cells] = blocks_[asked_];
      coming_[asked_ % coming_.size()] = at_future(
          to_reach(owner),
          [h = h_, asker = here()](const box<N>& b) { return array_access<T, N>::read_block(h, asker, b); }, cells);
      ++asked_;
    }
    block_ = coming_[next_++ % coming_.size()].get();
    at_ = block_.region().begin();
    return true;
  }

  // A loop has been left early: what was asked for comes nonetheless, and is not kept.
  void forget_what_comes() noexcept {
    for (; next_ < asked_; ++next_) {
      try {
        static_cast<void>(coming_[next_ % coming_.size()].get());
      } catch (...) {  // NOLINT(bugprone-empty-catch): nobody wants it any more
      }
    }
  }

  dist_array_ref<T, N> h_;
  std::vector<std::pair<place, box<N>>> blocks_;  // in their order
  std::array<future<array<T, N>>, k_ahead + 1> coming_;
  std::size_t asked_ = 0;
  std::size_t next_ = 0;  // of those that come: the first that has not been taken
  array<T, N> block_;
  typename box<N>::iterator at_{};
};

}  // namespace tactus::detail
