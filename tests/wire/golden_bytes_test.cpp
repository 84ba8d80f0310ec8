// SPDX-License-Identifier: Apache-2.0
// What each kind of value is written as, byte for byte, on a machine that stores the lowest byte of a number first. Places of one job
// are built alike; but what changes here changes the format, and with it the version that they tell each other.
#include <tactus/place/place.hpp>
#include <tactus/place/travels.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "wire/messages.hpp"

namespace {

template <class T>
std::string hex(const T& x) {
  return messages::hex(messages::written(x));
}

class golden_bytes : public testing::Test {
protected:
  void SetUp() override {
    if (std::endian::native != std::endian::little) {
      GTEST_SKIP() << "these are the bytes of another kind of machine";
    }
  }
};

struct numbers {
  std::uint16_t a;
  std::uint16_t b;
  std::uint32_t c;
};
struct mixed {
  std::uint16_t a;
  std::string b;
};
struct nothing {};
struct link {
  std::uint8_t value;
  std::unique_ptr<link> next;
};
enum class colour : std::uint16_t { green = 0x0102 };

TEST_F(golden_bytes, of_numbers) {
  EXPECT_EQ(hex(true), "01");
  EXPECT_EQ(hex('A'), "41");
  EXPECT_EQ(hex(0x01020304), "04 03 02 01");
  EXPECT_EQ(hex(std::int64_t{-2}), "fe ff ff ff ff ff ff ff");
  EXPECT_EQ(hex(1.0), "00 00 00 00 00 00 f0 3f");
  EXPECT_EQ(hex(colour::green), "02 01");
}

TEST_F(golden_bytes, of_numbers_of_the_other_byte_order) {
  EXPECT_EQ(messages::hex(messages::written<tactus::detail::byte_order::swapped>(0x01020304)), "01 02 03 04");
  EXPECT_EQ(messages::hex(messages::written<tactus::detail::byte_order::swapped>(std::vector<numbers>{{1, 2, 3}})),
            "00 00 00 00 00 00 00 01 00 01 00 02 00 00 00 03");
  EXPECT_EQ(messages::hex(messages::written<tactus::detail::byte_order::swapped>(std::complex<float>(1, 2))),
            "3f 80 00 00 40 00 00 00");
  EXPECT_EQ(messages::hex(messages::written<tactus::detail::byte_order::swapped>(std::bitset<100>(0x203))),
            "00 00 00 00 00 00 02 03 00 00 00 00 00 00 00 00");
}

TEST_F(golden_bytes, of_sequences) {
  EXPECT_EQ(hex(std::string("AB")), "02 00 00 00 00 00 00 00 41 42");
  EXPECT_EQ(hex(std::vector<std::uint16_t>{1, 2}), "02 00 00 00 00 00 00 00 01 00 02 00");
  EXPECT_EQ(hex(std::list<std::string>{""}), "01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
  EXPECT_EQ(hex(std::vector<bool>{true, false, true, false, false, false, false, false, true}),
            "09 00 00 00 00 00 00 00 05 01");
}

TEST_F(golden_bytes, of_products) {
  EXPECT_EQ(hex(std::pair('A', std::uint32_t{1})), "41 01 00 00 00");
  EXPECT_EQ(hex(std::tuple('A', std::uint16_t{1}, 'B')), "41 01 00 42");
  EXPECT_EQ(hex(std::tuple<>()), "");
  EXPECT_EQ(hex(std::array<std::uint16_t, 2>{1, 2}), "01 00 02 00");
  EXPECT_EQ(hex(std::array<std::string, 0>{}), messages::hex(messages::bytes(sizeof(std::array<std::string, 0>))));
}

TEST_F(golden_bytes, of_optionals_variants_and_pointers) {
  EXPECT_EQ(hex(std::optional<std::uint16_t>()), "00");
  EXPECT_EQ(hex(std::optional<std::uint16_t>(3)), "01 03 00");
  EXPECT_EQ(hex(std::variant<std::string, std::uint16_t>(std::uint16_t{3})), "01 03 00");
  EXPECT_EQ(hex(std::unique_ptr<std::uint16_t>()), "00");
  EXPECT_EQ(hex(std::make_unique<std::uint16_t>(std::uint16_t{3})), "01 03 00");
  EXPECT_EQ(hex(link{1, std::make_unique<link>(link{2, nullptr})}), "01 01 02 00");
}

TEST_F(golden_bytes, of_maps_and_sets) {
  EXPECT_EQ(hex(std::map<char, std::uint16_t>{{'A', 1}, {'B', 2}}), "02 00 00 00 00 00 00 00 41 01 00 42 02 00");
  EXPECT_EQ(hex(std::set<char>{'B', 'A'}), "02 00 00 00 00 00 00 00 41 42");
}

TEST_F(golden_bytes, of_classes) {
  EXPECT_EQ(hex(numbers{1, 2, 3}), "01 00 02 00 03 00 00 00");
  EXPECT_EQ(hex(mixed{1, "A"}), "01 00 01 00 00 00 00 00 00 00 41");
  EXPECT_EQ(hex(nothing()), "00");
  EXPECT_EQ(hex(std::vector<nothing>(2)), "02 00 00 00 00 00 00 00 00 00");
  EXPECT_EQ(hex(std::vector<std::tuple<>>(2)), "02 00 00 00 00 00 00 00 00 00");
  EXPECT_EQ(hex(tactus::place(tactus::place::unchecked{258})), "02 01 00 00");
}

TEST_F(golden_bytes, of_times_complex_numbers_and_bitsets) {
  EXPECT_EQ(hex(std::chrono::duration<std::int32_t>(258)), "02 01 00 00");
  EXPECT_EQ(hex(std::complex<float>(1, 0)), "00 00 80 3f 00 00 00 00");
  EXPECT_EQ(hex(std::bitset<10>(0x203)), "03 02 00 00 00 00 00 00");
}

}  // namespace
