// SPDX-License-Identifier: Apache-2.0
// tactus_scale OPERATION PLACES [LATENCY SEND RECEIVE]: one line of JSON; status 2 and a line on stderr for arguments that are none.
#include "scale/operations.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

constexpr std::array<std::string_view, 5> k_operations{"finish", "round", "at_each", "barrier", "verdict"};

struct bad_argument : std::invalid_argument {
  using invalid_argument::invalid_argument;
};

template <class Number>
Number number_in(std::string_view what, std::string_view text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    throw bad_argument(std::string(what) + " '" + std::string(text) + "' is no whole number from " +
                       std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

scale::operation operation_named(std::string_view name) {
  for (std::size_t i = 0; i < k_operations.size(); ++i) {
    if (k_operations[i] == name) return static_cast<scale::operation>(i);
  }
  throw bad_argument("OPERATION '" + std::string(name) + "' is none of finish, round, at_each, barrier, verdict");
}

void measure(int argc, char** argv) {
  if (argc != 3 && argc != 6) {
    throw bad_argument("wanted: OPERATION PLACES [LATENCY SEND RECEIVE], and these are " + std::to_string(argc - 1) +
                       " arguments");
  }
  constexpr std::int64_t k_second = 1'000'000'000;
  const scale::operation what = operation_named(argv[1]);
  const int places = number_in("PLACES", argv[2], 2, 32768);
  scale::costs c;
  if (argc == 6) {
    c.latency = number_in<std::int64_t>("LATENCY", argv[3], 1, k_second);
    c.send = number_in<std::int64_t>("SEND", argv[4], 0, k_second);
    c.receive = number_in<std::int64_t>("RECEIVE", argv[5], 0, k_second);
  }
  const scale::outcome seen = scale::cost_of(what, places, c);
  std::printf("{\"operation\": \"%s\", \"places\": %d, \"messages\": %llu, \"at_busiest\": %llu, \"time\": %lld}\n",
              argv[1], places, static_cast<unsigned long long>(seen.messages),
              static_cast<unsigned long long>(seen.at_busiest), static_cast<long long>(seen.time));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    measure(argc, argv);
    return 0;
  } catch (const bad_argument& e) {
    std::fprintf(stderr, "tactus_scale: %s\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tactus_scale: %s\n", e.what());
    return 1;
  }
}
