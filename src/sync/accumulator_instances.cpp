// SPDX-License-Identifier: Apache-2.0
// The states of accumulators of the usual numbers, which otherwise every file that uses one would compile; in a shared
// library nobody would find them.

#include <tactus/sync/accumulator.hpp>

#ifdef TACTUS_STATIC
namespace tactus::detail {

template class accumulator_state<int, operator_of<int>>;
template class accumulator_state<unsigned, operator_of<unsigned>>;
template class accumulator_state<long, operator_of<long>>;
template class accumulator_state<unsigned long, operator_of<unsigned long>>;
template class accumulator_state<float, operator_of<float>>;
template class accumulator_state<double, operator_of<double>>;

}  // namespace tactus::detail
#endif
