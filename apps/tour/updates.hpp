// SPDX-License-Identifier: Apache-2.0
// The stop of places: a table that is spread over all of them, and updates that go wherever a word lies. RandomAccess of the HPC Challenge
// benchmarks, at a size for a demonstration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tour {

inline constexpr std::size_t k_words = std::size_t{1} << 18U;  ///< of the whole table; word i holds i at first

/// The numbers of the benchmark: each is the one before it, shifted, over the field that 7 defines. The lower bits say which word it is
/// put into, by exclusive or; so who puts all of them in twice has the table that he began with.
inline std::uint64_t next_number(std::uint64_t x) { return (x << 1U) ^ ((x >> 63U) != 0 ? 7U : 0U); }

constexpr std::size_t word_of(std::uint64_t number) { return number & (k_words - 1); }

/// Where the stream of place p of n begins; they need not be the benchmark's own places in it.
inline std::uint64_t first_number(int p) { return 0x9e3779b97f4a7c15U * (2 * static_cast<std::uint64_t>(p) + 1); }

/// What a form tells of its table. After the second time every word is as at first also if no number has arrived at all, so the table is
/// looked at after the first time, too.
struct seen {
  std::uint64_t once = 0;  ///< the marks of all words, after every number was put in once
  std::size_t wrong = 0;   ///< words that are not as at first, after the second time
};

/// What a word adds to `once`: any single one that is wrong changes the sum.
constexpr std::uint64_t mark(std::size_t i, std::uint64_t word) { return word * (2 * std::uint64_t{i} + 1); }

/// The sum of the marks where each of n places puts in so many numbers, computed plainly.
std::uint64_t right_once(int places, std::size_t updates_of_each);

/// Puts so many numbers in twice, and tells; a runtime behind it is made once, with the form.
using update_form = std::function<seen(std::size_t updates)>;

update_form updates_plainly();               ///< one thread, one table
update_form updates_one_by_one(int places);  ///< Tactus: a task for each number, sent to its word
update_form updates_gathered(int places);    ///< Tactus: a message for 1,024 numbers that go to one place

}  // namespace tour
