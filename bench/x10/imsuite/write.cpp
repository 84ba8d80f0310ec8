// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <string>

#include "x10/imsuite/text.hpp"

namespace bench::imsuite {
namespace {

void rows(std::ostream& out, const graph& g) {
  for (const auto& list : g.neighbours) {
    std::string row(g.n, '0');
    for (const std::uint32_t j : list) row[j] = '1';
    out << row << '\n';
  }
}

template <class Numbers>
void section(std::ostream& out, const Numbers& numbers) {
  out << " \n";
  for (const auto number : numbers) out << number << '\n';
}

void rooted(std::ostream& out, const graph& g, std::uint32_t root) {
  out << g.n << '\n' << root << '\n';
  rows(out, g);
}

void plain(std::ostream& out, const graph& g) {
  out << g.n << '\n';
  rows(out, g);
}

void ring(std::ostream& out, const std::vector<std::int64_t>& ids) {
  out << ids.size() << '\n';
  for (const std::int64_t id : ids) out << id << '\n';
}

}  // namespace

void write(std::ostream& out, const bf_input& input) { rooted(out, input.g, input.root); }

void write(std::ostream& out, const dst_input& input) { rooted(out, input.g, input.root); }

void write(std::ostream& out, const kc_input& input) {
  out << input.g.n << '\n' << input.k << '\n';
  rows(out, input.g);
  section(out, input.id);
}

void write(std::ostream& out, const dp_input& input) {
  plain(out, input.g);
  section(out, input.id);
}

void write(std::ostream& out, const hs_input& input) { ring(out, input.id); }

void write(std::ostream& out, const lcr_input& input) { ring(out, input.id); }

void write(std::ostream& out, const mis_input& input) { plain(out, input.g); }

void write(std::ostream& out, const mst_input& input) {
  plain(out, input.g);
  section(out, input.weight);
}

void write(std::ostream& out, const by_input& input) {
  plain(out, input.g);
  out << " \n";
  for (const std::uint8_t vote : input.vote) out << (vote != 0 ? '1' : '0');
  out << '\n';
  section(out, input.traitor);
}

void write(std::ostream& out, const ds_input& input) { plain(out, input.g); }

void write(std::ostream& out, const vc_input& input) {
  rooted(out, input.g, input.root);
  section(out, input.parent);
}

void write(std::ostream& out, const dr_input& input) {
  plain(out, input.g);
  section(out, input.weight);
}

}  // namespace bench::imsuite
