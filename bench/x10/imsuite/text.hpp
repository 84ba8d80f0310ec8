// SPDX-License-Identifier: Apache-2.0
// The published text format of the kernels' inputs: reader and writer.
//
// Line 1 is n. Then the kernel's scalars, one on a line; n rows of n characters 0 or 1, symmetric and with a zero
// diagonal; and the kernel's further sections of one number on a line (byzantine votes: one line of n characters 0 or
// 1), each after a line that holds a single blank:
//
//     BF, DST     n, root, rows
//     KC          n, k, rows, blank, n ids
//     DP          n, rows, blank, n ids
//     HS, LCR     n, n ids in ring order
//     MIS, DS     n, rows
//     MST, DR     n, rows, blank, n * n weights row by row
//     BY          n, rows, blank, votes, blank, traitors(n) indices
//     VC          n, root, rows, blank, n parents
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>

#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

/// The most nodes that a file may claim.
inline constexpr std::size_t k_most_nodes = std::size_t{1} << 20;

/// Ids and weights are 31-bit numbers. The largest stands on the diagonal of the weights.
inline constexpr std::int64_t k_largest_number = 2147483647;

/// How many of n byzantine nodes are traitors.
constexpr std::size_t traitors(std::size_t n) { return n < 8 ? 0 : n / 8 - 1; }

/// The text is not an input of the kernel: `file:line: found ..., expected ...`.
class input_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads the input of a kernel; Input is one of the structs of input.hpp and `name` stands for the text in errors.
/// Throws input_error unless the text is what the kernel needs, to its end: besides the layout above, the graph is
/// connected, ids and traitors differ from each other, the weights of edges are symmetric and (MST) differ, and the
/// parents (VC) make a tree of all edges. Numbers of pairs that are not edges are not compared.
template <class Input>
Input read(std::istream& in, const std::string& name);

/// The same from a file.
template <class Input>
Input read_file(const std::string& path);

/// Writes what read() reads back.
void write(std::ostream& out, const bf_input& input);
void write(std::ostream& out, const dst_input& input);
void write(std::ostream& out, const kc_input& input);
void write(std::ostream& out, const dp_input& input);
void write(std::ostream& out, const hs_input& input);
void write(std::ostream& out, const lcr_input& input);
void write(std::ostream& out, const mis_input& input);
void write(std::ostream& out, const mst_input& input);
void write(std::ostream& out, const by_input& input);
void write(std::ostream& out, const ds_input& input);
void write(std::ostream& out, const vc_input& input);
void write(std::ostream& out, const dr_input& input);

}  // namespace bench::imsuite
