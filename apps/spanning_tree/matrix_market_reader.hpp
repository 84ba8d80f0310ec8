// SPDX-License-Identifier: Apache-2.0
// Reads a sparse matrix in the Matrix Market exchange format as the graph whose edges are the entries of the matrix.
#pragma once

#include "graph.hpp"
#include "line_source.hpp"
#include "progress.hpp"
#include "reading_limits.hpp"

#include <string_view>

namespace spanning {

/// How every Matrix Market file begins.
inline constexpr std::string_view k_matrix_market_banner = "%%MatrixMarket";

/// Reads "%%MatrixMarket matrix coordinate <field> <symmetry>", the line "rows columns entries", and one line "row column
/// [value]" per entry, counted from 1. Every entry that stands in the file, whatever its value, is an edge between row
/// and column; on the diagonal it is a self-loop. So every symmetry (general, symmetric, skew-symmetric, hermitian) is
/// read alike: an entry and its mirror image, where the file has both, are two edges between the same vertices. The
/// values (pattern: none; integer and real: one; complex: two) must be numbers and are passed over. All vertices 1 to
/// `rows` exist, those without an entry too. Empty lines and lines that begin with '%' may stand anywhere below the first.
///
/// Throws input_error for any other file: array format (a dense matrix), a matrix that is not square or has no rows, an
/// index outside of it, another number of entries than announced, more rows or entries than the limits allow.
edge_list read_matrix_market(line_source& source, const reading_limits& limits = limits_of_memory(),
                             apps::progress_style style = apps::progress_style::silent);

}  // namespace spanning
