// SPDX-License-Identifier: Apache-2.0
// Files of arrays that are damaged, lie, or come from a machine of the other byte order: what was saved, or an error.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "array/checkpoint_head.hpp"
#include "array/crc32c.hpp"
#include "support/temporary.hpp"

namespace {
namespace ts = tactus;
namespace td = tactus::detail;

void write(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

const ts::box<2> k_box = ts::range(-1, 2) * ts::range(0, 4);

template <class T>
T value_of(const ts::point<2>& p) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(static_cast<std::size_t>(p[1]), 'x') + std::to_string(p[0]);
  } else if constexpr (std::is_same_v<T, bool>) {
    return (p[0] + p[1]) % 2 == 0;
  } else {
    return static_cast<T>(10 * p[0] + p[1]);
  }
}

template <class T>
std::string saved(const std::string& file) {
  ts::dist_array<T, 2> a(ts::dist<2>::block(k_box, ts::axes(1)), {.name = "a"});
  a.for_each([](const ts::point<2>& p, T& x) { x = value_of<T>(p); });
  a.save(file);
  return support::contents_of(file);
}

// Whether it is an error, whose text names the file; else all has to be as it was saved.
template <class T>
bool is_error(const std::string& file) {
  try {
    const auto a = ts::dist_array<T, 2>::load(file, ts::dist<2>::block(k_box));
    for (const auto& [p, x] : a.sequence()) {
      EXPECT_EQ(x, value_of<T>(p));
    }
    return false;
  } catch (const ts::error& e) {
    EXPECT_NE(std::string(e.what()).find(file), std::string::npos) << e.what();
    return true;
  }
}

template <class F>
void at_two_places(F&& body) {
  const support::temporary_folder folder;
  // Seeded: on one thread, since there are thousands of loads.
  ts::run(ts::config{.threads = 1, .places = 2, .seed = 1}, [&] { body(folder / "a"); });
}

template <class T>
class damaged_checkpoint : public testing::Test {};
using element_types = testing::Types<double, bool, std::string>;
TYPED_TEST_SUITE(damaged_checkpoint, element_types);

TYPED_TEST(damaged_checkpoint, is_told_of_whatever_is_cut_off) {
  at_two_places([](const std::string& file) {
    const std::string whole = saved<TypeParam>(file);
    EXPECT_FALSE(is_error<TypeParam>(file));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      write(file, whole.substr(0, size));
      EXPECT_TRUE(is_error<TypeParam>(file)) << size;
    }
    write(file, whole + 'x');
    EXPECT_TRUE(is_error<TypeParam>(file));
  });
}

TYPED_TEST(damaged_checkpoint, is_told_of_any_bit) {
  at_two_places([](const std::string& file) {
    std::string text = saved<TypeParam>(file);
    for (char& byte : text) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << bit));
        write(file, text);
        EXPECT_TRUE(is_error<TypeParam>(file)) << &byte - text.data() << "." << bit;
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << bit));
      }
    }
    write(file, text);
    EXPECT_FALSE(is_error<TypeParam>(file));
  });
}

// ---- with sums that are right ----

td::checkpoint_head head_in(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  const std::size_t size = td::length_of_head(bytes.first<td::k_checkpoint_begin>(), text.size(), "text");
  return td::head_of(bytes.first(size), text.size(), "text");
}
std::string with_head(const td::checkpoint_head& head, const std::string& text) {
  const std::vector<std::byte> bytes = td::bytes_of(head);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) + text.substr(bytes.size());
}

TEST(lying_checkpoint, is_told) {
  at_two_places([](const std::string& file) {
    const std::string text = saved<double>(file);
    const td::checkpoint_head head = head_in(text);
    ASSERT_EQ(head.blocks.size(), 2U);
    EXPECT_EQ(with_head(head, text), text);
    const auto is_told = [&](auto&& change) {
      td::checkpoint_head other = head;
      change(other);
      write(file, with_head(other, text));
      return is_error<double>(file);
    };
    EXPECT_FALSE(is_told([](auto&) {}));
    const auto first_twice = [](auto& h) { std::copy_n(h.boxes.begin(), 4, h.boxes.begin() + 4); };
    EXPECT_TRUE(is_told(first_twice));
    EXPECT_TRUE(is_told([](auto& h) { h.region[0] -= 1; }));
    EXPECT_TRUE(is_told([](auto& h) { h.boxes[0] -= 1; }));
    EXPECT_TRUE(is_told([](auto& h) { h.boxes[0] += 1, h.boxes[2] += 1; }));
    EXPECT_TRUE(is_told([](auto& h) { h.boxes[2] = 1LL << 62; }));
    EXPECT_TRUE(is_told([](auto& h) { h.blocks[0].offset += 8; }));
    EXPECT_TRUE(is_told([](auto& h) { h.blocks[0].bytes = ~std::uint64_t{0}; }));
    EXPECT_TRUE(is_told([](auto& h) { h.blocks[0].sum += 1; }));
    EXPECT_TRUE(is_told([](auto& h) { h.kind = td::element_kind::complex; }));
    EXPECT_TRUE(is_told([](auto& h) { h.type = "float32"; }));
    EXPECT_TRUE(is_told([](auto& h) { h.element_bytes = 4; }));
  });
}

