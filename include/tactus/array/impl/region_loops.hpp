// SPDX-License-Identifier: Apache-2.0
// Parallel loops over the points of boxes.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/task/loops.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// f(p), or f of its indices.
template <class F, std::size_t N>
decltype(auto) call_with_point(F& f, const point<N>& p) {
  if constexpr (std::invocable<F&, const point<N>&>) {
    return f(p);
  } else {
    return [&]<std::size_t... D>(std::index_sequence<D...>) -> decltype(auto) {
      return f(p[D]...);
    }(std::make_index_sequence<N>());
  }
}

/// The rows of boxes along the last axis, cut where they are long: what an iteration of a loop over integers goes over.
template <std::size_t N>
class row_pieces {
public:
  row_pieces(std::span<const box<N>> boxes, std::uint64_t longest)
      : boxes_(boxes), longest_(static_cast<index_t>(std::min(longest, k_longest))) {
    for (const box<N>& b : boxes) {
      std::uint64_t rows = b.empty() ? 0 : 1;
      for (std::size_t d = 0; d + 1 < N && rows != 0; ++d) {
        rows *= static_cast<std::uint64_t>(b.extent(d));
      }
      count_ += rows * static_cast<std::uint64_t>(pieces_of_row(b));
      ends_.push_back(count_);
    }
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// The box of one row, or a piece of one.
  [[nodiscard]] box<N> operator[](std::uint64_t number) const noexcept {
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), number);
    const box<N>& b = boxes_[static_cast<std::size_t>(end - ends_.begin())];
    std::uint64_t rest = number - (end == ends_.begin() ? 0 : *(end - 1));
    const auto in_row = static_cast<std::uint64_t>(pieces_of_row(b));
    box<N> piece = b;
    piece.lo[N - 1] = b.lo[N - 1] + static_cast<index_t>(rest % in_row) * longest_;
    piece.hi[N - 1] = b.hi[N - 1] - piece.lo[N - 1] > longest_ ? piece.lo[N - 1] + longest_ : b.hi[N - 1];
    rest /= in_row;
    for (std::size_t d = N - 1; d-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(b.extent(d));
      piece.lo[d] = b.lo[d] + static_cast<index_t>(rest % extent);
      piece.hi[d] = piece.lo[d] + 1;
      rest /= extent;
    }
    return piece;
  }

private:
  static constexpr std::uint64_t k_longest = std::numeric_limits<index_t>::max();  // no row is longer

  [[nodiscard]] index_t pieces_of_row(const box<N>& b) const noexcept {
    const index_t length = b.extent(N - 1);
    return length / longest_ + (length % longest_ != 0 ? 1 : 0);
  }

  std::span<const box<N>> boxes_;
  index_t longest_;
  std::vector<std::uint64_t> ends_;
  std::uint64_t count_ = 0;
};

/// How many pieces come to `grain` points, of so many points in all.
[[nodiscard]] inline std::uint64_t pieces_in(std::uint64_t grain, std::uint64_t pieces, std::uint64_t points) noexcept {
  return pieces == 0 ? 1 : std::max<std::uint64_t>(grain / std::max<std::uint64_t>(points / pieces, 1), 1);
}

/// The points of one such piece: a share of a for_each within a share of it. Each point is a task of its own to the program.
template <std::size_t N, class F>
class row_share : loop_rest {
public:
  row_share(finish_scope* all, const row_pieces<N>& pieces, F& f, std::uint64_t number) noexcept
      : loop_rest{hand_rest_over}, all_(all), pieces_(pieces), f_(f), number_(number) {}

  void run() noexcept {
    const box<N> piece = pieces_[number_];
    run(piece, piece.lo[N - 1]);
  }

private:
  // A type that no cell has: what f writes leaves these as they are, and the loop keeps them in registers.
  enum class along_row : index_t {};

  void run(const box<N>& piece, index_t first) noexcept {
    end_ = along_row{piece.hi[N - 1]};
    worker* const w = current_worker();
    element_frame element(this);
    element.below = w->task;
    w->task = &element;
    F& f = f_;
    point<N> p = piece.lo;
    index_t done = 0;
    while (done < static_cast<index_t>(end_) - first) {
      // One bound, and 0 once a point has made values. Where f is inlined and makes none, both compilers see that it stays, and so make
      // vectors of the points: of a choice or a second way out of the loop they would not. inner_loops looks.
      while (done < ((static_cast<index_t>(end_) - first) & -static_cast<index_t>(element.locals == nullptr))) {
        p[N - 1] = first + done;
        ++done;
        next_ = along_row{first + done};
        try {
          call_with_point(f, std::as_const(p));
        } catch (...) {
          keep_failure();
        }
      }
      end_task_frame(element);
    }
    current_worker()->task = element.below;  // a point may have gone on elsewhere
  }

  // As that of integers. The row's own share goes on with those behind the row.
  static void hand_rest_over(loop_rest& rest, worker* w) noexcept {
    auto& self = static_cast<row_share&>(rest);
    const along_row next = self.next_;
    if (next == self.end_) {
      return;
    }
    self.end_ = next;
    queue_under(w, self.all_, [all = self.all_, &pieces = self.pieces_, &f = self.f_, number = self.number_, next] {
      run_share("share of for_each", [=, &pieces, &f] {
        row_share(all, pieces, f, number).run(pieces[number], static_cast<index_t>(next));
      });
    });
  }

  finish_scope* const all_;
  const row_pieces<N>& pieces_;
  F& f_;
  const std::uint64_t number_;
  along_row next_{};  // behind the point that runs
  along_row end_{};
};

template <std::size_t N>
struct loop_over_boxes {
  static constexpr std::size_t rank = N;

  template <class F>
  static void each(std::span<const box<N>> boxes, std::uint64_t points, std::uint64_t grain, F& f) {
    const row_pieces<N> pieces(boxes, grain);
    for_each(std::uint64_t{0}, pieces.count(), pieces_in(grain, pieces.count(), points),
             [&](std::uint64_t i) { row_share<N, F>(current_worker()->held, pieces, f, i).run(); });
  }

  template <class Op, class F>
  static auto folded(std::span<const box<N>> boxes, std::uint64_t points, std::uint64_t grain, Op& op, F& f) {
    using T = std::decay_t<decltype(call_with_point(f, std::declval<const point<N>&>()))>;
    if constexpr (std::is_enum_v<Op>) {
      auto named = named_reduction<T, std::remove_cv_t<Op>>::of(op);
      return folded(boxes, points, grain, named, f);
    } else {
      return folded_by<T>(boxes, points, grain, op, f);
    }
  }

private:
  template <class T, class Op, class F>
  static T folded_by(std::span<const box<N>> boxes, std::uint64_t points, std::uint64_t grain, Op& op, F& f) {
    const row_pieces<N> pieces(boxes, grain);
    return reduce(std::uint64_t{0}, pieces.count(), pieces_in(grain, pieces.count(), points), op, [&](std::uint64_t i) {
      const box<N> piece = pieces[i];
      point<N> p = piece.lo;
      T sum(call_with_point(f, std::as_const(p)));
      for (++p[N - 1]; p[N - 1] < piece.hi[N - 1]; ++p[N - 1]) {
        sum = op(std::move(sum), call_with_point(f, std::as_const(p)));
      }
      return sum;
    });
  }
};

template <std::size_t N>
struct loop_over<box<N>> : loop_over_boxes<N> {
  static std::span<const box<N>> boxes(const box<N>& b) noexcept { return {&b, 1}; }
};

}  // namespace tactus::detail
