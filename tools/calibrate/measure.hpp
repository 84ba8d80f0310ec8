// SPDX-License-Identifier: Apache-2.0
// What things cost between places 0 and 1 of this run, as the simulator has it (docs/simulator.md).
#pragma once

namespace calibrate {

/// Nanoseconds, but for what is per byte.
struct measured {
  double latency = 0;
  double send = 0;
  double receive = 0;
  double per_byte = 0;
  double failed_steal = 0;
  double poll = 0;
  double result = 0;
  double result_per_byte = 0;
  double pack = 0;
};

/// In this process, from here on: a place that is to be busy sleeps, which holds its worker and leaves the processor to others.
void sleep_when_busy();

/// By the root task of a run of two places or more with one worker each, under placement_policy::lifeline.
measured measure();

}  // namespace calibrate
