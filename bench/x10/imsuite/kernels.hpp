// SPDX-License-Identifier: Apache-2.0
// All the kernels in one list, by which programs choose one by its name.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "x10/imsuite/bf.hpp"
#include "x10/imsuite/by.hpp"
#include "x10/imsuite/dp.hpp"
#include "x10/imsuite/dr.hpp"
#include "x10/imsuite/ds.hpp"
#include "x10/imsuite/dst.hpp"
#include "x10/imsuite/hs.hpp"
#include "x10/imsuite/kc.hpp"
#include "x10/imsuite/lcr.hpp"
#include "x10/imsuite/mis.hpp"
#include "x10/imsuite/mst.hpp"
#include "x10/imsuite/vc.hpp"

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

template <>
struct kernel<kc_state> {
  using input = kc_input;
  static constexpr std::string_view name = "KC";
  static constexpr std::string_view stem = "kcommitte";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, kc_state& s) {
    run_kc(engine, s);
  }
  static void verify(const kc_state& s) { verify_kc(s); }
};

template <>
struct kernel<by_state> {
  using input = by_input;
  static constexpr std::string_view name = "BY";
  static constexpr std::string_view stem = "byzantine";
  static constexpr std::size_t published_size = 128;
  template <class Engine>
  static void run(Engine& engine, by_state& s) {
    run_by(engine, s);
  }
  static void verify(const by_state& s) { verify_by(s); }
};

template <>
struct kernel<dst_state> {
  using input = dst_input;
  static constexpr std::string_view name = "DST";
  static constexpr std::string_view stem = "bfsDijkstra";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, dst_state& s) {
    run_dst(engine, s);
  }
  static void verify(const dst_state& s) { verify_dst(s); }
};

template <>
struct kernel<mis_state> {
  using input = mis_input;
  static constexpr std::string_view name = "MIS";
  static constexpr std::string_view stem = "mis";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, mis_state& s) {
    run_mis(engine, s);
  }
  static void verify(const mis_state& s) { verify_mis(s); }
};

template <>
struct kernel<mst_state> {
  using input = mst_input;
  static constexpr std::string_view name = "MST";
  static constexpr std::string_view stem = "mst";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, mst_state& s) {
    run_mst(engine, s);
  }
  static void verify(const mst_state& s) { verify_mst(s); }
};

template <>
struct kernel<ds_state> {
  using input = ds_input;
  static constexpr std::string_view name = "DS";
  static constexpr std::string_view stem = "dominatingSet";
  static constexpr std::size_t published_size = 128;
  template <class Engine>
  static void run(Engine& engine, ds_state& s) {
    run_ds(engine, s);
  }
  static void verify(const ds_state& s) { verify_ds(s); }
};

template <>
struct kernel<dp_state> {
  using input = dp_input;
  static constexpr std::string_view name = "DP";
  static constexpr std::string_view stem = "leader_elect_dp";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, dp_state& s) {
    run_dp(engine, s);
  }
  static void verify(const dp_state& s) { verify_dp(s); }
};

/// Not in figure 14, which has the kernels with clocks only.
template <>
struct kernel<dr_state> {
  using input = dr_input;
  static constexpr std::string_view name = "DR";
  static constexpr std::string_view stem = "dijkstraRouting";
  static constexpr std::size_t published_size = 512;
  template <class Engine>
  static void run(Engine& engine, dr_state& s) {
    run_dr(engine, s);
  }
  static void verify(const dr_state& s) { verify_dr(s); }
};

/// One kernel's state, with its input.
using any_state = std::variant<hs_state, lcr_state, bf_state, vc_state, kc_state, by_state, dst_state, mis_state,
                               mst_state, ds_state, dp_state, dr_state>;

}  // namespace bench::imsuite
