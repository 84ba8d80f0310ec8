// SPDX-License-Identifier: Apache-2.0
#include "simulator/costs.hpp"

#include "simulator/workload.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string_view>

namespace simulator {
namespace {

struct field {
  std::string_view name;
  std::int64_t costs::* whole;
  double costs::* fraction;
};

constexpr std::string_view k_latency = "latency_ns";
constexpr std::array<field, 9> k_fields{{
    {k_latency, nullptr, nullptr},
    {"send_ns", &costs::send, nullptr},
    {"receive_ns", &costs::receive, nullptr},
    {"failed_steal_ns", &costs::failed_steal, nullptr},
    {"poll_ns", &costs::poll, nullptr},
    {"result_ns", &costs::result, nullptr},
    {"pack_ns", &costs::pack, nullptr},
    {"byte_ns", nullptr, &costs::per_byte},
    {"result_byte_ns", nullptr, &costs::result_per_byte},
}};
constexpr double k_most = 1e12;

const field& field_named(const std::string& name, const std::string& where) {
  std::string known;
  for (const field& f : k_fields) {
    if (f.name == name) return f;
    known += (known.empty() ? "" : ", ") + std::string(f.name);
  }
  throw bad_input(where + "there is no cost '" + name + "'; known: " + known);
}

}  // namespace

costs costs_in(std::istream& in, const std::string& name) {
  costs found;
  std::string text;
  for (std::size_t line = 1; std::getline(in, text); ++line) {
    std::istringstream words(text);
    std::string what;
    if (!(words >> what) || what.front() == '#') continue;
    const std::string where = name + ":" + std::to_string(line) + ": ";
    const field& f = field_named(what, where);
    std::string word;
    std::string more;
    words >> word;
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_number = error == std::errc{} && end == word.data() + word.size() && value >= 0 && value <= k_most;
    if (!is_number || words >> more) {
      std::string said = word;
      if (!more.empty()) said += ' ' + more;
      throw bad_input(where + what + " = '" + said + "' is not allowed; allowed: a number from 0 to 1e12");
    }
    if (f.name == k_latency) {
      found.latency = std::llround(value);
    } else if (f.whole != nullptr) {
      found.*f.whole = std::llround(value);
    } else {
      found.*f.fraction = value;
    }
  }
  expect_read(in, name);
  return found;
}

}  // namespace simulator
