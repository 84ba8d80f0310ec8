// SPDX-License-Identifier: Apache-2.0
// What another place has sent: values of a type that nests all kinds, and exceptions. The first byte says in which order numbers are.
#include "targets.hpp"

#include <bit>
#include <bitset>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <tactus/base/error.hpp>
#include <tactus/place/impl/exception_bytes.hpp>
#include <tactus/place/remote_exception.hpp>
#include <tactus/place/travels.hpp>

namespace fuzz {
namespace {

namespace td = tactus::detail;
using td::byte_order;

struct numbers {
  std::int8_t small = 0;
  bool flag = false;
  double large = 0;
};

class own {
public:
  template <class Ar>
  void serialize(Ar& ar) {
    ar & text_;
    if (text_ == "throw") {
      throw std::runtime_error("as the text says");
    }
  }

private:
  std::string text_;
};

struct everything {
  std::string text;
  std::vector<numbers> rows;
  std::vector<std::string> words;
  std::vector<bool> flags;
  std::list<std::tuple<>> nothings;
  std::map<std::string, std::optional<std::uint16_t>> named;
  std::unordered_map<std::int32_t, std::set<char>> sets;
  std::variant<std::monostate, std::u32string, std::complex<float>, std::bitset<70>> choice;
  std::deque<own> owns;
  std::unique_ptr<everything> next;
  std::vector<everything> below;
};

struct bad_number : std::exception {
  int number = 0;
  template <class Ar>
  void serialize(Ar& ar) {
    ar & number;
    if (number == 7) {
      throw std::runtime_error("seven");
    }
  }
};
const tactus::register_exception<bad_number> k_bad_number;

template <class T, byte_order Order>
T read(std::span<const std::byte> message) {
  td::reader<Order> in(message, 1);
  T x = td::unpack<T>(in);
  in.expect_end();
  return x;
}

// What has been read is written and read again, and written as the same bytes. (Sets of hashes keep no order, so only their number.)
template <byte_order Order>
void check_message(std::span<const std::byte> message) {
  try {
    const auto x = read<everything, Order>(message);
    const std::size_t n = td::packed_bytes(x);
    std::vector<std::byte> again(n);
    td::pack(again.data(), n, x);
    const auto y = read<everything, byte_order::same>(again);
    require(td::packed_bytes(y) == n, "what has been read is as long as what it was read from");
  } catch (const tactus::place_error& e) {
    require(std::strstr(e.what(), "message of place 1 is damaged: ") != nullptr, "an error names the sender");
  } catch (const std::runtime_error& e) {
    require(std::string_view(e.what()) == "as the text says", "else only the user's code throws");
  }
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

void messages(std::string_view text) {
  if (text.empty()) {
    return;
  }
  if (text.front() == '=') {
    check_message<byte_order::same>(bytes_of(text.substr(1)));
  } else {
    check_message<byte_order::swapped>(bytes_of(text.substr(1)));
  }
}

void exceptions(std::string_view text) {
  if (text.empty()) {
    return;
  }
  const std::string marked((text.front() == '=') == (std::endian::native == std::endian::little) ? "\2\1" : "\1\2");
  const std::string message = marked + std::string(text.substr(1));
  try {
    const auto e = td::exception_of_bytes(bytes_of(message), tactus::place(tactus::place::unchecked{1}));
    const auto again = td::exception_to_bytes(e, tactus::place(tactus::place::unchecked{2}));
    const auto twice = td::exception_of_bytes(again, tactus::place(tactus::place::unchecked{2}));
    require((e == nullptr) == (twice == nullptr), "nothing stays nothing");
    require(td::exception_to_bytes(twice, tactus::place(tactus::place::unchecked{2})) == again,
            "who has crossed once crosses again as he is");
  } catch (const tactus::place_error& e) {
    require(std::strstr(e.what(), "message of place 1") != nullptr, "an error names the sender");
  }
}

}  // namespace fuzz
