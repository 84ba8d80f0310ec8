// SPDX-License-Identifier: Apache-2.0
// What a shared library of Tactus shows to programs. All else in it is hidden: docs/adr/0011-exported-symbols.md.
#pragma once

#include <tactus/base/impl/standard.hpp>

/// Before a function or variable that the library defines and that code in a header uses, and after the `class` of an
/// exception, whose type has to be one in all of a process. A program whose call lacks it does not link with a shared
/// library.
#define TACTUS_API __attribute__((visibility("default")))

/// Before members of a class that is shown as a whole, which no code in a header uses.
#define TACTUS_HIDDEN __attribute__((visibility("hidden")))
