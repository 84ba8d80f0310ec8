// SPDX-License-Identifier: Apache-2.0
#include "array/exchange_words.hpp"

#include <tactus/place/impl/pack_here.hpp>
#include <tactus/wire/impl/archives.hpp>

#include <cstdio>
#include <ctime>
#include <exception>

namespace tactus::detail {

std::int64_t time_of_report() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);  // a third of what the precise one takes, and right to 4 ms
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void write_head(std::byte* to, const message_head& h) noexcept {
  pack_here(to, k_head, h.number, h.tag, h.which, h.round);
}

message_head read_head(std::span<const std::byte> bytes, byte_order order, int from) {
  message_head h;
  const auto read = [&](auto in) { in & h.number & h.tag & h.which & h.round; };
  if (order == byte_order::same) {
    read(reader<byte_order::same>(bytes, from));
  } else {
    read(reader<byte_order::swapped>(bytes, from));
  }
  return h;
}

void end_out_of_turn(const std::string& of, int from, int here, std::uint64_t number, std::uint64_t begun) noexcept {
  std::fprintf(stderr,
               "tactus: place %d has sent exchange %llu of %s to place %d, which has begun %llu: the places run unlike "
               "programs, or what carries messages has changed one; the program cannot go on\n",
               from, static_cast<unsigned long long>(number), of.c_str(), here, static_cast<unsigned long long>(begun));
  std::terminate();
}

}  // namespace tactus::detail
