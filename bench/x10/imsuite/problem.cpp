// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/problem.hpp"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "x10/imsuite/generate.hpp"
#include "x10/imsuite/text.hpp"

namespace bench::imsuite {
namespace {

template <class Input>
std::size_t nodes_of(const Input& input) {
  if constexpr (requires { input.g.n; }) {
    return input.g.n;
  } else {
    return input.id.size();
  }
}

/// The name of a published file: the ring needs no family.
std::string published_name(std::string_view stem, std::size_t n, const std::string& shape) {
  const std::string name = "input" + std::string(stem) + "_" + std::to_string(n);
  return name + (shape == "ring" ? "" : "_-" + shape) + ".txt";
}

}  // namespace

imsuite_problem::imsuite_problem(const options& o) : options_(o), loaded_(load(o)), counts_(count()) {}

template <class State>
imsuite_problem::loaded imsuite_problem::load_as(const options& o) {
  using input_type = typename kernel<State>::input;
  recipe r;
  r.shape = o.family.empty() ? default_family<input_type>() : family_named(o.family);
  r.n = o.size == 0 ? kernel<State>::published_size : static_cast<std::size_t>(o.size);
  r.seed = o.seed;
  std::string source = o.input;
  if (source.empty() && !o.inputs.empty()) {
    const auto file = std::filesystem::path(o.inputs) / published_name(kernel<State>::stem, r.n, name_of(r.shape));
    if (std::filesystem::exists(file)) source = file.string();
  }
  const bool from_file = !source.empty();
  if (!from_file) source = "generated " + name_of(r.shape) + ", seed " + std::to_string(r.seed);
  input_type input = from_file ? read_file<input_type>(source) : generate<input_type>(r);
  const std::size_t n = nodes_of(input);
  return {any_state(std::in_place_type<State>, std::move(input), o.load), std::string(kernel<State>::name), source, n};
}

imsuite_problem::loaded imsuite_problem::load(const options& o) {
  std::string known;
  const auto find = [&]<std::size_t K>(const auto& self,
                                       std::integral_constant<std::size_t, K> /*position*/) -> loaded {
    if constexpr (K == std::variant_size_v<any_state>) {
      throw std::invalid_argument("imsuite: no kernel is named '" + o.kernel + "'; there are " + known);
    } else {
      using state = std::variant_alternative_t<K, any_state>;
      if (o.kernel == kernel<state>::name) return load_as<state>(o);
      known += (K == 0 ? "" : ", ") + std::string(kernel<state>::name);
      return self(self, std::integral_constant<std::size_t, K + 1>{});
    }
  };
  return find(find, std::integral_constant<std::size_t, 0>{});
}

counts imsuite_problem::count() {
  counting_engine engine;
  run(engine);
  verify();
  reset();
  return engine.seen();
}

void imsuite_problem::reset() {
  std::visit([](auto& state) { state.reset(); }, loaded_.state);
}

void imsuite_problem::verify() const {
  std::visit([](const auto& state) { kernel<std::decay_t<decltype(state)>>::verify(state); }, loaded_.state);
}

std::uint64_t imsuite_problem::operations() const {
  return counts_.advances != 0 ? counts_.advances : counts_.clocked_tasks;
}

void imsuite_problem::report(nlohmann::json& line) const {
  line["kernel"] = loaded_.kernel;
  line["size"] = loaded_.nodes;
  line["input"] = loaded_.source;
  line["load"] = options_.load;
  line["advances"] = counts_.advances;
  line["atomics"] = counts_.atomics;
  if (!options_.form.empty()) line["form"] = options_.form;
  if (options_.form == "clocked") line["wait"] = options_.wait;
}

}  // namespace bench::imsuite
