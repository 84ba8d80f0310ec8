// SPDX-License-Identifier: Apache-2.0
#include "placement/quicksort/quicksort.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "support/random_numbers.hpp"

namespace bench {
namespace {

constexpr std::size_t k_papers_size = 1000;
constexpr std::size_t k_grain = 4096;

numbers input_of(const std::string& shape, std::size_t size, std::uint64_t seed) {
  numbers made(size);
  random_numbers from(seed);
  for (std::int32_t& n : made) n = static_cast<std::int32_t>(from.below(quicksort_problem::k_below));
  if (shape == "random") return made;
  if (shape == "equal") std::ranges::fill(made, made.front());
  if (shape == "sorted") std::ranges::sort(made);
  if (shape == "reversed") std::ranges::sort(made, std::greater<>());
  return made;
}

}  // namespace

std::size_t partition(std::span<std::int32_t> part) {
  std::int32_t* const data = part.data();
  std::ptrdiff_t i = 0;
  std::ptrdiff_t j = std::ssize(part) - 1;
  const std::int32_t pivot = data[j / 2];
  while (i <= j) {
    while (data[i] < pivot) ++i;
    while (data[j] > pivot) --j;
    if (i <= j) std::swap(data[i++], data[j--]);
  }
  return static_cast<std::size_t>(i);
}

void sort_sequentially(std::span<std::int32_t> part) {
  while (part.size() > 1) {
    const std::size_t left = partition(part);
    const auto [smaller, larger] = left <= part.size() / 2 ? std::pair(part.first(left), part.subspan(left))
                                                           : std::pair(part.subspan(left), part.first(left));
    sort_sequentially(smaller);  // so that the stack stays short
    part = larger;
  }
}

quicksort_problem::quicksort_problem(const options& o) : shape_(o.shape.empty() ? "random" : o.shape) {
  if (shape_ != "random" && shape_ != "sorted" && shape_ != "reversed" && shape_ != "equal") {
    throw std::invalid_argument("quicksort: --shape is random, sorted, reversed or equal, not '" + shape_ + "'");
  }
  const std::size_t size = o.size == 0 ? k_papers_size : o.size;
  grain_ = o.grain != 0 ? o.grain : size <= k_grain ? 1 : k_grain;
  input_ = input_of(shape_, size, o.seed);
}

quicksort_problem::counts quicksort_problem::counts_in(const numbers& some) {
  counts found{};
  for (const std::int32_t n : some) {
    if (n < 0 || n >= k_below) throw wrong_answer("quicksort: " + std::to_string(n) + " was not in the input");
    ++found[static_cast<std::size_t>(n)];
  }
  return found;
}

void quicksort_problem::verify() const {
  if (data_.size() != input_.size() || counts_in(data_) != counts_in(input_)) {
    throw wrong_answer("quicksort: what is there is no permutation of the input");
  }
  if (!std::ranges::is_sorted(data_)) throw wrong_answer("quicksort: the numbers are not sorted");
}

void quicksort_problem::report(nlohmann::json& line) const {
  line["shape"] = shape_;
  line["grain"] = grain_;
  figures_.add_to(line);
}

}  // namespace bench
