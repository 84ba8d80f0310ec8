// SPDX-License-Identifier: Apache-2.0
// All the kernels in one list, by which programs choose one by its name.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "imsuite/bf.hpp"
#include "imsuite/hs.hpp"
#include "imsuite/lcr.hpp"
#include "imsuite/vc.hpp"

namespace bench::imsuite {

/// What is known of the kernel with this state: its name in figure 14, the stem of its published input files, the
/// size that figure 14 gives, and its functions.
template <class State>
struct kernel;

template <>
struct kernel<hs_state> {
  using input = hs_input;
  static constexpr std::string_view name = "HS";
  static constexpr std::string_view stem = "leader_elect_hs";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, hs_state& s) {
    run_hs(engine, s);
  }
  static void verify(const hs_state& s) { verify_hs(s); }
};

template <>
struct kernel<lcr_state> {
  using input = lcr_input;
  static constexpr std::string_view name = "LCR";
  static constexpr std::string_view stem = "leader_elect_lcr";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, lcr_state& s) {
    run_lcr(engine, s);
  }
  static void verify(const lcr_state& s) { verify_lcr(s); }
};

template <>
struct kernel<bf_state> {
  using input = bf_input;
  static constexpr std::string_view name = "BF";
  static constexpr std::string_view stem = "bfsBellmanFord";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, bf_state& s) {
    run_bf(engine, s);
  }
  static void verify(const bf_state& s) { verify_bf(s); }
};

template <>
struct kernel<vc_state> {
  using input = vc_input;
  static constexpr std::string_view name = "VC";
  static constexpr std::string_view stem = "vertexColoring";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, vc_state& s) {
    run_vc(engine, s);
  }
  static void verify(const vc_state& s) { verify_vc(s); }
};

/// One kernel's state, with its input.
using any_state = std::variant<hs_state, lcr_state, bf_state, vc_state>;

}  // namespace bench::imsuite
