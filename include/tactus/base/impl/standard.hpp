// SPDX-License-Identifier: Apache-2.0
// The standard of C++ that the headers need. Headers that include no other one of ours include this one, so that it
// comes before whatever an older compiler does not understand.
#pragma once

#if __cplusplus < 202002L
#error "Tactus needs C++20: compile with -std=c++20 or newer, as programs linked with tactus::tactus by CMake are"
// No compiler goes on without a file that it is to include, and so nobody has to read what would follow.
#include <tactus needs -std=c++20 or newer>
#endif
