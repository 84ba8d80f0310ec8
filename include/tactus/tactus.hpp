// SPDX-License-Identifier: Apache-2.0
// Everything a program needs.
#pragma once

#include <tactus/array/array.hpp>            // array
#include <tactus/array/array_type_name.hpp>  // array_type_name
#include <tactus/array/box.hpp>              // box, range
#include <tactus/array/dist.hpp>             // dist, grid, axes, all_axes
#include <tactus/array/dist_array.hpp>  // dist_array, copy, redistributed; <tactus/array/array_options.hpp>, <tactus/array/dist_array_ref.hpp>
#include <tactus/array/ghost_group.hpp>       // ghost_group
#include <tactus/array/point.hpp>             // point, index_t
#include <tactus/array/region.hpp>            // region
#include <tactus/array/transfer.hpp>          // transfer
#include <tactus/array/view.hpp>              // view
#include <tactus/array/width.hpp>             // width, widths, per_axis
#include <tactus/base/config.hpp>             // config, spawn_policy, binding
#include <tactus/base/counters.hpp>           // worker_counters
#include <tactus/base/error.hpp>              // error and what derives from it
#include <tactus/base/placement_policy.hpp>   // placement_policy, placement_tuning
#include <tactus/place/async_at.hpp>          // async_at
#include <tactus/place/at.hpp>                // at
#include <tactus/place/at_each.hpp>           // at_each
#include <tactus/place/at_future.hpp>         // at_future
#include <tactus/place/global_ref.hpp>        // global_ref
#include <tactus/place/place.hpp>             // place, place_group, here, num_places, places
#include <tactus/place/place_local.hpp>       // place_local
#include <tactus/place/placement.hpp>         // place_flexible, designated_place
#include <tactus/place/remote_exception.hpp>  // remote_exception, register_exception
#include <tactus/place/team.hpp>              // team
#include <tactus/place/travels.hpp>           // travels
#include <tactus/place/unlooked.hpp>          // unlooked
#include <tactus/sync/accumulator.hpp>        // accumulator
#include <tactus/sync/atomic.hpp>             // atomic, when, monitor
#include <tactus/sync/clock.hpp>              // clock, clocked, wait, advance_all, resume_all
#include <tactus/sync/lockstep.hpp>           // lockstep
#include <tactus/sync/operators.hpp>          // op
#include <tactus/sync/phaser.hpp>             // phaser, bound, phased, phased_all, next, next_single
#include <tactus/sync/phaser_mode.hpp>        // phaser_mode
#include <tactus/sync/strategy.hpp>           // strategy, delay_function
#include <tactus/sync/stream.hpp>             // stream
#include <tactus/task/async.hpp>              // async, named, affinity
#include <tactus/task/batched.hpp>            // batched
#include <tactus/task/finish.hpp>             // finish
#include <tactus/task/future.hpp>             // future, promise, external, async_future
#include <tactus/task/loops.hpp>              // for_each, reduce, monoid
#include <tactus/task/run.hpp>                // run, runtime
#include <tactus/task/task_local.hpp>         // task_local
#include <tactus/task/workers.hpp>            // num_workers, worker_id, yield
#include <tactus/trace/stats.hpp>             // stats
#include <tactus/version.hpp>                 // version, TACTUS_VERSION