TEST(lying_checkpoint, is_told_of_elements_that_are_none) {
  at_two_places([](const std::string& file) {
    std::string text = saved<bool>(file);
    td::checkpoint_head head = head_in(text);
    const auto first = static_cast<std::size_t>(head.blocks[0].offset);
    text[first] = 7;
    const auto block = [&] {
      return std::as_bytes(std::span(text).subspan(first, static_cast<std::size_t>(head.blocks[0].bytes)));
    };
    head.blocks[0].sum = td::crc32c(0, block());
    write(file, with_head(head, text));
    EXPECT_TRUE(is_error<bool>(file));

    text = saved<std::string>(file);
    head = head_in(text);
    for (const char lie : {'\xff', '\x40'}) {
      for (std::size_t at = 0; at < 8; ++at) {  // the length of the first string
        std::string other = text;
        other[static_cast<std::size_t>(head.blocks[0].offset) + at] = lie;
        td::checkpoint_head h = head;
        h.blocks[0].sum =
            td::crc32c(0, std::as_bytes(std::span(other).subspan(static_cast<std::size_t>(h.blocks[0].offset),
                                                                 static_cast<std::size_t>(h.blocks[0].bytes))));
        write(file, with_head(h, other));
        EXPECT_TRUE(is_error<std::string>(file));
      }
    }
  });
}

// ---- of the other byte order ----

class turner {
public:
  explicit turner(std::string& text) : text_(text) {}
  void turn(std::size_t bytes) {
    std::reverse(text_.begin() + at_, text_.begin() + at_ + static_cast<std::ptrdiff_t>(bytes));
    at_ += static_cast<std::ptrdiff_t>(bytes);
  }
  void turn(std::size_t bytes, std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) turn(bytes);
  }
  void skip(std::size_t bytes) { at_ += static_cast<std::ptrdiff_t>(bytes); }
  std::size_t at() const { return static_cast<std::size_t>(at_); }

private:
  std::string& text_;
  std::ptrdiff_t at_ = 0;
};

std::uint32_t sum_of(const std::string& text, std::size_t from, std::size_t bytes) {
  return td::crc32c(0, std::as_bytes(std::span(text).subspan(from, bytes)));
}
void put_turned(std::string& text, std::size_t at, std::uint32_t number) {
  std::memcpy(&text[at], &number, sizeof number);
  std::reverse(&text[at], &text[at] + sizeof number);
}

// The file as the other kind of machine would have written it; turn_block turns the elements of one.
template <class F>
std::string turned(std::string text, F&& turn_block) {
  const td::checkpoint_head head = head_in(text);
  turner t(text);
  t.skip(8);
  t.turn(4, 2);
  t.turn(8, 3);
  t.turn(4, 2);
  t.turn(8, 3);
  t.skip(8);
  t.skip((head.type.size() + 7) / 8 * 8);
  t.turn(8, head.region.size());
  std::vector<std::size_t> sums;
  for (std::size_t i = 0; i < head.blocks.size(); ++i) {
    t.turn(8, head.boxes.size() / head.blocks.size() + 2);
    sums.push_back(t.at());
    t.turn(4, 2);
  }
  for (std::size_t i = 0; i < head.blocks.size(); ++i) {
    turn_block(t, static_cast<std::size_t>(head.blocks[i].bytes), text);
    put_turned(
        text, sums[i],
        sum_of(text, static_cast<std::size_t>(head.blocks[i].offset), static_cast<std::size_t>(head.blocks[i].bytes)));
  }
  put_turned(text, 72, sum_of(text, 80, static_cast<std::size_t>(head.bytes()) - 80));
  put_turned(text, 76, sum_of(text, 0, 76));
  return text;
}

TEST(turned_checkpoint, is_put_right) {
  at_two_places([](const std::string& file) {
    write(file,
          turned(saved<double>(file), [](turner& t, std::size_t bytes, const std::string&) { t.turn(8, bytes / 8); }));
    EXPECT_FALSE(is_error<double>(file));
    write(file, turned(saved<std::string>(file), [](turner& t, std::size_t bytes, const std::string& text) {
            for (const std::size_t end = t.at() + bytes; t.at() < end;) {
              std::uint64_t length = 0;
              std::memcpy(&length, &text[t.at()], sizeof length);
              t.turn(8);
              t.skip(static_cast<std::size_t>(length));
            }
          }));
    EXPECT_FALSE(is_error<std::string>(file));
  });
}

TEST(turned_checkpoint, whose_elements_show_no_fields_is_told) {
  struct opaque {
    std::array<long double, 1> x;
  };
  at_two_places([](const std::string& file) {
    ts::dist_array<opaque, 2> a(ts::dist<2>::block(k_box), {.name = "a"});
    a.save(file);
    write(file,
          turned(support::contents_of(file), [](turner& t, std::size_t bytes, const std::string&) { t.skip(bytes); }));
    try {
      static_cast<void>(ts::dist_array<opaque, 2>::load(file, ts::dist<2>::block(k_box)));
      ADD_FAILURE();
    } catch (const ts::usage_error& e) {
      EXPECT_NE(std::string(e.what()).find("stores numbers the other way round"), std::string::npos) << e.what();
    }
  });
}

// ---- sums ----

TEST(crc32c_test, is_that_of_iscsi) {
  const auto sum = [](const std::string& text) { return td::crc32c(0, std::as_bytes(std::span(text))); };
  EXPECT_EQ(sum("123456789"), 0xE3069283U);
  EXPECT_EQ(sum(std::string(32, '\0')), 0x8A9136AAU);  // RFC 3720, B.4
  EXPECT_EQ(sum(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(sum(""), 0U);
}

TEST(crc32c_test, is_the_same_by_tables_and_in_pieces) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(300);
  std::generate(bytes.begin(), bytes.end(), [&random] { return static_cast<std::byte>(random()); });
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const std::span<const std::byte> all(bytes.data() + bytes.size() - n, n);
    EXPECT_EQ(td::crc32c(0, all), td::crc32c_by_tables(0, all)) << n;
    const std::size_t cut = n == 0 ? 0 : random() % n;
    EXPECT_EQ(td::crc32c(td::crc32c(0, all.first(cut)), all.subspan(cut)), td::crc32c(0, all)) << n;
  }
}

}  // namespace
