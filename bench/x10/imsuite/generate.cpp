// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/generate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "support/random_numbers.hpp"
#include "x10/imsuite/text.hpp"

namespace bench::imsuite {
namespace {

constexpr std::array<std::pair<std::string_view, family>, 7> k_families = {{{"spmax", family::spmax},
                                                                            {"random", family::random},
                                                                            {"complete", family::complete},
                                                                            {"spmin", family::spmin},
                                                                            {"chain", family::chain},
                                                                            {"star", family::star},
                                                                            {"ring", family::ring}}};

/// Collects edges; neighbours stay sorted, so that a pair is found fast and the graph is complete at any time.
class builder {
public:
  explicit builder(std::size_t n) {
    g_.n = n;
    g_.neighbours.resize(n);
  }

  /// Adds the edge unless it is a loop or there already.
  void join(std::size_t i, std::size_t j) {
    if (i == j || g_.adjacent(i, j)) return;
    insert(i, j);
    insert(j, i);
    ++edges_;
  }

  /// Adds random edges until there are so many, or the graph is complete.
  void fill(std::size_t edges, random_numbers& random) {
    const std::size_t all = g_.n * (g_.n - 1) / 2;
    while (edges_ < std::min(edges, all)) join(random.below(g_.n), random.below(g_.n));
  }

  [[nodiscard]] const graph& built() const { return g_; }
  graph take() { return std::move(g_); }

private:
  void insert(std::size_t i, std::size_t j) {
    auto& list = g_.neighbours[i];
    const auto node = static_cast<std::uint32_t>(j);
    list.insert(std::ranges::lower_bound(list, node), node);
  }

  graph g_;
  std::size_t edges_ = 0;
};

/// As the published graphs are built: nodes 0 and 1 are joined, every other node hangs on one of them (4/7 on node 0),
/// and random edges make up the number. No node is more than 3 hops from another.
void join_spmax(builder& b, std::size_t n, random_numbers& random) {
  b.join(0, 1);
  const std::size_t split = 2 + (n - 2) * 3 / 7;
  for (std::size_t i = 2; i < n; ++i) b.join(i < split ? 1 : 0, i);
  b.fill(n * static_cast<std::size_t>(std::bit_width(n) - 1) - 1, random);
}

void join_random(builder& b, std::size_t n, random_numbers& random) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (random.below(2) == 1) b.join(i, j);
    }
  }
  // Only a small graph can have fallen apart.
  while (!connected(b.built())) {
    const auto distance = distances(b.built(), 0);
    const auto lost = static_cast<std::size_t>(std::ranges::find(distance, k_unreached) - distance.begin());
    b.join(lost, random.below(lost));
  }
}

void join_spmin(builder& b, std::size_t n, random_numbers& random) {
  for (std::size_t i = 1; i < n; ++i) b.join(i, random.below(i));
  b.fill(n - 1 + n / 16, random);
}

/// A stream of its own for each part of an input, so that graphs of equal recipes are equal for all kernels.
enum class part : std::uint64_t { edges, ids, root, weights, votes };

random_numbers stream(const recipe& r, part p) {
  random_numbers seeds(r.seed * 8 + static_cast<std::uint64_t>(p));
  return random_numbers(seeds.next());
}

template <class T>
void shuffle(std::vector<T>& all, random_numbers& random) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
}

std::vector<std::int64_t> ids(const recipe& r) {
  std::vector<std::int64_t> all(r.n);
  std::iota(all.begin(), all.end(), 1);
  random_numbers random = stream(r, part::ids);
  shuffle(all, random);
  return all;
}

std::vector<std::int64_t> ring(const recipe& r) {
  if (r.shape != family::ring) throw std::invalid_argument("imsuite: HS and LCR run on a ring, not on a graph");
  if (r.n < 2 || r.n > k_most_nodes) throw std::invalid_argument("imsuite: a ring has 2 to 1048576 nodes");
  return ids(r);
}

std::uint32_t root_of(const recipe& r, const graph& g) {
  random_numbers random = stream(r, part::root);
  const std::uint32_t root = random.below(g.n);
  if (r.shape != family::spmax) return root;
  constexpr std::uint32_t k_published = 3;
  for (std::size_t i = 0; i < g.n; ++i) {
    const std::size_t candidate = (root + i) % g.n;
    if (eccentricity(g, candidate) == k_published) return static_cast<std::uint32_t>(candidate);
  }
  return root;
}

/// A one-to-one mapping of 31-bit numbers, different for each key: distinct pairs get distinct weights.
std::uint64_t scrambled(std::uint64_t x, std::uint64_t key) {
  constexpr std::uint64_t k_mask = (std::uint64_t{1} << 31) - 1;
  x = (x + key) & k_mask;
  for (int turn = 0; turn < 3; ++turn) {
    x = (x * 0x2C1B3C6Du + key) & k_mask;
    x ^= x >> 15;
  }
  return x;
}

