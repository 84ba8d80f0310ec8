// SPDX-License-Identifier: Apache-2.0
#include <tactus/array/view.hpp>

#include "array/point_cost/point_cost.hpp"

namespace {

namespace ts = tactus;

// The sweeps stay apart.
inline void done_with(double* memory) { asm volatile("" : : "r"(memory) : "memory"); }

template <std::size_t N>
struct sweeps {
  explicit sweeps(bench::point_cost_problem& p)
      : from(p.from(), all(p)), to(p.to(), all(p)), buffer(p.to()), side(p.side()), inner(all(p).inner(1)) {}

  static ts::box<N> all(const bench::point_cost_problem& p) {
    constexpr std::ptrdiff_t k_first = bench::point_cost_problem::k_first;
    return {ts::point<N>::all(k_first), ts::point<N>::all(k_first + p.side())};
  }

  // ---- u[p] ----

  [[gnu::noinline]] void stencil_by_points() const {
    inner.each([u = from, v = to](const ts::point<N>& p) {
      double sum = u[p - ts::point<N>::unit(0)] + u[p + ts::point<N>::unit(0)];
      for (std::size_t d = 1; d < N; ++d) sum += u[p - ts::point<N>::unit(d)] + u[p + ts::point<N>::unit(d)];
      v[p] = sum * 0.125;
    });
  }
  [[gnu::noinline]] void pack_by_points() const {
    double* next = buffer;
    inner.each([u = from, &next](const ts::point<N>& p) { *next++ = u[p]; });
  }

  // ---- u(i, j, k) ----

  [[gnu::noinline]] void stencil_by_indices() const {
    const auto u = from;
    const auto v = to;
    if constexpr (N == 1) {
      inner.each([u, v](auto i) { v(i) = (u(i - 1) + u(i + 1)) * 0.125; });
    } else if constexpr (N == 2) {
      inner.each(
          [u, v](auto i, auto j) { v(i, j) = (u(i - 1, j) + u(i + 1, j) + (u(i, j - 1) + u(i, j + 1))) * 0.125; });
    } else if constexpr (N == 3) {
      inner.each([u, v](auto i, auto j, auto k) {
        v(i, j, k) =
            (u(i - 1, j, k) + u(i + 1, j, k) + (u(i, j - 1, k) + u(i, j + 1, k)) + (u(i, j, k - 1) + u(i, j, k + 1))) *
            0.125;
      });
    } else {
      inner.each([u, v](auto i, auto j, auto k, auto l) {
        v(i, j, k, l) = (u(i - 1, j, k, l) + u(i + 1, j, k, l) + (u(i, j - 1, k, l) + u(i, j + 1, k, l)) +
                         (u(i, j, k - 1, l) + u(i, j, k + 1, l)) + (u(i, j, k, l - 1) + u(i, j, k, l + 1))) *
                        0.125;
      });
    }
  }
  [[gnu::noinline]] void pack_by_indices() const {
    double* next = buffer;
    inner.each([u = from, &next](auto... i) { *next++ = u(i...); });
  }

  // ---- pointers and strides ----

  [[gnu::noinline]] void stencil_by_hand() const {
    const std::ptrdiff_t s1 = side;
    const std::ptrdiff_t s2 = side * side;
    const std::ptrdiff_t s3 = s2 * side;
    const std::ptrdiff_t end = side - 1;
    const double* const u = from.data();
    double* const v = to.data();
    if constexpr (N == 1) {
      for (std::ptrdiff_t i = 1; i < end; ++i) v[i] = (u[i - 1] + u[i + 1]) * 0.125;
    } else if constexpr (N == 2) {
      for (std::ptrdiff_t i = 1; i < end; ++i) {
        for (std::ptrdiff_t j = 1; j < end; ++j) {
          const double* const a = u + i * s1 + j;
          v[i * s1 + j] = (a[-s1] + a[s1] + (a[-1] + a[1])) * 0.125;
        }
      }
    } else if constexpr (N == 3) {
      for (std::ptrdiff_t i = 1; i < end; ++i) {
        for (std::ptrdiff_t j = 1; j < end; ++j) {
          for (std::ptrdiff_t k = 1; k < end; ++k) {
            const double* const a = u + i * s2 + j * s1 + k;
            v[i * s2 + j * s1 + k] = (a[-s2] + a[s2] + (a[-s1] + a[s1]) + (a[-1] + a[1])) * 0.125;
          }
        }
      }
    } else {
      for (std::ptrdiff_t i = 1; i < end; ++i) {
        for (std::ptrdiff_t j = 1; j < end; ++j) {
          for (std::ptrdiff_t k = 1; k < end; ++k) {
            for (std::ptrdiff_t l = 1; l < end; ++l) {
              const double* const a = u + i * s3 + j * s2 + k * s1 + l;
              v[i * s3 + j * s2 + k * s1 + l] =
                  (a[-s3] + a[s3] + (a[-s2] + a[s2]) + (a[-s1] + a[s1]) + (a[-1] + a[1])) * 0.125;
            }
          }
        }
      }
    }
  }
  [[gnu::noinline]] void pack_by_hand() const {
    double* next = buffer;
    copy_by_hand<0>(from.data(), next);
  }
  template <std::size_t D>
  void copy_by_hand(const double* u, double*& next) const {
    std::ptrdiff_t step = 1;
    for (std::size_t d = D + 1; d < N; ++d) step *= side;
    for (std::ptrdiff_t i = 1; i < side - 1; ++i) {
      if constexpr (D + 1 == N) {
        *next++ = u[i];
      } else {
        copy_by_hand<D + 1>(u + i * step, next);
      }
    }
  }

  ts::view<const double, N> from;
  ts::view<double, N> to;
  double* buffer;
  std::ptrdiff_t side;
  ts::box<N> inner;
};

class tactus_point_cost {
public:
  tactus_point_cost(const bench::options&, bench::point_cost_problem& p) : problem_(p) {}

  void pass() {
    switch (problem_.axes()) {
      case 1: return sweep<1>();
      case 2: return sweep<2>();
      case 3: return sweep<3>();
      default: return sweep<4>();
    }
  }

private:
  template <std::size_t N>
  void sweep() {
    const sweeps<N> s(problem_);
    const std::string& form = problem_.form();
    void (sweeps<N>::*one)() const = nullptr;
    if (problem_.is_stencil()) {
      one = form == "raw"     ? &sweeps<N>::stencil_by_hand
            : form == "point" ? &sweeps<N>::stencil_by_points
                              : &sweeps<N>::stencil_by_indices;
    } else {
      one = form == "raw"     ? &sweeps<N>::pack_by_hand
            : form == "point" ? &sweeps<N>::pack_by_points
                              : &sweeps<N>::pack_by_indices;
    }
    for (std::uint64_t i = 0; i < bench::point_cost_problem::sweeps(); ++i) {
      (s.*one)();
      done_with(problem_.to());
    }
  }

  bench::point_cost_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::point_cost_problem, tactus_point_cost>(argc, argv, "point_cost", BENCH_COMPETITOR);
}
