// SPDX-License-Identifier: Apache-2.0
#include "line_source.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/temporary.hpp"

namespace {

using spanning::input_error;
using spanning::line_source;
using piece = line_source::piece;

// Every test reads the same from a text in memory and from a file.
class either_source {
public:
  explicit either_source(std::string content) : content_(std::move(content)) {
    std::ofstream(folder_ / "lines", std::ios::binary) << content_;
  }
  template <class Check>
  void check(Check&& one) {
    line_source text("text", content_);
    one(text);
    line_source file(folder_ / "lines");
    one(file);
  }

private:
  support::temporary_folder folder_;
  std::string content_;
};

TEST(line_source, gives_lines_with_their_numbers) {
  either_source("a\n\nb").check([](line_source& source) {
    std::string_view line;
    EXPECT_EQ(source.line_number(), 0U);
    const std::string expected[] = {"a", "", "b"};
    for (std::uint64_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(source.next(line));
      EXPECT_EQ(line, expected[i]);
      EXPECT_EQ(source.line_number(), i + 1);
    }
    EXPECT_FALSE(source.next(line));
    EXPECT_FALSE(source.next(line));
  });
}

TEST(line_source, knows_the_size_of_its_text) {
  either_source("12345").check([](line_source& source) { EXPECT_EQ(source.size(), 5U); });
}

TEST(line_source, has_no_lines_in_nothing) {
  either_source("").check([](line_source& source) {
    std::string_view line;
    EXPECT_FALSE(source.next(line));
    EXPECT_EQ(source.next_piece(line), piece::none);
  });
  std::string_view line;
  line_source null("text", std::string_view());
  EXPECT_FALSE(null.next(line));
}

TEST(line_source, looks_at_the_beginning_without_taking_it) {
  either_source("%%Banner\nx\n").check([](line_source& source) {
    EXPECT_TRUE(source.begins_with("%%Banner"));
    EXPECT_TRUE(source.begins_with("%%Banner\nx\n"));
    EXPECT_FALSE(source.begins_with("%%Banner\nx\n "));
    EXPECT_FALSE(source.begins_with("x"));
    std::string_view line;
    ASSERT_TRUE(source.next(line));
    EXPECT_EQ(line, "%%Banner");
  });
}

// Words of seven letters, so that no power of two is a whole number of them.
TEST(line_source, gives_long_lines_in_parts_that_do_not_divide_words) {
  constexpr std::size_t k_words = 400'000;
  std::string content = "first\n";
  for (std::size_t i = 0; i < k_words; ++i) content += "abcdefg ";
  content += "\nlast\n";
  either_source(content).check([](line_source& source) {
    std::string_view text;
    EXPECT_EQ(source.next_piece(text), piece::end_of_line);
    EXPECT_EQ(text, "first");
    std::size_t bytes = 0;
    piece got = piece::part;
    while (got == piece::part) {
      got = source.next_piece(text);
      bytes += text.size();
      ASSERT_EQ(text.size() % 8, 0U);
      ASSERT_EQ(source.line_number(), 2U);
    }
    EXPECT_EQ(got, piece::end_of_line);
    EXPECT_EQ(bytes, k_words * 8);
    EXPECT_EQ(source.next_piece(text), piece::end_of_line);
    EXPECT_EQ(text, "last");
    EXPECT_EQ(source.line_number(), 3U);
    EXPECT_EQ(source.next_piece(text), piece::none);
  });
}

TEST(line_source, refuses_words_that_no_number_needs) {
  const std::string word(3'000'000, '1');
  either_source("1 2\n" + word + " 3\n").check([](line_source& source) {
    std::string_view text;
    (void)source.next_piece(text);
    try {
      while (source.next_piece(text) != piece::none) {
      }
      // A text in memory is one part, whatever its length.
      EXPECT_EQ(source.name(), "text");
    } catch (const input_error& e) {
      EXPECT_EQ(e.what(), source.name() + ":2: a word longer than 65536 bytes, which no number needs");
    }
  });
}

TEST(line_source, names_file_and_line_in_a_failure) {
  line_source source("text", "1\n2\n");
  std::string_view line;
  EXPECT_THROW(source.fail("nothing"), input_error);
  (void)source.next(line);
  (void)source.next(line);
  try {
    source.fail("what is wrong");
  } catch (const input_error& e) {
    EXPECT_STREQ(e.what(), "text:2: what is wrong");
  }
}

}  // namespace
