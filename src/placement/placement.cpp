// SPDX-License-Identifier: Apache-2.0
#include "placement/placement.hpp"

#include "placement/policies.hpp"

namespace tactus::detail {

std::unique_ptr<placement> make_placement(placement_policy policy, const placement_settings& settings) {
  switch (policy) {
    case placement_policy::none: break;
    case placement_policy::work_dealing: return make_work_dealing(settings);
    case placement_policy::eager_dealing: return make_eager_dealing(settings);
    case placement_policy::lifeline: return make_lifeline(settings);
    case placement_policy::hybrid: return make_hybrid(settings);
    case placement_policy::random_stealing: return make_random_stealing(settings);
    case placement_policy::sender_threshold: return make_sender_threshold(settings);
    case placement_policy::proportional: return make_proportional(settings);
  }
  return make_no_placement();
}

}  // namespace tactus::detail