/// Different for all pairs, whether or not there is an edge.
std::vector<std::int64_t> weights(const recipe& r) {
  const std::uint64_t key = stream(r, part::weights).next();
  const auto largest = static_cast<std::uint64_t>(k_largest_number);
  std::vector<std::int64_t> all(r.n * r.n, k_largest_number);
  std::uint64_t pair = 0;
  for (std::size_t i = 0; i < r.n; ++i) {
    for (std::size_t j = 0; j < i; ++j, ++pair) {
      std::uint64_t weight = scrambled(pair, key);
      if (weight == largest) weight = scrambled(largest, key);  // the diagonal's; no pair has this index
      all[i * r.n + j] = all[j * r.n + i] = static_cast<std::int64_t>(weight);
    }
  }
  return all;
}

void make(const recipe& r, bf_input& input) {
  input.g = generate_graph(r);
  input.root = root_of(r, input.g);
}

void make(const recipe& r, dst_input& input) {
  input.g = generate_graph(r);
  input.root = root_of(r, input.g);
}

void make(const recipe& r, kc_input& input) {
  input.g = generate_graph(r);
  input.k = static_cast<std::uint32_t>(std::min<std::size_t>(3, r.n));
  input.id = ids(r);
}

void make(const recipe& r, dp_input& input) {
  input.g = generate_graph(r);
  input.id = ids(r);
}

void make(const recipe& r, hs_input& input) { input.id = ring(r); }

void make(const recipe& r, lcr_input& input) { input.id = ring(r); }

void make(const recipe& r, mis_input& input) { input.g = generate_graph(r); }

void make(const recipe& r, mst_input& input) {
  input.g = generate_graph(r);
  input.weight = weights(r);
}

void make(const recipe& r, by_input& input) {
  input.g = generate_graph(r);
  random_numbers random = stream(r, part::votes);
  for (std::size_t i = 0; i < r.n; ++i) input.vote.push_back(static_cast<std::uint8_t>(random.below(2)));
  input.traitor.resize(r.n);
  std::iota(input.traitor.begin(), input.traitor.end(), 0u);
  shuffle(input.traitor, random);
  input.traitor.resize(traitors(r.n));
}

void make(const recipe& r, ds_input& input) { input.g = generate_graph(r); }

void make(const recipe& r, vc_input& input) {
  const graph g = generate_graph(r);
  const auto distance = distances(g, 0);
  builder tree(r.n);
  input.parent.assign(r.n, 0);
  for (std::uint32_t i = 1; i < r.n; ++i) {
    const auto above = std::ranges::find_if(g.neighbours[i], [&](auto j) { return distance[j] + 1 == distance[i]; });
    input.parent[i] = *above;
    tree.join(i, *above);
  }
  input.g = tree.take();
}

void make(const recipe& r, dr_input& input) {
  input.g = generate_graph(r);
  input.weight = weights(r);
}

}  // namespace

family family_named(const std::string& name) {
  std::string known;
  for (const auto& [text, value] : k_families) {
    if (name == text) return value;
    known += known.empty() ? "" : ", ";
    known += text;
  }
  throw std::invalid_argument("imsuite: no family is named '" + name + "'; there are " + known);
}

std::string name_of(family shape) {
  const auto named = std::ranges::find(k_families, shape, &std::pair<std::string_view, family>::second);
  return std::string(named->first);
}

graph generate_graph(const recipe& r) {
  constexpr std::size_t k_most = std::size_t{1} << 15;  // as many nodes make 2^29 pairs: every index has 31 bits
  if (r.n < 2 || r.n > k_most) throw std::invalid_argument("imsuite: a graph has 2 to 32768 nodes");
  builder b(r.n);
  random_numbers random = stream(r, part::edges);
  switch (r.shape) {
    case family::spmax: join_spmax(b, r.n, random); break;
    case family::random: join_random(b, r.n, random); break;
    case family::complete:
      for (std::size_t i = 1; i < r.n; ++i) {
        for (std::size_t j = 0; j < i; ++j) b.join(i, j);
      }
      break;
    case family::spmin: join_spmin(b, r.n, random); break;
    case family::chain:
      for (std::size_t i = 1; i < r.n; ++i) b.join(i - 1, i);
      break;
    case family::star:
      for (std::size_t i = 1; i < r.n; ++i) b.join(0, i);
      break;
    case family::ring: throw std::invalid_argument("imsuite: a ring is for HS and LCR; other kernels need a graph");
  }
  return b.take();
}

template <class Input>
Input generate(const recipe& r) {
  Input input;
  make(r, input);
  return input;
}

template bf_input generate(const recipe&);
template dst_input generate(const recipe&);
template kc_input generate(const recipe&);
template dp_input generate(const recipe&);
template hs_input generate(const recipe&);
template lcr_input generate(const recipe&);
template mis_input generate(const recipe&);
template mst_input generate(const recipe&);
template by_input generate(const recipe&);
template ds_input generate(const recipe&);
template vc_input generate(const recipe&);
template dr_input generate(const recipe&);

}  // namespace bench::imsuite
