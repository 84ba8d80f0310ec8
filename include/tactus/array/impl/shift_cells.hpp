// SPDX-License-Identifier: Apache-2.0
// What goes from array to array by shift. docs/protocols/ghosts.md, "Shift".
#pragma once

#include <tactus/array/impl/array_cells.hpp>
#include <tactus/array/impl/copy_cells.hpp>
#include <tactus/array/impl/shift_plan.hpp>
#include <tactus/array/view.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Elements that are bytes, between places that are alike.
template <class T, std::size_t N>
class shift_cells final : public array_cells<T, N> {
  using base = array_cells<T, N>;

public:
  shift_cells(const std::vector<view<T, N>>& blocks, std::shared_ptr<const shift_plan<N>> plan)
      : base(blocks, blocks, {plan, &plan->entries}), plan_(std::move(plan)) {}

  /// With its own cells in their places; what comes in earlier stages is missing.
  [[nodiscard]] reply_bytes pack(std::size_t n, std::size_t room) override {
    const auto& out = plan_->entries[n].out;
    reply_bytes bytes;
    std::byte* at = bytes.make(room + base::cells_of(out) * sizeof(T)) + room;
    for (const patch<N>& p : out) {
      const view<T, N>& u = this->source(p.here);
      if (const box<N> own = p.cells & u.resident(); !own.empty()) {
        const auto dense = cell_layout<N>::dense(p.cells, sizeof(T));
        copy_cells<sizeof(T)>(own, at + dense.distance(p.cells.lo, own.lo), dense, base::address(u, own.lo),
                              cell_layout<N>::of(u));
      }
      at += p.cells.size() * sizeof(T);
    }
    return bytes;
  }

  [[nodiscard]] bool forward(std::size_t n, std::span<std::byte> message, std::size_t from,
                             std::span<const std::byte> came) const noexcept override {
    if (came.size() != base::cells_of(plan_->entries[from].in) * sizeof(T)) {
      return false;
    }
    for (const forwarded_cells<N>& c : plan_->forwards[n]) {
      if (c.from == from) {
        const auto out = cell_layout<N>::dense(c.goes, sizeof(T));
        const auto in = cell_layout<N>::dense(c.came, sizeof(T));
        std::byte* const to = message.data() + c.goes_begin * sizeof(T);
        const std::byte* const of = came.data() + c.came_begin * sizeof(T);
        copy_cells<sizeof(T)>(c.cells, to + out.distance(c.goes.lo, c.cells.lo), out,
                              of + in.distance(c.came.lo, c.cells.lo), in);
      }
    }
    return true;
  }

private:
  std::shared_ptr<const shift_plan<N>> plan_;
};

}  // namespace tactus::detail
