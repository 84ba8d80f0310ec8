// SPDX-License-Identifier: Apache-2.0
// How often each word comes, with the words spread over all places by their hash: as word_count.upcxx.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ts = tactus;

using counts = std::unordered_map<std::string, int>;

std::vector<std::string> words_of(int place) { return {"call", "me", place % 2 == 0 ? "ishmael" : "queequeg"}; }

ts::place home_of(const std::string& word) {
  return ts::place(static_cast<int>(std::hash<std::string>{}(word) % static_cast<std::size_t>(ts::num_places())));
}

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 4}, argc, argv, [] {
    const ts::place_local<counts> all;
    ts::at_each(ts::places(), [all = all.ref()] {
      for (const std::string& word : words_of(ts::here().id())) {
        ts::async_at(home_of(word), [all](const std::string& w) { ts::atomic([&] { ++(*all)[w]; }); }, word);
      }
    });  // all have been added
    const std::string word = "ishmael";
    const int n = ts::at(home_of(word), [all = all.ref()](const std::string& w) { return (*all)[w]; }, word);
    std::printf("ishmael: %d\n", n);
  });
}

// Prints: ishmael: 2
