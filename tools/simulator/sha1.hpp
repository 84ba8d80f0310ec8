// SPDX-License-Identifier: Apache-2.0
// SHA-1 (FIPS 180-4) of one short block, by which the trees of UTS are made; for nothing else. The command is to need no package.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace simulator {

using digest = std::array<std::uint8_t, 20>;

/// Of at most 55 bytes.
digest sha1(std::span<const std::uint8_t> message);

}  // namespace simulator
