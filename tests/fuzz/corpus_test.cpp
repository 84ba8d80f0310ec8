// SPDX-License-Identifier: Apache-2.0
// The fuzzers' targets without a fuzzer: on every text of the corpus, on its beginnings, and with each byte changed.
#include "targets.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "support/temporary.hpp"

namespace {

struct named_target {
  const char* name;
  fuzz::target* run;
};

constexpr named_target k_targets[] = {
    {"edge_list", fuzz::edge_list},   {"matrix_market", fuzz::matrix_market},
    {"metis", fuzz::metis},           {"imsuite", fuzz::imsuite},
    {"options", fuzz::options},       {"cgroups", fuzz::cgroups},
    {"processors", fuzz::processors}, {"messages", fuzz::messages},
    {"exceptions", fuzz::exceptions}, {"frames", fuzz::frames},
    {"checkpoint", fuzz::checkpoint}, {"packed", fuzz::packed},
};

// Texts that were found by a fuzzer can be long; their beginnings are tried in steps.
constexpr std::size_t k_most_beginnings = 500;

class corpus : public testing::TestWithParam<named_target> {
protected:
  template <class Use>
  void for_each_text(Use&& use) const {
    const std::filesystem::path folder = std::filesystem::path(FUZZ_CORPUS) / GetParam().name;
    int texts = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      SCOPED_TRACE(file.path().string());
      use(support::contents_of(file.path().string()));
      ++texts;
    }
    EXPECT_GE(texts, 3) << folder;
  }
};

TEST_P(corpus, passes_whole) { for_each_text(GetParam().run); }

TEST_P(corpus, passes_cut_short) {
  for_each_text([](const std::string& text) {
    const std::size_t step = text.size() / k_most_beginnings + 1;
    for (std::size_t size = 0; size < text.size(); size += step) {
      // A copy of its own, so that a sanitizer sees a read behind its end.
      GetParam().run(std::string(text, 0, size));
    }
  });
}

TEST_P(corpus, passes_with_any_byte_changed) {
  for_each_text([](std::string text) {
    const std::size_t step = text.size() / k_most_beginnings + 1;
    for (std::size_t at = 0; at < text.size(); at += step) {
      const char before = text[at];
      for (const char other : {'\0', '\n', ' ', '-', '/', '0', '9', '%', '\xff'}) {
        text[at] = other;
        GetParam().run(text);
      }
      text[at] = before;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(fuzz, corpus, testing::ValuesIn(k_targets),
                         [](const auto& one) { return std::string(one.param.name); });

// A folder that no target reads would be forgotten.
TEST(corpus_folders, are_those_of_the_targets) {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(FUZZ_CORPUS)) {
    folders.insert(entry.path().filename().string());
  }
  std::set<std::string> names;
  for (const named_target& one : k_targets) names.insert(one.name);
  EXPECT_EQ(folders, names);
}

}  // namespace
